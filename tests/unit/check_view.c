/* SPDX-License-Identifier: MIT */

/*
 * The grammar of views. A view has one name: everything that is accepted is
 * printed, and what was printed is parsed and printed again.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tree/tree.h"
#include "tree/view.h"
#include "unit.h"

static struct item_type make_type(const char *dims, const char *type)
{
	struct item_type t = {.kind = type[0],
			      .item_size = (unsigned)(type[1] - '0')};

	while (*dims) {
		t.shape.dim[t.shape.ndim++] = strtoull(dims, NULL, 10);
		dims += strcspn(dims, "x");
		dims += *dims == 'x';
	}
	return t;
}

/* Canonical name, "" if it is no view at all, NULL if it is a bad one. */
static const char *canonical(const char *name, const struct item_type *t,
			     struct view_geometry *g)
{
	static char out[NAME_BYTES_MAX + 1];
	char why[VIEW_WHY_MAX] = "";
	struct view_spec s;
	int err = view_parse(name, &s, why);

	if (err == 0)
		err = view_bind(&s, t, g, why);
	if (err == -ENOENT) {
		ck_assert_str_eq(why, "");
		return "";
	}
	if (err < 0) {
		ck_assert_str_ne(why, "");
		return NULL;
	}
	ck_assert_int_eq(view_print(&s, out), 0);
	return out;
}

#define VOL "64x512x256", "f4"

static const struct {
	const char *name;
	const char *dims, *type;
	const char *canonical; /* "": no view; NULL: a bad one */
} views[] = {
	{"slices", VOL, "slices"},
	{"slices+axis-0", VOL, "slices"},
	{"slices+axis-00", VOL, "slices"},
	{"slices+axis--3", VOL, "slices"},
	{"slices+axis--0", VOL, "slices"},
	{"slices+axis-1", VOL, "slices+axis-1"},
	{"slices+axis-01", VOL, "slices+axis-1"},
	{"slices+axis--1", VOL, "slices+axis-2"},
	{"slices+axis-3", VOL, NULL},
	{"slices+axis--4", VOL, NULL},
	{"slices+axis-", VOL, NULL},
	{"slices+axis", VOL, NULL},
	{"slices+axis-x", VOL, NULL},
	{"slices+axis-99999999999999999999", VOL, NULL},
	{"slices+", VOL, NULL},
	{"slices+size-4x4", VOL, NULL},
	{"slices+axis-1+axis-1", VOL, NULL},
	{"slices+format-npy", VOL, "slices"},
	{"slices+format-raw", VOL, "slices+format-raw"},
	{"slices+format-raw+axis-1", VOL, "slices+axis-1+format-raw"},
	{"slices+format-nii", VOL, NULL},
	{"slices", "5", "u1", "slices"},
	{"slices", "", "f4", NULL},
	{"slices", "0x4", "f4", "slices"},
	{"Slices", VOL, ""},
	{"slice", VOL, ""},
	{"slicesx", VOL, ""},
	{"", VOL, ""},
	{"+", VOL, ""},
	{"array.npy", VOL, ""},
	{".git", VOL, ""},
	{"patches", VOL, NULL},
	{"patches+size-", VOL, NULL},
	{"patches+size-96x96x96", VOL, NULL}, /* 64 < 96 */
	{"patches+size-64x64x64", VOL, "patches+size-64x64x64"},
	{"patches+size-064x64x0064", VOL, "patches+size-64x64x64"},
	{"patches+size-64x64", VOL, "patches+size-64x64"},
	{"patches+size-64", VOL, "patches+size-64"},
	{"patches+size-allx64x64", VOL, "patches+size-allx64x64"},
	{"patches+size-allxallxall", VOL, "patches+size-allxallxall"},
	{"patches+size-ALLx64x64", VOL, NULL},
	{"patches+size-1x2x3x4", VOL, NULL},
	{"patches+size-0x4", VOL, NULL},
	{"patches+size-4x", VOL, NULL},
	{"patches+size-x4", VOL, NULL},
	{"patches+size-4xx4", VOL, NULL},
	{"patches+size--4", VOL, NULL},
	{"patches+size-4X4", VOL, NULL},
	{"patches+size-1x1x1x1x1x1x1x1x1", VOL, NULL},
	{"patches+size-18446744073709551616", VOL, NULL},
	{"patches+size-18446744073709551615+border-pad", VOL, NULL},
	{"patches+size-4x4+size-4x4", VOL, NULL},
	{"patches+size-64x64+stride-64x64", VOL, "patches+size-64x64"},
	{"patches+size-64x64+stride-32x64", VOL,
	 "patches+size-64x64+stride-32x64"},
	{"patches+stride-032x64+size-64x64", VOL,
	 "patches+size-64x64+stride-32x64"},
	{"patches+size-64x64+stride-32", VOL, NULL},
	{"patches+size-64x64+stride-0x4", VOL, NULL},
	{"patches+size-64x64+stride-allx4", VOL, NULL},
	{"patches+size-allx64+stride-allx32", VOL,
	 "patches+size-allx64+stride-allx32"},
	{"patches+size-allx64+stride-7x32", VOL,
	 "patches+size-allx64+stride-allx32"},
	{"patches+size-allx64+stride-7x64", VOL, "patches+size-allx64"},
	{"patches+size-64x64+border-snap", VOL, "patches+size-64x64"},
	{"patches+size-64x64+border-pad", VOL, "patches+size-64x64+border-pad"},
	{"patches+size-96x96x96+border-pad", VOL,
	 "patches+size-96x96x96+border-pad"},
	{"patches+size-64x64+border-even", VOL, NULL},
	{"patches+size-64x64+border-drop", VOL, NULL},
	{"patches+size-64x64+border-wrap", VOL, NULL},
	{"patches+size-64x64+border-even+step-0.5", VOL, NULL},
	{"patches+size-64x64+border-pad+pad-0", VOL,
	 "patches+size-64x64+border-pad"},
	{"patches+size-64x64+border-pad+pad--1024", VOL,
	 "patches+size-64x64+border-pad+pad--1024"},
	{"patches+pad--1024.0+border-pad+size-64x64", VOL,
	 "patches+size-64x64+border-pad+pad--1024"},
	{"patches+size-64x64+border-pad+pad-0.10", VOL,
	 "patches+size-64x64+border-pad+pad-0.1"},
	{"patches+size-64x64+border-pad+pad--0", VOL,
	 "patches+size-64x64+border-pad+pad--0"},
	{"patches+size-2x2+border-pad+pad--0", "4x4", "i2",
	 "patches+size-2x2+border-pad"},
	{"patches+size-2x2+border-pad+pad-0.5", "4x4", "i2", NULL},
	{"patches+size-2x2+border-pad+pad--1", "4x4", "u2", NULL},
	{"patches+size-2x2+border-pad+pad-70000", "4x4", "u2", NULL},
	{"patches+size-64x64+pad-7", VOL, NULL},
	{"patches+pad-0.0+size-64x64", VOL, "patches+size-64x64"},
	{"patches+size-64x64+border-pad+pad-edge", VOL, NULL},
	{"patches+size-64x64+border-pad+pad-reflect", VOL, NULL},
	{"patches+size-64x64+border-pad+pad-nan", VOL, NULL},
	{"patches+size-64x64+seed-1", VOL, NULL},
	{"patches+size-4x4", "0x8x8", "f4", "patches+size-4x4"},
	{"patches+size-4x4", "0x0", "f4", "patches+size-4x4"},
	{"crops+size-64x64x64", VOL, "crops+size-64x64x64"},
	{"crops+size-64x64x64+stride-4x4x4", VOL, NULL},
	{"crops", VOL, NULL},
	{"random+size-64x64", VOL, "random+size-64x64"},
	{"random+size-64x64+seed-0+count-0", VOL, "random+size-64x64"},
	{"random+count-0010+seed-3+size-64x64", VOL,
	 "random+size-64x64+seed-3+count-10"},
	{"random+size-64x64+seed-18446744073709551615", VOL,
	 "random+size-64x64+seed-18446744073709551615"},
	{"random+size-64x64+seed-18446744073709551616", VOL, NULL},
	{"random+size-64x64+seed--1", VOL, NULL},
	{"random+size-64x64+count-68719476736", VOL,
	 "random+size-64x64+count-68719476736"},
	{"random+size-64x64+count-68719476737", VOL, NULL},
	{"random+size-65x512x256", VOL, NULL},
	{"random+size-64x64+dtype-f2", VOL, NULL},
	{"random+size-64x64+nonsense-1", VOL, NULL},
	{"random+size-64x64+SEED-1", VOL, NULL},
	{"random+size-64x64+seed-1,", VOL, NULL},
	{"foreground+size-64x64+class-liver+class-lesion", VOL,
	 "foreground+size-64x64+class-liver+class-lesion"},
	{"foreground+size-64x64+class-a+labels-m+class-b@2", VOL,
	 "foreground+size-64x64+labels-m+class-a+class-b@2"},
	{"foreground+size-64x64+class-a@1.0+class-b@00.50", VOL,
	 "foreground+size-64x64+class-a+class-b@0.5"},
	{"foreground+size-64x64+class-a%2fb%40%2B+labels-..%2Fx%20y", VOL,
	 "foreground+size-64x64+labels-..%2Fx%20y+class-a%2Fb%40%2B"},
	{"foreground+size-64x64+class-%61", VOL,
	 "foreground+size-64x64+class-a"},
	{"foreground+size-64x64+labels-a b", VOL,
	 "foreground+size-64x64+labels-a%20b"},
	{"foreground+size-64x64+class-@2", VOL, NULL},
	{"foreground+size-64x64+class-a@", VOL, NULL},
	{"foreground+size-64x64+class-a@x", VOL, NULL},
	{"foreground+size-64x64+class-a@-1", VOL, NULL},
	{"foreground+size-64x64+class-a@1e308+class-b@1e308", VOL, NULL},
	{"foreground+size-64x64+class-a%", VOL, NULL},
	{"foreground+size-64x64+class-a%4", VOL, NULL},
	{"foreground+size-64x64+class-a%zz", VOL, NULL},
	{"foreground+size-64x64+class-a%00", VOL, NULL},
	{"foreground+size-64x64+labels-a+labels-b", VOL, NULL},
	{"foreground+size-64x64+fraction-1", VOL, "foreground+size-64x64"},
	{"foreground+size-64x64+fraction-0.50", VOL,
	 "foreground+size-64x64+fraction-0.5"},
	{"foreground+size-64x64+fraction-0", VOL,
	 "foreground+size-64x64+fraction-0"},
	{"foreground+size-64x64+fraction--0", VOL,
	 "foreground+size-64x64+fraction-0"},
	{"foreground+size-64x64+fraction-1.01", VOL, NULL},
	{"foreground+size-64x64+fraction--0.1", VOL, NULL},
	{"foreground+size-64x64+weights-uniform", VOL, "foreground+size-64x64"},
	{"foreground+size-64x64+weights-inverse+fraction-0.25", VOL,
	 "foreground+size-64x64+fraction-0.25+weights-inverse"},
	{"foreground+size-64x64+weights-other", VOL, NULL},
	{"foreground+size-64x64+weights-inverse+class-a@2", VOL, NULL},
	{"foreground+size-64x64+weights-inverse+class-a@1", VOL,
	 "foreground+size-64x64+class-a+weights-inverse"},
	{"foreground+size-64x64+border-clamp", VOL, "foreground+size-64x64"},
	{"foreground+size-64x64+border-inside", VOL,
	 "foreground+size-64x64+border-inside"},
	{"foreground+size-64x64+border-snap", VOL, NULL},
	{"foreground+size-64x64+pad-7", VOL, NULL},
	{"foreground+size-64x64+border-inside+pad-7", VOL, NULL},
	{"foreground+size-64x64+pad-7.0+border-pad", VOL,
	 "foreground+size-64x64+border-pad+pad-7"},
	{"foreground+size-64x64+index-auto", VOL, "foreground+size-64x64"},
	{"foreground+size-64x64+index-exact", VOL,
	 "foreground+size-64x64+index-exact"},
	{"foreground+size-64x64+index-none", VOL, NULL},
	{"foreground+size-64x64+rule-medh5.2+pad-3", VOL,
	 "foreground+size-64x64+pad-3+rule-medh5.2"},
	{"foreground+size-64x64+rule-medh5.1", VOL, NULL},
	{"foreground+size-64x64+rule-medh5.2+border-pad", VOL, NULL},
	{"foreground+size-64x64+epoch-3", VOL, NULL},
	{"foreground+size-64x64+epoch-0", VOL, "foreground+size-64x64"},
	{"foreground+size-64x64+seed-4+epoch-03+rule-medh5.2+count-2", VOL,
	 "foreground+size-64x64+rule-medh5.2+epoch-3+seed-4+count-2"},
	{"foreground+size-64x64+format-raw+count-1", VOL,
	 "foreground+size-64x64+count-1+format-raw"},
	{"slices+priority-b+priority-a", VOL, "slices+priority-b+priority-a"},
	{"slices+format-raw+priority-07+axis-1+priority-%61%2Fb", VOL,
	 "slices+axis-1+priority-07+priority-a%2Fb+format-raw"},
	{"patches+priority-a@2+size-4x4", VOL,
	 "patches+size-4x4+priority-a%402"},
	{"crops+priority-a+size-4x4", VOL, "crops+size-4x4+priority-a"},
	{"random+size-4x4+priority-b+count-2+priority-a+seed-1", VOL,
	 "random+size-4x4+seed-1+count-2+priority-b+priority-a"},
	{"foreground+size-4x4+priority-b+class-c+priority-a", VOL,
	 "foreground+size-4x4+class-c+priority-b+priority-a"},
	{"slices+priority", VOL, NULL},
	{"slices+priority-", VOL, NULL},
	{"slices+priority-a+priority-", VOL, NULL},
	{"slices+priority-%", VOL, NULL},
	{"slices+priority-%00", VOL, NULL},
	{"foreground+size-4x4+border-inside+index-stored", VOL, NULL},
	{"foreground+size-65x512x256+border-pad", VOL,
	 "foreground+size-65x512x256+border-pad"},
	{"foreground+size-65x512x256+rule-medh5.2", VOL,
	 "foreground+size-65x512x256+rule-medh5.2"},
	{"foreground+size-65x512x256", VOL, NULL},
	{"foreground", VOL, NULL},
};

START_TEST(view_names)
{
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		struct item_type t = make_type(views[i].dims, views[i].type);
		struct view_geometry g, again;
		const char *c = canonical(views[i].name, &t, &g);
		char copy[NAME_BYTES_MAX + 1];

		if (!views[i].canonical) {
			ck_assert_msg(!c, "%s is %s", views[i].name, c);
			continue;
		}
		ck_assert_msg(c != NULL, "%s is bad", views[i].name);
		ck_assert_str_eq(c, views[i].canonical);
		if (!*c)
			continue;
		strcpy(copy, c);
		c = canonical(copy, &t, &again);
		ck_assert_str_eq(c, copy);
		ck_assert_mem_eq(&g, &again, sizeof(g));
	}
}
END_TEST

/* All orders of all values of patches: one name for each meaning. */
START_TEST(every_order_of_keys)
{
	static const char *const part[4][3] = {
		{"size-4x4", "size-04x4", "size-4x004"},
		{"", "stride-4x4", "stride-2x02"},
		{"", "border-pad", "border-snap"},
		{"", "format-npy", "format-raw"},
	};
	struct item_type t = make_type("9x9x9", "i2");
	unsigned seen = 0;

	for (unsigned values = 0; values < 81; values++) {
		unsigned digit[4] = {values % 3, values / 3 % 3, values / 9 % 3,
				     values / 27};
		char want[NAME_BYTES_MAX + 1];

		snprintf(want, sizeof(want), "patches+size-4x4%s%s%s",
			 digit[1] == 2 ? "+stride-2x2" : "",
			 digit[2] == 1 ? "+border-pad" : "",
			 digit[3] == 2 ? "+format-raw" : "");
		for (unsigned order = 0; order < 256; order++) {
			unsigned at[4] = {order & 3, order >> 2 & 3,
					  order >> 4 & 3, order >> 6};
			char name[NAME_BYTES_MAX + 1] = "patches";
			struct view_geometry g;

			if ((1u << at[0] | 1u << at[1] | 1u << at[2] |
			     1u << at[3]) != 15)
				continue;
			for (unsigned k = 0; k < 4; k++) {
				const char *p = part[at[k]][digit[at[k]]];

				if (*p)
					strcat(strcat(name, "+"), p);
			}
			ck_assert_str_eq(canonical(name, &t, &g), want);
			seen++;
		}
	}
	ck_assert_uint_eq(seen, 81 * 24);
}
END_TEST

START_TEST(longest_names)
{
	struct item_type t = make_type("9x9", "f8");
	char name[400];
	struct view_geometry g;
	struct view_spec s;
	char why[VIEW_WHY_MAX];

	/* 255 bytes of zeros before a number are one more spelling. */
	memset(name, '0', sizeof(name));
	memcpy(name, "patches+size-", 13);
	strcpy(name + 252, "4x4");
	ck_assert_uint_eq(strlen(name), 255);
	ck_assert_str_eq(canonical(name, &t, &g), "patches+size-4x4");
	/* As many names as there is room for. */
	strcpy(name, "slices");
	for (unsigned i = 0; i < 20; i++)
		snprintf(name + strlen(name), 13, "+priority-%u", i + 10);
	ck_assert_uint_eq(strlen(name), 246);
	ck_assert_str_eq(canonical(name, &t, &g), name);
	/* More than that, of a name that no file can have, are none. */
	strcpy(name, "slices");
	for (unsigned i = 0; i < 33; i++)
		strcat(name, "+priority-1");
	ck_assert_int_eq(view_parse(name, &s, why), -EINVAL);
	/* An unknown key as long as can be: why stays in its bounds. */
	memset(name, 'k', sizeof(name));
	memcpy(name, "patches+", 8);
	name[255] = '\0';
	ck_assert_int_eq(view_parse(name, &s, why), -EINVAL);
	ck_assert_uint_lt(strlen(why), VIEW_WHY_MAX);
}
END_TEST

START_TEST(what_items_a_view_has)
{
	struct item_type t = make_type("7x9x11", "f4");
	char name[NAME_BYTES_MAX + 1];
	struct view_geometry g;
	struct view_spec s;
	char why[VIEW_WHY_MAX];
	int64_t start[NDIM_MAX];
	uint64_t item;

	ck_assert_int_eq(view_parse("random+size-4x5+seed-3", &s, why), 0);
	ck_assert_int_eq(view_bind(&s, &t, &g, why), 0);
	ck_assert_uint_eq(g.count, SAMPLE_ITEMS_MAX);
	ck_assert_uint_eq(g.listed, 0);
	ck_assert_uint_eq(g.item.shape.ndim, 2);
	/* The corners that the design gives. */
	sample_start(&g.sampling, 0, start);
	ck_assert_int_eq(start[0], 4);
	ck_assert_int_eq(start[1], 4);
	ck_assert_int_eq(start[2], 5);
	ck_assert_int_eq(view_item(&s, &g, "68719476735", 11, &item), 0);
	ck_assert_int_eq(view_item(&s, &g, "68719476736", 11, &item), -ENOENT);

	ck_assert_int_eq(view_parse("crops+size-allx4x5", &s, why), 0);
	ck_assert_int_eq(view_bind(&s, &t, &g, why), 0);
	ck_assert_uint_eq(g.count, 6 * 7);
	ck_assert_int_eq(view_item(&s, &g, "0_05_6", 6, &item), 0);
	ck_assert_uint_eq(item, 5 * 7 + 6);
	ck_assert_uint_eq(view_item_name(&s, &g, item, name), 5);
	ck_assert_str_eq(name, "0_5_6");
	ck_assert_int_eq(view_item(&s, &g, "1_5_6", 5, &item), -ENOENT);
	ck_assert_int_eq(view_item(&s, &g, "0_6_6", 5, &item), -ENOENT);
	ck_assert_int_eq(view_item(&s, &g, "17", 2, &item), -ENOENT);

	t = make_type("100000x100000x100000", "u1");
	ck_assert_int_eq(view_parse("crops+size-4x4x4", &s, why), 0);
	ck_assert_int_eq(view_bind(&s, &t, &g, why), 0);
	ck_assert_int_eq(view_item(&s, &g, "0_5_6", 5, &item), 0);
	ck_assert_int_eq(view_item(&s, &g, "9_5_6", 5, &item), -E2BIG);
	ck_assert_int_eq(view_item(&s, &g, "99999_5_6", 9, &item), -ENOENT);

	t = make_type("1200000x2", "u1");
	ck_assert_int_eq(view_parse("slices", &s, why), 0);
	ck_assert_int_eq(view_bind(&s, &t, &g, why), 0);
	ck_assert_uint_eq(view_item_name(&s, &g, 17, name), 7);
	ck_assert_str_eq(name, "0000017");
	ck_assert_int_eq(view_item(&s, &g, "1199999", 7, &item), 0);
	ck_assert_int_eq(view_item(&s, &g, "1200000", 7, &item), -ENOENT);
	ck_assert_int_eq(view_item(&s, &g, "000000000017", 12, &item), 0);
	ck_assert_uint_eq(item, 17);
	ck_assert_int_eq(view_item(&s, &g, "+17", 3, &item), -ENOENT);
	ck_assert_int_eq(view_item(&s, &g, "", 0, &item), -ENOENT);
}
END_TEST

START_TEST(keys_as_data)
{
	unsigned n;
	const struct view_key *k = view_keys(&n);

	ck_assert_uint_gt(n, 8);
	for (unsigned i = 0; i < n; i++)
		ck_assert(k[i].kind && k[i].key && k[i].value && k[i].help);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("view");
	TCase *t = tcase_create("all");

	tcase_add_test(t, view_names);
	tcase_add_test(t, every_order_of_keys);
	tcase_add_test(t, longest_names);
	tcase_add_test(t, what_items_a_view_has);
	tcase_add_test(t, keys_as_data);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(suite)
