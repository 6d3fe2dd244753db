/* SPDX-License-Identifier: MIT */

#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "util/hash.h"
#include "util/json.h"
#include "util/log.h"
#include "util/metric.h"
#include "util/near.h"
#include "util/parse.h"
#include "util/problem.h"
#include "util/shape.h"

/* The linear index of the n-th element of a box, by plain counting. */
static uint64_t nth_of_box(const struct shape *s, const struct region *b,
			   uint64_t n)
{
	uint64_t at[NDIM_MAX], linear = 0;

	for (unsigned k = s->ndim; k-- > 0;) {
		at[k] = b->start[k] + n % b->extent[k];
		n /= b->extent[k];
	}
	for (unsigned k = 0; k < s->ndim; k++)
		linear = linear * s->dim[k] + at[k];
	return linear;
}

static void walk_all_runs(const struct shape *s)
{
	uint64_t count;

	ck_assert_int_eq(shape_count(s, &count), 0);
	for (uint64_t first = 0; first < count; first++) {
		for (uint64_t n = 1; first + n <= count; n++) {
			uint64_t at = first, left = n;
			unsigned boxes = 0;

			while (left) {
				struct region b;
				uint64_t got = shape_first_box(s, at, left, &b);

				ck_assert_uint_gt(got, 0);
				ck_assert_uint_le(got, left);
				for (uint64_t i = 0; i < got; i++)
					ck_assert_uint_eq(nth_of_box(s, &b, i),
							  at + i);
				at += got;
				left -= got;
				boxes++;
			}
			ck_assert_uint_le(boxes, s->ndim ? 2 * s->ndim - 1 : 1);
		}
	}
}

START_TEST(test_near_words)
{
	ck_assert_uint_eq(near_word("patches", 7, "patches"), 0);
	ck_assert_uint_eq(near_word("foregrund", 9, "foreground"), 1);
	ck_assert_uint_eq(near_word("patchs+size", 6, "patches"), 1);
	ck_assert_uint_eq(near_word("lits", 4, "list"), 1);
	ck_assert_uint_eq(near_word("sclies", 6, "slices"), 2);
	ck_assert_uint_eq(near_word("", 0, ""), 0);
	ck_assert_uint_eq(near_word("", 0, "a"), NEAR_NOT);
	ck_assert_uint_eq(near_word("no", 2, "ls"), NEAR_NOT);
	ck_assert_uint_eq(near_word("grid", 4, "crops"), NEAR_NOT);
	/* However long it is. */
	for (size_t n = 60; n < 70; n++) {
		char word[128];

		memset(word, 'a', sizeof(word));
		word[n] = '\0';
		ck_assert_uint_eq(near_word(word, n, word),
				  n > 64 ? NEAR_NOT : 0);
	}
}
END_TEST

START_TEST(test_walk_covers_every_run)
{
	struct shape s = {0};

	walk_all_runs(&s);
	s = (struct shape){1, {7}};
	walk_all_runs(&s);
	for (uint64_t a = 1; a < 4; a++) {
		for (uint64_t b = 1; b < 5; b++) {
			s = (struct shape){2, {a, b}};
			walk_all_runs(&s);
			s = (struct shape){3, {b, a, 2}};
			walk_all_runs(&s);
			s = (struct shape){4, {2, a, 1, b}};
			walk_all_runs(&s);
		}
	}
}
END_TEST

START_TEST(test_shape_count)
{
	struct shape s = {3, {UINT64_C(1) << 40, 0, UINT64_C(1) << 40}};
	uint64_t n = 9;

	ck_assert_int_eq(shape_count(&s, &n), -EOVERFLOW);
	s.dim[2] = 5;
	ck_assert_int_eq(shape_count(&s, &n), 0);
	ck_assert_uint_eq(n, 0);
	s = (struct shape){2, {UINT64_C(1) << 32, UINT64_C(1) << 31}};
	ck_assert_int_eq(shape_count(&s, &n), -EOVERFLOW);
	s = (struct shape){0};
	ck_assert_int_eq(shape_count(&s, &n), 0);
	ck_assert_uint_eq(n, 1);
}
END_TEST

START_TEST(test_parse)
{
	static const struct {
		const char *s;
		int r;
		uint64_t v;
	} sizes[] = {
		{"0", 0, 0},
		{"4096", 0, 4096},
		{"1k", 0, 1024},
		{"64KiB", 0, 65536},
		{"512M", 0, 536870912},
		{"2GB", 0, UINT64_C(2147483648)},
		{"17B", 0, 17},
		{"16777216T", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"1.5G", -EINVAL, 0},
		{"M", -EINVAL, 0},
		{"1Mx", -EINVAL, 0},
		{"5 ", -EINVAL, 0},
		{"5 B", -EINVAL, 0},
	};
	uint64_t v;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		v = 0;
		ck_assert_msg(parse_size(sizes[i].s, &v) == sizes[i].r, "%s",
			      sizes[i].s);
		ck_assert_uint_eq(v, sizes[i].v);
	}
	ck_assert_int_eq(parse_decimal("18446744073709551615", 20, &v), 0);
	ck_assert_uint_eq(v, UINT64_MAX);
	ck_assert_int_eq(parse_decimal("18446744073709551616", 20, &v),
			 -ERANGE);
	ck_assert_int_eq(parse_decimal("000000000000000000000007", 24, &v), 0);
	ck_assert_uint_eq(v, 7);
	ck_assert_int_eq(parse_duration_ms("500ms", &v), 0);
	ck_assert_uint_eq(v, 500);
	ck_assert_int_eq(parse_duration_ms("2h", &v), 0);
	ck_assert_uint_eq(v, 7200000);
	ck_assert_int_eq(parse_duration_ms("2d", &v), -EINVAL);
}
END_TEST

static void expect_json(struct json *j, const char *want)
{
	char *text;
	size_t n;

	ck_assert_int_eq(json_dump(j, &text, &n), 0);
	ck_assert_str_eq(text, want);
	ck_assert_uint_eq(n, strlen(want));
	free(text);
	json_free(j);
}

START_TEST(test_json_values)
{
	expect_json(json_real_new(0.1, false), "0.1\n");
	expect_json(json_real_new((double)0.1F, true), "0.1\n");
	expect_json(json_real_new((double)0.1F, false),
		    "0.10000000149011612\n");
	expect_json(json_real_new(3, false), "3.0\n");
	expect_json(json_real_new(1e300, false), "1e+300\n");
	expect_json(json_real_new(NAN, false), "\"NaN\"\n");
	expect_json(json_real_new(-INFINITY, true), "\"-Infinity\"\n");
	expect_json(json_uint_new(UINT64_MAX), "\"18446744073709551615\"\n");
	expect_json(json_int_new(INT64_MIN), "-9223372036854775808\n");
	expect_json(json_text_new("a\xff\0b", 4), "\"a\\\\xff\\u0000b\"\n");
	expect_json(json_text_new("\xc3\xa9\xed\xa0\x80", 5),
		    "\"\xc3\xa9\\\\xed\\\\xa0\\\\x80\"\n");
}
END_TEST

/* What is read is dumped again: equal but for what is no JSON. */
static void expect_parsed(const char *text, const char *want)
{
	struct json *j;

	ck_assert_msg(json_parse(text, strlen(text), &j) ==
			      (want ? 0 : -EINVAL),
		      "%s", text);
	if (want)
		expect_json(j, want);
}

START_TEST(test_json_parse)
{
	static const char text[] =
		"{\"a\": [1, \"x\\u0000y\", 2.0], \"b\": {}}";
	struct json *j;
	const char *s;
	int64_t v;
	size_t n;

	expect_parsed("[NaN, Infinity, -Infinity, 1.5, -2, 1e3]",
		      "[null, null, null, 1.5, -2, 1000.0]\n");
	/* Inside a text they are text. */
	expect_parsed("[\"NaN\", \"a\\\"NaN\", \"\\\\\", NaN]",
		      "[\"NaN\", \"a\\\"NaN\", \"\\\\\", null]\n");
	expect_parsed("[999999999999999999, 1000000000000000000,"
		      " -1000000000000000000, 1000000000000000000.5]",
		      "[999999999999999999, null, null, 1e+18]\n");
	expect_parsed("{\"a\":NaN}", "{\n  \"a\": null\n}\n");
	expect_parsed("[\"\\u0000\"]", "[\"\\u0000\"]\n");
	expect_parsed("", NULL);
	expect_parsed("[NaN", NULL);
	expect_parsed("[NaNs]", NULL);
	expect_parsed("[\"", NULL);
	expect_parsed("[\"\\", NULL);
	expect_parsed("[--Infinity]", NULL);
	expect_parsed("{\"a\": \"\xff\"}", NULL);
	ck_assert_int_eq(json_parse(text, strlen(text), &j), 0);
	ck_assert(json_is_members(j) && !json_is_members(json_get(j, "a")));
	ck_assert_uint_eq(json_length(json_get(j, "a")), 3);
	ck_assert_uint_eq(json_length(json_get(j, "b")), 0);
	ck_assert_ptr_null(json_get(j, "c"));
	ck_assert_ptr_null(json_get(json_get(j, "a"), "a"));
	ck_assert(json_read_int(json_at(json_get(j, "a"), 0), &v) && v == 1);
	ck_assert(!json_read_int(json_at(json_get(j, "a"), 2), &v));
	ck_assert(!json_read_int(NULL, &v) && !json_read_text(NULL, &s, &n));
	ck_assert(json_read_text(json_at(json_get(j, "a"), 1), &s, &n));
	ck_assert_uint_eq(n, 3);
	ck_assert_mem_eq(s, "x\0y", 3);
	json_free(j);
}
END_TEST

START_TEST(test_json_layout)
{
	struct json *j = json_object_new(), *shape = json_array_new();
	struct json *list = json_array_new(), *o = json_object_new();

	json_append(shape, json_int_new(3));
	json_append(shape, json_int_new(4));
	json_set(o, "k", json_bool_new(true));
	json_append(list, o);
	json_set(j, "shape", shape);
	json_set(j, "list", list);
	json_set(j, "none", json_null_new());
	json_set(j, "empty", json_array_new());
	expect_json(j, "{\n  \"shape\": [3, 4],\n  \"list\": [\n    {\n"
		       "      \"k\": true\n    }\n  ],\n  \"none\": null,\n"
		       "  \"empty\": []\n}\n");
}
END_TEST

START_TEST(test_json_failure_shows)
{
	struct json *j = json_object_new();
	char *text;
	size_t n;

	json_set(j, "a", NULL);
	ck_assert_int_eq(json_dump(j, &text, &n), -ENOMEM);
	json_free(j);
	ck_assert_int_eq(json_dump(NULL, &text, &n), -ENOMEM);
}
END_TEST

START_TEST(test_problems_once)
{
	struct problems *p = problems_new();
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	log_level = LOG_LEVEL_ERROR;
	ck_assert_int_eq(log_open("/dev/null"), 0);
	ck_assert_int_eq(problem_tell(p, -EIO, "%s: bad\n", "x"), -EIO);
	ck_assert_int_eq(problem_tell(p, -EIO, "%s: bad\n", "x"), -EIO);
	problem_note(p, "y: odd \x01");
	problems_write(p, f);
	fclose(f);
	ck_assert_str_eq(text, "x: bad\\n\ny: odd \\x01\n");
	free(text);
	for (int i = 0; i < 3 * PROBLEMS_MAX; i++)
		problem_tell(p, -EIO, "line %d", i);
	f = open_memstream(&text, &n);
	problems_write(p, f);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, "\nand 8194 more\n"));
	free(text);
	ck_assert_uint_eq(problems_count(p), 3 * PROBLEMS_MAX + 2);
	problems_free(p);
	log_open("stderr");
}
END_TEST

START_TEST(test_metrics_text)
{
	static struct metric a = {"a_total", "How many a", METRIC_COUNTER, 0,
				  NULL};
	static struct metric b = {"b", "Now b", METRIC_GAUGE, 0, NULL};
	struct metrics m = {NULL};
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	metric_register(&m, &a);
	metric_register(&m, &b);
	metric_register(&m, &a);
	metric_add(&a, 2);
	metric_set(&b, -1);
	metrics_write_plain(&m, f);
	metrics_write_prometheus(&m, f);
	fclose(f);
	ck_assert_str_eq(text, "a_total 2\nb -1\n"
			       "# HELP patchfs_a_total How many a\n"
			       "# TYPE patchfs_a_total counter\n"
			       "patchfs_a_total 2\n"
			       "# HELP patchfs_b Now b\n"
			       "# TYPE patchfs_b gauge\npatchfs_b -1\n");
	free(text);
	ck_assert_ptr_eq(metric_find(&m, "b"), &b);
	ck_assert_ptr_null(metric_find(&m, "c"));
}
END_TEST

/* Of "abc", from the standards that define them. */
START_TEST(test_hash)
{
	static const struct {
		const char *name, *hex;
	} row[] = {
		{"sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb41"
			   "0ff61f20015ad"},
		{"sha512", "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9"
			   "eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d44"
			   "23643ce80e2a9ac94fa54ca49f"},
		{"blake2b", "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b"
			    "12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d3"
			    "8aa8dbf1925ab92386edd4009923"},
	};
	char hex[HASH_HEX_MAX];
	struct hash *h;

	ck_assert_int_eq(hash_new("md5", &h), -EINVAL);
	ck_assert_int_eq(hash_new(row[_i].name, &h), 0);
	ck_assert_int_eq(hash_add(h, "ab", 2), 0);
	ck_assert_int_eq(hash_add(h, "", 0), 0);
	ck_assert_int_eq(hash_add(h, "c", 1), 0);
	ck_assert_int_eq(hash_hex(h, hex), 0);
	ck_assert_str_eq(hex, row[_i].hex);
	hash_free(h);
	hash_free(NULL);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("util");
	TCase *c = tcase_create("util");

	tcase_add_test(c, test_walk_covers_every_run);
	tcase_add_test(c, test_shape_count);
	tcase_add_test(c, test_parse);
	tcase_add_test(c, test_json_values);
	tcase_add_test(c, test_json_parse);
	tcase_add_test(c, test_json_layout);
	tcase_add_test(c, test_json_failure_shows);
	tcase_add_test(c, test_problems_once);
	tcase_add_test(c, test_near_words);
	tcase_add_test(c, test_metrics_text);
	tcase_add_loop_test(c, test_hash, 0, 3);
	suite_add_tcase(s, c);
	return s;
}

UNIT_MAIN(suite)
