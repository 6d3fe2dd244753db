/* SPDX-License-Identifier: MIT */

/*
 * Draws of medh5 2.x against a table of what the package drew, which
 * tests/data/medh5_draws.py wrote and explains; its generator against NumPy's
 * PCG64. PATCHFS_MEDH5_DRAWS names another table.
 */

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sample/foreground.h"
#include "unit.h"

#define MAX_CLASSES 80

/* A line "case": what the draws after it are drawn from. */
struct source {
	struct medh5_draw how;
	unsigned ndim;
	uint64_t length[NDIM_MAX], extent[NDIM_MAX];
	size_t n;
	struct draw_class class[MAX_CLASSES];
	uint64_t rows[MAX_CLASSES];
};

/* Numbers separated by one character. How many. */
static unsigned numbers(const char *text, int64_t out[NDIM_MAX])
{
	unsigned n = 0;
	char *end;

	do {
		ck_assert_uint_lt(n, NDIM_MAX);
		out[n++] = strtoll(text, &end, 10);
		ck_assert_ptr_ne(end, text);
		text = end + 1;
	} while (*end);
	return n;
}

static enum class_weights weights_named(const char *name)
{
	const char *const names[] = {"uniform", "frequency", "inverse",
				     "given"};

	for (unsigned i = 0; i < 4; i++)
		if (!strcmp(name, names[i]))
			return (enum class_weights)i;
	ck_abort_msg("weights %s", name);
}

static void read_case(char *line, struct source *s)
{
	int64_t v[NDIM_MAX];
	char *save;

	memset(s, 0, sizeof(*s));
	strtok_r(line, " ", &save);
	s->how.fraction = strtod(strtok_r(NULL, " ", &save), NULL);
	s->how.weights = weights_named(strtok_r(NULL, " ", &save));
	s->ndim = numbers(strtok_r(NULL, " ", &save), v);
	for (unsigned a = 0; a < s->ndim; a++)
		s->length[a] = (uint64_t)v[a];
	ck_assert_uint_eq(numbers(strtok_r(NULL, " ", &save), v), s->ndim);
	for (unsigned a = 0; a < s->ndim; a++)
		s->extent[a] = (uint64_t)v[a];
	for (char *w; (w = strtok_r(NULL, " ", &save)); s->n++) {
		struct draw_class *c = &s->class[s->n];

		ck_assert_uint_lt(s->n, MAX_CLASSES);
		ck_assert_int_ge(
			sscanf(w, "%" SCNd64 ":%" SCNu64 ":%" SCNu64 ":%lf",
			       &c->id, &c->count, &s->rows[s->n], &c->weight),
			3);
	}
}

/* Classes drawn and rows of them, "-" where the package drew uniformly. */
static void check_draw(struct source *s, char *line)
{
	char class[24], row[24], centre[96], start[96];
	int64_t at[NDIM_MAX], want[NDIM_MAX], got[NDIM_MAX];
	uint64_t item, drawn_row = 0;
	size_t drawn = 0;
	int r;

	ck_assert_int_eq(sscanf(line,
				"%" SCNu64 " %" SCNu64 " %" SCNu64
				" %23s %23s %95s %95s",
				&s->how.seed, &s->how.epoch, &item, class, row,
				centre, start),
			 7);
	ck_assert_uint_eq(numbers(centre, at), s->ndim);
	ck_assert_uint_eq(numbers(start, want), s->ndim);
	r = medh5_draw(&s->how, item, s->ndim, s->length, s->extent, s->class,
		       s->n, s->rows, &drawn, &drawn_row, got);
	if (!strcmp(class, "-")) {
		ck_assert_msg(r == MEDH5_UNIFORM, "%s", line);
		for (unsigned a = 0; a < s->ndim; a++) {
			ck_assert_int_eq(got[a], want[a]);
			ck_assert_uint_eq(medh5_centre(s->length[a],
						       s->extent[a], got[a]),
					  (uint64_t)at[a]);
		}
		return;
	}
	ck_assert_msg(r == MEDH5_FOREGROUND, "%s", line);
	ck_assert_int_eq(s->class[drawn].id, strtoll(class, NULL, 10));
	ck_assert_uint_eq(drawn_row, strtoull(row, NULL, 10));
	for (unsigned a = 0; a < s->ndim; a++)
		ck_assert_int_eq(medh5_window(s->length[a], s->extent[a],
					      (uint64_t)at[a]),
				 want[a]);
}

START_TEST(test_table)
{
	const char *path = getenv("PATCHFS_MEDH5_DRAWS");
	char line[4096], name[4096];
	struct source s = {.ndim = 0};
	unsigned drawn = 0;
	FILE *f;

	if (!path) {
		const char *dir = getenv("srcdir");

		snprintf(name, sizeof(name), "%s/tests/data/medh5-draws.txt",
			 dir ? dir : ".");
		path = name;
	}
	f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line == '#')
			continue;
		if (!strncmp(line, "case ", 5)) {
			read_case(line, &s);
			continue;
		}
		check_draw(&s, line);
		drawn++;
	}
	fclose(f);
	ck_assert_uint_gt(drawn, 1000);
}
END_TEST

/* numpy.random.PCG64 with its state set: random_raw(4). */
static const struct {
	struct medh5_rng r;
	uint64_t out[4];
} pcg64[] = {
	{{{0, 0}, {1, 0}},
	 {0x1, 0xe260e53261800aab, 0xd4feb4e5a4bcfe09, 0xe85a7fe071b026e6}},
	{{{0xffffffffffffffff, 0xffffffffffffffff},
	  {0xffffffffffffffff, 0xffffffffffffffff}},
	 {0xca64c3001557c2c1, 0xb4979fc13a9f569c, 0x4dcdd0b4f1c0e360,
	  0x946089d2dcc1bff4}},
	{{{0xfedcba9876543210, 0x123456789abcdef},
	  {0xabf7158809cf4f3d, 0x2b7e151628aed2a6}},
	 {0x8329022e9861127, 0x51ea29988db40f86, 0x58c24e1f9678474d,
	  0x4f0a4c44f069ff72}},
};

START_TEST(test_generator)
{
	struct medh5_rng r = pcg64[_i].r;

	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(medh5_next(&r), pcg64[_i].out[i]);
	r = pcg64[_i].r;
	for (unsigned i = 0; i < 4; i++) {
		const double u = medh5_float(&r);

		ck_assert(u == ldexp((double)(pcg64[_i].out[i] >> 11), -53));
	}
}
END_TEST

/* Without rows all voxels are; with as many rows as voxels nothing changes. */
START_TEST(test_rows)
{
	const struct medh5_draw how = {.fraction = 1, .seed = 5, .epoch = 2};
	const struct draw_class c[] = {{.id = 1, .count = 1000},
				       {.id = 2, .count = 7}};
	const uint64_t all[] = {1000, 7}, few[] = {3, 2};

	for (uint64_t item = 0; item < 200; item++) {
		size_t class[3];
		uint64_t row[3];
		int64_t start;

		ck_assert_int_eq(medh5_draw(&how, item, 0, NULL, NULL, c, 2,
					    NULL, &class[0], &row[0], &start),
				 MEDH5_FOREGROUND);
		medh5_draw(&how, item, 0, NULL, NULL, c, 2, all, &class[1],
			   &row[1], &start);
		medh5_draw(&how, item, 0, NULL, NULL, c, 2, few, &class[2],
			   &row[2], &start);
		ck_assert_uint_eq(class[0], class[1]);
		ck_assert_uint_eq(class[0], class[2]);
		ck_assert_uint_eq(row[0], row[1]);
		ck_assert_uint_lt(row[2], few[class[2]]);
	}
}
END_TEST

/* Nothing to draw is a uniform draw; weights that overflow are refused. */
START_TEST(test_no_class)
{
	struct medh5_draw how = {.fraction = 1, .weights = WEIGHTS_GIVEN};
	struct draw_class c[] = {{.id = 1, .count = 9, .weight = 0},
				 {.id = 2, .count = 0, .weight = 1}};
	const uint64_t length = 20, extent = 4;
	uint64_t row;
	size_t class;
	int64_t start[2], other;

	ck_assert_int_eq(medh5_draw(&how, 0, 1, &length, &extent, c, 2, NULL,
				    &class, &row, &start[0]),
			 MEDH5_UNIFORM);
	ck_assert_int_eq(medh5_draw(&how, 0, 1, &length, &extent, NULL, 0, NULL,
				    &class, &row, &start[1]),
			 MEDH5_UNIFORM);
	how.fraction = 0;
	ck_assert_int_eq(medh5_draw(&how, 0, 1, &length, &extent, c, 2, NULL,
				    &class, &row, &other),
			 MEDH5_UNIFORM);
	ck_assert_int_eq(start[0], start[1]);
	ck_assert_int_eq(start[0], other);

	how.fraction = 1;
	c[1].count = 1;
	c[0].weight = c[1].weight = 1e308;
	ck_assert_int_eq(medh5_draw(&how, 0, 1, &length, &extent, c, 2, NULL,
				    &class, &row, &other),
			 -EINVAL);
}
END_TEST

/* An axis that the patch covers, every length and a longer patch or as long. */
START_TEST(test_window)
{
	for (uint64_t p = 1; p <= 12; p++)
		for (uint64_t l = 1; l <= 12; l++)
			for (uint64_t c = 0; c < l; c++) {
				const int64_t s = medh5_window(l, p, c);
				const int64_t before =
					((int64_t)p - (int64_t)l) / 2;

				if (p >= l) {
					ck_assert_int_eq(s, -before);
					continue;
				}
				ck_assert_int_ge(s, 0);
				ck_assert_int_le(s, (int64_t)(l - p));
				/* Centred, or against a border. */
				ck_assert(s == (int64_t)c - (int64_t)(p / 2) ||
					  (s == 0 && c < p / 2) ||
					  (s == (int64_t)(l - p) &&
					   c - p / 2 > l - p));
			}
	ck_assert_int_eq(medh5_window(5, UINT64_MAX, 0),
			 -(int64_t)((UINT64_MAX - 5) / 2));
}
END_TEST

static Suite *medh5_suite(void)
{
	Suite *s = suite_create("medh5");
	TCase *t = tcase_create("medh5");

	tcase_add_test(t, test_table);
	tcase_add_loop_test(t, test_generator, 0,
			    sizeof(pcg64) / sizeof(pcg64[0]));
	tcase_add_test(t, test_rows);
	tcase_add_test(t, test_no_class);
	tcase_add_test(t, test_window);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(medh5_suite)
