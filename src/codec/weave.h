/* SPDX-License-Identifier: MIT */

/* What shuffle and bitshuffle share of SSE2. */

#ifndef CODEC_WEAVE_H
#define CODEC_WEAVE_H

#if defined(__SSE2__)

#include <emmintrin.h>
#include <stdint.h>

static inline __m128i load16(const uint8_t *p)
{
	return _mm_loadu_si128((const __m128i *)p);
}

static inline void store16(uint8_t *p, __m128i v)
{
	_mm_storeu_si128((__m128i *)p, v);
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
