/* SPDX-License-Identifier: MIT */

/*
 * Chunks whose blocks may lie in one of two orders: each way to find out which
 * it is, and what is told. Their codec is toy.c; test-ambiguous.sh has files
 * that others wrote.
 */

#include <config.h>

#include "array/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/unit.h"
#include "array/array_impl.h"
#include "cache/cache.h"
#include "fake.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/problem.h"

#define MIB ((size_t)1 << 20)

static struct array_env env;
static struct fake f;
static struct stored_array s;
static unsigned blocks;
static char digest[200];

static void count(void *arg, const struct array_info *a, uint64_t unit,
		  uint32_t part)
{
	(void)arg;
	(void)a;
	(void)unit;
	blocks += part > 0;
}

static void env_init(void)
{
	env = (struct array_env){
		.cache = cache_new(4 * MIB, NULL),
		.problems = problems_new(),
		.verdicts = verdicts_new(),
		.on_decode = count,
	};
}

static void env_fini(void)
{
	cache_check(env.cache);
	cache_free(env.cache);
	problems_free(env.problems);
	verdicts_free(env.verdicts);
}

/* An int16 array (32, 32, 64) in one chunk of blocks of (8, 16, 64). */
static void setup(void)
{
	log_level = LOG_LEVEL_ERROR;
	log_open("/dev/null");
	blocks = 0;
	toy_open_error = 0;
	memset(&f, 0, sizeof(f));
	f.shape = (struct shape){3, {32, 32, 64}};
	f.chunk = f.shape;
	f.kind = 'i';
	f.order = '<';
	f.item_size = 2;
	f.layout = CAT_CHUNKED;
	f.nfilter = 1;
	f.filter[0] = TOY_FILTER;
	f.toy = (struct toy_conf){.block = {8, 16, 64}};
	f.has_fill = true;
	f.fill[0] = 0x77;
	env_init();
}

static void teardown(void)
{
	env_fini();
	fake_fini(&f);
}

static void begin(bool is_plain)
{
	f.toy.ambiguous = is_plain ? TOY_PLAIN_RIGHT : TOY_BOXES_RIGHT;
	fake_store(&f, NULL, NULL);
	ck_assert_int_eq(stored_array_init(&s, &env, fake_container(&f), 3,
					   fake_catalog(&f), 1, "a.h5: /x"),
			 0);
}

static uint64_t index_of(const uint64_t *at)
{
	return (at[0] * f.shape.dim[1] + at[1]) * f.shape.dim[2] + at[2];
}

/* Read everything, and say how many values are wrong. */
static int read_all(unsigned *wrong)
{
	uint64_t at[3], n = s.bytes;
	struct view v = {.array = &s.base};
	uint8_t *buf = malloc(n), want[8];
	int err;

	memcpy(v.extent, s.base.shape.dim, sizeof(v.extent));
	*wrong = 0;
	err = array_read(&v, 0, n, buf, NULL);
	for (at[0] = 0; !err && at[0] < f.shape.dim[0]; at[0]++) {
		for (at[1] = 0; at[1] < f.shape.dim[1]; at[1]++) {
			for (at[2] = 0; at[2] < f.shape.dim[2]; at[2]++) {
				fake_voxel(&f, at, want);
				*wrong += memcmp(buf + 2 * index_of(at), want,
						 2) != 0;
			}
		}
	}
	free(buf);
	return err;
}

static void make_digest(const char *algorithm)
{
	uint64_t at[3];
	struct hash *h;
	uint8_t want[8];
	char text[64];

	/* Path, type, shape, each with its NUL; little endian values. */
	ck_assert_int_eq(hash_new(algorithm, &h), 0);
	hash_add(h, "x\0<i2", 6);
	snprintf(text, sizeof(text), "%u,%u,%u", (unsigned)f.shape.dim[0],
		 (unsigned)f.shape.dim[1], (unsigned)f.shape.dim[2]);
	hash_add(h, text, strlen(text) + 1);
	for (at[0] = 0; at[0] < f.shape.dim[0]; at[0]++) {
		for (at[1] = 0; at[1] < f.shape.dim[1]; at[1]++) {
			for (at[2] = 0; at[2] < f.shape.dim[2]; at[2]++) {
				fake_voxel(&f, at, want);
				hash_add(h, want, 2);
			}
		}
	}
	snprintf(digest, sizeof(digest), "%s:", algorithm);
	hash_hex(h, digest + strlen(digest));
	hash_free(h);
	f.digest = digest;
}

static void check_told(const char *text)
{
	char buf[4096] = {0};
	FILE *out = fmemopen(buf, sizeof(buf) - 1, "w");

	problems_write(env.problems, out);
	fclose(out);
	ck_assert_uint_eq(problems_count(env.problems), text ? 1 : 0);
	ck_assert_msg(!text || strstr(buf, text), "told: %s", buf);
}

/* Each algorithm, each order, each byte order. */
START_TEST(test_digest)
{
	static const char *const algorithm[] = {"sha256", "sha512", "blake2b"};
	bool is_plain = _i & 1;
	unsigned wrong;

	f.order = _i & 2 ? '>' : '<';
	begin(is_plain);
	make_digest(algorithm[_i / 4]);
	ck_assert_int_eq(read_all(&wrong), 0);
	ck_assert_uint_eq(wrong, 0);
	check_told(is_plain ? "a.h5: /x: was written by c-blosc2" : NULL);
	/* Found out in one pass, and remembered. */
	ck_assert_uint_eq(blocks, 8);
	cache_drop(env.cache);
	ck_assert_int_eq(read_all(&wrong), 0);
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_eq(blocks, 16);
}
END_TEST

START_TEST(test_digest_wrong)
{
	unsigned wrong;

	begin(_i);
	make_digest("sha256");
	digest[20] = digest[20] == '0' ? '1' : '0';
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(read_all(&wrong), -EBADMSG);
		check_told("a.h5: /x: its digest agrees with neither order");
		ck_assert_uint_eq(blocks, 8);
	}
}
END_TEST

#define UPPER                                     \
	"sha256:0123456789ABCDEF0123456789abcdef" \
	"0123456789abcdef0123456789abcdef"
#define LONGER                                    \
	"sha256:0123456789abcdef0123456789abcdef" \
	"0123456789abcdef0123456789abcdef0"

/* What is no digest is as if there were none: the chunk is believed. */
START_TEST(test_undecided)
{
	static const char *const text[] = {NULL,
					   "",
					   "sha256",
					   "md5:00",
					   "sha256-01234567890123456789:00",
					   "sha256:to be computed",
					   "sha256:00",
					   UPPER,
					   LONGER};
	unsigned wrong;

	begin(_i & 1);
	f.digest = text[_i / 2];
	ck_assert_int_eq(read_all(&wrong), 0);
	ck_assert_msg((wrong == 0) == !(_i & 1), "%u are wrong", wrong);
	check_told("a.h5: /x: is ambiguous");
}
END_TEST

/* Chunks that are cut in an axis that is not the last. */
START_TEST(test_edges)
{
	bool is_plain = _i & 1;
	unsigned wrong;

	f.shape = (struct shape){3, {32, 32, 60}};
	f.shape.dim[_i >> 1 & 1] = 50;
	f.order = _i & 4 ? '>' : '<';
	f.fill_outside = true;
	begin(is_plain);
	ck_assert_int_eq(read_all(&wrong), 0);
	ck_assert_uint_eq(wrong, 0);
	check_told(is_plain ? "was written by c-blosc2" : NULL);
}
END_TEST

/* So much is outside that it is looked at in pieces. */
START_TEST(test_edges_large)
{
	unsigned wrong;

	f.chunk = f.shape = (struct shape){3, {128, 64, 128}};
	f.shape.dim[1] = 10;
	f.toy = (struct toy_conf){.block = {32, 32, 128}};
	f.fill_outside = true;
	begin(_i);
	ck_assert_int_eq(read_all(&wrong), 0);
	ck_assert_uint_eq(wrong, 0);
	check_told(_i ? "was written by c-blosc2" : NULL);
}
END_TEST

/* A cut in the last axis says nothing; nor does what is not fill. */
START_TEST(test_edges_undecided)
{
	unsigned wrong;

	f.fill_outside = _i == 0;
	f.shape = (struct shape){3, {32, 32, 60}};
	if (_i)
		f.shape.dim[0] = 50;
	begin(false);
	ck_assert_int_eq(read_all(&wrong), 0);
	ck_assert_uint_eq(wrong, 0);
	check_told("is ambiguous");
}
END_TEST

/* An error of the source is no verdict. */
START_TEST(test_error)
{
	unsigned wrong;

	begin(true);
	make_digest("sha256");
	ck_assert_int_eq(read_all(&wrong), 0);
	env_fini();
	env_init();
	f.read_error = -EIO;
	ck_assert_int_eq(read_all(&wrong), -EIO);
	f.read_error = 0;
	cache_drop(env.cache);
	ck_assert_int_eq(read_all(&wrong), 0);
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *all = suite_create("ambiguous");
	TCase *t = tcase_create("ambiguous");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, test_digest, 0, 12);
	tcase_add_loop_test(t, test_digest_wrong, 0, 2);
	tcase_add_loop_test(t, test_undecided, 0, 18);
	tcase_add_loop_test(t, test_edges, 0, 8);
	tcase_add_loop_test(t, test_edges_large, 0, 2);
	tcase_add_loop_test(t, test_edges_undecided, 0, 2);
	tcase_add_test(t, test_error);
	suite_add_tcase(all, t);
	return all;
}

UNIT_MAIN(suite)
