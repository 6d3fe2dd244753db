/* SPDX-License-Identifier: MIT */

/*
 * What of an array the model test does not see: errors and what is told of
 * them, how often sources are read and chunks decoded, and waiting.
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
static unsigned decodes;

/* Run while its own unit is loaded. */
static struct wait_offer *during_load;

static void count(void *arg, const struct array_info *a, uint64_t unit,
		  uint32_t part)
{
	struct wait_offer *o = during_load;

	(void)arg;
	(void)a;
	(void)part;
	decodes++;
	if (o && unit == 3) {
		during_load = NULL;
		o->run(o->arg);
	}
}

/* A chunked uint16 array (8, 16, 16) in chunks of (2, 8, 8), shuffle, gzip. */
static void setup(void)
{
	log_level = LOG_LEVEL_ERROR;
	log_open("/dev/null");
	decodes = 0;
	memset(&f, 0, sizeof(f));
	f.shape = (struct shape){3, {8, 16, 16}};
	f.chunk = (struct shape){3, {2, 8, 8}};
	f.kind = 'u';
	f.order = '<';
	f.item_size = 2;
	f.layout = CAT_CHUNKED;
	f.nfilter = 2;
	f.filter[0] = 2;
	f.filter[1] = 1;
	env = (struct array_env){
		.cache = cache_new(4 * MIB, NULL),
		.problems = problems_new(),
		.on_decode = count,
	};
}

static int begin(void)
{
	fake_store(&f, NULL, NULL);
	return stored_array_init(&s, &env, fake_container(&f), 3,
				 fake_catalog(&f), 1, "a.h5: /x");
}

static void teardown(void)
{
	cache_check(env.cache);
	cache_free(env.cache);
	problems_free(env.problems);
	fake_fini(&f);
}

/* The item [i, i + 1) along axis, all of the others. */
static struct view slice(unsigned axis, uint64_t i)
{
	struct view v = {.array = &s.base};

	for (unsigned k = 0; k < s.base.shape.ndim; k++)
		v.extent[k] = s.base.shape.dim[k];
	v.start[axis] = (int64_t)i;
	v.extent[axis] = 1;
	return v;
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

/* The lines told. */
static const char *lines(void)
{
	static char buf[4096];
	FILE *out;

	memset(buf, 0, sizeof(buf));
	out = fmemopen(buf, sizeof(buf), "w");
	problems_write(env.problems, out);
	fclose(out);
	return buf;
}

/* This line alone. */
static void check_told(const char *text)
{
	ck_assert_uint_eq(problems_count(env.problems), 1);
	ck_assert_msg(strstr(lines(), text), "told: %s", lines());
}

START_TEST(test_damaged_chunk)
{
	ck_assert_int_eq(begin(), 0);
	f.file[f.chunk_at[3].off + f.chunk_at[3].n / 2] ^= 0x40;
	/* Slot 3 is chunk (0, 1, 1). */
	for (unsigned i = 0; i < 3; i++) {
		struct view v = slice(0, i % 2);

		ck_assert_int_eq(read_all(&v, NULL), -EBADMSG);
		check_told("a.h5: /x: chunk (0, 1, 1): damaged");
	}
	check_value((uint64_t[]){0, 7, 7});
	check_value((uint64_t[]){2, 15, 15});
	/* Remembered: slot 3 was tried once. */
	ck_assert_uint_eq(decodes, 5);
}
END_TEST

START_TEST(test_errors_of_the_source)
{
	static const struct {
		int err;
		const char *text;
	} row[] = {
		{-EIO, "chunk (0, 0, 0): cannot be read"},
		{-ESTALE, "changed"},
		{-ENOMEM, "memory"},
	};
	struct view v;

	ck_assert_int_eq(begin(), 0);
	v = slice(0, 0);
	f.read_error = row[_i].err;
	ck_assert_int_eq(read_all(&v, NULL), row[_i].err);
	check_told(row[_i].text);
	cache_drop(env.cache);
	f.read_error = 0;
	ck_assert_int_eq(read_all(&v, NULL), 0);
}
END_TEST

START_TEST(test_broken_index)
{
	struct view v;

	ck_assert_int_eq(begin(), 0);
	v = slice(0, 0);
	f.index_error = -EBADMSG;
	ck_assert_int_eq(read_all(&v, NULL), -EBADMSG);
	check_told("a.h5: /x: the index is damaged");
	f.index_error = 0;
	cache_drop(env.cache);
	f.chunk_at[0].broken = true;
	ck_assert_int_eq(read_all(&v, NULL), -EBADMSG);
	ck_assert_uint_eq(problems_count(env.problems), 2);
	ck_assert_ptr_nonnull(strstr(lines(), "chunk (0, 0, 0): lost"));
	check_value((uint64_t[]){0, 0, 8});
	cache_drop(env.cache);
	f.index_note = "some chunks are not found";
	check_value((uint64_t[]){0, 0, 8});
	ck_assert_uint_eq(problems_count(env.problems), 3);
}
END_TEST

/* Stored sizes that no writer makes are not even read. */
START_TEST(test_stored_size)
{
	struct view v;

	if (_i)
		f.nfilter = 0;
	ck_assert_int_eq(begin(), 0);
	v = slice(0, 0);
	f.chunk_at[0].n = _i ? 255 : (uint64_t)1 << 40;
	ck_assert_int_eq(read_all(&v, NULL), -EBADMSG);
	ck_assert_uint_eq(f.reads, 0);
	check_told("chunk (0, 0, 0)");
}
END_TEST

/* The catalog lets none through; one that did come would be an error. */
START_TEST(test_unknown_filter)
{
	struct view v;

	ck_assert_int_eq(begin(), 0);
	v = slice(0, 0);
	f.filter[1] = 65000;
	f.chain.step[1].ops = NULL;
	f.chain.step[1].h5_filter = f.filter[1];
	ck_assert_int_eq(stored_array_init(&s, &env, fake_container(&f), 3,
					   fake_catalog(&f), 1, "a.h5: /x"),
			 0);
	ck_assert_int_eq(read_all(&v, NULL), -EOPNOTSUPP);
	check_told("chunk (0, 0, 0): Operation not supported");
	/* Where a mask leaves the step out there is nothing to decode. */
	f.chunk_at[0].mask = 3;
	f.chunk_at[0].n = 256;
	cache_drop(env.cache);
	v.extent[1] = v.extent[2] = 8;
	ck_assert_int_eq(read_all(&v, NULL), 0);
}
END_TEST

START_TEST(test_not_served)
{
	ck_assert_int_eq(begin(), 0);
	f.info.refused = (struct bytes){"because", 7};
	ck_assert_int_eq(stored_array_init(&s, &env, fake_container(&f), 3,
					   fake_catalog(&f), 1, "x"),
			 -EOPNOTSUPP);
	f.info.refused.n = 0;
	f.info.kind = 0;
	ck_assert_int_eq(stored_array_init(&s, &env, fake_container(&f), 3,
					   fake_catalog(&f), 1, "x"),
			 -EOPNOTSUPP);
	f.info.kind = 'u';
	f.info.rank = NDIM_MAX + 1;
	ck_assert_int_eq(stored_array_init(&s, &env, fake_container(&f), 3,
					   fake_catalog(&f), 1, "x"),
			 -EOPNOTSUPP);
	f.info.rank = 3;
	f.chunk.dim[0] = UINT64_MAX / 2;
	ck_assert_int_eq(stored_array_init(&s, &env, fake_container(&f), 3,
					   fake_catalog(&f), 1, "x"),
			 -EOVERFLOW);
	f.chunk.dim[0] = 2;
	f.info.layout = CAT_CONTIGUOUS;
	f.info.data_size = 1;
	ck_assert_int_eq(stored_array_init(&s, &env, fake_container(&f), 3,
					   fake_catalog(&f), 1, "x"),
			 -EBADMSG);
	ck_assert_uint_eq(problems_count(env.problems), 1);
}
END_TEST

START_TEST(test_too_large_for_the_cache)
{
	struct view v;

	f.shape = f.chunk = (struct shape){1, {3 * MIB / 2 / 2}};
	f.nfilter = 1;
	cache_free(env.cache);
	env.cache = cache_new(2 * MIB, NULL);
	ck_assert_int_eq(begin(), 0);
	v = (struct view){.array = &s.base, .extent = {1}};
	ck_assert_int_eq(read_all(&v, NULL), -EFBIG);
	check_told("--cache-size=3M");
	cache_free(env.cache);
	env.cache = cache_new(3 * MIB, NULL);
	ck_assert_int_eq(read_all(&v, NULL), 0);
}
END_TEST

/* Every slice of a volume, any way round: each chunk is decoded once. */
START_TEST(test_each_chunk_once)
{
	ck_assert_int_eq(begin(), 0);
	for (unsigned axis = 0; axis < 3; axis++) {
		for (uint64_t i = 0; i < f.shape.dim[axis]; i++) {
			struct view v = slice(axis, i);

			ck_assert_int_eq(read_all(&v, NULL), 0);
		}
	}
	ck_assert_uint_eq(decodes, 4 * 2 * 2);
	ck_assert_uint_eq(f.indexes, 1);
}
END_TEST

/* Holes are no entries: nothing is read for them. */
START_TEST(test_holes)
{
	struct chunk_counts n;
	struct view v;

	f.has_fill = true;
	memset(f.fill, 0x31, sizeof(f.fill));
	ck_assert_int_eq(begin(), 0);
	for (unsigned i = 0; i < 4; i++)
		f.chunk_at[i].hole = true;
	v = slice(0, 1);
	ck_assert_int_eq(read_all(&v, NULL), 0);
	check_value((uint64_t[]){1, 3, 3});
	ck_assert_uint_eq(decodes, 0);
	ck_assert_uint_eq(f.reads, 0);
	f.chunk_at[4].mask = 1;
	f.chunk_at[5].broken = true;
	ck_assert_int_eq(stored_array_counts(&s, &n, NULL), 0);
	ck_assert_uint_eq(n.stored, 11);
	ck_assert_uint_eq(n.missing, 4);
	ck_assert_uint_eq(n.broken, 1);
	ck_assert_uint_eq(n.masked, 1);
	ck_assert_uint_eq(f.indexes, 1);
}
END_TEST

/*
 * A sweep across thin chunks that do not fit in the cache together: bands keep
 * the decodes to a few for each chunk, not one for each slice.
 */
START_TEST(test_bands)
{
	unsigned chunks = 64;

	/* 64 chunks of 32 KiB are 2 MiB; the cache has 512 KiB. */
	f.shape = (struct shape){3, {chunks, 64, 256}};
	f.chunk = (struct shape){3, {1, 64, 256}};
	cache_free(env.cache);
	env.cache = cache_new(MIB / 2, NULL);
	ck_assert_int_eq(begin(), 0);
	for (uint64_t i = 0; i < 256; i++) {
		struct view v = slice(2, i);

		ck_assert_int_eq(read_all(&v, NULL), 0);
		check_value((uint64_t[]){i % chunks, i % 64, i});
	}
	/* 2 x array / cache = 8, not 256. */
	ck_assert_uint_le(decodes, 10 * chunks + 256);
	ck_assert_uint_ge(decodes, 4 * chunks);
}
END_TEST

/* Long runs of plain data do not pass through the cache. */
START_TEST(test_direct)
{
	struct view v;

	f.shape = (struct shape){3, {4, 256, 256}};
	f.chunk = (struct shape){3, {1, 256, 256}};
	f.nfilter = 0;
	f.layout = _i ? CAT_CHUNKED : CAT_CONTIGUOUS;
	ck_assert_int_eq(begin(), 0);
	v = slice(0, 2);
	ck_assert_int_eq(read_all(&v, NULL), 0);
	ck_assert_uint_eq(decodes, 0);
	ck_assert_uint_eq(f.reads, 1);
	v = slice(2, 5);
	ck_assert_int_eq(read_all(&v, NULL), 0);
	ck_assert_uint_eq(decodes, _i ? 4 : 1);
	check_value((uint64_t[]){3, 200, 7});
	ck_assert_uint_eq(decodes, _i ? 4 : 1);
}
END_TEST

START_TEST(test_cost)
{
	struct region r = {3, {0, 0, 0}, {1, 16, 16}};

	ck_assert_int_eq(begin(), 0);
	ck_assert_uint_eq(s.base.ops->decode_bytes(&s.base, &r), 4 * 256);
	r = (struct region){3, {1, 7, 7}, {2, 2, 2}};
	ck_assert_uint_eq(s.base.ops->decode_bytes(&s.base, &r), 8 * 256);
	r.extent[1] = 0;
	ck_assert_uint_eq(s.base.ops->decode_bytes(&s.base, &r), 0);
	ck_assert_uint_eq(f.reads + f.indexes, 0);
}
END_TEST

START_TEST(test_views)
{
	char buf[8];
	struct view v;
	uint64_t n;

	ck_assert_int_eq(begin(), 0);
	v = slice(1, 3);
	ck_assert_int_eq(view_bytes(&v, &n), 0);
	ck_assert_uint_eq(n, 8 * 16 * 2);
	ck_assert_int_eq(array_read(&v, n + 1, 0, buf, NULL), -EINVAL);
	ck_assert_int_eq(array_read(&v, n - 1, 2, buf, NULL), -EINVAL);
	ck_assert_int_eq(array_read(&v, n, 0, buf, NULL), 0);
	v.extent[0] = v.extent[1] = (uint64_t)1 << 40;
	ck_assert_int_eq(view_bytes(&v, &n), -EOVERFLOW);
	ck_assert_int_eq(array_read(&v, 0, 1, buf, NULL), -EOVERFLOW);
}
END_TEST

/* ----------------------------------------------------------------- waits */

struct request {
	struct wait wait; /* first */
	int answer;
	unsigned asked;
	struct wait_need first, last;
};

static int admit(struct wait *w, const struct wait_need *need)
{
	struct request *r = (struct request *)w;

	if (!r->asked++)
		r->first = *need;
	r->last = *need;
	return r->answer;
}

START_TEST(test_admit)
{
	struct request r = {.wait = {.admit = admit}, .answer = -ERESTART};
	struct view v;

	if (_i)
		f.nfilter = 0;
	if (_i == 2)
		f.layout = CAT_CONTIGUOUS;
	ck_assert_int_eq(begin(), 0);
	v = slice(0, 0);
	ck_assert_int_eq(read_all(&v, &r.wait), -ERESTART);
	ck_assert_uint_eq(r.asked, 1);
	ck_assert_uint_eq(f.reads + f.indexes + decodes, 0);
	r.answer = 0;
	r.asked = 0;
	ck_assert_int_eq(read_all(&v, &r.wait), 0);
	ck_assert_uint_eq(r.first.source, 3);
	ck_assert_uint_eq(r.first.device, _i == 2 ? 11 : WAIT_DEVICE_SCAN);
	ck_assert_uint_eq(r.last.source, 3);
	ck_assert_uint_eq(r.last.device, 11);
	/* What is there asks nobody. */
	if (_i == 0) {
		r.asked = 0;
		ck_assert_int_eq(read_all(&v, &r.wait), 0);
		ck_assert_uint_eq(r.asked, 0);
	}
	ck_assert_uint_eq(problems_count(env.problems), 0);
}
END_TEST

/* A reader loads the first chunk, and offers those after it. */
static struct wait_offer offers[16];
static unsigned noffers;

static void take(struct wait *w, const struct wait_offer *o)
{
	(void)w;
	ck_assert_uint_lt(noffers, 16);
	offers[noffers++] = *o;
}

static void refuse(struct wait *w, const struct wait_offer *o)
{
	(void)w;
	noffers++;
	o->drop(o->arg);
}

START_TEST(test_offers)
{
	struct request r = {.wait = {.admit = admit, .offer = take}};
	struct view v;

	noffers = 0;
	ck_assert_int_eq(begin(), 0);
	f.chunk_at[2].hole = true;
	v = slice(0, 0); /* chunks 0 to 3 */
	ck_assert_int_eq(read_all(&v, &r.wait), 0);
	ck_assert_uint_eq(noffers, 2);
	ck_assert_uint_eq(decodes, 3);
	ck_assert_uint_eq(offers[0].need.source, 3);
	ck_assert_uint_eq(offers[0].need.device, 11);
	cache_drop(env.cache);
	/* The catalog and the label may be gone when an offer is run. */
	memset(&s, 0xee, sizeof(s));
	memset(f.param, 0xee, sizeof(f.param));
	memset(&f.chain, 0xee, sizeof(f.chain));
	decodes = 0;
	offers[0].run(offers[0].arg);
	ck_assert_uint_eq(decodes, 1);
	offers[1].drop(offers[1].arg);
	fake_fini(&f);
	f.file = NULL;
	f.chunk_at = NULL;
	f.nfile = f.room = 0;
	ck_assert_int_eq(begin(), 0);
	v = slice(0, 0);
	r.wait.offer = refuse;
	noffers = 0;
	ck_assert_int_eq(read_all(&v, &r.wait), 0);
	/* Chunk 1 is there; the first refusal ends it. */
	ck_assert_uint_eq(decodes, 1 + 3);
	ck_assert_uint_eq(noffers, 1);
}
END_TEST

/* An offer whose unit someone else loads, or for which there is no room. */
START_TEST(test_offer_parks)
{
	struct request r = {.wait = {.admit = admit, .offer = take}};
	struct view v;

	noffers = 0;
	ck_assert_int_eq(begin(), 0);
	v = slice(0, 0);
	ck_assert_int_eq(read_all(&v, &r.wait), 0);
	ck_assert_uint_eq(noffers, 3);
	f.read_error = -EIO; /* it fails, and tells so */
	cache_drop(env.cache);
	offers[0].run(offers[0].arg);
	check_told("a.h5: /x: chunk (0, 0, 1): cannot be read");
	offers[1].drop(offers[1].arg);
	f.read_error = 0;
	cache_drop(env.cache);
	during_load = &offers[2];
	ck_assert_int_eq(read_all(&v, NULL), 0);
	ck_assert_ptr_null(during_load);
}
END_TEST

static Suite *suite(void)
{
	Suite *all = suite_create("array");
	TCase *t = tcase_create("errors");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_damaged_chunk);
	tcase_add_loop_test(t, test_errors_of_the_source, 0, 3);
	tcase_add_test(t, test_broken_index);
	tcase_add_loop_test(t, test_stored_size, 0, 2);
	tcase_add_test(t, test_unknown_filter);
	tcase_add_test(t, test_not_served);
	tcase_add_test(t, test_too_large_for_the_cache);
	suite_add_tcase(all, t);
	t = tcase_create("work");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_each_chunk_once);
	tcase_add_test(t, test_holes);
	tcase_add_test(t, test_bands);
	tcase_add_loop_test(t, test_direct, 0, 2);
	tcase_add_test(t, test_cost);
	tcase_add_test(t, test_views);
	tcase_add_loop_test(t, test_admit, 0, 3);
	tcase_add_test(t, test_offers);
	tcase_add_test(t, test_offer_parks);
	suite_add_tcase(all, t);
	return all;
}

UNIT_MAIN(suite)
