/* SPDX-License-Identifier: MIT */

/*
 * Chunks that are read block by block: what is decoded and read, what is told,
 * and what is offered. Their codec is toy.c.
 */

#include <config.h>

#include "array/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/unit.h"
#include "cache/cache.h"
#include "fake.h"
#include "util/log.h"
#include "util/problem.h"

#define MIB ((size_t)1 << 20)

static struct array_env env;
static struct fake f;
static struct stored_array s;
static unsigned decodes, blocks; /* units, and of these blocks */

static void count(void *arg, const struct array_info *a, uint64_t unit,
		  uint32_t part)
{
	(void)arg;
	(void)a;
	(void)unit;
	decodes++;
	blocks += part > 0;
}

/* Offers are kept. */
static struct wait_offer offers[16];
static unsigned noffers;

static void take(struct wait *w, const struct wait_offer *o)
{
	(void)w;
	ck_assert_uint_lt(noffers, 16);
	offers[noffers++] = *o;
}

static int admit(struct wait *w, const struct wait_need *need)
{
	(void)w;
	ck_assert_uint_eq(need->source, 3);
	return 0;
}

static int begin(void)
{
	fake_store(&f, NULL, NULL);
	return stored_array_init(&s, &env, fake_container(&f), 3,
				 fake_catalog(&f), 1, "a.h5: /x");
}

static int read_all(const struct view *v, struct wait *w)
{
	uint64_t n;
	void *buf;
	int err;

	ck_assert_int_eq(view_bytes(v, &n), 0);
	buf = malloc(n + 1);
	err = array_read(v, 0, n, buf, w);
	free(buf);
	return err;
}

static void check_value(const uint64_t *at)
{
	struct view v = {.array = &s.base};
	uint8_t got[8], want[8];

	for (unsigned k = 0; k < s.base.shape.ndim; k++) {
		v.start[k] = (int64_t)at[k];
		v.extent[k] = 1;
	}
	ck_assert_int_eq(array_read(&v, 0, s.base.item_size, got, NULL), 0);
	fake_voxel(&f, at, want);
	ck_assert_mem_eq(got, want, s.base.item_size);
}

/* This line alone was told. */
static void check_told(const char *text)
{
	char buf[4096] = {0};
	FILE *out = fmemopen(buf, sizeof(buf) - 1, "w");

	problems_write(env.problems, out);
	fclose(out);
	ck_assert_uint_eq(problems_count(env.problems), 1);
	ck_assert_msg(strstr(buf, text), "told: %s", buf);
}

/*
 * A chunked uint16 array (32, 64, 64) in chunks of (32, 32, 64), each of 4 x 2
 * x 2 blocks of (8, 16, 32): 8 KiB.
 */
static void setup(void)
{
	log_level = LOG_LEVEL_ERROR;
	log_open("/dev/null");
	decodes = blocks = noffers = 0;
	toy_open_error = 0;
	toy_open_what = NULL;
	memset(&f, 0, sizeof(f));
	f.kind = 'u';
	f.order = '<';
	f.item_size = 2;
	f.layout = CAT_CHUNKED;
	env = (struct array_env){
		.cache = cache_new(4 * MIB, NULL),
		.problems = problems_new(),
		.on_decode = count,
	};
	f.shape = (struct shape){3, {32, 64, 64}};
	f.chunk = (struct shape){3, {32, 32, 64}};
	f.nfilter = 1;
	f.filter[0] = TOY_FILTER;
	f.toy = (struct toy_conf){.block = {8, 16, 32}};
	ck_assert_int_eq(begin(), 0);
}

static void teardown(void)
{
	cache_check(env.cache);
	cache_free(env.cache);
	problems_free(env.problems);
	fake_fini(&f);
}

static struct view box(uint64_t z, uint64_t y, uint64_t x, uint64_t d,
		       uint64_t h, uint64_t w)
{
	return (struct view){
		.array = &s.base,
		.start = {(int64_t)z, (int64_t)y, (int64_t)x},
		.extent = {d, h, w},
	};
}

START_TEST(test_blocks_alone)
{
	struct view v = box(9, 17, 33, 4, 4, 4);

	/* Inside one block: the frame, and its bytes. */
	ck_assert_int_eq(read_all(&v, NULL), 0);
	ck_assert_uint_eq(blocks, 1);
	ck_assert_uint_eq(decodes, 1);
	ck_assert_uint_eq(f.reads, 3);
	ck_assert_uint_le(f.bytes_read, 400 + 8192 + 4);
	check_value((uint64_t[]){10, 18, 40});
	/* A corner of eight blocks of two chunks: seven are new. */
	v = box(7, 31, 31, 2, 2, 2);
	ck_assert_int_eq(read_all(&v, NULL), 0);
	ck_assert_uint_eq(blocks, 8);
	check_value((uint64_t[]){7, 31, 31});
	check_value((uint64_t[]){8, 32, 32});
	/* Everything: each block once. */
	v = box(0, 0, 0, 32, 64, 64);
	ck_assert_int_eq(read_all(&v, NULL), 0);
	ck_assert_uint_eq(blocks, 32);
	ck_assert_uint_eq(decodes, 32);
}
END_TEST

/* What lies near each other is read at once, and nothing else. */
START_TEST(test_blocks_reads)
{
	struct view v = box(0, 0, 0, 32, 32, 64);
	unsigned reads;

	ck_assert_int_eq(read_all(&v, NULL), 0);
	ck_assert_uint_eq(blocks, 16);
	ck_assert_uint_eq(f.reads, 3); /* the frame, and 16 blocks */
	cache_drop(env.cache);
	f.reads = 0;
	f.bytes_read = 0;
	v = box(9, 0, 0, 4, 32, 64);
	ck_assert_int_eq(read_all(&v, NULL), 0);
	reads = f.reads;
	ck_assert_uint_eq(blocks, 20);
	ck_assert_uint_ge(reads, 3);
	ck_assert_uint_le(f.bytes_read, 400 + 16 * 8196);
}
END_TEST

/* A chunk may be larger than the cache, if its blocks are not. */
START_TEST(test_blocks_small_cache)
{
	struct view v = box(0, 0, 0, 32, 64, 64);

	cache_free(env.cache);
	env.cache = cache_new((size_t)40 << 10, NULL);
	ck_assert_int_eq(read_all(&v, NULL), 0);
	ck_assert_uint_eq(blocks, 32);
	check_value((uint64_t[]){31, 63, 63});
	cache_check(env.cache);
	cache_free(env.cache);
	env.cache = cache_new((size_t)8 << 10, NULL);
	ck_assert_int_eq(read_all(&v, NULL), -EFBIG);
	check_told("a.h5: /x: its blocks of 8 KiB need a larger cache");
}
END_TEST

START_TEST(test_blocks_damaged)
{
	struct view v = box(0, 0, 0, 32, 32, 64);
	size_t off, n;

	toy_stored(f.file + f.chunk_at[0].off, 5, &off, &n);
	f.file[f.chunk_at[0].off + off] ^= 1;
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(read_all(&v, NULL), -EBADMSG);
		check_told("a.h5: /x: chunk (0, 0, 0), block 5: damaged");
	}
	/* The others are there. */
	ck_assert_uint_eq(blocks, 16);
	check_value((uint64_t[]){0, 0, 0});
	check_value((uint64_t[]){31, 31, 63});
	ck_assert_uint_eq(blocks, 16);
}
END_TEST

START_TEST(test_blocks_errors)
{
	static const struct {
		int open, read, want;
		const char *what, *text;
	} row[] = {
		{-EBADMSG, 0, -EBADMSG, NULL, "chunk (0, 0, 0): damaged"},
		{-EOPNOTSUPP, 0, -EOPNOTSUPP, "codec 38",
		 "chunk (0, 0, 0): cannot be decoded, it uses codec 38"},
		{0, -EIO, -EIO, NULL, "chunk (0, 0, 0): cannot be read"},
		{0, -ESTALE, -ESTALE, NULL, "changed"},
	};
	struct view v = box(0, 0, 0, 32, 32, 64);

	toy_open_error = row[_i].open;
	toy_open_what = row[_i].what;
	f.read_error = row[_i].read;
	ck_assert_int_eq(read_all(&v, NULL), row[_i].want);
	check_told(row[_i].text);
	ck_assert_uint_eq(decodes, 0);
	toy_open_error = 0;
	f.read_error = 0;
	cache_drop(env.cache);
	ck_assert_int_eq(read_all(&v, NULL), 0);
	/* The frame is there, the blocks cannot be read. */
	cache_drop(env.cache);
	check_value((uint64_t[]){0, 0, 0});
	f.read_error = -EIO;
	ck_assert_int_eq(read_all(&v, NULL), -EIO);
}
END_TEST

/* Stored some other way, or in blocks too small to be kept: chunk by chunk. */
START_TEST(test_blocks_whole)
{
	struct view v = box(0, 0, 0, 4, 4, 4);

	fake_fini(&f);
	f.file = NULL;
	f.nfile = f.room = 0;
	if (_i == 0)
		f.toy.block[0] = f.toy.block[1] = f.toy.block[2] = 4;
	if (_i == 1) {
		f.nfilter = 2;
		f.filter[1] = 3;
	}
	ck_assert_int_eq(begin(), 0);
	ck_assert_int_eq(read_all(&v, NULL), 0);
	check_value((uint64_t[]){3, 31, 63});
	ck_assert_uint_eq(decodes, 1);
	ck_assert_uint_eq(blocks, 0);
}
END_TEST

/* A chunk of nothing but one item takes no memory, and is never decoded. */
START_TEST(test_blocks_constant)
{
	struct view v = box(0, 0, 0, 32, 64, 64);

	fake_fini(&f);
	f.file = NULL;
	f.nfile = f.room = 0;
	f.order = _i ? '>' : '<';
	f.shape.dim[0] = 16;
	f.chunk.dim[0] = f.toy.block[0] = 4;
	f.layers = true;
	ck_assert_int_eq(begin(), 0);
	v.extent[0] = 4;
	v.start[0] = 4;
	ck_assert_int_eq(read_all(&v, NULL), 0);
	v.start[0] = 12;
	ck_assert_int_eq(read_all(&v, NULL), 0);
	check_value((uint64_t[]){4, 31, 63});
	check_value((uint64_t[]){12, 32, 5});
	ck_assert_uint_eq(decodes, 0);
	check_value((uint64_t[]){8, 32, 5});
	ck_assert_uint_eq(decodes, 1);
}
END_TEST

/* The cost of a view does not depend on what was read. */
START_TEST(test_blocks_cost)
{
	const struct region r = {3, {0, 0, 0}, {4, 4, 4}};
	struct view v = box(0, 0, 0, 4, 4, 4);
	uint64_t n = s.base.ops->decode_bytes(&s.base, &r);

	ck_assert_uint_eq(n, 32 * 32 * 64 * 2);
	ck_assert_int_eq(read_all(&v, NULL), 0);
	ck_assert_uint_eq(s.base.ops->decode_bytes(&s.base, &r), n);
}
END_TEST

/*
 * A reader loads the first blocks, and offers those after them, of its chunk
 * and of the next one.
 */
START_TEST(test_blocks_offers)
{
	struct wait w = {.admit = admit, .offer = take};
	struct view v = box(0, 0, 0, 32, 64, 64);

	ck_assert_int_eq(read_all(&v, &w), 0);
	ck_assert_uint_eq(blocks, 32);
	ck_assert_uint_eq(noffers, 1); /* the second chunk */
	ck_assert_uint_eq(offers[0].need.source, 3);
	cache_drop(env.cache);
	/* The catalog and the label may be gone when an offer is run. */
	memset(&s, 0xee, sizeof(s));
	memset(f.param, 0xee, sizeof(f.param));
	memset(&f.chain, 0xee, sizeof(f.chain));
	offers[0].run(offers[0].arg);
	ck_assert_uint_eq(blocks, 48);
	ck_assert_uint_eq(decodes, 48);
	ck_assert_uint_eq(problems_count(env.problems), 0);
}
END_TEST

/* Of all chunks: not a hole, and a mask that skips the second filter. */
static uint64_t always_two(void *arg)
{
	(void)arg;
	return 2;
}

/*
 * Behind a second filter chunks are decoded whole, and offered so, also those
 * that skip it.
 */
START_TEST(test_blocks_second_filter)
{
	struct wait w = {.admit = admit, .offer = take};
	struct view v = box(0, 0, 0, 32, 64, 64);

	fake_fini(&f);
	f.file = NULL;
	f.nfile = f.room = 0;
	f.nfilter = 2;
	f.filter[1] = 3;
	f.masks = 100;
	fake_store(&f, always_two, NULL);
	ck_assert_int_eq(stored_array_init(&s, &env, fake_container(&f), 3,
					   fake_catalog(&f), 1, "a.h5: /x"),
			 0);
	ck_assert_int_eq(read_all(&v, &w), 0);
	ck_assert_uint_eq(decodes, 2);
	ck_assert_uint_eq(noffers, 1);
	cache_drop(env.cache);
	offers[0].run(offers[0].arg);
	ck_assert_uint_eq(decodes, 3);
	ck_assert_uint_eq(blocks, 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *all = suite_create("blocks");
	TCase *t;

	t = tcase_create("blocks");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_blocks_alone);
	tcase_add_test(t, test_blocks_reads);
	tcase_add_test(t, test_blocks_small_cache);
	tcase_add_test(t, test_blocks_damaged);
	tcase_add_loop_test(t, test_blocks_errors, 0, 4);
	tcase_add_loop_test(t, test_blocks_whole, 0, 2);
	tcase_add_loop_test(t, test_blocks_constant, 0, 2);
	tcase_add_test(t, test_blocks_cost);
	tcase_add_test(t, test_blocks_offers);
	tcase_add_test(t, test_blocks_second_filter);
	suite_add_tcase(all, t);
	return all;
}

UNIT_MAIN(suite)
