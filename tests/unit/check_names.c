/* SPDX-License-Identifier: MIT */

/*
 * Names of members and items, the grammar of views, numbers. What has one name
 * must have one: everything accepted is printed, and what was printed is
 * parsed and printed again.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tree/names.h"
#include "tree/number.h"
#include "tree/tree.h"
#include "tree/view.h"
#include "unit.h"

/* ------------------------------------------------------------- members */

static const struct {
	const char *raw;
	enum name_place place;
	const char *shown;
} members[] = {
	{"sino", NAME_INSIDE, "sino"},
	{"", NAME_INSIDE, "%~"},
	{".", NAME_INSIDE, "%2E"},
	{"..", NAME_INSIDE, "%2E%2E"},
	{"...", NAME_INSIDE, "..."},
	{".a", NAME_INSIDE, ".a"},
	{"a+b-c", NAME_INSIDE, "a+b-c"},
	{"slices", NAME_INSIDE, "slices"},
	{"patches+size-4x4", NAME_INSIDE, "patches+size-4x4"},
	{"%41", NAME_INSIDE, "%2541"},
	{"%~", NAME_INSIDE, "%25~"},
	{"a\nb\tc\x7f", NAME_INSIDE, "a%0Ab%09c%7F"},
	{" lead and trail ", NAME_INSIDE, " lead and trail "},
	{"a,b=1", NAME_INSIDE, "a,b=1"},

	{"info.json", NAME_INSIDE, "%69nfo.json"},
	{"info.json", NAME_IN_MOUNT_ROOT, "%69nfo.json"},
	{".patchfs", NAME_INSIDE, ".patchfs"},
	{".patchfs", NAME_IN_MOUNT_ROOT, "%2Epatchfs"},
	{"\xc3\xa9t\xc3\xa9", NAME_INSIDE, "\xc3\xa9t\xc3\xa9"},
	{"\xe9t\xe9", NAME_INSIDE, "%E9t%E9"},
	{"\xc2\x85", NAME_INSIDE, "%C2%85"}, /* a control character too */
	{"\xc2\xa0", NAME_INSIDE, "\xc2\xa0"},
	{"\xe2\x82", NAME_INSIDE, "%E2%82"},
	{"\xed\xa0\x80", NAME_INSIDE, "%ED%A0%80"}, /* a surrogate */
	{"\xc0\xaf", NAME_INSIDE, "%C0%AF"},	    /* an overlong "/" */
	{"\xf4\x90\x80\x80", NAME_INSIDE, "%F4%90%80%80"},
	{"\xf0\x9f\x98\x80", NAME_INSIDE, "\xf0\x9f\x98\x80"},
};

START_TEST(members_there_and_back)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		struct bytes raw = {members[i].raw, strlen(members[i].raw)};
		char shown[NAME_BYTES_MAX + 1], back[NAME_BYTES_MAX + 1];
		bool cut;
		size_t n;

		ck_assert_int_eq(name_encode(raw, members[i].place, shown), 0);
		ck_assert_str_eq(shown, members[i].shown);
		ck_assert_int_eq(name_decode(shown, back, &n, &cut), 0);
		ck_assert(!cut);
		ck_assert_uint_eq(n, raw.n);
		ck_assert_mem_eq(back, raw.p, n);
	}
}
END_TEST

START_TEST(every_byte_survives)
{
	for (unsigned c = 1; c < 256; c++) {
		char raw[2] = {(char)c, 'x'}, back[NAME_BYTES_MAX + 1];
		char shown[NAME_BYTES_MAX + 1];
		bool cut;
		size_t n;

		ck_assert_int_eq(
			name_encode((struct bytes){raw, 2}, NAME_INSIDE, shown),
			0);
		ck_assert_ptr_null(strchr(shown, '/'));
		ck_assert_int_eq(name_decode(shown, back, &n, &cut), 0);
		ck_assert_uint_eq(n, 2);
		ck_assert_mem_eq(back, raw, 2);
	}
}
END_TEST

static void check_cut(const char *raw, size_t n, size_t kept)
{
	char shown[NAME_BYTES_MAX + 1], back[NAME_BYTES_MAX + 1];
	bool cut;
	size_t len;

	ck_assert_int_eq(
		name_encode((struct bytes){raw, n}, NAME_INSIDE, shown), 0);
	ck_assert_uint_eq(strlen(shown), kept + 2 + 16);
	ck_assert_int_eq(memcmp(shown + kept, "%~", 2), 0);
	ck_assert_int_eq(name_decode(shown, back, &len, &cut), 0);
	ck_assert(cut);
	ck_assert_uint_le(len, n);
	ck_assert_mem_eq(back, raw, len);
}

START_TEST(long_names_are_cut)
{
	static char raw[70000];
	char shown[NAME_BYTES_MAX + 1];

	memset(raw, 'a', sizeof(raw));
	ck_assert_int_eq(
		name_encode((struct bytes){raw, 255}, NAME_INSIDE, shown), 0);
	ck_assert_uint_eq(strlen(shown), 255);
	check_cut(raw, 256, 200);
	check_cut(raw, sizeof(raw), 200);
	/* SHA-256 of 300 times "a". */
	ck_assert_int_eq(
		name_encode((struct bytes){raw, 300}, NAME_INSIDE, shown), 0);
	ck_assert_str_eq(shown + 200, "%~9835fa6bf4e20a9b");
	/* Never inside an escape, nor inside a character. */
	memset(raw, '%', 100);
	check_cut(raw, 100, 198);
	for (size_t i = 0; i < 300; i += 3)
		memcpy(raw + i, "\xe2\x82\xac", 3);
	check_cut(raw, 300, 198);
	raw[0] = 'a';
	memmove(raw + 2, raw, 300);
	raw[0] = raw[1] = 'b';
	raw[2] = 'c';
	raw[3] = 'd';
	raw[4] = 'e';
	check_cut(raw, 302, 200);
}
END_TEST

START_TEST(names_nobody_gives)
{
	static const char *const names[] = {"%",
					    "%4",
					    "%4g",
					    "%4a",
					    "%a~",
					    "x%~",
					    "%~x",
					    "a%~0123456789abcde",
					    "a%~0123456789abcdef0",
					    "%41%"};
	char back[NAME_BYTES_MAX + 1];
	bool cut;
	size_t n;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_int_eq(name_decode(names[i], back, &n, &cut),
				 -ENOENT);
}
END_TEST

/* --------------------------------------------------------------- items */

START_TEST(item_names)
{
	char out[24];

	ck_assert_uint_eq(item_digits(0), 6);
	ck_assert_uint_eq(item_digits(1), 6);
	ck_assert_uint_eq(item_digits(1000000), 6);
	ck_assert_uint_eq(item_digits(1000001), 7);
	ck_assert_uint_eq(item_digits(UINT64_C(1) << 36), 11);
	item_print(17, 6, out);
	ck_assert_str_eq(out, "000017");
	item_print(0, 6, out);
	ck_assert_str_eq(out, "000000");
	item_print(1234567, 6, out);
	ck_assert_str_eq(out, "1234567");
	item_print(UINT64_MAX, 6, out);
	ck_assert_str_eq(out, "18446744073709551615");
}
END_TEST

START_TEST(corner_names)
{
	uint64_t start[NDIM_MAX];
	static const char *const wrong[] = {"",	     "1",    "1_2",  "1_2_3_4",
					    "1__3",  "_1_2", "1_2_", "1_2_-3",
					    "1_2_x", "a_b_c"};

	ck_assert_int_eq(corner_parse("17_0128_64", 10, 3, start), 0);
	ck_assert_uint_eq(start[0], 17);
	ck_assert_uint_eq(start[1], 128);
	ck_assert_uint_eq(start[2], 64);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_int_eq(
			corner_parse(wrong[i], strlen(wrong[i]), 3, start),
			-ENOENT);
}
END_TEST

/* ------------------------------------------------------------- numbers */

static const struct {
	const char *text;
	const char *type;  /* kind and bytes */
	const char *print; /* NULL: not a value of the type */
} numbers[] = {
	{"0", "i2", "0"},
	{"-1024", "i2", "-1024"},
	{"-32768", "i2", "-32768"},
	{"32767", "i2", "32767"},
	{"32768", "i2", NULL},
	{"-32769", "i2", NULL},
	{"007", "u1", "7"},
	{"255", "u1", "255"},
	{"256", "u1", NULL},
	{"-1", "u1", NULL},
	{"-0", "u1", "0"},
	{"1.0", "u1", "1"},
	{"1.5", "i4", NULL},
	{"25e1", "u1", "250"},
	{"2500e-1", "u1", "250"},
	{"1e3", "u1", NULL},
	{"0.00e99999999999", "u1", "0"},
	{"18446744073709551615", "u8", "18446744073709551615"},
	{"18446744073709551616", "u8", NULL},
	{"-9223372036854775808", "i8", "-9223372036854775808"},
	{"9223372036854775808", "i8", NULL},
	{"1", "b1", "1"},
	{"2", "b1", NULL},
	{"0.1", "f4", "0.1"},
	{"0.10000000149011612", "f4", "0.1"},
	{"0.10000000149011612", "f8", "0.10000000149011612"},
	{"16777217", "f4", "16777216"},
	{"-0", "f4", "-0"},
	{"-1024", "f4", "-1024"},
	{"-0.5", "f2", "-0.5"},
	{"65504", "f2", "65500"},
	{"65519", "f2", "65500"},
	{"65520", "f2", NULL},
	{"6e-8", "f2", "6e-8"},
	{"0.1", "f2", "0.1"},
	{"1e38", "f4", "1e38"},
	{"1e39", "f4", NULL},
	{"1e300", "f8", "1e300"},
	{"1e309", "f8", NULL},
	{"1e15", "f8", "1000000000000000"},
	{"1e16", "f8", "1e16"},
	{"12345e12", "f8", "1.2345e16"},
	{"0.0001", "f8", "0.0001"},
	{"0.00001", "f8", "1e-5"},
	{"0.0000123", "f8", "1.23e-5"},
	{"12.50", "f8", "12.5"},
	{"123456789", "f8", "123456789"},
};

START_TEST(numbers_of_a_type)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const char *text = numbers[i].text;
		char kind = numbers[i].type[0];
		unsigned size = (unsigned)(numbers[i].type[1] - '0');
		char out[NUMBER_TEXT_MAX];
		uint8_t v[8], again[8];
		int err = number_pack(text, strlen(text), kind, size, v);

		if (!numbers[i].print) {
			ck_assert_int_eq(err, -ERANGE);
			continue;
		}
		ck_assert_int_eq(err, 0);
		number_print(v, kind, size, out);
		ck_assert_str_eq(out, numbers[i].print);
		ck_assert_int_eq(
			number_pack(out, strlen(out), kind, size, again), 0);
		ck_assert_mem_eq(v, again, size);
	}
}
END_TEST

START_TEST(what_is_no_number)
{
	static const char *const texts[] = {
		"",    "-",    "+1",   "1+",  ".5",  "5.",    "1e",
		"1e-", "1e+5", "0x10", "nan", "inf", "1.2.3", "--1",
		"1 ",  " 1",   "1E5",  "e5",  "-.5", "1,5",   "1_000"};
	uint8_t v[8];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ck_assert_int_eq(
			number_pack(texts[i], strlen(texts[i]), 'f', 8, v),
			-EINVAL);
}
END_TEST

/* Every float16 prints as something that comes back. */
START_TEST(all_halves)
{
	for (unsigned h = 0; h < 65536; h++) {
		uint8_t v[8] = {(uint8_t)h, (uint8_t)(h >> 8)}, back[8] = {0};
		char out[NUMBER_TEXT_MAX];

		if ((h >> 10 & 31) == 31)
			continue;
		number_print(v, 'f', 2, out);
		ck_assert_int_eq(number_pack(out, strlen(out), 'f', 2, back),
				 0);
		ck_assert_mem_eq(v, back, 2);
	}
}
END_TEST

/* --------------------------------------------------------------- views */

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
	{"foreground+size-64x64+class-liver+class-lesion", VOL, NULL},
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
	Suite *s = suite_create("names");
	TCase *t = tcase_create("all");

	tcase_add_test(t, members_there_and_back);
	tcase_add_test(t, every_byte_survives);
	tcase_add_test(t, long_names_are_cut);
	tcase_add_test(t, names_nobody_gives);
	tcase_add_test(t, item_names);
	tcase_add_test(t, corner_names);
	tcase_add_test(t, numbers_of_a_type);
	tcase_add_test(t, what_is_no_number);
	tcase_add_test(t, all_halves);
	tcase_add_test(t, view_names);
	tcase_add_test(t, every_order_of_keys);
	tcase_add_test(t, longest_names);
	tcase_add_test(t, what_items_a_view_has);
	tcase_add_test(t, keys_as_data);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(suite)
