/* SPDX-License-Identifier: MIT */

/* Several keys at once: cache_get_run, cache_peek_run, cache_put_run. */

#include <config.h>

#include "cache/cache.h"

#include <errno.h>
#include <string.h>

#include "unit.h"

#define KIB ((size_t)1 << 10)
#define KEYS 8

static struct cache *c;
static struct cache_ask ask[KEYS];
static struct cache_entry *out[KEYS];
static uint64_t mine;

/* What was loaded, in this order; and what is to fail. */
static unsigned nloaded;
static uint64_t loaded[2 * KEYS], seen_mine;
static int fails[KEYS];
static void (*meanwhile)(void);

static int load(void *arg, const struct cache_key *key, struct wait *w,
		void **data, size_t *size)
{
	(void)arg;
	(void)w;
	ck_assert_uint_lt(nloaded, 2 * KEYS);
	if (nloaded == 0)
		seen_mine = mine;
	loaded[nloaded++] = key->unit;
	if (meanwhile)
		meanwhile();
	memset(*data, (int)key->unit, *size);
	return fails[key->unit];
}

static void setup(void)
{
	c = cache_new(1024 * KIB, NULL);
	nloaded = 0;
	meanwhile = NULL;
	memset(fails, 0, sizeof(fails));
	for (unsigned i = 0; i < KEYS; i++) {
		out[i] = (void *)&mine; /* to be overwritten */
		ask[i] = (struct cache_ask){
			.key = {.source = 1, .unit = i},
			.need = 10 * KIB,
			.load = load,
		};
	}
}

static void teardown(void)
{
	cache_check(c);
	cache_free(c); /* asserts that nothing is pinned */
}

static void put_all(void)
{
	for (unsigned i = 0; i < KEYS; i++) {
		const unsigned char *p;
		size_t n;

		if (!out[i])
			continue;
		p = cache_data(out[i], &n);
		ck_assert_uint_eq(n, 10 * KIB);
		ck_assert_uint_eq(p[0], i);
		ck_assert_uint_eq(p[n - 1], i);
		cache_put(c, out[i], 0);
	}
}

static void load_alone(unsigned i)
{
	struct cache_entry *e;

	ck_assert_int_eq(cache_get(c, &ask[i], NULL, &e), 0);
	cache_put(c, e, 0);
	nloaded = 0;
}

START_TEST(test_all)
{
	ck_assert_int_eq(cache_get_run(c, ask, KEYS, NULL, &mine, out), 0);
	ck_assert_uint_eq(mine, 0xff);
	ck_assert_uint_eq(seen_mine, 0xff);
	ck_assert_uint_eq(nloaded, KEYS);
	ck_assert_uint_eq(loaded[KEYS - 1], 0); /* the first one last */
	cache_check(c);
	put_all();
	nloaded = 0;
	ck_assert_int_eq(cache_get_run(c, ask, KEYS, NULL, &mine, out), 0);
	ck_assert_uint_eq(nloaded, 0);
	ck_assert_uint_eq(mine, 0);
	ck_assert_ptr_nonnull(out[0]);
	for (unsigned i = 1; i < KEYS; i++)
		ck_assert_ptr_null(out[i]);
	put_all();
}
END_TEST

START_TEST(test_some)
{
	load_alone(3);
	ck_assert_int_eq(cache_get_run(c, ask, 6, NULL, &mine, out), 0);
	ck_assert_uint_eq(mine, 0x37);
	ck_assert_uint_eq(nloaded, 5);
	ck_assert_ptr_null(out[3]);
	out[6] = out[7] = NULL;
	put_all();
}
END_TEST

START_TEST(test_failures)
{
	struct cache_entry *e;

	fails[2] = -EBADMSG;
	ck_assert_int_eq(cache_get_run(c, ask, KEYS, NULL, &mine, out), 0);
	ck_assert_ptr_null(out[2]);
	ck_assert_ptr_nonnull(out[1]);
	put_all();
	/* Remembered: nobody tries again. */
	nloaded = 0;
	ck_assert_int_eq(cache_get(c, &ask[2], NULL, &e), -EBADMSG);
	cache_drop(c);
	fails[2] = 0;
	fails[0] = -EIO;
	ck_assert_int_eq(cache_get_run(c, ask, KEYS, NULL, &mine, out), -EIO);
	for (unsigned i = 0; i < KEYS; i++)
		ck_assert_ptr_null(out[i]);
	/* The others were loaded, and stay. */
	nloaded = 0;
	ck_assert_int_eq(cache_get(c, &ask[5], NULL, &e), 0);
	cache_put(c, e, 0);
	ck_assert_uint_eq(nloaded, 0);
}
END_TEST

/* One source has half of what loads may take: here 256 KiB of results. */
START_TEST(test_room)
{
	for (unsigned i = 0; i < KEYS; i++)
		ask[i].need = 100 * KIB;
	ask[0].scratch = 20 * KIB;
	ck_assert_int_eq(cache_get_run(c, ask, KEYS, NULL, &mine, out), 0);
	ck_assert_uint_eq(mine, 3);
	for (unsigned i = 0; i < KEYS; i++)
		if (out[i])
			cache_put(c, out[i], 0);
	ask[0].key.unit = 7;
	ask[0].scratch = 2048 * KIB + CACHE_LOAD_SLACK;
	ck_assert_int_eq(cache_get_run(c, ask, KEYS, NULL, &mine, out), -EFBIG);
	ck_assert_uint_eq(mine, 0);
}
END_TEST

/* Whoever asks for one of them meanwhile is parked, and woken once. */
static struct request {
	struct wait wait; /* first */
	unsigned wakes;
} other[KEYS];

static int admit(struct wait *w, const struct wait_need *need)
{
	(void)w;
	(void)need;
	return 0;
}

static void wake(struct wait *w)
{
	((struct request *)w)->wakes++;
}

static void ask_for_all(void)
{
	struct cache_entry *e;

	meanwhile = NULL;
	for (unsigned i = 0; i < KEYS; i++)
		ck_assert_int_eq(cache_get(c, &ask[i], &other[i].wait, &e),
				 -EAGAIN);
	cache_check(c);
}

START_TEST(test_parked)
{
	struct wait w = {.admit = admit};

	for (unsigned i = 0; i < KEYS; i++)
		other[i] = (struct request){{.admit = admit, .wake = wake}, 0};
	meanwhile = ask_for_all;
	ck_assert_int_eq(cache_get_run(c, ask, KEYS, &w, &mine, out), 0);
	ck_assert_uint_eq(nloaded, KEYS);
	for (unsigned i = 0; i < KEYS; i++)
		ck_assert_uint_eq(other[i].wakes, 1);
	put_all();
}
END_TEST

/* A load looks at its own key, and at one that is there. */
static void look(void)
{
	const struct cache_key key[] = {ask[0].key, ask[3].key};
	struct cache_entry *e[2] = {(void *)&mine, NULL};

	cache_peek_run(c, key, 2, e);
	ck_assert_ptr_null(e[0]);
	ck_assert_ptr_nonnull(e[1]);
	cache_put_run(c, e, 2, (const size_t[]){0, 0});
}

/* Several at once, pinned and put: those that are there. */
START_TEST(test_peek)
{
	struct cache_key key[KEYS];
	size_t served[KEYS];

	load_alone(3);
	load_alone(6);
	for (unsigned i = 0; i < KEYS; i++) {
		key[i] = ask[i].key;
		served[i] = 10 * KIB;
	}
	cache_peek_run(c, key, KEYS, out);
	for (unsigned i = 0; i < KEYS; i++)
		ck_assert(!out[i] == (i != 3 && i != 6));
	/* What is pinned stays. */
	cache_drop(c);
	put_all();
	cache_peek_run(c, key, KEYS, out);
	ck_assert_ptr_nonnull(out[3]);
	ck_assert_ptr_nonnull(out[6]);
	cache_put_run(c, out, KEYS, served);
	meanwhile = look;
	load_alone(0);
	cache_drop(c);
	cache_peek_run(c, key, KEYS, out);
	for (unsigned i = 0; i < KEYS; i++)
		ck_assert_ptr_null(out[i]);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("cache-run");
	TCase *t = tcase_create("run");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_all);
	tcase_add_test(t, test_some);
	tcase_add_test(t, test_failures);
	tcase_add_test(t, test_room);
	tcase_add_test(t, test_parked);
	tcase_add_test(t, test_peek);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(suite)
