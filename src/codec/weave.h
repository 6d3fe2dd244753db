/* SPDX-License-Identifier: MIT */

/* What shuffle and bitshuffle share of SSE2. */

#ifndef CODEC_WEAVE_H
#define CODEC_WEAVE_H

#if defined(__SSE2__)

#include <emmintrin.h>
#include <stddef.h>
#include <stdint.h>

static inline __m128i load16(const uint8_t *p)
{
	return _mm_loadu_si128((const __m128i *)p);
}

static inline void store16(uint8_t *p, __m128i v)
{
	_mm_storeu_si128((__m128i *)p, v);
}

/*
 * 16 bytes of each of 8 planes that lie apart bytes from each other. Written
 * out, as a loop here keeps v in memory.
 */
static inline void load_planes8(const uint8_t *in, size_t apart, __m128i v[8])
{
	v[0] = load16(in);
	v[1] = load16(in + apart);
	v[2] = load16(in + 2 * apart);
	v[3] = load16(in + 3 * apart);
	v[4] = load16(in + 4 * apart);
	v[5] = load16(in + 5 * apart);
	v[6] = load16(in + 6 * apart);
	v[7] = load16(in + 7 * apart);
}

static inline void store_rows8(uint8_t *out, const __m128i v[8])
{
	store16(out, v[0]);
	store16(out + 16, v[1]);
	store16(out + 32, v[2]);
	store16(out + 48, v[3]);
	store16(out + 64, v[4]);
	store16(out + 80, v[5]);
	store16(out + 96, v[6]);
	store16(out + 112, v[7]);
}

/* The planes of the first half woven with those of the second. */
static inline void weave2(__m128i v[2])
{
	const __m128i w0 = v[0], w1 = v[1];

	v[0] = _mm_unpacklo_epi8(w0, w1);
	v[1] = _mm_unpackhi_epi8(w0, w1);
}

static inline void weave4(__m128i v[4])
{
	const __m128i w0 = v[0], w1 = v[1], w2 = v[2], w3 = v[3];

	v[0] = _mm_unpacklo_epi8(w0, w2);
	v[1] = _mm_unpackhi_epi8(w0, w2);
	v[2] = _mm_unpacklo_epi8(w1, w3);
	v[3] = _mm_unpackhi_epi8(w1, w3);
}

static inline void weave8(__m128i v[8])
{
	const __m128i w0 = v[0], w1 = v[1], w2 = v[2], w3 = v[3];
	const __m128i w4 = v[4], w5 = v[5], w6 = v[6], w7 = v[7];

	v[0] = _mm_unpacklo_epi8(w0, w4);
	v[1] = _mm_unpackhi_epi8(w0, w4);
	v[2] = _mm_unpacklo_epi8(w1, w5);
	v[3] = _mm_unpackhi_epi8(w1, w5);
	v[4] = _mm_unpacklo_epi8(w2, w6);
	v[5] = _mm_unpackhi_epi8(w2, w6);
	v[6] = _mm_unpacklo_epi8(w3, w7);
	v[7] = _mm_unpackhi_epi8(w3, w7);
}

#endif

#endif
