/* SPDX-License-Identifier: MIT */

/*
 * Foreground draws: known answers computed with NumPy's Philox, distributions
 * over fixed draws, windows against plain loops.
 */

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "sample/foreground.h"
#include "unit.h"

#define DRAWS 100000

/* What the answers below draw from, by kind of weights. */
static const struct draw_class known[][5] = {
	[WEIGHTS_UNIFORM] = {{3, 10, 0}, {4, 0, 0}, {9, 1099511627783, 0}},
	[WEIGHTS_FREQUENCY] = {{1, 5, 0},
			       {2, 70000, 0},
			       {5, 35184372088832, 0}},
	[WEIGHTS_INVERSE] =
		{{1, 3, 0}, {2, 4, 0}, {3, 5, 0}, {4, 0, 0}, {5, 7, 0}},
	[WEIGHTS_GIVEN] = {{1, 1000, 0.25},
			   {2, 99, 1e-3},
			   {8, 4611686018427387904, 0.7},
			   {9, 5, 0}},
};

static const struct {
	uint64_t seed, draw;
	double fraction;
	bool foreground;
	enum class_weights weights;
	int64_t class;
	uint64_t voxel;
} answers[] = {
	{0, 0, 0.5, true, WEIGHTS_UNIFORM, 3, 7},
	{3, 17, 0.25, false, WEIGHTS_UNIFORM, 3, 4},
	{UINT64_MAX, 68719476735, 0.75, true, WEIGHTS_UNIFORM, 9, 815133072615},
	{77, 4294967301, 0.9, true, WEIGHTS_UNIFORM, 9, 76666352087},
	{0, 0, 0.5, true, WEIGHTS_FREQUENCY, 5, 25770818445999},
	{3, 17, 0.25, false, WEIGHTS_FREQUENCY, 5, 14443741322454},
	{UINT64_MAX, 68719476735, 0.75, true, WEIGHTS_FREQUENCY, 5,
	 26084258323537},
	{77, 4294967301, 0.9, true, WEIGHTS_FREQUENCY, 5, 2453323266779},
	{0, 0, 0.5, true, WEIGHTS_INVERSE, 1, 2},
	{3, 17, 0.25, false, WEIGHTS_INVERSE, 1, 1},
	{UINT64_MAX, 68719476735, 0.75, true, WEIGHTS_INVERSE, 5, 5},
	{77, 4294967301, 0.9, true, WEIGHTS_INVERSE, 2, 0},
	{0, 0, 0.5, true, WEIGHTS_GIVEN, 1, 732},
	{3, 17, 0.25, false, WEIGHTS_GIVEN, 8, 1893170062616728812},
	{UINT64_MAX, 68719476735, 0.75, true, WEIGHTS_GIVEN, 8,
	 3418915906982760278},
	{77, 4294967301, 0.9, true, WEIGHTS_GIVEN, 8, 321561987223318686},
};

START_TEST(test_known)
{
	const uint64_t seed = answers[_i].seed, draw = answers[_i].draw;
	const struct draw_class *c = known[answers[_i].weights];
	size_t n = 0, i;

	while (n < 5 && c[n].id)
		n++;
	ck_assert_int_eq(draw_is_foreground(seed, draw, answers[_i].fraction),
			 answers[_i].foreground);
	ck_assert_int_eq(draw_class(seed, draw, answers[_i].weights, c, n, &i),
			 0);
	ck_assert_int_eq(c[i].id, answers[_i].class);
	ck_assert_uint_eq(draw_voxel(seed, draw, c[i].count),
			  answers[_i].voxel);
}
END_TEST

/*
 * Whether counts fit their shares of all draws: Pearson's sum below what one in
 * a thousand streams exceeds (Wilson and Hilferty's approximation). The draws
 * are always the same ones.
 */
static void fits(const unsigned *seen, const double *share, unsigned n,
		 unsigned draws)
{
	double sum = 0, all = 0, df = -1, t;

	for (unsigned i = 0; i < n; i++)
		all += share[i];
	for (unsigned i = 0; i < n; i++) {
		const double want = share[i] / all * draws;
		const double off = seen[i] - want;

		if (share[i] > 0) {
			sum += off * off / want;
			df++;
		} else {
			ck_assert_uint_eq(seen[i], 0);
		}
	}
	t = 1 - 2 / (9 * df) + 3.0902 * sqrt(2 / (9 * df));
	ck_assert_msg(sum < df * t * t * t, "chi-square %g of %g", sum, df);
}

/* Classes of 10^5 draws by each weighting, one of them empty. */
START_TEST(test_classes)
{
	static const struct draw_class c[] = {{1, 700, 2},  {2, 30, 0.5},
					      {5, 0, 9},    {9, 2000, 0},
					      {10, 100, 1}, {11, 1, 3.25}};
	static const double shares[][6] = {
		[WEIGHTS_UNIFORM] = {1, 1, 0, 1, 1, 1},
		[WEIGHTS_FREQUENCY] = {700, 30, 0, 2000, 100, 1},
		[WEIGHTS_INVERSE] = {1. / 700, 1. / 30, 0, 1. / 2000, 1. / 100,
				     1},
		[WEIGHTS_GIVEN] = {2, 0.5, 0, 0, 1, 3.25},
	};
	unsigned seen[6] = {0};

	for (uint64_t d = 0; d < DRAWS; d++) {
		size_t i;

		ck_assert_int_eq(
			draw_class(11, d, (enum class_weights)_i, c, 6, &i), 0);
		seen[i]++;
	}
	fits(seen, shares[_i], 6, DRAWS);
}
END_TEST

/* Voxels of a class, whole seeds and whole runs of numbers. */
START_TEST(test_voxels)
{
	enum { VOXELS = 257 };
	static double share[VOXELS];
	static unsigned by_draw[VOXELS], by_seed[VOXELS];

	memset(by_draw, 0, sizeof(by_draw));
	memset(by_seed, 0, sizeof(by_seed));
	for (unsigned i = 0; i < VOXELS; i++)
		share[i] = 1;
	for (uint64_t d = 0; d < DRAWS; d++) {
		const uint64_t k = draw_voxel(4, d, VOXELS);
		const uint64_t s = draw_voxel(d, 4, VOXELS);

		ck_assert_uint_lt(k, VOXELS);
		ck_assert_uint_lt(s, VOXELS);
		by_draw[k]++;
		by_seed[s]++;
	}
	fits(by_draw, share, VOXELS, DRAWS);
	fits(by_seed, share, VOXELS, DRAWS);
	ck_assert_uint_eq(draw_voxel(4, 5, 1), 0);
}
END_TEST

/* Coin, class, voxel and corner of a draw know nothing of each other. */
START_TEST(test_independent)
{
	static const struct draw_class c[] = {{1, 9, 0}, {2, 9, 0}, {3, 9, 0}};
	unsigned seen[2 * 3 * 3 * 3] = {0};
	double share[2 * 3 * 3 * 3];

	for (uint64_t d = 0; d < DRAWS; d++) {
		size_t i, at = draw_is_foreground(8, d, 0.25);

		ck_assert_int_eq(draw_class(8, d, WEIGHTS_UNIFORM, c, 3, &i),
				 0);
		at = at * 3 + i;
		at = at * 3 + draw_voxel(8, d, 3);
		at = at * 3 + draw_below(draw_word(8, d, DRAW_CORNER, 0), 3);
		seen[at]++;
	}
	for (unsigned i = 0; i < 54; i++)
		share[i] = i < 27 ? 3 : 1;
	fits(seen, share, 54, DRAWS);
}
END_TEST

START_TEST(test_fraction)
{
	const double share[] = {0.7, 0.3};
	unsigned seen[2] = {0};

	for (uint64_t d = 0; d < DRAWS; d++) {
		ck_assert(draw_is_foreground(d / 100, d, 1));
		ck_assert(!draw_is_foreground(d / 100, d, 0));
		/* What is foreground stays so when there is more of it. */
		ck_assert(!draw_is_foreground(2, d, 0.3) ||
			  draw_is_foreground(2, d, 0.31));
		seen[draw_is_foreground(2, d, 0.3)]++;
	}
	fits(seen, share, 2, DRAWS);
}
END_TEST

START_TEST(test_no_class)
{
	struct draw_class c[] = {{1, 0, 1}, {2, 5, 0}, {3, 7, 0}};
	size_t i = 99;

	ck_assert_int_eq(draw_class(0, 0, WEIGHTS_UNIFORM, c, 0, &i), -ENOENT);
	ck_assert_int_eq(draw_class(0, 0, WEIGHTS_FREQUENCY, c, 1, &i),
			 -ENOENT);
	ck_assert_int_eq(draw_class(0, 0, WEIGHTS_GIVEN, c, 3, &i), -ENOENT);
	c[1].weight = c[2].weight = DBL_MAX;
	ck_assert_int_eq(draw_class(0, 0, WEIGHTS_GIVEN, c, 3, &i), -EINVAL);
	ck_assert_uint_eq(i, 99);

	/* As much as a double holds, and as little. */
	c[2].weight = 0;
	for (uint64_t d = 0; d < 100; d++) {
		ck_assert_int_eq(draw_class(0, d, WEIGHTS_GIVEN, c, 3, &i), 0);
		ck_assert_uint_eq(i, 1);
	}
	c[1].weight = DBL_TRUE_MIN;
	for (uint64_t d = 0; d < 100; d++) {
		ck_assert_int_eq(draw_class(0, d, WEIGHTS_GIVEN, c, 3, &i), 0);
		ck_assert_uint_eq(i, 1);
	}
	c[1].count = c[2].count = UINT64_MAX;
	ck_assert_int_eq(draw_class(0, 0, WEIGHTS_FREQUENCY, c, 3, &i), 0);
	ck_assert_int_eq(draw_class(0, 0, WEIGHTS_INVERSE, c, 3, &i), 0);
	ck_assert_uint_ne(i, 0);
}
END_TEST

/* Every length, patch and centre of small axes, odd and even. */
START_TEST(test_windows)
{
	for (int64_t l = 1; l <= 14; l++)
		for (int64_t p = 1; p <= 20; p++)
			for (int64_t c = 0; c < l; c++) {
				const uint64_t ul = (uint64_t)l;
				const uint64_t up = (uint64_t)p;
				const uint64_t uc = (uint64_t)c;
				int64_t s = c - p / 2;

				ck_assert_int_eq(
					draw_window(DRAW_PAD, ul, up, uc), s);
				if (p > l)
					continue;
				while (s < 0)
					s++;
				while (s + p > l)
					s--;
				ck_assert_int_eq(
					draw_window(DRAW_CLAMP, ul, up, uc), s);
			}
}
END_TEST

/* The centres that border "inside" has: those whose window lies inside. */
START_TEST(test_inside)
{
	for (int64_t l = 1; l <= 20; l++)
		for (int64_t p = 1; p <= l; p++) {
			const uint64_t ul = (uint64_t)l, up = (uint64_t)p;
			uint64_t lo, hi;

			draw_inside(ul, up, &lo, &hi);
			ck_assert_uint_le(hi, ul);
			/* Each start once. */
			ck_assert_uint_eq(hi - lo, ul - up + 1);
			for (int64_t c = 0; c < l; c++) {
				const uint64_t uc = (uint64_t)c;
				const int64_t s = c - p / 2;
				const bool in = s >= 0 && s + p <= l;

				ck_assert_int_eq(uc >= lo && uc < hi, in);
				if (in)
					ck_assert_int_eq(
						draw_window(DRAW_INSIDE, ul, up,
							    uc),
						s);
			}
		}
}
END_TEST

START_TEST(test_far_axes)
{
	const uint64_t far = INT64_MAX;
	uint64_t lo, hi;

	ck_assert_int_eq(draw_window(DRAW_CLAMP, far, 3, far - 1),
			 INT64_MAX - 3);
	ck_assert_int_eq(draw_window(DRAW_CLAMP, far, far, far - 1), 0);
	ck_assert_int_eq(draw_window(DRAW_CLAMP, far, far, 0), 0);
	ck_assert_int_eq(draw_window(DRAW_PAD, far, 2, far - 1), INT64_MAX - 2);
	ck_assert_int_eq(draw_window(DRAW_PAD, far, UINT64_MAX, 0), -INT64_MAX);
	draw_inside(far, far, &lo, &hi);
	ck_assert_uint_eq(lo, far / 2);
	ck_assert_uint_eq(hi, far / 2 + 1);
	draw_inside(far, 1, &lo, &hi);
	ck_assert_uint_eq(lo, 0);
	ck_assert_uint_eq(hi, far);
}
END_TEST

static Suite *foreground_suite(void)
{
	Suite *s = suite_create("foreground");
	TCase *t = tcase_create("foreground");

	tcase_add_loop_test(t, test_known, 0,
			    sizeof(answers) / sizeof(answers[0]));
	tcase_add_loop_test(t, test_classes, WEIGHTS_UNIFORM,
			    WEIGHTS_GIVEN + 1);
	tcase_add_test(t, test_voxels);
	tcase_add_test(t, test_independent);
	tcase_add_test(t, test_fraction);
	tcase_add_test(t, test_no_class);
	tcase_add_test(t, test_windows);
	tcase_add_test(t, test_inside);
	tcase_add_test(t, test_far_axes);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(foreground_suite)
