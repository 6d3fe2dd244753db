/* SPDX-License-Identifier: MIT */

/*
 * Which names a source directory has: by hand for each rule, then for all
 * orders of what was found, which must not matter.
 */

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "tree/srcdir.h"
#include "unit.h"

/* Names found, "/" at the end for directories; names listed, space between. */
static const struct {
	const char *found, *listed;
} cases[] = {
	{"", ""},
	{"a.txt", "a.txt"},
	{"sub/ a.txt", "a.txt sub/"},
	{"train.h5", "train/<train.h5 train.h5"},
	{"TRAIN.H5", "TRAIN/<TRAIN.H5 TRAIN.H5"},
	{"x.nc4 y.medh5c z.NXS",
	 "x/<x.nc4 x.nc4 y/<y.medh5c y.medh5c z/<z.NXS z.NXS"},
	{"train.h5 train", "train train.h5 train.h5.d/<train.h5"},
	{"train.h5 train/", "train/ train.h5 train.h5.d/<train.h5"},
	{"train.h5 train.hdf5",
	 "train.h5 train.h5.d/<train.h5 train.hdf5 train.hdf5.d/<train.hdf5"},
	{"train.h5 train.hdf5 train/",
	 "train/ train.h5 train.h5.d/<train.h5 train.hdf5 "
	 "train.hdf5.d/<train.hdf5"},
	{"a.b.h5", "a.b/<a.b.h5 a.b.h5"},
	{"a.h5.h5 a.h5", "a/<a.h5 a.h5 a.h5.h5 a.h5.h5.d/<a.h5.h5"},
	/* NAME.EXT.d always is the file's, whatever else would like it. */
	{"a.h5 a.h5.d.h5", "a/<a.h5 a.h5 a.h5.d.h5 a.h5.d.h5.d/<a.h5.d.h5"},
	{"a.h5 a a.h5.d.h5",
	 "a a.h5 a.h5.d/<a.h5 a.h5.d.h5 a.h5.d.h5.d/<a.h5.d.h5"},
	/* Taken twice: the container has no directory. */
	{"a.h5 a a.h5.d", "a a.h5 a.h5.d"},
	{"a.h5 a.h5.d/", "a/<a.h5 a.h5 a.h5.d/"},
	{".h5 ..h5 ...h5", "...h5 ..h5 .h5"},
	{".a.h5", ".a/<.a.h5 .a.h5"},
	{".patchfs.h5", ".patchfs.h5 .patchfs.h5.d/<.patchfs.h5"},
	{"x.h5/", "x.h5/"},
	{"h5 x.h5x x.zarr/", "h5 x.h5x x.zarr/"},
	{"x.dat x.raw", "x/<x.dat x.dat x.raw"}, /* --ext=dat */
	{"x.DAT y.vol", "x/<x.DAT x.DAT y/<y.vol y.vol"},
};

static const char *const more[] = {"dat", ".vol", NULL};

#define FOUND_MAX 8

static size_t split(const char *text, char buf[512], struct found *found)
{
	size_t n = 0;
	char *save, *word;

	strcpy(buf, text);
	for (word = strtok_r(buf, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		size_t len = strlen(word);

		found[n].is_dir = word[len - 1] == '/';
		if (found[n].is_dir)
			word[len - 1] = '\0';
		found[n++].name = word;
	}
	return n;
}

static void join(const struct listing *l, char *out)
{
	*out = '\0';
	for (uint32_t i = 0; i < l->n; i++) {
		const struct entry *e = &l->entry[i];

		if (i)
			strcat(out, " ");
		strcat(out, e->name);
		if (e->kind != ENTRY_FILE)
			strcat(out, "/");
		if (e->kind != ENTRY_CONTAINER)
			continue;
		strcat(strcat(out, "<"), l->entry[e->other].name);
		ck_assert_int_eq(l->entry[e->other].kind, ENTRY_FILE);
		ck_assert_uint_eq(l->entry[e->other].other, i);
	}
}

static void check(struct found *found, size_t n, const char *want)
{
	struct listing *l = listing_make(found, n, more);
	char out[1024];

	ck_assert_ptr_nonnull(l);
	join(l, out);
	ck_assert_str_eq(out, want);
	for (uint32_t i = 0; i < l->n; i++) {
		const char *name = l->entry[i].name;

		ck_assert_uint_eq(listing_find(l, name, strlen(name)), i);
		ck_assert_uint_eq(l->entry[i].source, ROW_NONE);
	}
	ck_assert_uint_eq(listing_find(l, "no such name", 12), ROW_NONE);
	listing_free(l);
}

START_TEST(names_by_rule)
{
	struct found found[FOUND_MAX];
	char buf[512];
	size_t n = split(cases[_i].found, buf, found);

	check(found, n, cases[_i].listed);
}
END_TEST

/* All orders, by Heap's algorithm. */
static void permute(struct found *found, size_t n, size_t k, const char *want)
{
	struct found copy[FOUND_MAX];

	if (k <= 1) {
		memcpy(copy, found, n * sizeof(*found));
		check(copy, n, want);
		return;
	}
	for (size_t i = 0; i < k; i++) {
		struct found *other = &found[k % 2 ? 0 : i];
		struct found tmp;

		permute(found, n, k - 1, want);
		tmp = *other;
		*other = found[k - 1];
		found[k - 1] = tmp;
	}
}

START_TEST(order_does_not_matter)
{
	struct found found[FOUND_MAX];
	char buf[512];
	size_t n = split(cases[_i].found, buf, found);

	permute(found, n, n, cases[_i].listed);
}
END_TEST

START_TEST(longest_names)
{
	char name[256], want[1100];
	struct found found[2];

	/* 255 bytes: NAME is there, NAME.EXT.d would be too long. */
	memset(name, 'n', 255);
	strcpy(name + 252, ".h5");
	found[0] = (struct found){name, false};
	snprintf(want, sizeof(want), "%.252s/<%s %s", name, name, name);
	check(found, 1, want);
	found[1] = (struct found){"n", false};
	snprintf(want, sizeof(want), "n %.252s/<%s %s", name, name, name);
	check(found, 2, want);
}
END_TEST

START_TEST(stems)
{
	ck_assert_uint_eq(container_stem("a.h5", NULL), 1);
	ck_assert_uint_eq(container_stem("a.b.HDF5", NULL), 3);
	ck_assert_uint_eq(container_stem("a.dat", NULL), 0);
	ck_assert_uint_eq(container_stem("a.dat", more), 1);
	ck_assert_uint_eq(container_stem("a.", NULL), 0);
	ck_assert_uint_eq(container_stem("", NULL), 0);
	ck_assert_uint_eq(container_stem("h5", NULL), 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("listing");
	TCase *t = tcase_create("all");
	int n = sizeof(cases) / sizeof(cases[0]);

	tcase_add_loop_test(t, names_by_rule, 0, n);
	tcase_add_loop_test(t, order_does_not_matter, 0, n);
	tcase_add_test(t, longest_names);
	tcase_add_test(t, stems);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(suite)
