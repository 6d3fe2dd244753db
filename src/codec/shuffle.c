/* SPDX-License-Identifier: MIT */

/*
 * HDF5 filter 2. Of n elements of s bytes the stored form has s planes of n
 * bytes, plane j being byte j of every element; what is left over at the end
 * is as it was. Elements of 2, 4 and 8 bytes are woven 16 at a time with SSE2,
 * which every x86-64 has; this is as fast as memory, so there is no AVX twin.
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "codec/codec_impl.h"

/* Elements [first, n), any size; in tiles, so that the output stays near. */
static void unshuffle_any(const uint8_t *in, uint8_t *out, size_t first,
			  size_t n, size_t s)
{
	const size_t tile = s < 64 ? 256 : 16;

	while (first < n) {
		const size_t end = n - first < tile ? n : first + tile;

		for (size_t j = 0; j < s; j++) {
			const uint8_t *plane = in + j * n;
			uint8_t *to = out + j;

			for (size_t i = first; i < end; i++)
				to[i * s] = plane[i];
		}
		first = end;
	}
}

#if defined(__SSE2__)

static __m128i load16(const uint8_t *p)
{
	return _mm_loadu_si128((const __m128i *)p);
}

static void store16(uint8_t *p, __m128i v)
{
	_mm_storeu_si128((__m128i *)p, v);
}

/*
 * Weave s planes of 16 bytes: the first half of the planes with the second,
 * log2(s) times over, leaves the elements in order.
 */
static inline void weave(__m128i *v, unsigned s)
{
	__m128i w[8];

	for (unsigned round = 1; round < s; round *= 2) {
		for (unsigned j = 0; j < s / 2; j++) {
			w[2 * j] = _mm_unpacklo_epi8(v[j], v[j + s / 2]);
			w[2 * j + 1] = _mm_unpackhi_epi8(v[j], v[j + s / 2]);
		}
		for (unsigned j = 0; j < s; j++)
			v[j] = w[j];
	}
}

static inline size_t unshuffle_simd(const uint8_t *in, uint8_t *out, size_t n,
				    unsigned s)
{
	size_t i = 0;

	for (; n - i >= 16; i += 16) {
		__m128i v[8];

		for (unsigned j = 0; j < s; j++)
			v[j] = load16(in + j * n + i);
		weave(v, s);
		for (unsigned j = 0; j < s; j++)
			store16(out + i * s + 16 * j, v[j]);
	}
	return i;
}

static size_t unshuffle_fast(const uint8_t *in, uint8_t *out, size_t n,
			     size_t s)
{
	switch (s) {
	case 2:
		return unshuffle_simd(in, out, n, 2);
	case 4:
		return unshuffle_simd(in, out, n, 4);
	case 8:
		return unshuffle_simd(in, out, n, 8);
	default:
		return 0;
	}
}

#else

static size_t unshuffle_fast(const uint8_t *in, uint8_t *out, size_t n,
			     size_t s)
{
	(void)in;
	(void)out;
	(void)n;
	(void)s;
	return 0;
}

#endif

static int shuffle_decode(const struct codec_step *step, const void *in,
			  size_t nin, void *out, size_t *nout)
{
	const uint8_t *from = in;
	uint8_t *to = out;
	size_t n, s, whole;

	if (step->nparam < 1 || !step->param[0])
		return -EBADMSG;
	if (nin > *nout)
		return -ENOSPC;
	s = step->param[0];
	n = nin / s;
	whole = n * s;
	if (s == 1 || n <= 1)
		whole = 0;
	else
		unshuffle_any(from, to, unshuffle_fast(from, to, n, s), n, s);
	if (nin > whole)
		memcpy(to + whole, from + whole, nin - whole);
	*nout = nin;
	return 0;
}

static size_t shuffle_bound(size_t nout)
{
	return nout;
}

const struct codec_ops codec_shuffle = {
	.name = "shuffle",
	.h5_filter = 2,
	.decode = shuffle_decode,
	.bound = shuffle_bound,
};
