/* SPDX-License-Identifier: MIT */

/*
 * Grids against plain loops over all small lengths, and against what the tools
 * that people come from give; draws against answers computed with NumPy.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sample/sample.h"
#include "unit.h"

static struct sampling grid1(enum sample_border border, uint64_t length,
			     uint64_t extent, uint64_t step)
{
	return (struct sampling){
		.kind = SAMPLE_GRID,
		.border = border,
		.ndim = 1,
		.axis = {{.length = length,
			  .extent = extent,
			  .step = step,
			  .keep = true}},
	};
}

/* "7x9x11", and for a size "allx4": axes before it are dropped. */
static struct sampling parse(enum sample_kind kind, const char *shape,
			     const char *size)
{
	struct sampling s = {.kind = kind};
	unsigned parts = 1, dropped;

	for (const char *p = shape; p; p = strchr(p, 'x'), p = p ? p + 1 : p)
		sscanf(p, "%lu", &s.axis[s.ndim++].length);
	for (const char *p = size; (p = strchr(p, 'x')); p++)
		parts++;
	dropped = s.ndim - parts;
	for (unsigned a = 0; a < s.ndim; a++) {
		struct sample_axis *x = &s.axis[a];

		x->step = 1;
		x->extent = 1;
		x->keep = a >= dropped;
		if (!x->keep)
			continue;
		x->all = !strncmp(size, "all", 3);
		if (x->all)
			x->extent = x->length;
		else
			sscanf(size, "%lu", &x->extent);
		x->step = x->extent;
		size = strchr(size, 'x');
		size = size ? size + 1 : "";
	}
	return s;
}

/* The manual's table; tests/cli/test-draws.sh computes it anew with NumPy. */
static const struct {
	uint64_t seed, draw;
	const char *shape, *size;
	int64_t corner[NDIM_MAX];
} draws[] = {
	{3, 0, "7x9x11", "4x5", {4, 4, 5}},
	{3, 1, "7x9x11", "4x5", {1, 0, 6}},
	{3, 2, "7x9x11", "4x5", {3, 2, 5}},
	{0, 17, "130x512x512", "96x96x96", {0, 367, 316}},
	{0, 17, "4x130x512x512", "allx96x96x96", {0, 0, 367, 316}},
	{7, 4294967301, "2304x736x1200", "1x736x64", {775, 0, 352}},
	{1234567890123,
	 68719476735,
	 "100000x900x1000",
	 "64x64",
	 {7169, 183, 893}},
	{42, 5, "3x4x50x60x70", "16x16x16", {2, 0, 20, 37, 54}},
	{1,
	 1000000,
	 "3x4x5x6x7x8x9x9",
	 "2x2x2x2x2x2",
	 {0, 0, 0, 1, 0, 2, 0, 4}},
	{5, 9, "64x3x256x256", "allx128x128", {25, 0, 59, 36}},
};

START_TEST(test_draws)
{
	struct sampling s =
		parse(SAMPLE_UNIFORM, draws[_i].shape, draws[_i].size);
	int64_t start[NDIM_MAX];

	s.seed = draws[_i].seed;
	ck_assert(sample_fits(&s));
	ck_assert_uint_eq(sample_count(&s), SAMPLE_ITEMS_MAX);
	sample_start(&s, draws[_i].draw, start);
	for (unsigned a = 0; a < s.ndim; a++)
		ck_assert_int_eq(start[a], draws[_i].corner[a]);
}
END_TEST

/* Arrays of one sample that differ in leading axes show one place. */
START_TEST(test_pairing)
{
	struct sampling image =
		parse(SAMPLE_UNIFORM, "9x2x20x30x40", "allx8x8x8");
	struct sampling mask = parse(SAMPLE_UNIFORM, "9x20x30x40", "8x8x8");
	struct sampling plane = parse(SAMPLE_UNIFORM, "9x30x40", "8x8");

	for (uint64_t i = 0; i < 1000; i++) {
		int64_t a[NDIM_MAX], b[NDIM_MAX], c[NDIM_MAX];

		image.seed = mask.seed = plane.seed = i / 100;
		sample_start(&image, i, a);
		sample_start(&mask, i, b);
		sample_start(&plane, i, c);
		ck_assert_int_eq(a[0], b[0]);
		ck_assert_int_eq(a[0], c[0]);
		ck_assert_int_eq(a[1], 0);
		for (unsigned k = 0; k < 3; k++)
			ck_assert_int_eq(a[2 + k], b[1 + k]);
		ck_assert_int_eq(a[3], c[1]);
		ck_assert_int_eq(a[4], c[2]);
	}
}
END_TEST

START_TEST(test_axis_ids)
{
	struct sampling s = parse(SAMPLE_UNIFORM, "2x3x4x5x6", "allx4x2");
	/* A slice of axis 1: dropped in the middle. */
	struct sampling t = parse(SAMPLE_UNIFORM, "4x5x6", "allxallxall");

	ck_assert_uint_eq(draw_axis_id(&s, 0), 8);
	ck_assert_uint_eq(draw_axis_id(&s, 1), 9);
	ck_assert_uint_eq(draw_axis_id(&s, 2), 2);
	ck_assert_uint_eq(draw_axis_id(&s, 3), 1);
	ck_assert_uint_eq(draw_axis_id(&s, 4), 0);
	t.axis[1].keep = t.axis[1].all = false;
	ck_assert_uint_eq(draw_axis_id(&t, 0), 1);
	ck_assert_uint_eq(draw_axis_id(&t, 1), 8);
	ck_assert_uint_eq(draw_axis_id(&t, 2), 0);
}
END_TEST

/* Every start is reached, none outside; roughly as often as the others. */
START_TEST(test_draws_cover)
{
	struct sampling s = parse(SAMPLE_UNIFORM, "3x10", "4");
	unsigned seen[3][7] = {{0}};

	for (uint64_t i = 0; i < 21000; i++) {
		int64_t start[NDIM_MAX];

		sample_start(&s, i, start);
		ck_assert_int_ge(start[0], 0);
		ck_assert_int_lt(start[0], 3);
		ck_assert_int_ge(start[1], 0);
		ck_assert_int_lt(start[1], 7);
		seen[start[0]][start[1]]++;
	}
	for (unsigned i = 0; i < 21; i++) {
		ck_assert_uint_gt(seen[i / 7][i % 7], 800);
		ck_assert_uint_lt(seen[i / 7][i % 7], 1200);
	}
}
END_TEST

static const struct {
	enum sample_border border;
	uint64_t length, extent, step, count;
	int64_t start[8]; /* the first ones; the last is tested by itself */
	int64_t last;
} grids[] = {
	{SAMPLE_SNAP, 110, 64, 32, 3, {0, 32, 46}, 46},
	{SAMPLE_SNAP, 300, 96, 48, 6, {0, 48, 96, 144, 192, 204}, 204},
	{SAMPLE_SNAP, 512, 96, 48, 10, {0, 48, 96}, 416},
	{SAMPLE_SNAP, 97, 32, 16, 6, {0, 16, 32, 48, 64, 65}, 65},
	{SAMPLE_SNAP, 65, 64, 32, 2, {0, 1}, 1},
	{SAMPLE_SNAP, 64, 64, 32, 1, {0}, 0},
	{SAMPLE_PAD, 110, 64, 64, 2, {0, 64}, 64},
	{SAMPLE_PAD, 300, 96, 96, 4, {0, 96, 192, 288}, 288},
	{SAMPLE_PAD, 512, 96, 96, 6, {0, 96, 192, 288, 384, 480}, 480},
	{SAMPLE_PAD, 97, 32, 32, 4, {0, 32, 64, 96}, 96},
	{SAMPLE_PAD, 65, 64, 64, 2, {0, 64}, 64},
	{SAMPLE_PAD, 64, 64, 64, 1, {0}, 0},
	{SAMPLE_PAD, 10, 64, 64, 1, {0}, 0},
	{SAMPLE_PAD, 10, 64, 3, 4, {0, 3, 6, 9}, 9},
};

START_TEST(test_grids)
{
	struct sampling s = grid1(grids[_i].border, grids[_i].length,
				  grids[_i].extent, grids[_i].step);
	int64_t start[NDIM_MAX];

	ck_assert_uint_eq(sample_count(&s), grids[_i].count);
	for (unsigned i = 0; i < 8 && i < grids[_i].count; i++) {
		if (i && !grids[_i].start[i])
			break;
		sample_start(&s, i, start);
		ck_assert_int_eq(start[0], grids[_i].start[i]);
	}
	sample_start(&s, grids[_i].count - 1, start);
	ck_assert_int_eq(start[0], grids[_i].last);
}
END_TEST

/* The starts of one axis, as the tools' loops give them. */
static unsigned naive(enum sample_border border, int64_t length, int64_t extent,
		      int64_t step, int64_t *out)
{
	unsigned n = 0;

	for (int64_t at = 0;; at += step) {
		if (border == SAMPLE_PAD) {
			if (at >= length)
				return n;
			out[n++] = at;
		} else {
			if (at >= length - extent) {
				out[n++] = length - extent;
				return n;
			}
			out[n++] = at;
		}
	}
}

static void compare(const struct sampling *s, const int64_t *want, unsigned n)
{
	const uint64_t end = s->axis[0].length + s->axis[0].step + 2;
	unsigned found = 0;

	ck_assert_uint_eq(sample_count(s), n);
	for (unsigned i = 0; i < n; i++) {
		int64_t start[NDIM_MAX];
		uint64_t at[NDIM_MAX], item;

		sample_start(s, i, start);
		ck_assert_int_eq(start[0], want[i]);
		at[0] = (uint64_t)start[0];
		ck_assert_int_eq(sample_item(s, at, &item), 0);
		ck_assert_uint_eq(item, i);
	}
	/* And no other start is an item. */
	for (uint64_t i = 0; i < end; i++) {
		const uint64_t at[NDIM_MAX] = {i};
		uint64_t item;

		found += sample_item(s, at, &item) == 0;
	}
	ck_assert_uint_eq(found, n);
}

START_TEST(test_closed_forms)
{
	for (int64_t length = 1; length <= 24; length++)
		for (int64_t extent = 1; extent <= 28; extent++)
			for (int64_t step = 1; step <= 28; step++) {
				struct sampling s =
					grid1(SAMPLE_SNAP, (uint64_t)length,
					      (uint64_t)extent, (uint64_t)step);
				int64_t want[32];
				unsigned n;

				ck_assert_int_eq(sample_fits(&s),
						 extent <= length);
				if (extent <= length) {
					n = naive(SAMPLE_SNAP, length, extent,
						  step, want);
					compare(&s, want, n);
				} else {
					ck_assert_uint_eq(sample_count(&s), 0);
				}
				s.border = SAMPLE_PAD;
				ck_assert(sample_fits(&s));
				n = naive(SAMPLE_PAD, length, extent, step,
					  want);
				compare(&s, want, n);
			}
}
END_TEST

/* Row-major over all axes, last fastest, and back. */
START_TEST(test_order)
{
	struct sampling s = parse(SAMPLE_GRID, "2x5x4x7", "2xallx3");
	uint64_t i = 0;

	s.axis[1].step = 3; /* 0 3 -> starts 0, 3 */
	ck_assert_uint_eq(sample_count(&s), 2 * 2 * 1 * 3);
	for (int64_t a = 0; a < 2; a++)
		for (int64_t b = 0; b <= 3; b += 3)
			for (int64_t d = 0; d < 3; d++, i++) {
				const int64_t want[] = {a, b, 0,
							d == 2 ? 4 : 3 * d};
				int64_t start[NDIM_MAX];
				uint64_t at[NDIM_MAX], item;

				sample_start(&s, i, start);
				for (unsigned k = 0; k < 4; k++) {
					ck_assert_int_eq(start[k], want[k]);
					at[k] = (uint64_t)start[k];
				}
				ck_assert_int_eq(sample_item(&s, at, &item), 0);
				ck_assert_uint_eq(item, i);
				at[2] = 1; /* a whole axis starts at 0 */
				ck_assert_int_eq(sample_item(&s, at, &item),
						 -ENOENT);
			}
}
END_TEST

START_TEST(test_corners)
{
	struct sampling s = parse(SAMPLE_CORNER, "3x6x7x5", "4xallx2");
	const uint64_t count[] = {3, 3, 1, 4};
	uint64_t i = 0;

	ck_assert_uint_eq(sample_count(&s), 3 * 3 * 4);
	for (uint64_t a = 0; a <= 3; a++)
		for (uint64_t b = 0; b <= 3; b++)
			for (uint64_t c = 0; c <= 1; c++)
				for (uint64_t d = 0; d <= 4; d++) {
					const uint64_t at[NDIM_MAX] = {a, b, c,
								       d};
					const bool in = a < count[0] &&
							b < count[1] && !c &&
							d < count[3];
					int64_t start[NDIM_MAX];
					uint64_t item = 99;

					ck_assert_int_eq(
						sample_item(&s, at, &item),
						in ? 0 : -ENOENT);
					if (!in) {
						ck_assert_uint_eq(item, 99);
						continue;
					}
					ck_assert_uint_eq(item, i++);
					sample_start(&s, item, start);
					for (unsigned k = 0; k < 4; k++)
						ck_assert_int_eq(
							start[k],
							(int64_t)at[k]);
				}
	ck_assert_uint_eq(i, 36);
}
END_TEST

START_TEST(test_shape)
{
	struct sampling s = parse(SAMPLE_GRID, "2x5x4x7", "2xallx3");
	struct shape shape;

	sample_shape(&s, &shape);
	ck_assert_uint_eq(shape.ndim, 3);
	ck_assert_uint_eq(shape.dim[0], 2);
	ck_assert_uint_eq(shape.dim[1], 4);
	ck_assert_uint_eq(shape.dim[2], 3);
	s = (struct sampling){.kind = SAMPLE_GRID};
	sample_shape(&s, &shape);
	ck_assert_uint_eq(shape.ndim, 0);
	ck_assert_uint_eq(sample_count(&s), 1);
}
END_TEST

START_TEST(test_edges)
{
	struct sampling s = parse(SAMPLE_CORNER, "9x9", "10x9");
	const uint64_t zero[NDIM_MAX] = {0};
	const uint64_t far[NDIM_MAX] = {0, 0, 0, UINT64_MAX};
	int64_t start[NDIM_MAX];
	uint64_t item = 0;

	/* Too large a patch. */
	ck_assert(!sample_fits(&s));
	ck_assert_uint_eq(sample_count(&s), 0);
	ck_assert_int_eq(sample_item(&s, zero, &item), -ENOENT);

	/* An empty axis: a view without items, of any kind. */
	s = parse(SAMPLE_GRID, "0x9", "9");
	ck_assert(sample_fits(&s));
	ck_assert_uint_eq(sample_count(&s), 0);
	ck_assert_int_eq(sample_item(&s, zero, &item), -ENOENT);
	s.border = SAMPLE_PAD;
	ck_assert_uint_eq(sample_count(&s), 0);
	s.kind = SAMPLE_UNIFORM;
	ck_assert_uint_eq(sample_count(&s), 0);

	/* More items than can be counted; the last of those that can. */
	s = parse(SAMPLE_CORNER, "9223372036854775807x9223372036854775807x3x4",
		  "1x1x1x1");
	ck_assert_uint_eq(sample_count(&s), UINT64_MAX);
	sample_start(&s, UINT64_MAX - 1, start);
	ck_assert_int_eq(start[3], 2);
	ck_assert_int_eq(start[2], 0);
	ck_assert_int_eq(sample_item(&s, far, &item), -ENOENT);
	s.axis[3].extent = 2;
	ck_assert_int_eq(
		sample_item(&s,
			    (const uint64_t[NDIM_MAX]){INT64_MAX - 1, 0, 0, 0},
			    &item),
		-ENOENT);

	/* Steps and lengths as large as can be. */
	s = grid1(SAMPLE_SNAP, INT64_MAX, 2, UINT64_MAX);
	ck_assert_uint_eq(sample_count(&s), 2);
	sample_start(&s, 1, start);
	ck_assert_int_eq(start[0], INT64_MAX - 2);
	s.border = SAMPLE_PAD;
	ck_assert_uint_eq(sample_count(&s), 1);
	s = grid1(SAMPLE_SNAP, INT64_MAX, 1, 1);
	ck_assert_uint_eq(sample_count(&s), INT64_MAX);
	sample_start(&s, INT64_MAX - 1, start);
	ck_assert_int_eq(start[0], INT64_MAX - 1);
	s.kind = SAMPLE_UNIFORM;
	sample_start(&s, 0, start);
	ck_assert_int_ge(start[0], 0);
}
END_TEST

static Suite *sample_suite(void)
{
	Suite *s = suite_create("sample");
	TCase *t = tcase_create("sample");

	tcase_add_loop_test(t, test_draws, 0, sizeof(draws) / sizeof(draws[0]));
	tcase_add_test(t, test_pairing);
	tcase_add_test(t, test_axis_ids);
	tcase_add_test(t, test_draws_cover);
	tcase_add_loop_test(t, test_grids, 0, sizeof(grids) / sizeof(grids[0]));
	tcase_add_test(t, test_closed_forms);
	tcase_add_test(t, test_order);
	tcase_add_test(t, test_corners);
	tcase_add_test(t, test_shape);
	tcase_add_test(t, test_edges);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(sample_suite)
