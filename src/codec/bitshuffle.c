/* SPDX-License-Identifier: MIT */

/*
 * Bitshuffle as Blosc2 has it. Of n elements of s bytes, n rounded down to
 * eight, the stored form has 8 s rows of bits: row 8 b + k is bit k of byte b
 * of all elements. Eight rows are made a plane, byte b of all elements; planes
 * are what shuffle has. Done in tiles, so that each byte comes from memory
 * once.
 */

#include <config.h>

#include <assert.h>
#include <string.h>

#include "codec/codec_impl.h"
#include "codec/weave.h"

#define SIZE_LIMIT 255
#define TILE_MAX (SIZE_LIMIT * 128)

#if defined(__SSE2__)

/* Of each byte the bits in mask change places with those by above in a. */
static inline void swap_bits(__m128i *a, __m128i *b, int by, char mask)
{
	const __m128i t = _mm_and_si128(
		_mm_xor_si128(_mm_srli_epi16(*a, by), *b), _mm_set1_epi8(mask));

	*b = _mm_xor_si128(*b, t);
	*a = _mm_xor_si128(*a, _mm_slli_epi16(t, by));
}

/* Register k has bit k of eight bytes in a row; then byte k of them. */
static inline void transpose(__m128i v[8])
{
	swap_bits(&v[0], &v[1], 1, 0x55);
	swap_bits(&v[2], &v[3], 1, 0x55);
	swap_bits(&v[4], &v[5], 1, 0x55);
	swap_bits(&v[6], &v[7], 1, 0x55);
	swap_bits(&v[0], &v[2], 2, 0x33);
	swap_bits(&v[1], &v[3], 2, 0x33);
	swap_bits(&v[4], &v[6], 2, 0x33);
	swap_bits(&v[5], &v[7], 2, 0x33);
	swap_bits(&v[0], &v[4], 4, 0x0f);
	swap_bits(&v[1], &v[5], 4, 0x0f);
	swap_bits(&v[2], &v[6], 4, 0x0f);
	swap_bits(&v[3], &v[7], 4, 0x0f);
}

static size_t plane_fast(const uint8_t *in, size_t row, uint8_t *out, size_t n)
{
	size_t i = 0;

	for (; n - i >= 16; i += 16, out += 128) {
		__m128i v[8];

		load_planes8(in + i, row, v);
		transpose(v);
		weave8(v);
		weave8(v);
		weave8(v);
		store_rows8(out, v);
	}
	return i;
}

#else

static size_t plane_fast(const uint8_t *in, size_t row, uint8_t *out, size_t n)
{
	(void)in;
	(void)row;
	(void)out;
	(void)n;
	return 0;
}

#endif

static uint64_t swap_far(uint64_t x, unsigned by, uint64_t mask)
{
	const uint64_t t = (x ^ x >> by) & mask;

	return x ^ t ^ t << by;
}

/* 8 n bytes from n of each of eight rows: bit k is that of row k. */
static void plane(const uint8_t *in, size_t row, uint8_t *out, size_t n)
{
	for (size_t i = plane_fast(in, row, out, n); i < n; i++) {
		uint64_t x = 0;

		for (unsigned k = 0; k < 8; k++)
			x |= (uint64_t)in[k * row + i] << 8 * k;
		x = swap_far(x, 7, 0x00aa00aa00aa00aaull);
		x = swap_far(x, 14, 0x0000cccc0000ccccull);
		x = swap_far(x, 28, 0x00000000f0f0f0f0ull);
		for (unsigned k = 0; k < 8; k++)
			out[8 * i + k] = (uint8_t)(x >> 8 * k);
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

		for (size_t b = 0; b < s; b++)
			plane(in + 8 * b * row + first / 8, row, to + b * now,
			      now / 8);
		if (s > 1)
			codec_weave(tile, now, out + first * s, now, s);
	}
	memcpy(out + count * s, in + count * s, n - count * s);
}
