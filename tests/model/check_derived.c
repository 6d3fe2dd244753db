/* SPDX-License-Identifier: MIT */

/*
 * What the model test of derived arrays does not see: annotations that break
 * their specification, objects whose masks are not what they should be, what
 * is told of them, what reading costs, and thresholds.
 */

#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/unit.h"
#include "array/derived_impl.h"
#include "memory_array.h"
#include "util/log.h"
#include "util/problem.h"

static struct problems *problems;
static struct memory_array source[SOURCES];
static const struct derived_class classes[] = {{7, 0, 0}, {3, 0, 1}};
static const struct shape grid = {3, {4, 5, 6}};

static void setup(void)
{
	log_level = LOG_LEVEL_ERROR;
	log_open("/dev/null");
	problems = problems_new();
	memset(source, 0, sizeof(source));
}

static void teardown(void)
{
	for (unsigned i = 0; i < SOURCES; i++)
		memory_array_fini(&source[i]);
	problems_free(problems);
}

static void make(enum derived_source i, struct shape s, char kind,
		 unsigned item_size)
{
	memory_array_fini(&source[i]);
	memory_array_init(&source[i], &s, kind, item_size);
}

/* Of whatever sources were made. */
static struct derived derive(enum derived_kind kind, enum label_encoding e)
{
	struct derived d = {
		.info = {.kind = kind,
			 .encoding = e,
			 .ignore_id = 65535,
			 .nclass = 2,
			 .class = classes},
	};

	for (unsigned i = 0; i < SOURCES; i++)
		if (source[i].data)
			d.source[i] = &source[i].base;
	derived_init(&d, &grid, problems, "a.medh5: /annotations/x/labels");
	return d;
}

static int read_all(const struct derived *d, uint16_t *out)
{
	struct view v = {.array = &d->base, .extent = {4, 5, 6}};

	return array_read(&v, 0, (size_t)4 * 5 * 6 * d->base.item_size, out,
			  NULL);
}

static void check_told(const char *text)
{
	char buf[1024] = "";
	FILE *out = fmemopen(buf, sizeof(buf), "w");

	problems_write(problems, out);
	fclose(out);
	ck_assert_uint_eq(problems_count(problems), 1);
	ck_assert_msg(strstr(buf, text), "told: %s", buf);
}

START_TEST(test_broken)
{
	uint16_t out[120];
	struct derived d = {
		.info = {.kind = DERIVED_LABELS,
			 .encoding = LABELS_MAP,
			 .broken = {"its ignore_id is a class", 24}},
	};
	struct region all = {3, {0}, {4, 5, 6}};

	derived_init(&d, &grid, problems, "a.medh5: /annotations/x/labels");
	ck_assert_uint_eq(d.base.item_size, 2);
	ck_assert_uint_eq(d.base.ops->decode_bytes(&d.base, &all), 0);
	ck_assert_int_eq(read_all(&d, out), -EIO);
	ck_assert_int_eq(read_all(&d, out), -EIO);
	check_told("a.medh5: /annotations/x/labels: its ignore_id is a class");
}
END_TEST

/* Data of another shape or type than their encoding has. */
START_TEST(test_wrong_data)
{
	static const struct {
		enum label_encoding e;
		struct shape s;
		char kind;
		unsigned size;
		const char *text;
	} row[] = {
		{LABELS_MAP, {3, {4, 5, 7}}, 'u', 1, "its shape"},
		{LABELS_MAP, {4, {1, 4, 5, 6}}, 'u', 1, "its shape"},
		{LABELS_MAP, {3, {4, 5, 6}}, 'i', 2, "uint16"},
		{LABELS_MAP, {3, {4, 5, 6}}, 'u', 4, "uint16"},
		{LABELS_LAYERS, {4, {1, 4, 5, 6}}, 'u', 1, "each class"},
		{LABELS_LAYERS, {4, {2, 4, 6, 5}}, 'u', 1, "its shape"},
		{LABELS_LAYERS, {3, {4, 5, 6}}, 'u', 1, "its shape"},
		{LABELS_BITMASK, {4, {1, 4, 5, 6}}, 'u', 4, "uint64"},
		{LABELS_BITMASK, {4, {0, 4, 5, 6}}, 'u', 8, "each class"},
		{LABELS_PROBMAP, {4, {1, 4, 5, 6}}, 'f', 4, "each class"},
		{LABELS_PROBMAP, {4, {2, 4, 5, 6}}, 'u', 2, "floats"},
		{LABELS_MASK, {3, {4, 5, 6}}, 'b', 1, "no classes"},
		{(enum label_encoding)99, {3, {4, 5, 6}}, 'u', 1, "encoding"},
	};
	struct derived d;
	uint16_t out[120];

	make(SOURCE_DATA, row[_i].s, row[_i].kind, row[_i].size);
	d = derive(DERIVED_LABELS, row[_i].e);
	ck_assert_int_eq(read_all(&d, out), -EIO);
	check_told(row[_i].text);
}
END_TEST

START_TEST(test_wrong_masks)
{
	struct derived d;
	uint16_t out[120];

	make(SOURCE_DATA, grid, 'u', 1);
	make(SOURCE_IGNORE, (struct shape){3, {4, 5, 5}}, 'b', 1);
	d = derive((enum derived_kind)(DERIVED_LABELS + 2 * _i), LABELS_MAP);
	ck_assert_int_eq(read_all(&d, out), -EIO);
	check_told("its mask is not of its shape");
}
END_TEST

START_TEST(test_nothing_to_read)
{
	struct derived d = derive((enum derived_kind)_i, LABELS_MAP);
	uint16_t out[240];

	if (_i == DERIVED_IGNORE) {
		memset(out, 1, sizeof(out));
		ck_assert_int_eq(read_all(&d, out), 0);
		ck_assert_uint_eq(out[0] | out[59], 0);
		return;
	}
	ck_assert_int_eq(read_all(&d, out), -EIO);
	ck_assert_uint_eq(problems_count(problems), 1);
}
END_TEST

/* --------------------------------------------------------------- objects */

static void put(enum derived_source i, uint64_t at, uint64_t v)
{
	unsigned n = source[i].base.item_size;

	memcpy(source[i].data + at * n, &v, n);
}

/* Voxel (1, 1, 1) and those after it, 2 each way: 8 bits, all of them set. */
static void make_objects(uint64_t n)
{
	make(SOURCE_BOXES, (struct shape){3, {n, 3, 2}}, 'f', 4);
	make(SOURCE_CLASS_IDS, (struct shape){1, {n}}, 'u', 2);
	make(SOURCE_OFFSETS, (struct shape){1, {n + 1}}, 'u', 8);
	make(SOURCE_SHAPES, (struct shape){2, {n, 3}}, 'i', 4);
	make(SOURCE_DATA, (struct shape){1, {n}}, 'u', 1);
	for (uint64_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < 3; k++) {
			float low = 0.5f, high = 2.5f;

			memcpy(source[SOURCE_BOXES].data + (i * 6 + 2 * k) * 4,
			       &low, 4);
			memcpy(source[SOURCE_BOXES].data + (i * 6 + 2 * k) * 4 +
				       4,
			       &high, 4);
			put(SOURCE_SHAPES, 3 * i + k, 2);
		}
		put(SOURCE_CLASS_IDS, i, 7);
		put(SOURCE_OFFSETS, i + 1, i + 1);
		put(SOURCE_DATA, i, 0xff);
	}
}

START_TEST(test_no_objects)
{
	struct derived d;
	uint16_t out[120];

	make_objects(0);
	d = derive(DERIVED_LABELS, LABELS_INSTANCES);
	memset(out, 1, sizeof(out));
	ck_assert_int_eq(read_all(&d, out), 0);
	for (unsigned i = 0; i < 120; i++)
		ck_assert_uint_eq(out[i], 0);
}
END_TEST

START_TEST(test_wrong_objects)
{
	static const struct {
		enum derived_source i;
		unsigned at;
		uint64_t v;
		const char *text;
	} row[] = {
		{SOURCE_SHAPES, 4, 3, "object 1 has a mask of another shape"},
		{SOURCE_SHAPES, 4, 0x80000002, "object 1 has a mask of"},
		{SOURCE_OFFSETS, 1, 2, "object 0 has a mask of another length"},
		{SOURCE_OFFSETS, 2, 0, "object 1 has a mask of another length"},
		{SOURCE_OFFSETS, 3, 4, "object 2 has a mask of another length"},
		{SOURCE_OFFSETS, 0, UINT64_MAX, "object 0 has a mask of"},
		{SOURCE_BOXES, 7, 0x7fc00000, "object 1 has a box that is"},
		{SOURCE_BOXES, 8, 0xff800000, "object 1 has a box that is"},
		{SOURCE_BOXES, 13, 0xbf800000, "object 2 has a box that is"},
		/* A box that no mask of its shape fills. */
		{SOURCE_BOXES, 0, 0xff7fffff, "object 0 has a mask of another"},
	};
	struct derived d;
	uint16_t out[120];

	make_objects(3);
	put(row[_i].i, row[_i].at, row[_i].v);
	d = derive(DERIVED_LABELS, LABELS_INSTANCES);
	ck_assert_int_eq(read_all(&d, out), -EIO);
	check_told(row[_i].text);
	/* Of a class that is not asked for only its box is looked at. */
	put(SOURCE_CLASS_IDS, 0, 9);
	put(SOURCE_CLASS_IDS, 1, 9);
	put(SOURCE_CLASS_IDS, 2, 9);
	ck_assert_int_eq(read_all(&d, out),
			 strstr(row[_i].text, "none") ||
					 strstr(row[_i].text, "box that")
				 ? -EIO
				 : 0);
}
END_TEST

/* The last mask may not be longer than what there is. */
START_TEST(test_short_masks)
{
	struct derived d;
	uint16_t out[120];

	make_objects(3);
	make(SOURCE_DATA, (struct shape){1, {2}}, 'u', 1);
	d = derive(DERIVED_CLASS, LABELS_INSTANCES);
	ck_assert_int_eq(read_all(&d, out), -EIO);
	check_told("object 2 has a mask of another length");
}
END_TEST

/* Rows an object that are not one an object. */
START_TEST(test_wrong_tables)
{
	static const struct {
		enum derived_source i;
		struct shape s;
	} row[] = {
		{SOURCE_BOXES, {3, {3, 2, 2}}},
		{SOURCE_BOXES, {3, {3, 3, 1}}},
		{SOURCE_BOXES, {3, {UINT64_C(1) << 25, 3, 2}}},
		{SOURCE_CLASS_IDS, {1, {2}}},
		{SOURCE_OFFSETS, {1, {3}}},
		{SOURCE_SHAPES, {2, {3, 2}}},
		{SOURCE_DATA, {2, {3, 1}}},
	};
	struct derived d;
	uint16_t out[120];

	make_objects(3);
	source[row[_i].i].base.shape = row[_i].s;
	d = derive(DERIVED_LABELS, LABELS_INSTANCES);
	ck_assert_int_eq(read_all(&d, out), -EIO);
	ck_assert_uint_eq(problems_count(problems), 1);
}
END_TEST

/* Of many objects only those that meet the box have their masks read. */
START_TEST(test_many_objects)
{
	const uint64_t n = 20000;
	struct derived d;
	uint16_t out[120];
	uint64_t rows = 0;

	make_objects(n);
	for (uint64_t i = 0; i < n; i++)
		for (unsigned k = 0; k < 6 && i != n / 2; k++) {
			float far = 100;

			memcpy(source[SOURCE_BOXES].data + (i * 6 + k) * 4,
			       &far, 4);
		}
	d = derive(DERIVED_LABELS, LABELS_INSTANCES);
	ck_assert_int_eq(read_all(&d, out), 0);
	for (unsigned i = 0; i < 120; i++)
		rows += out[i] == 7;
	ck_assert_uint_eq(rows, 8);
	ck_assert_uint_eq(out[30 + 6 + 1], 7);
	ck_assert_uint_le(source[SOURCE_DATA].reads, 1);
	ck_assert_uint_le(source[SOURCE_OFFSETS].reads, 2);
	ck_assert_uint_le(source[SOURCE_BOXES].largest, 4096);
}
END_TEST

/* ------------------------------------------------------------------ cost */

/* One byte for each element of the box. */
static uint64_t count(const struct array *a, const struct region *box)
{
	uint64_t n = 1;

	ck_assert_uint_eq(box->ndim, a->shape.ndim);
	for (unsigned k = 0; k < box->ndim; k++)
		n *= box->extent[k];
	return n;
}

static const struct array_ops counted = {
	.name = "counted",
	.read_box = memory_array_read,
	.decode_bytes = count,
};

START_TEST(test_cost)
{
	struct region r = {3, {1, 1, 1}, {2, 3, 4}};
	struct derived d;

	make(SOURCE_DATA, (struct shape){4, {5, 4, 5, 6}}, 'u', 1);
	make(SOURCE_IGNORE, grid, 'b', 1);
	source[SOURCE_DATA].base.ops = source[SOURCE_IGNORE].base.ops =
		&counted;
	/* Two of the layers, and the mask. */
	d = derive(DERIVED_LABELS, LABELS_LAYERS);
	ck_assert_uint_eq(d.base.ops->decode_bytes(&d.base, &r), 3 * 24);
	/* All five may say that a voxel is ignored. */
	d.info.ignore_in_band = true;
	ck_assert_uint_eq(d.base.ops->decode_bytes(&d.base, &r), 6 * 24);
	d = derive(DERIVED_IGNORE, LABELS_LAYERS);
	ck_assert_uint_eq(d.base.ops->decode_bytes(&d.base, &r), 24);
	d.info.ignore_in_band = true;
	ck_assert_uint_eq(d.base.ops->decode_bytes(&d.base, &r), 6 * 24);
	d = derive(DERIVED_CLASS, LABELS_LAYERS);
	d.info.nclass = 1;
	ck_assert_uint_eq(d.base.ops->decode_bytes(&d.base, &r), 24);
	ck_assert_uint_eq(source[SOURCE_DATA].reads, 0);
}
END_TEST

/* What NumPy makes of them: numpy.float16(x), numpy.float32(x). */
START_TEST(test_threshold)
{
	static const struct {
		double x, half, single;
	} row[] = {
		{0.5, 0.5, 0.5},
		{0.3, 0.300048828125, 0.300000011920928955078125},
		{0.7, 0.7001953125, 0.699999988079071044921875},
		/* A tie but for the last bits of a double. */
		{0x1.002p0, 1, 0x1.002p0},
		{0x1.0020000000001p0, 0x1.004p0, 0x1.002p0},
		{0x1.006p0, 0x1.008p0, 0x1.006p0},
		{0x1p-25, 0, 0x1p-25},
		{0x1.0000000000001p-25, 0x1p-24, 0x1p-25},
		{-0x1.8p-24, -0x1p-23, -0x1.8p-24},
		{65519.999, 65504, 65520},
		{65520, INFINITY, 65520},
		{-1e300, -INFINITY, -INFINITY},
		{0x1.ffcp-15, 0x1.ff8p-15 + 0x1p-24, 0x1.ffcp-15},
	};

	ck_assert_double_eq(derived_threshold(row[_i].x, 2), row[_i].half);
	ck_assert_double_eq(derived_threshold(row[_i].x, 4), row[_i].single);
	ck_assert_double_eq(derived_threshold(row[_i].x, 8), row[_i].x);
}
END_TEST

static Suite *suite(void)
{
	Suite *all = suite_create("derived");
	TCase *t = tcase_create("errors");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_broken);
	tcase_add_loop_test(t, test_wrong_data, 0, 13);
	tcase_add_loop_test(t, test_wrong_masks, 0, 2);
	tcase_add_loop_test(t, test_nothing_to_read, DERIVED_LABELS,
			    DERIVED_VALID + 1);
	tcase_add_test(t, test_no_objects);
	tcase_add_loop_test(t, test_wrong_objects, 0, 10);
	tcase_add_test(t, test_short_masks);
	tcase_add_loop_test(t, test_wrong_tables, 0, 7);
	suite_add_tcase(all, t);
	t = tcase_create("work");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_many_objects);
	tcase_add_test(t, test_cost);
	tcase_add_loop_test(t, test_threshold, 0, 13);
	suite_add_tcase(all, t);
	return all;
}

UNIT_MAIN(suite)
