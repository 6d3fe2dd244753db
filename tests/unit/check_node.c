/* SPDX-License-Identifier: MIT */

/*
 * Node ids and the table of directories: bijective, and one number for each
 * directory however many threads ask for it at once.
 */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tree/dirs.h"
#include "tree/tree.h"
#include "unit.h"

START_TEST(ids_are_bijective)
{
	static const uint32_t dirs[] = {0, 1, 2, 4095, NODE_DIRS_MAX - 1};
	static const uint64_t items[] = {0, 1, 2, 12345, NODE_ITEM_MASK};
	struct node n;

	for (size_t d = 0; d < 5; d++) {
		for (unsigned format = 0; format < 32; format++) {
			for (size_t i = 0; i < 5; i++) {
				uint64_t ino;

				if (format == NODE_DIR && items[i])
					continue;
				ino = node_pack(dirs[d], format, items[i]);
				ck_assert_uint_ne(ino, 0);
				if (d || format)
					ck_assert_uint_ne(ino, TREE_ROOT);
				ck_assert_int_eq(node_unpack(ino, &n), 0);
				ck_assert_uint_eq(n.dir, dirs[d]);
				ck_assert_uint_eq(n.format, format);
				ck_assert_uint_eq(n.item, items[i]);
			}
		}
	}
	ck_assert_uint_eq(node_pack(0, NODE_DIR, 0), TREE_ROOT);
	ck_assert_int_eq(node_unpack(0, &n), -ENOENT);
	ck_assert_int_eq(node_unpack(2, &n), -ENOENT);
	ck_assert_int_eq(node_unpack(node_pack(7, NODE_DIR, 0) + 1, &n),
			 -ENOENT);
}
END_TEST

/* What differs in the directory alone differs where the kernel hashes. */
START_TEST(directories_are_spread)
{
	static unsigned char seen[1 << 16];
	unsigned most = 0;

	for (uint32_t d = 1; d <= 100000; d++) {
		uint64_t ino = node_pack(d, NODE_DIR, 0);
		unsigned n = ++seen[ino >> 6 & 0xffff];

		most = n > most ? n : most;
	}
	ck_assert_uint_le(most, 2);
}
END_TEST

START_TEST(records_are_found_again)
{
	struct dirs *t = dirs_new();
	uint32_t number[2000], again;
	char name[32];

	ck_assert_ptr_nonnull(t);
	ck_assert_ptr_null(dirs_at(t, 0));
	for (uint32_t i = 0; i < 2000; i++) {
		struct dir d = {.parent = i / 10,
				.kind = DIR_GROUP,
				.key = i % 10,
				.object = i};

		snprintf(name, sizeof(name), "group %u", i);
		ck_assert_uint_eq(dirs_find(t, d.parent, DIR_GROUP, d.key),
				  ROW_NONE);
		ck_assert_int_eq(dirs_add(t, &d, name, &number[i]), 0);
		ck_assert_uint_eq(number[i], i);
	}
	for (uint32_t i = 0; i < 2000; i++) {
		const struct dir *d = dirs_at(t, i);
		struct dir same = {
			.parent = i / 10, .kind = DIR_GROUP, .key = i % 10};

		snprintf(name, sizeof(name), "group %u", i);
		ck_assert_uint_eq(d->object, i);
		ck_assert_uint_eq(d->name_len, strlen(name));
		ck_assert_mem_eq(dirs_name(t, d), name, d->name_len);
		ck_assert_int_eq(dirs_add(t, &same, "other", &again), 0);
		ck_assert_uint_eq(again, i);
		ck_assert_uint_eq(dirs_find(t, i / 10, DIR_GROUP, i % 10), i);
		ck_assert_uint_eq(dirs_find(t, i / 10, DIR_ARRAY, i % 10),
				  ROW_NONE);
	}
	ck_assert_uint_eq(dirs_count(t), 2000);
	ck_assert_ptr_null(dirs_at(t, 2000));
	ck_assert_uint_le(sizeof(struct dir), 100);
	dirs_free(t);
}
END_TEST

START_TEST(parameter_sets_end)
{
	struct dirs *t = dirs_new();
	char name[64];
	uint32_t n;

	for (uint32_t i = 0; i < TREE_PARAMS_MAX; i++) {
		snprintf(name, sizeof(name), "random+size-4+seed-%u", i);
		ck_assert_int_eq(dirs_params(t, name, &n), 0);
		ck_assert_uint_eq(n, i);
	}
	ck_assert_int_eq(dirs_params(t, "slices", &n), -ENOSPC);
	ck_assert_int_eq(dirs_params(t, "random+size-4+seed-77", &n), 0);
	ck_assert_uint_eq(n, 77);
	ck_assert_uint_eq(dirs_params_count(t), TREE_PARAMS_MAX);
	dirs_free(t);
}
END_TEST

START_TEST(types_are_shared)
{
	struct dirs *t = dirs_new();
	struct item_type a = {.kind = 'f',
			      .item_size = 4,
			      .shape = {.ndim = 2, .dim = {3, 4}}};
	struct item_type b = a;
	uint32_t first, second;

	b.shape.dim[5] = 99; /* behind its end: means nothing */
	ck_assert_int_eq(dirs_type(t, &a, &first), 0);
	ck_assert_int_eq(dirs_type(t, &b, &second), 0);
	ck_assert_uint_eq(first, second);
	b.kind = 'i';
	ck_assert_int_eq(dirs_type(t, &b, &second), 0);
	ck_assert_uint_ne(first, second);
	ck_assert_int_eq(dirs_type_at(t, second)->kind, 'i');
	ck_assert_uint_eq(dirs_type_at(t, first)->shape.dim[1], 4);
	dirs_free(t);
}
END_TEST

#define RACERS 4
#define KEYS 5000

struct racer {
	struct dirs *t;
	uint32_t number[KEYS];
	unsigned step;
};

static void *race(void *arg)
{
	struct racer *r = arg;

	for (uint32_t i = 0; i < KEYS; i++) {
		uint32_t key = i * r->step % KEYS;
		struct dir d = {
			.kind = DIR_ARRAY, .key = key, .object = key ^ 0x5555};
		const struct dir *found;
		char name[16];

		snprintf(name, sizeof(name), "%u", key);
		if (dirs_add(r->t, &d, name, &r->number[key]) < 0)
			return r;
		found = dirs_at(r->t, r->number[key]);
		if (found->object != (key ^ 0x5555) ||
		    found->name_len != strlen(name) ||
		    memcmp(dirs_name(r->t, found), name, found->name_len) != 0)
			return r;
	}
	return NULL;
}

START_TEST(many_threads_one_number)
{
	static const unsigned steps[RACERS] = {1, 3, 7, 4999};
	static struct racer racer[RACERS];
	pthread_t thread[RACERS];
	struct dirs *t = dirs_new();

	for (unsigned i = 0; i < RACERS; i++) {
		racer[i].t = t;
		racer[i].step = steps[i];
		ck_assert_int_eq(
			pthread_create(&thread[i], NULL, race, &racer[i]), 0);
	}
	for (unsigned i = 0; i < RACERS; i++) {
		void *bad;

		pthread_join(thread[i], &bad);
		ck_assert_ptr_null(bad);
		ck_assert_mem_eq(racer[i].number, racer[0].number,
				 sizeof(racer[0].number));
	}
	ck_assert_uint_eq(dirs_count(t), KEYS);
	dirs_free(t);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("node");
	TCase *t = tcase_create("all");

	tcase_add_test(t, ids_are_bijective);
	tcase_add_test(t, records_are_found_again);
	tcase_add_test(t, directories_are_spread);
	tcase_add_test(t, parameter_sets_end);
	tcase_add_test(t, types_are_shared);
	tcase_add_test(t, many_threads_one_number);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(suite)
