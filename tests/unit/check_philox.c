/* SPDX-License-Identifier: MIT */

/* The generator against the answers that come with Random123. */

#include <string.h>

#include "sample/philox.h"
#include "sample/sample.h"
#include "unit.h"

static const struct {
	uint64_t counter[4], key[2], out[4];
} answers[] = {
	{{0, 0, 0, 0},
	 {0, 0},
	 {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b,
	  0x7e68b68aec7ba23b}},
	{{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
	 {UINT64_MAX, UINT64_MAX},
	 {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6,
	  0xa09caebf594f0ba0}},
	{{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0,
	  0x082efa98ec4e6c89},
	 {0x452821e638d01377, 0xbe5466cf34e90c6c},
	 {0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5,
	  0x57bd43b5e52b7fe6}},
};

START_TEST(test_known)
{
	uint64_t c[4];

	memcpy(c, answers[_i].counter, sizeof(c));
	philox4x64(c, answers[_i].key[0], answers[_i].key[1]);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(c[i], answers[_i].out[i]);
}
END_TEST

START_TEST(test_mul_high)
{
	const uint64_t v[] = {0,
			      1,
			      2,
			      0xffffffff,
			      0x100000000,
			      0x100000001,
			      0x8000000000000000,
			      0xfffffffffffffffe,
			      UINT64_MAX,
			      0xd2e7470ee14c6c93,
			      0x123456789abcdef0};

	for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		for (unsigned j = 0; j < sizeof(v) / sizeof(v[0]); j++) {
			/* Bit by bit: shift and add over 128 bits. */
			uint64_t high = 0, low = 0;

			for (int bit = 63; bit >= 0; bit--) {
				high = high << 1 | low >> 63;
				low <<= 1;
				if (v[j] >> bit & 1) {
					low += v[i];
					high += low < v[i];
				}
			}
			ck_assert_uint_eq(mul_high(v[i], v[j]), high);
			ck_assert_uint_eq(draw_below(v[i], v[j]), high);
		}
}
END_TEST

START_TEST(test_word)
{
	/* Word k: output k mod 4 of the block (draw, k div 4, purpose, 0). */
	for (unsigned purpose = 0; purpose < 4; purpose++)
		for (unsigned k = 0; k < 16; k++) {
			uint64_t c[4] = {0x123456789a, k / 4, purpose, 0};

			philox4x64(c, 77, 0);
			ck_assert_uint_eq(draw_word(77, 0x123456789a,
						    (enum draw_purpose)purpose,
						    k),
					  c[k % 4]);
		}
	ck_assert_uint_eq(DRAW_CORNER, 0);
	ck_assert_uint_eq(DRAW_COIN, 1);
	ck_assert_uint_eq(DRAW_CLASS, 2);
	ck_assert_uint_eq(DRAW_VOXEL, 3);
	ck_assert_uint_eq(draw_word(0, 0, DRAW_CORNER, 0), 0x16554d9eca36314c);
}
END_TEST

START_TEST(test_below)
{
	ck_assert_uint_eq(draw_below(UINT64_MAX, 1), 0);
	for (uint64_t n = 1; n < 100; n++) {
		ck_assert_uint_eq(draw_below(0, n), 0);
		ck_assert_uint_eq(draw_below(UINT64_MAX, n), n - 1);
	}
}
END_TEST

static Suite *philox_suite(void)
{
	Suite *s = suite_create("philox");
	TCase *t = tcase_create("philox");

	tcase_add_loop_test(t, test_known, 0,
			    sizeof(answers) / sizeof(answers[0]));
	tcase_add_test(t, test_mul_high);
	tcase_add_test(t, test_word);
	tcase_add_test(t, test_below);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(philox_suite)
