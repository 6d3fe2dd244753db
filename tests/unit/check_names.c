/* SPDX-License-Identifier: MIT */

/*
 * Names of members and items, and numbers: what has one name has one, and it
 * leads back to what it stands for.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tree/names.h"
#include "tree/number.h"
#include "unit.h"
#include "util/shape.h"

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
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(suite)
