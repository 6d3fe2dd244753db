/* SPDX-License-Identifier: MIT */

/* Catalogs that are refused: each field of each record at its extremes. */

#include <config.h>

#include <stdio.h>
#include <string.h>

#include "catalog_fixture.h"
#include "unit.h"

/* One field of an otherwise good array. */
#define BAD_ARRAY(change, reason)      \
	do {                           \
		struct record_array v; \
		v = record_array();    \
		change;                \
		records_array(&r, &v); \
		expect_bad(reason);    \
	} while (0)

START_TEST(test_bad_arrays)
{
	BAD_ARRAY(v.a.rank = 33, "rank");
	BAD_ARRAY(v.a.rank = UINT32_MAX, "rank");
	BAD_ARRAY(v.a.rank = 0, "chunk index");
	BAD_ARRAY(v.a.layout = 0, "layout");
	BAD_ARRAY(v.a.layout = 7, "layout");
	BAD_ARRAY(v.a.index = 6, "chunk index");
	BAD_ARRAY(v.a.flags = 8, "flags");
	BAD_ARRAY(v.a.flags = CAT_NULL_SPACE, "dataspace");
	BAD_ARRAY(v.chunk[2] = 0, "chunk");
	BAD_ARRAY(v.a.nfilter = 33, "filters");
	BAD_ARRAY(v.a.nfilter = UINT32_MAX, "filters");
	BAD_ARRAY(v.a.kind = 'x', "type");
	BAD_ARRAY(v.a.kind = 'b', "type");
	BAD_ARRAY(v.a.kind = 0, "byte order");
	BAD_ARRAY(v.a.item_size = 0, "type");
	BAD_ARRAY(v.a.item_size = 3, "type");
	BAD_ARRAY(v.a.item_size = 16, "type");
	BAD_ARRAY(v.a.item_size = UINT32_MAX, "type");
	BAD_ARRAY(v.a.item_size = 1, "byte order");
	BAD_ARRAY(v.a.order = '|', "byte order");
	BAD_ARRAY(v.a.order = 0, "byte order");
	BAD_ARRAY((v.a.kind = 'f', v.a.item_size = 1, v.a.order = '|'), "type");
	BAD_ARRAY(v.a.fill_size = 1, "fill");
	BAD_ARRAY(v.a.fill_size = 4, "fill");
	BAD_ARRAY(v.a.fill_size = UINT32_MAX, "length");
	BAD_ARRAY(v.a.compact_size = UINT32_MAX, "length");
	BAD_ARRAY(v.a.type_len = 16, "length");
	BAD_ARRAY(v.longer = 8, "length");
	BAD_ARRAY((v.a.layout = CAT_COMPACT, v.a.compact_size = 11999),
		  "compact");
	BAD_ARRAY((v.a.layout = CAT_COMPACT, v.a.compact_size = 12001),
		  "compact");
}
END_TEST

/* The same numbers, but where the record says so and nothing is there. */
START_TEST(test_lengths)
{
	static const size_t field[] = {
		offsetof(struct cat_array, rank),
		offsetof(struct cat_array, nfilter),
		offsetof(struct cat_array, fill_size),
		offsetof(struct cat_array, compact_size),
		offsetof(struct cat_array, type_len),
		offsetof(struct cat_array, refused_len),
	};
	static const uint32_t value[] = {
		9, 32, 4096, 1 << 20, INT32_MAX, UINT32_MAX - 7, UINT32_MAX};
	struct record_array v = record_array();

	for (size_t i = 0; i < sizeof(field) / sizeof(*field); i++) {
		for (size_t j = 0; j < sizeof(value) / sizeof(*value); j++) {
			records_array(&r, &v);
			memcpy(r.p + r.last + field[i], &value[j], 4);
			expect_bad("");
		}
	}
	v.a.nfilter = 1;
	v.filter[0].id = 3;
	for (size_t j = 0; j < sizeof(value) / sizeof(*value); j++) {
		for (int name = 0; name < 2; name++) {
			size_t at;

			records_array(&r, &v);
			at = r.last + sizeof(struct cat_array) + 48 +
			     (name ? offsetof(struct cat_filter, name_len)
				   : offsetof(struct cat_filter, nparam));
			memcpy(r.p + at, &value[j], 4);
			expect_bad("length");
		}
	}
}
END_TEST

START_TEST(test_bad_heads)
{
	static const uint32_t sizes[] = {
		0, 4, 8, 12, 15, 24, 1 << 20, UINT32_MAX, UINT32_MAX - 7};

	for (uint32_t type = CAT_GROUP; type <= CAT_PROBLEM; type++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			uint64_t zero = 0;

			records_object(&r, type, 0);
			records_put(&r, &zero, 8);
			memcpy(r.p + r.last + 4, &sizes[i], 4);
			expect_bad("length");
		}
	}
	records_object(&r, 0, 0);
	expect_bad("type of the record");
	records_object(&r, CAT_TEXT, 0);
	expect_bad("type of the record");
	records_object(&r, UINT32_MAX, 0);
	expect_bad("type of the record");
	r.n -= 4;
	expect_bad("page length");
}
END_TEST

START_TEST(test_totals)
{
	r.objects++;
	expect_bad("records are missing");
	r.links = UINT64_MAX;
	expect_bad("records are missing");
	records_free(&r);
	expect_bad("no root");
	records_free(&r);
	records_object(&r, CAT_OTHER, 0);
	expect_bad("root");
	records_free(&r);
	struct record_array v = record_array();
	records_array(&r, &v);
	expect_bad("root");
}
END_TEST

START_TEST(test_bad_links)
{
	struct record_array v = record_array();

	records_link(&r, 0, "x", 1);
	expect_bad("no such object");
	records_link(&r, 0, "x", UINT32_MAX);
	expect_bad("no such object");
	records_link(&r, 1, "x", 0);
	expect_bad("no such group");
	records_array(&r, &v);
	records_link(&r, 1, "x", 0);
	expect_bad("no such group");
	records_link(&r, 0, "x", 0);
	((struct cat_link *)(r.p + r.last))->kind = 0;
	expect_bad("kind");
	records_link(&r, 0, "x", 0);
	((struct cat_link *)(r.p + r.last))->kind = 5;
	expect_bad("kind");
	records_link(&r, 0, "abc", 0);
	r.p[r.last + sizeof(struct cat_link) + 1] = '\0';
	expect_bad("NUL");
	records_link(&r, 0, "abc", 0);
	((struct cat_link *)(r.p + r.last))->target_len = 2;
	expect_bad("NUL");
	records_link(&r, 0, "abcdefgh", 0);
	((struct cat_link *)(r.p + r.last))->name_len = 4;
	((struct cat_link *)(r.p + r.last))->target_len = 4;
	expect_bad("target");
	records_symlink(&r, 0, "abcd", "abcd", NULL);
	((struct cat_link *)(r.p + r.last))->target_len = 2;
	((struct cat_link *)(r.p + r.last))->file_len = 2;
	expect_bad("target");
	for (uint32_t n = 9; n; n *= 16) {
		records_link(&r, 0, "abcdefgh", 0);
		((struct cat_link *)(r.p + r.last))->name_len = n;
		expect_bad("length");
	}
	char name[66000];
	memset(name, 'a', sizeof(name));
	name[65536] = '\0';
	records_link(&r, 0, name, 0);
	expect_bad("length of the name");
	name[65535] = '\0';
	records_link(&r, 0, name, 0);
	expect_good();
}
END_TEST

static void bad_attr(uint32_t type, struct cat_attr a, const char *reason)
{
	static const uint64_t dim[CAT_RANK_MAX] = {3};

	records_attr(&r, type, &a, dim, type == CAT_VALUE ? "" : "n",
		     "\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0");
	expect_bad(reason);
}

START_TEST(test_bad_attrs)
{
	struct cat_attr a = {.class = CAT_NUMBERS,
			     .kind = 'i',
			     .item_size = 4,
			     .rank = 1,
			     .data_len = 12},
			b;
	uint64_t dim[] = {UINT64_MAX / 2, 3};

	bad_attr(CAT_ATTR, (b = a, b.owner = 1, b), "no such object");
	bad_attr(CAT_VALUE, a, "no such array");
	bad_attr(CAT_ATTR, (b = a, b.class = 0, b), "class");
	bad_attr(CAT_ATTR, (b = a, b.class = CAT_PLACES, b), "class");
	bad_attr(CAT_ATTR, (b = a, b.class = CAT_PLACES + 1, b), "class");
	bad_attr(CAT_VALUE, (b = a, b.class = CAT_PLACES, b), "length");
	bad_attr(CAT_ATTR, (b = a, b.kind = 'S', b), "type");
	bad_attr(CAT_ATTR, (b = a, b.item_size = 3, b), "type");
	bad_attr(CAT_ATTR, (b = a, b.item_size = 2, b), "data");
	bad_attr(CAT_ATTR, (b = a, b.data_len = 8, b), "data");
	bad_attr(CAT_ATTR, (b = a, b.rank = 33, b), "rank");
	bad_attr(CAT_ATTR, (b = a, b.class = CAT_STRINGS, b), "data");
	bad_attr(CAT_ATTR, (b = a, b.class = CAT_STRINGS, b.data_len = 3, b),
		 "data");
	bad_attr(CAT_ATTR, (b = a, b.class = CAT_EMPTY, b), "data");
	records_attr(&r, CAT_ATTR, (b = a, b.rank = 2, &b), dim, "n",
		     "123456789abc");
	expect_bad("data");
	records_attr(&r, CAT_ATTR, &a, dim, "n", "123456789abc");
	((struct cat_attr *)(r.p + r.last))->data_len = UINT32_MAX;
	expect_bad("length");
	records_attr(&r, CAT_ATTR, &a, dim, "n", "123456789abc");
	((struct cat_attr *)(r.p + r.last))->name_len = UINT32_MAX;
	expect_bad("length");
	records_problem(&r, 1, "x");
	expect_bad("no such object");
	records_problem(&r, 0, "x");
	((struct cat_problem *)(r.p + r.last))->text_len = 9;
	expect_bad("length");
}
END_TEST

START_TEST(test_two_values)
{
	struct record_array v = record_array();
	struct cat_attr a = {.class = CAT_EMPTY};

	for (int i = 0; i < 3; i++)
		records_array(&r, &v);
	for (uint32_t i = 3; i; i--)
		records_attr(&r, CAT_VALUE, (a.owner = i, &a), NULL, "", "");
	expect_good();
	for (uint32_t i = 0; i < 4; i++) {
		struct attr out;

		ck_assert_int_eq(catalog_value(k, i, &out), i > 0);
	}
	records_attr(&r, CAT_VALUE,
		     &(struct cat_attr){.class = CAT_EMPTY, .owner = 2}, NULL,
		     "", "");
	expect_bad("two values");
}
END_TEST

START_TEST(test_limit)
{
	struct record_array v = record_array();
	size_t need;

	for (int i = 0; i < 1000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "array%d", i);
		records_link(&r, 0, name, records_array(&r, &v));
	}
	expect_good();
	need = size;
	ck_assert_int_eq(build_limited(true, need + 256), 0);
	ck_assert_int_eq(build_limited(true, need - 1), -EFBIG);
	ck_assert_int_eq(build_limited(false, need / 2), -EFBIG);
	ck_assert_int_eq(build_limited(true, 0), -EFBIG);
	/* Compact: under 250 bytes an array, with its name. */
	ck_assert_uint_lt(need, 1001 * 250);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *s = suite_create("catalog_bad");
	TCase *t = tcase_create("catalog_bad");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_bad_arrays);
	tcase_add_test(t, test_lengths);
	tcase_add_test(t, test_bad_heads);
	tcase_add_test(t, test_totals);
	tcase_add_test(t, test_bad_links);
	tcase_add_test(t, test_bad_attrs);
	tcase_add_test(t, test_two_values);
	tcase_add_test(t, test_limit);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(make_suite)
