/* SPDX-License-Identifier: MIT */

/*
 * The sampling index: small labels whose index can be said by hand, what
 * building refuses and how it ends early, blocks that are no index.
 */

#include <config.h>

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "../model/memory_array.h"
#include "index/build_impl.h"
#include "index/index.h"
#include "index/index_impl.h"
#include "unit.h"

#define BIG (SIZE_MAX / 8)

static const struct index_conf plain = {
	.threads = 2, .memory = 1 << 20, .max = BIG, .max_classes = 1000};

static int build_of(const struct memory_array *m, const struct index_conf *conf,
		    void **out, size_t *size)
{
	const struct label_plane p = {.array = &m->base};
	const struct label_source s = {
		.shape = m->base.shape, .nplane = 1, .plane = &p};

	return label_index_build(&s, conf, out, size);
}

static void ck_voxel(const struct label_index *x, uint32_t i, uint64_t k,
		     uint64_t a, uint64_t b)
{
	uint64_t at[NDIM_MAX];

	label_index_voxel(x, i, k, at);
	ck_assert_uint_eq(at[0], a);
	ck_assert_uint_eq(at[1], b);
}

START_TEST(test_by_hand)
{
	static const int8_t label[4][5] = {
		{0, 7, 7, -2, 7},
		{7, 7, 0, 0, 0},
		{0, 0, 0, 0, 0},
		{0, 0, 0, -2, 0},
	};
	const struct shape shape = {.ndim = 2, .dim = {4, 5}};
	const uint64_t lo[NDIM_MAX] = {0, 1}, hi[NDIM_MAX] = {2, 5};
	const int64_t seven = 7;
	struct label_class c;
	struct memory_array m;
	struct label_index *x;
	void *out, *less;
	size_t n;

	memory_array_init(&m, &shape, 'i', 1);
	memcpy(m.data, label, sizeof(label));
	ck_assert_int_eq(build_of(&m, &plain, &out, &n), 0);
	x = out;
	ck_assert_int_eq(label_index_check(x, n, &shape), 0);
	ck_assert(shape_equal(label_index_shape(x), &shape));
	ck_assert_uint_eq(label_index_classes(x), 2);
	ck_assert_int_eq(label_index_find(x, -2), 0);
	ck_assert_int_eq(label_index_find(x, 7), 1);
	ck_assert_int_eq(label_index_find(x, 0), -ENOENT);
	ck_assert_int_eq(label_index_find(x, 8), -ENOENT);
	label_index_class(x, 0, &c);
	ck_assert_int_eq(c.id, -2);
	ck_assert_uint_eq(c.count, 2);
	ck_assert_uint_eq(c.runs, 2);
	ck_assert_uint_eq(c.start[0], 0);
	ck_assert_uint_eq(c.stop[0], 4);
	ck_assert_uint_eq(c.start[1], 3);
	ck_assert_uint_eq(c.stop[1], 4);
	label_index_class(x, 1, &c);
	ck_assert_uint_eq(c.count, 5);
	/* (0, 1) (0, 2); (0, 4) (1, 0) (1, 1) follow each other. */
	ck_assert_uint_eq(c.runs, 2);
	ck_assert_uint_eq(c.start[1], 0);
	ck_assert_uint_eq(c.stop[1], 5);
	ck_assert_uint_eq(c.stop[0], 2);
	ck_voxel(x, 0, 0, 0, 3);
	ck_voxel(x, 0, 1, 3, 3);
	ck_voxel(x, 1, 0, 0, 1);
	ck_voxel(x, 1, 1, 0, 2);
	ck_voxel(x, 1, 2, 0, 4);
	ck_voxel(x, 1, 3, 1, 0);
	ck_voxel(x, 1, 4, 1, 1);
	/* What the header says of its size. */
	ck_assert_uint_eq(n, 104 + 2 * 160 + 4 * 8);
	ck_assert_int_eq(label_index_trim(x, &seven, 1, lo, hi, BIG, &less, &n),
			 0);
	ck_assert_uint_eq(label_index_classes(less), 1);
	label_index_class(less, 0, &c);
	ck_assert_uint_eq(c.count, 4);
	ck_voxel(less, 0, 2, 0, 4);
	ck_voxel(less, 0, 3, 1, 1);
	free(less);
	ck_assert_int_eq(label_index_trim(x, &seven, 1, hi, lo, BIG, &less, &n),
			 0);
	ck_assert_uint_eq(label_index_classes(less), 0);
	free(less);
	free(out);
	memory_array_fini(&m);
}
END_TEST

/* One run, cut at each row, is more than may be had. */
START_TEST(test_trim_max)
{
	const struct shape shape = {.ndim = 2, .dim = {1000, 3}};
	const uint64_t lo[NDIM_MAX] = {0}, hi[NDIM_MAX] = {1000, 2};
	const int64_t one = 1;
	struct label_class c;
	struct memory_array m;
	void *out, *part = NULL;
	size_t n, all;

	memory_array_init(&m, &shape, 'u', 1);
	memset(m.data, 1, 3000);
	ck_assert_int_eq(build_of(&m, &plain, &out, &n), 0);
	ck_assert_uint_lt(n, 1000);
	ck_assert_int_eq(
		label_index_trim(out, &one, 1, lo, hi, 8000, &part, &all),
		-EFBIG);
	ck_assert_ptr_null(part);
	ck_assert_int_eq(
		label_index_trim(out, &one, 1, lo, hi, 9000, &part, &all), 0);
	ck_assert_uint_le(all, 9000);
	label_index_class(part, 0, &c);
	ck_assert_uint_eq(c.runs, 1000);
	ck_assert_uint_eq(c.count, 2000);
	free(part);
	free(out);
	memory_array_fini(&m);
}
END_TEST

/* Beyond 2^32 elements, more than a test can scan, runs are of 16 bytes. */
START_TEST(test_far)
{
	const struct shape shape = {.ndim = 2, .dim = {(1 << 16) + 1, 1 << 16}};
	const uint64_t last = (UINT64_C(1) << 32) + (1 << 16);
	const struct label_source s = {.shape = shape};
	struct lane lanes[2];
	_Atomic uint64_t held = 0;
	struct label_class c;
	void *out;
	size_t n;

	for (unsigned i = 0; i < 2; i++) {
		lane_init(&lanes[i], &plain, &held, label_width(last));
		lane_slot(&lanes[i], 9);
	}
	lane_add(&lanes[0], 0, last - 2, last);
	lane_add(&lanes[0], 0, 5, 6);
	lane_add(&lanes[1], 0, last - 3, last - 1);
	ck_assert_int_eq(merge_lanes(lanes, 2, &s, &plain, &out, &n), 0);
	lane_fini(&lanes[0]);
	lane_fini(&lanes[1]);
	ck_assert_int_eq(label_index_check(out, n, &shape), 0);
	ck_assert_uint_eq(n, 104 + 160 + 2 * 16);
	label_index_class(out, 0, &c);
	ck_assert_uint_eq(c.count, 4);
	ck_voxel(out, 0, 0, 0, 5);
	ck_voxel(out, 0, 1, 1 << 16, (1 << 16) - 3);
	ck_voxel(out, 0, 3, 1 << 16, (1 << 16) - 1);
	free(out);
}
END_TEST

/* Types and shapes that are no label's. */
START_TEST(test_refused)
{
	const struct shape shape = {.ndim = 1, .dim = {4}};
	const struct shape other = {.ndim = 1, .dim = {5}};
	const struct shape led = {.ndim = 2, .dim = {3, 4}};
	const int64_t id[2] = {1, 2};
	struct memory_array f4, u8, u1, planes;
	struct label_plane p[] = {
		{.array = &f4.base},
		{.array = &f4.base, .rule = LABEL_BITS, .id = id, .nid = 1},
		{.array = &u1.base, .rule = LABEL_BITS, .id = id, .nid = 1},
		{.array = &u8.base, .rule = LABEL_BITS, .id = id, .nid = 65},
		{.array = &u8.base, .rule = LABEL_BITS, .id = id},
		{.array = &u8.base, .rule = LABEL_ABOVE, .id = id, .nid = 1},
		{.array = &f4.base, .rule = LABEL_ABOVE, .id = id, .nid = 2},
		{.array = &planes.base},
		{.array = &u1.base, .has_lead = true},
		{.array = &planes.base, .has_lead = true, .lead = 3},
	};
	struct label_source s = {.shape = shape, .nplane = 1};
	uint64_t huge = UINT64_C(1) << 63;
	void *out = NULL;
	size_t n;

	memory_array_init(&f4, &shape, 'f', 4);
	memory_array_init(&u8, &shape, 'u', 8);
	memory_array_init(&u1, &shape, 'u', 1);
	memory_array_init(&planes, &led, 'u', 1);
	for (unsigned i = 0; i < sizeof(p) / sizeof(p[0]); i++) {
		s.plane = &p[i];
		ck_assert_int_eq(label_index_build(&s, &plain, &out, &n),
				 -EINVAL);
	}
	ck_assert_ptr_null(out);
	s.plane = &(struct label_plane){.array = &u1.base};
	s.shape = other;
	ck_assert_int_eq(label_index_build(&s, &plain, &out, &n), -EINVAL);
	/* An id that int64 does not hold, unless others are asked for. */
	s.shape = shape;
	memcpy(u8.data, &huge, 8);
	s.plane = &(struct label_plane){.array = &u8.base};
	ck_assert_int_eq(label_index_build(&s, &plain, &out, &n), -EINVAL);
	s.plane = &(struct label_plane){.array = &u8.base, .id = id, .nid = 2};
	ck_assert_int_eq(label_index_build(&s, &plain, &out, &n), 0);
	ck_assert_uint_eq(label_index_classes(out), 0);
	free(out);
	memory_array_fini(&f4);
	memory_array_fini(&u8);
	memory_array_fini(&u1);
	memory_array_fini(&planes);
}
END_TEST

/* Noise in small units: an array with which building takes many tiles. */
static void make_noise(struct memory_array *m, unsigned classes)
{
	const struct shape shape = {.ndim = 3, .dim = {20, 30, 40}};

	memory_array_init(m, &shape, 'u', 2);
	for (unsigned k = 0; k < 3; k++)
		m->base.unit[k] = 5;
	for (unsigned i = 0; i < 20 * 30 * 40; i++)
		m->data[2 * i] = (unsigned char)(i * 7919 % classes + 1);
}

struct counter {
	_Atomic uint64_t asked, done;
	uint64_t until;
	_Atomic int late;
	_Atomic int64_t charged, most;
};

static void charge(void *arg, int64_t bytes)
{
	struct counter *c = arg;
	int64_t now = atomic_fetch_add(&c->charged, bytes) + bytes;

	if (now > c->most)
		c->most = now;
}

static bool stop(void *arg)
{
	struct counter *c = arg;

	return atomic_fetch_add(&c->asked, 1) >= c->until;
}

static void progress(void *arg, uint64_t done, uint64_t all)
{
	struct counter *c = arg;

	c->late += done > all || all != 24000;
	if (done == all)
		c->done++;
}

START_TEST(test_ends_early)
{
	struct counter c = {.until = UINT64_MAX};
	struct index_conf conf = plain;
	struct memory_array m;
	void *out = NULL;
	size_t n;

	make_noise(&m, 100);
	conf.memory = 1;
	conf.stop = stop;
	conf.progress = progress;
	conf.charge = charge;
	conf.arg = &c;
	ck_assert_int_eq(build_of(&m, &conf, &out, &n), 0);
	ck_assert_int_eq(c.late, 0);
	ck_assert_uint_eq(c.done, 1);
	free(out);
	out = NULL;
	conf.memory = 1 << 20;
	c.done = 0;
	ck_assert_int_eq(build_of(&m, &conf, &out, &n), 0);
	ck_assert_uint_eq(c.done, 1);
	/* Just enough, and one less. */
	conf.max = n;
	conf.max_classes = 100;
	free(out);
	out = NULL;
	ck_assert_int_eq(build_of(&m, &conf, &out, &n), 0);
	free(out);
	out = NULL;
	conf.max = n - 1;
	ck_assert_int_eq(build_of(&m, &conf, &out, &n), -EFBIG);
	conf.max = n / 8;
	ck_assert_int_eq(build_of(&m, &conf, &out, &n), -EFBIG);
	conf.max = 0;
	ck_assert_int_eq(build_of(&m, &conf, &out, &n), -EFBIG);
	conf.max = BIG;
	conf.max_classes = 99;
	ck_assert_int_eq(build_of(&m, &conf, &out, &n), -E2BIG);
	conf.max_classes = 1000;
	conf.memory = 1;
	for (unsigned i = 0; i < 1000; i += 37) {
		c.asked = 0;
		c.until = i;
		ck_assert_int_eq(build_of(&m, &conf, &out, &n), -ECANCELED);
	}
	conf.stop = NULL;
	conf.memory = 1 << 20;
	m.error = -ESTALE;
	for (m.bad_read = 1; m.bad_read < 5; m.bad_read++) {
		m.reads = 0;
		conf.memory = 4096;
		ck_assert_int_eq(build_of(&m, &conf, &out, &n), -ESTALE);
	}
	ck_assert_ptr_null(out);
	/* All was given back, whatever the end was. */
	ck_assert_int_eq(c.charged, 0);
	ck_assert_int_ge(c.most, 24000 * 8);
	memory_array_fini(&m);
}
END_TEST

/* All of it, trimmed to all of it, is the very same block. */
static bool is_whole(const void *x, size_t n)
{
	const uint64_t none[NDIM_MAX] = {0};
	int64_t id[8];
	const unsigned classes = label_index_classes(x);
	void *again;
	size_t size;
	bool same;

	ck_assert_uint_le(classes, 8);
	for (unsigned i = 0; i < classes; i++) {
		struct label_class c;

		label_index_class(x, i, &c);
		id[i] = c.id;
	}
	ck_assert_int_eq(label_index_trim(x, id, classes, none,
					  label_index_shape(x)->dim, BIG,
					  &again, &size),
			 0);
	same = size == n && memcmp(again, x, n) == 0;
	free(again);
	return same;
}

/* May this byte differ, as another label could have it so? */
static bool is_free(size_t i, unsigned classes)
{
	/* Ids, counts and runs; nothing of the header, no number of runs, no
	 * offset and no box. */
	return i >= 104 + 160 * classes || (i >= 104 && (i - 104) % 160 < 16);
}

/* Any byte of a block is looked at. */
START_TEST(test_check)
{
	struct shape shape = {.ndim = 3, .dim = {4, 5, 6}};
	struct memory_array m;
	unsigned char *x;
	void *out;
	size_t n;

	memory_array_init(&m, &shape, 'u', 1);
	for (unsigned i = 40; i < 120; i++)
		m.data[i] = (unsigned char)(i * i % 11 % 4);
	ck_assert_int_eq(build_of(&m, &plain, &out, &n), 0);
	x = out;
	ck_assert_int_eq(label_index_check(x, n, &shape), 0);
	ck_assert(is_whole(x, n));
	for (size_t i = 0; i < n; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			x[i] ^= (unsigned char)(1 << bit);
			if (label_index_check(x, n, &shape) == 0)
				ck_assert(is_free(i, label_index_classes(
							     (void *)x)) &&
					  is_whole(x, n));
			x[i] ^= (unsigned char)(1 << bit);
		}
	for (size_t i = 0; i < n; i++) {
		/* In a buffer of just its length. */
		void *cut = malloc(i + !i);

		memcpy(cut, x, i);
		ck_assert_int_eq(label_index_check(cut, i, &shape), -EBADMSG);
		free(cut);
	}
	shape.dim[0]++;
	ck_assert_int_eq(label_index_check(x, n, &shape), -EBADMSG);
	shape.dim[0] = UINT64_MAX;
	ck_assert_int_eq(label_index_check(x, n, &shape), -EBADMSG);
	shape = m.base.shape;
	shape.ndim = 2;
	ck_assert_int_eq(label_index_check(x, n, &shape), -EBADMSG);
	free(out);
	memory_array_fini(&m);
}
END_TEST

static Suite *label_suite(void)
{
	Suite *s = suite_create("label index");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, test_by_hand);
	tcase_add_test(t, test_trim_max);
	tcase_add_test(t, test_far);
	tcase_add_test(t, test_refused);
	tcase_add_test(t, test_ends_early);
	tcase_add_test(t, test_check);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(label_suite)
