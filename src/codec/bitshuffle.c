/* SPDX-License-Identifier: MIT */

/*
 * Bitshuffle as Blosc2 has it. Of n elements of s bytes, n rounded down to
 * eight, the stored form has 8 s rows of bits: row 8 b + k is bit k of byte b
 * of all elements. Eight rows are byte b of all elements once their bytes are
 * woven and the bits of each eight bytes transposed; such planes are what
 * shuffle has. Done in tiles, so that each byte comes from memory once.
 */

#include <config.h>

#include <assert.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "codec/codec_impl.h"

#define SIZE_LIMIT 255
#define TILE_MAX (SIZE_LIMIT * 128)

static uint64_t le64(const uint8_t *p)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 8; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

static void store_le64(uint8_t *p, uint64_t v)
{
	for (unsigned i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* Three rounds swap bits, pairs and fours across the diagonal. */
#define ROUND_1 0x00aa00aa00aa00aaull
#define ROUND_2 0x0000cccc0000ccccull
#define ROUND_3 0x00000000f0f0f0f0ull

static uint64_t swap_bits(uint64_t x, unsigned by, uint64_t mask)
{
	const uint64_t t = (x ^ x >> by) & mask;

	return x ^ t ^ t << by;
}

#if defined(__SSE2__)

static inline __m128i swap_bits2(__m128i x, int by, uint64_t mask)
{
	const __m128i m = _mm_set1_epi64x((long long)mask);
	const __m128i t =
		_mm_and_si128(_mm_xor_si128(x, _mm_srli_epi64(x, by)), m);

	return _mm_xor_si128(_mm_xor_si128(x, t), _mm_slli_epi64(t, by));
}

static size_t transpose_fast(uint8_t *p, size_t n)
{
	size_t i = 0;

	for (; n - i >= 16; i += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(p + i));

		x = swap_bits2(x, 7, ROUND_1);
		x = swap_bits2(x, 14, ROUND_2);
		x = swap_bits2(x, 28, ROUND_3);
		_mm_storeu_si128((__m128i *)(p + i), x);
	}
	return i;
}

#else

static size_t transpose_fast(uint8_t *p, size_t n)
{
	(void)p;
	(void)n;
	return 0;
}

#endif

/* Each eight bytes: bit j of byte k to bit k of byte j. */
static void transpose(uint8_t *p, size_t n)
{
	for (size_t i = transpose_fast(p, n); i < n; i += 8) {
		uint64_t x = le64(p + i);

		x = swap_bits(x, 7, ROUND_1);
		x = swap_bits(x, 14, ROUND_2);
		x = swap_bits(x, 28, ROUND_3);
		store_le64(p + i, x);
	}
}

void codec_bitunshuffle(const uint8_t *in, uint8_t *out, size_t n, size_t s)
{
	const size_t count = n / s & ~(size_t)7, row = count / 8;
	const size_t most = s <= 16 ? 1024 : 128;
	uint8_t tile[TILE_MAX];

	assert(s && s <= SIZE_LIMIT);
	for (size_t first = 0; first < count; first += most) {
		const size_t now = count - first < most ? count - first : most;
		uint8_t *to = s == 1 ? out + first : tile;

		for (size_t b = 0; b < s; b++) {
			codec_weave(in + 8 * b * row + first / 8, row,
				    to + b * now, now / 8, 8);
			transpose(to + b * now, now);
		}
		if (s > 1)
			codec_weave(tile, now, out + first * s, now, s);
	}
	memcpy(out + count * s, in + count * s, n - count * s);
}
