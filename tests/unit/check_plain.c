/* SPDX-License-Identifier: MIT */

/* Chunks whose filter gained nothing: their values can be read in place. */

#include <config.h>

#include <string.h>

#include "codec/codec.h"
#include "encode.h"
#include "unit.h"

#define N 4096

/* Bytes without a pattern, so that the filter stores them raw. */
static void fill_noise(uint8_t *p, size_t n)
{
	uint32_t x = 1;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = (uint8_t)(x >> 24);
	}
}

static struct codec_chain lz4_chain(void)
{
	struct codec_chain c = {.n = 1};

	c.step[0].ops = codec_by_h5_filter(32004);
	c.step[0].h5_filter = 32004;
	return c;
}

START_TEST(test_raw_block_is_plain)
{
	const struct codec_chain c = lz4_chain();
	uint8_t values[N];
	size_t n, at = 0;

	fill_noise(values, N);
	/* One block, as large as the chunk or said to be larger. */
	for (size_t block = N; block <= 4 * N; block *= 4) {
		uint8_t *stored = encode_lz4(block, values, N, &n);

		ck_assert(codec_may_be_plain(&c, 0, n, N));
		ck_assert(codec_is_plain(&c, 0, stored, n, N, &at));
		ck_assert_uint_le(at + N, n);
		ck_assert_mem_eq(stored + at, values, N);
		free(stored);
	}
}
END_TEST

START_TEST(test_others_are_not)
{
	struct codec_chain c = lz4_chain();
	uint8_t values[N], *stored;
	size_t n, at = 0;

	memset(values, 7, N);
	stored = encode_lz4(N, values, N, &n);
	ck_assert(!codec_may_be_plain(&c, 0, n, N));
	free(stored);

	fill_noise(values, N);
	stored = encode_lz4(N / 2, values, N, &n);
	ck_assert(!codec_may_be_plain(&c, 0, n, N));
	free(stored);

	stored = encode_lz4(N, values, N, &n);
	/* The step was skipped, or is not the only one. */
	ck_assert(!codec_may_be_plain(&c, 1, n, N));
	c.n = 2;
	c.step[1] = c.step[0];
	ck_assert(!codec_may_be_plain(&c, 0, n, N));
	ck_assert(codec_may_be_plain(&c, 2, n, N));
	c.n = 1;
	/* Whatever byte of the head is changed, it is decoded and judged. */
	for (size_t i = 0; i < CODEC_HEAD; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			uint8_t out[N];

			stored[i] ^= (uint8_t)(1u << bit);
			if (codec_is_plain(&c, 0, stored, n, N, &at)) {
				ck_assert_int_eq(
					codec_decode(&c, 0, stored, n, out, N),
					0);
				ck_assert_mem_eq(stored + at, out, N);
			}
			stored[i] ^= (uint8_t)(1u << bit);
		}
	}
	free(stored);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("plain");
	TCase *t = tcase_create("plain");

	tcase_add_test(t, test_raw_block_is_plain);
	tcase_add_test(t, test_others_are_not);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(suite)
