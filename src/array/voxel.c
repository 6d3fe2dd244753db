/* SPDX-License-Identifier: MIT */

/*
 * What a run of stored voxels says of a class. Pure. Most of a label is looked
 * at and is nothing, so these go 16 bytes at a time where the machine can.
 */

#include <config.h>

#include "array/derived_impl.h"

#include <math.h>

#include "util/half.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ------------------------------------------------------------- thresholds */

double derived_threshold(double threshold, unsigned item_size)
{
	switch (item_size) {
	case 2:
		return (double)half_value(half_nearest(threshold));
	case 4:
		return (double)(float)threshold;
	default:
		return threshold;
	}
}

/* ------------------------------------------------------------------- SSE2 */

#ifdef __SSE2__
static __m128i load(const void *p)
{
	return _mm_loadu_si128((const __m128i *)p);
}

/* Bytes that are 0 or 0xff. */
static void mark(uint8_t *out, __m128i is)
{
	__m128i one = _mm_and_si128(is, _mm_set1_epi8(1));

	_mm_storeu_si128((__m128i *)out, _mm_or_si128(load(out), one));
}

static uint64_t equal8(uint8_t *out, const uint8_t *in, uint64_t n, uint16_t id)
{
	__m128i want = _mm_set1_epi8((char)id);
	uint64_t i = 0;

	for (; n - i >= 16; i += 16)
		mark(out + i, _mm_cmpeq_epi8(load(in + i), want));
	return i;
}

static uint64_t equal16(uint8_t *out, const uint8_t *in, uint64_t n,
			uint16_t id)
{
	__m128i want = _mm_set1_epi16((short)id);
	uint64_t i = 0;

	for (; n - i >= 16; i += 16) {
		__m128i a = _mm_cmpeq_epi16(load(in + 2 * i), want);
		__m128i b = _mm_cmpeq_epi16(load(in + 2 * i + 16), want);

		mark(out + i, _mm_packs_epi16(a, b));
	}
	return i;
}

/* Elements that are not the zero byte. */
static uint64_t true8(uint8_t *out, const uint8_t *in, uint64_t n)
{
	__m128i zero = _mm_setzero_si128(), all = _mm_set1_epi8(-1);
	uint64_t i = 0;

	for (; n - i >= 16; i += 16) {
		__m128i is_zero = _mm_cmpeq_epi8(load(in + i), zero);

		mark(out + i, _mm_andnot_si128(is_zero, all));
	}
	return i;
}

/* Magnitudes with sign as whole numbers that are ordered as the floats are. */
static __m128i half_above(const uint8_t *in, __m128i below)
{
	__m128i v = load(in);
	__m128i m = _mm_and_si128(v, _mm_set1_epi16(0x7fff));
	__m128i neg = _mm_srai_epi16(v, 15);
	__m128i key = _mm_sub_epi16(_mm_xor_si128(m, neg), neg);
	__m128i nan = _mm_cmpgt_epi16(m, _mm_set1_epi16(0x7c00));

	return _mm_andnot_si128(nan, _mm_cmpgt_epi16(key, below));
}

static uint64_t above16(uint8_t *out, const uint8_t *in, uint64_t n, int key)
{
	__m128i below = _mm_set1_epi16((short)(key - 1));
	uint64_t i = 0;

	for (; n - i >= 16; i += 16)
		mark(out + i,
		     _mm_packs_epi16(half_above(in + 2 * i, below),
				     half_above(in + 2 * i + 16, below)));
	return i;
}

static __m128i float_above(const uint8_t *in, __m128 threshold)
{
	__m128 v = _mm_castsi128_ps(load(in));

	return _mm_castps_si128(_mm_cmpge_ps(v, threshold));
}

static uint64_t above32(uint8_t *out, const uint8_t *in, uint64_t n,
			float threshold)
{
	__m128 t = _mm_set1_ps(threshold);
	uint64_t i = 0;

	for (; n - i >= 16; i += 16) {
		const uint8_t *p = in + 4 * i;
		__m128i a = _mm_packs_epi32(float_above(p, t),
					    float_above(p + 16, t));
		__m128i b = _mm_packs_epi32(float_above(p + 32, t),
					    float_above(p + 48, t));

		mark(out + i, _mm_packs_epi16(a, b));
	}
	return i;
}
#else
/* All are left to the loops below. */
#define equal8(out, in, n, id) 0
#define equal16(out, in, n, id) 0
#define true8(out, in, n) 0
#define above16(out, in, n, key) 0
#define above32(out, in, n, threshold) 0
#endif

/* ------------------------------------------------------------------- runs */

void voxels_equal(uint8_t *out, const void *in, uint64_t n, unsigned size,
		  uint16_t id)
{
	const uint8_t *p = in;
	uint64_t i;

	if (size == 1 && id > UINT8_MAX)
		return;
	i = size == 1 ? equal8(out, p, n, id) : equal16(out, p, n, id);
	for (; i < n; i++)
		out[i] |= (size == 1 ? p[i] : get16(p + 2 * i)) == id;
}

void voxels_true(uint8_t *out, const void *in, uint64_t n, unsigned size)
{
	const uint8_t *p = in;

	if (size == 1) {
		for (uint64_t i = true8(out, p, n); i < n; i++)
			out[i] |= p[i] != 0;
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		for (unsigned b = 0; b < size; b++)
			out[i] |= p[i * size + b] != 0;
}

void voxels_bits(uint8_t *out, const void *in, uint64_t n, uint64_t mask)
{
	const uint8_t *p = in;

	for (uint64_t i = 0; i < n; i++)
		out[i] |= (get64(p + 8 * i) & mask) != 0;
}

static int half_key(uint16_t h)
{
	return h & 0x8000 ? -(h & 0x7fff) : h;
}

static void halves_above(uint8_t *out, const uint8_t *p, uint64_t n,
			 double threshold)
{
	int key = half_key(half_nearest(threshold));

	for (uint64_t i = above16(out, p, n, key); i < n; i++) {
		uint16_t h = get16(p + 2 * i);

		out[i] |= (h & 0x7fff) <= 0x7c00 && half_key(h) >= key;
	}
}

static void floats_above(uint8_t *out, const uint8_t *p, uint64_t n,
			 float threshold)
{
	for (uint64_t i = above32(out, p, n, threshold); i < n; i++) {
		float v;

		memcpy(&v, p + 4 * i, sizeof(v));
		out[i] |= v >= threshold;
	}
}

void voxels_above(uint8_t *out, const void *in, uint64_t n, unsigned size,
		  double threshold)
{
	const uint8_t *p = in;

	/* Nothing is at least what is no number. */
	if (isnan(threshold))
		return;
	if (size == 2) {
		halves_above(out, p, n, threshold);
		return;
	}
	if (size == 4) {
		floats_above(out, p, n, (float)threshold);
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		double v;

		memcpy(&v, p + 8 * i, sizeof(v));
		out[i] |= v >= threshold;
	}
}
