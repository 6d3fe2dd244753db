/* SPDX-License-Identifier: MIT */

/*
 * Foreground draws by the hundred thousand, through the tree, against what the
 * manual promises of them: every voxel of a class as likely as another, classes
 * by their weights, windows where the border says. The draws of a number never
 * change, so neither does a result here.
 */

#include <inttypes.h>
#include <math.h>

#include "tree_test.h"

#define DRAWS 100000
#define NZ 6
#define NY 8
#define NX 10
#define N (NZ * NY * NX)

static int16_t class_of(unsigned z, unsigned y, unsigned x)
{
	const unsigned h = (7 * z + 5 * y + 3 * x) % 23;

	return h < 9 ? 1 : h < 12 ? 2 : h == 12 ? 3 : 0;
}

/* The label takes the place of the numbers that the file has. */
static void write_label(void)
{
	static const uint64_t dim[] = {NZ, NY, NX};
	struct volume v = {.data = 0};
	FILE *f;

	records_group(&v.r);
	volume_array(&v, 0, "label", 3, dim);
	volume_array(&v, 0, "image", 3, dim);
	volume_write(&v, in_src("draws.h5"), "");
	f = fopen(in_src("draws.h5"), "r+");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, VOLUME_DATA, SEEK_SET), 0);
	for (unsigned i = 0; i < N; i++) {
		int16_t c = class_of(i / NX / NY, i / NX % NY, i % NX);

		ck_assert_uint_eq(fwrite(&c, sizeof(c), 1, f), 1);
	}
	ck_assert_int_eq(fclose(f), 0);
}

static void draws_setup(void)
{
	setup();
	write_label();
	close_tree();
	open_tree();
}

/* Three numbers behind a key of a record. */
static void numbers_of(const char *text, const char *key, int out[3])
{
	const char *at = strstr(text, key);

	ck_assert_ptr_nonnull(at);
	ck_assert_int_eq(sscanf(at + strlen(key), ": [%d, %d, %d]", &out[0],
				&out[1], &out[2]),
			 3);
}

/* Centres of draws of a view, counted by voxel. */
static void count_draws(const char *view, const int size[3], bool clamp,
			unsigned count[N])
{
	static const int length[3] = {NZ, NY, NX};
	char path[256], name[32];
	struct tree_entry e;
	uint64_t dir;

	memset(count, 0, N * sizeof(*count));
	snprintf(path, sizeof(path), "draws/image/%s", view);
	dir = at(path);
	ck_assert_uint_ne(dir, 0);
	for (unsigned i = 0; i < DRAWS; i++) {
		int center[3], start[3];
		size_t n;
		char *text;

		snprintf(name, sizeof(name), "%u.json", i);
		ck_assert_int_eq(tree_lookup(tree, dir, name, &e, NULL), 0);
		text = content(e.ino, &n);
		numbers_of(text, "\"center\"", center);
		numbers_of(text, "\"start\"", start);
		free(text);
		for (unsigned k = 0; k < 3; k++) {
			int want = center[k] - size[k] / 2;

			ck_assert(center[k] >= 0 && center[k] < length[k]);
			if (clamp && want < 0)
				want = 0;
			if (clamp && want > length[k] - size[k])
				want = length[k] - size[k];
			ck_assert_int_eq(start[k], want);
			if (!clamp)
				ck_assert(start[k] >= 0 &&
					  start[k] + size[k] <= length[k]);
		}
		count[(center[0] * NY + center[1]) * NX + center[2]]++;
	}
}

/* Whether counts are as likely as shares say; a share of 0 is never drawn. */
static void compare(const unsigned count[N], const double share[N])
{
	double sum = 0, freedom = -1, all = 0;

	for (unsigned i = 0; i < N; i++)
		all += share[i];
	for (unsigned i = 0; i < N; i++) {
		const double want = DRAWS * share[i] / all;

		if (share[i] <= 0) {
			ck_assert_uint_eq(count[i], 0);
			continue;
		}
		sum += (count[i] - want) * (count[i] - want) / want;
		freedom++;
	}
	/* Four standard deviations, to either side: too even is wrong too. */
	ck_assert_msg(fabs(sum - freedom) < 4 * sqrt(2 * freedom), "%g of %g",
		      sum, freedom);
}

/* Of each voxel weight[class], or if by class that over its voxels. */
static void shares(const double weight[4], bool by_class, const int margin[3],
		   double share[N])
{
	static const int length[3] = {NZ, NY, NX};
	double voxels[4] = {0};

	for (unsigned i = 0; i < N; i++) {
		const int place[3] = {(int)(i / NX / NY), (int)(i / NX % NY),
				      (int)(i % NX)};
		bool in = true;

		for (unsigned k = 0; k < 3; k++)
			in = in && place[k] >= margin[k] / 2 &&
			     place[k] <= length[k] - margin[k] + margin[k] / 2;
		share[i] = in ? class_of((unsigned)place[0], (unsigned)place[1],
					 (unsigned)place[2])
			      : 0;
		voxels[(int)share[i]]++;
	}
	for (unsigned i = 0; i < N; i++) {
		const int c = (int)share[i];

		share[i] = c ? weight[c] / (by_class ? voxels[c] : 1) : 0;
	}
}

START_TEST(every_voxel_is_as_likely)
{
	static const int size[3] = {3, 4, 5}, none[3] = {0};
	unsigned count[N];
	double share[N];

	count_draws("foreground+size-3x4x5+weights-frequency", size, true,
		    count);
	shares((const double[]){0, 1, 1, 1}, false, none, share);
	compare(count, share);
}
END_TEST

START_TEST(classes_have_their_weights)
{
	static const int size[3] = {2, 2, 2}, none[3] = {0};
	unsigned count[N];
	double share[N];

	count_draws("foreground+size-2x2x2", size, true, count);
	shares((const double[]){0, 1, 1, 1}, true, none, share);
	compare(count, share);
	count_draws("foreground+size-2x2x2+class-1+class-3@2.5+seed-7", size,
		    true, count);
	shares((const double[]){0, 1, 0, 2.5}, true, none, share);
	compare(count, share);
}
END_TEST

START_TEST(borders_keep_centres_away)
{
	static const int size[3] = {4, 5, 8};
	unsigned count[N];
	double share[N];

	count_draws("foreground+size-4x5x8+weights-frequency+border-inside",
		    size, false, count);
	shares((const double[]){0, 1, 1, 1}, false, size, share);
	compare(count, share);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("draws");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, draws_setup, teardown);
	tcase_set_timeout(t, 600);
	tcase_add_test(t, every_voxel_is_as_likely);
	tcase_add_test(t, classes_have_their_weights);
	tcase_add_test(t, borders_keep_centres_away);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(suite)
