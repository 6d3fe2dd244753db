/* SPDX-License-Identifier: MIT */

/*
 * The index of a label that is stored in units: it is that of the values, each
 * unit is decoded once, whatever the chunks, the threads and the memory, and
 * what is wrong with a unit is the error.
 */

#include <config.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/unit.h"
#include "array/array.h"
#include "cache/cache.h"
#include "fake.h"
#include "index/index.h"
#include "util/log.h"
#include "util/problem.h"

#define MIB ((size_t)1 << 20)
#define UNITS 4096

static struct fake f;
static struct array_env env;
static struct stored_array s;
static _Atomic unsigned decodes[UNITS];

static void count(void *arg, const struct array_info *a, uint64_t unit,
		  uint32_t part)
{
	(void)arg;
	(void)a;
	(void)part;
	ck_assert_uint_lt(unit, UNITS);
	decodes[unit]++;
}

static uint64_t every_third(void *arg)
{
	uint64_t *n = arg;

	return ++*n * 33;
}

/* What is stored, in which chunks, and in how much memory it is read. */
static const struct layout {
	struct shape shape, chunk;
	char order;
	unsigned item_size;
	enum cat_layout layout;
	bool gzip;
	unsigned holes;
	size_t memory;
} layouts[] = {
	{{3, {40, 50, 60}},
	 {3, {16, 16, 16}},
	 '<',
	 1,
	 CAT_CHUNKED,
	 true,
	 0,
	 MIB},
	{{3, {40, 50, 60}},
	 {3, {16, 16, 16}},
	 '<',
	 1,
	 CAT_CHUNKED,
	 true,
	 30,
	 MIB},
	/* Chunks that no buffer holds, and a few that one does. */
	{{3, {40, 50, 60}},
	 {3, {32, 32, 32}},
	 '>',
	 2,
	 CAT_CHUNKED,
	 true,
	 0,
	 1000},
	{{3, {40, 50, 60}},
	 {3, {9, 50, 7}},
	 '>',
	 4,
	 CAT_CHUNKED,
	 true,
	 0,
	 128 << 10},
	/* Stacks whose last axis is the chunks'. */
	{{3, {40, 50, 60}},
	 {3, {40, 50, 1}},
	 '<',
	 1,
	 CAT_CHUNKED,
	 true,
	 0,
	 64 << 10},
	{{3, {40, 50, 60}},
	 {3, {1, 50, 60}},
	 '<',
	 2,
	 CAT_CHUNKED,
	 true,
	 0,
	 MIB},
	{{2, {300, 400}},
	 {2, {7, 400}},
	 '<',
	 8,
	 CAT_CHUNKED,
	 true,
	 0,
	 256 << 10},
	{{1, {100000}}, {1, {999}}, '<', 1, CAT_CHUNKED, true, 0, MIB},
	{{3, {40, 50, 60}}, {0}, '>', 2, CAT_CONTIGUOUS, false, 0, 100 << 10},
	{{3, {4, 5, 6}}, {0}, '>', 2, CAT_COMPACT, false, 0, MIB},
	{{3, {4, 5, 6}}, {0}, '<', 2, CAT_NO_STORAGE, false, 0, MIB},
};

static void begin(const struct layout *l)
{
	uint64_t seed = 0;

	log_level = LOG_LEVEL_ERROR;
	log_open("/dev/null");
	memset(&f, 0, sizeof(f));
	memset((void *)decodes, 0, sizeof(decodes));
	f.shape = l->shape;
	f.chunk = l->chunk;
	f.kind = 'u';
	f.order = l->order;
	f.item_size = l->item_size;
	f.layout = l->layout;
	f.holes = l->holes;
	f.has_fill = l->holes > 0;
	f.fill[0] = 7;
	f.filter[0] = 1;
	f.nfilter = l->gzip;
	fake_store(&f, every_third, &seed);
	env = (struct array_env){
		.cache = cache_new(4 * MIB, NULL),
		.problems = problems_new(),
		.on_decode = count,
	};
	ck_assert_int_eq(stored_array_init(&s, &env, fake_container(&f), 3,
					   fake_catalog(&f), 1, "a.h5: /x"),
			 0);
}

static void end(void)
{
	cache_check(env.cache);
	cache_free(env.cache);
	problems_free(env.problems);
	fake_fini(&f);
}

static int build(unsigned threads, size_t memory, void **out, size_t *size)
{
	/* Values of all bytes may be anything where no filter is: take few. */
	static int64_t few[256];
	struct label_plane p = {.array = &s.base, .id = few, .nid = 256};
	const struct label_source source = {
		.shape = s.base.shape, .nplane = 1, .plane = &p};
	const struct index_conf conf = {
		.threads = threads,
		.memory = memory,
		.max = 64 * MIB,
		.max_classes = 100000,
	};

	for (unsigned i = 0; i < 256; i++)
		few[i] = i + (i > 3 ? 253 : 0);
	if (f.nfilter)
		p.nid = 0;
	return label_index_build(&source, &conf, out, size);
}

/* One walk over the values: each is the next voxel of its class. */
static void ck_index(const struct label_index *x, bool all)
{
	const uint32_t classes = label_index_classes(x);
	uint64_t *next = calloc(classes + 1, sizeof(*next));
	uint64_t at[NDIM_MAX] = {0}, got[NDIM_MAX], n;
	struct label_class c;

	ck_assert_int_eq(shape_count(&f.shape, &n), 0);
	for (uint64_t i = 0; i < n; i++) {
		uint8_t item[8] = {0};
		uint64_t rest = i, value;
		int64_t found;

		for (unsigned k = f.shape.ndim; k-- > 0;) {
			at[k] = rest % f.shape.dim[k];
			rest /= f.shape.dim[k];
		}
		fake_voxel(&f, at, item);
		memcpy(&value, item, sizeof(value));
		found = label_index_find(x, (int64_t)value);
		if (value == 0 || found < 0) {
			ck_assert(value == 0 || !all);
			continue;
		}
		label_index_voxel(x, (uint32_t)found, next[found]++, got);
		for (unsigned k = 0; k < f.shape.ndim; k++)
			ck_assert_uint_eq(got[k], at[k]);
	}
	for (uint32_t i = 0; i < classes; i++) {
		label_index_class(x, i, &c);
		ck_assert_uint_eq(next[i], c.count);
	}
	free(next);
}

START_TEST(test_layouts)
{
	const struct layout *l = &layouts[_i];
	void *out, *first = NULL;
	size_t size, n = 0;

	begin(l);
	for (unsigned threads = 1; threads <= 3; threads++) {
		cache_drop(env.cache);
		memset((void *)decodes, 0, sizeof(decodes));
		ck_assert_int_eq(build(threads, l->memory, &out, &size), 0);
		for (unsigned i = 0; i < UNITS; i++)
			ck_assert_uint_le(decodes[i], 1);
		if (first) {
			ck_assert_uint_eq(n, size);
			ck_assert_int_eq(memcmp(first, out, n), 0);
			free(out);
			continue;
		}
		ck_assert_int_eq(label_index_check(out, size, &f.shape), 0);
		ck_index(out, f.nfilter > 0);
		first = out;
		n = size;
	}
	free(first);
	end();
}
END_TEST

/* Two planes lie in each chunk: it is decoded for both at once. */
START_TEST(test_planes_of_a_chunk)
{
	const struct layout l = {{4, {5, 20, 30, 40}},
				 {4, {2, 8, 8, 8}},
				 '<',
				 1,
				 CAT_CHUNKED,
				 true,
				 0,
				 MIB};
	const struct index_conf conf = {
		.threads = 3, .memory = MIB, .max = 64 * MIB, .max_classes = 9};
	struct label_plane p[5];
	struct label_source source = {
		.shape = {3, {20, 30, 40}}, .nplane = 5, .plane = p};
	uint64_t counts[4] = {0};
	struct label_class c;
	void *out;
	size_t size;

	begin(&l);
	for (unsigned i = 0; i < 5; i++)
		p[i] = (struct label_plane){
			.array = &s.base, .has_lead = true, .lead = i};
	ck_assert_int_eq(label_index_build(&source, &conf, &out, &size), 0);
	for (unsigned i = 0; i < UNITS; i++)
		ck_assert_uint_le(decodes[i], 1);
	/* A voxel of several planes counts once. */
	for (uint64_t i = 0; i < 20 * 30 * 40; i++) {
		bool is[4] = {false};

		for (uint64_t k = 0; k < 5; k++) {
			const uint64_t at[] = {k, i / 1200, i / 40 % 30,
					       i % 40};
			uint8_t item[8];

			fake_voxel(&f, at, item);
			is[item[0] & 3] = true;
		}
		for (unsigned k = 1; k < 4; k++)
			counts[k] += is[k];
	}
	ck_assert_uint_eq(label_index_classes(out), 3);
	for (unsigned k = 1; k < 4; k++) {
		label_index_class(out, k - 1, &c);
		ck_assert_int_eq(c.id, k);
		ck_assert_uint_eq(c.count, counts[k]);
	}
	free(out);
	end();
}
END_TEST

START_TEST(test_errors)
{
	void *out = NULL;
	size_t size;

	begin(&layouts[0]);
	f.chunk_at[5].broken = true;
	ck_assert_int_eq(build(2, MIB, &out, &size), -EBADMSG);
	f.chunk_at[5].broken = false;
	f.read_error = -ESTALE;
	cache_drop(env.cache);
	ck_assert_int_eq(build(2, MIB, &out, &size), -ESTALE);
	f.read_error = 0;
	cache_drop(env.cache);
	ck_assert_ptr_null(out);
	ck_assert_int_eq(build(2, MIB, &out, &size), 0);
	free(out);
	end();
}
END_TEST

static Suite *suite(void)
{
	Suite *u = suite_create("label units");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, test_layouts, 0,
			    sizeof(layouts) / sizeof(layouts[0]));
	tcase_add_test(t, test_planes_of_a_chunk);
	tcase_add_test(t, test_errors);
	suite_add_tcase(u, t);
	return u;
}

UNIT_MAIN(suite)
