/* SPDX-License-Identifier: MIT */

/*
 * HDF5 filter 3: four bytes of checksum behind the data, little endian, the
 * second sum in the upper half. Both sums run over 16-bit words read big
 * endian, modulo 65535, an odd last byte being the high half of a word; a sum
 * is 0 only if all data is, else 1 to 65535.
 *
 * Modulo 65535 swapping the bytes of a word is multiplying it by 256, and the
 * sums are linear in the words: so words are read little endian, 16 lanes side
 * by side, and the two results are swapped at the end.
 */

#include <config.h>

#include <endian.h>
#include <errno.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "codec/codec_impl.h"

#define SUM_BYTES 4
#define LANES 16
/* Rows before the 32-bit second sum of a lane could overflow. */
#define ROWS_MAX 360

struct sums {
	uint64_t one, two; /* not reduced, below 2^40 */
	uint64_t any;	   /* nonzero if a word was */
};

/* Congruent modulo 65535, and below 2^17 for x below 2^48. */
static uint64_t fold(uint64_t x)
{
	x = (x & 0xffff) + (x >> 16 & 0xffff) + (x >> 32);
	return (x & 0xffff) + (x >> 16);
}

/* Sums of each lane: one, and two as if the lane were all there is. */
#if defined(__SSE2__)

static void sums_lanes(const uint8_t *p, size_t rows, uint32_t one[LANES],
		       uint32_t two[LANES])
{
	const __m128i zero = _mm_setzero_si128();
	__m128i a0 = zero, a1 = zero, a2 = zero, a3 = zero;
	__m128i b0 = zero, b1 = zero, b2 = zero, b3 = zero;

	for (size_t i = 0; i < rows; i++, p += 2 * LANES) {
		const __m128i v = _mm_loadu_si128((const __m128i *)p);
		const __m128i w = _mm_loadu_si128((const __m128i *)(p + 16));

		a0 = _mm_add_epi32(a0, _mm_unpacklo_epi16(v, zero));
		a1 = _mm_add_epi32(a1, _mm_unpackhi_epi16(v, zero));
		a2 = _mm_add_epi32(a2, _mm_unpacklo_epi16(w, zero));
		a3 = _mm_add_epi32(a3, _mm_unpackhi_epi16(w, zero));
		b0 = _mm_add_epi32(b0, a0);
		b1 = _mm_add_epi32(b1, a1);
		b2 = _mm_add_epi32(b2, a2);
		b3 = _mm_add_epi32(b3, a3);
	}
	_mm_storeu_si128((__m128i *)one, a0);
	_mm_storeu_si128((__m128i *)(one + 4), a1);
	_mm_storeu_si128((__m128i *)(one + 8), a2);
	_mm_storeu_si128((__m128i *)(one + 12), a3);
	_mm_storeu_si128((__m128i *)two, b0);
	_mm_storeu_si128((__m128i *)(two + 4), b1);
	_mm_storeu_si128((__m128i *)(two + 8), b2);
	_mm_storeu_si128((__m128i *)(two + 12), b3);
}

#else

static void sums_lanes(const uint8_t *p, size_t rows, uint32_t one[LANES],
		       uint32_t two[LANES])
{
	memset(one, 0, LANES * sizeof(*one));
	memset(two, 0, LANES * sizeof(*two));
	for (size_t i = 0; i < rows; i++, p += 2 * LANES) {
		uint16_t w[LANES];

		memcpy(w, p, sizeof(w));
		for (unsigned j = 0; j < LANES; j++) {
			one[j] += w[j];
			two[j] += one[j];
		}
	}
}

#endif

/* rows * LANES words; 0 < rows <= ROWS_MAX. */
static void sums_block(struct sums *s, const uint8_t *p, size_t rows)
{
	const uint64_t n = rows * LANES;
	uint32_t a[LANES], b[LANES];
	uint64_t one = 0, two = 0;

	sums_lanes(p, rows, a, b);
	/* Lane j's word of row i counts n - LANES * i - j times in sum two. */
	for (unsigned j = 0; j < LANES; j++) {
		one += a[j];
		two += (uint64_t)LANES * b[j] - (uint64_t)j * a[j];
	}
	s->any |= one;
	s->two = fold(s->two + n * s->one + fold(two));
	s->one = fold(s->one + one);
}

static void sums_word(struct sums *s, uint16_t w)
{
	s->any |= w;
	s->one = fold(s->one + w);
	s->two = fold(s->two + s->one);
}

static uint32_t sum_finish(uint64_t x, uint64_t any)
{
	x %= 65535;
#if __BYTE_ORDER == __LITTLE_ENDIAN
	x = x * 256 % 65535;
#endif
	return x || !any ? (uint32_t)x : 65535;
}

static uint32_t fletcher32(const uint8_t *p, size_t n)
{
	struct sums s = {0, 0, 0};

	while (n >= 2 * LANES) {
		size_t rows = n / (2 * LANES);

		if (rows > ROWS_MAX)
			rows = ROWS_MAX;
		sums_block(&s, p, rows);
		p += rows * 2 * LANES;
		n -= rows * 2 * LANES;
	}
	for (; n > 1; p += 2, n -= 2) {
		uint16_t w;

		memcpy(&w, p, sizeof(w));
		sums_word(&s, w);
	}
	if (n) {
		const uint8_t last[2] = {p[0], 0};
		uint16_t w;

		memcpy(&w, last, sizeof(w));
		sums_word(&s, w);
	}
	return sum_finish(s.two, s.any) << 16 | sum_finish(s.one, s.any);
}

static uint32_t le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

static int fletcher32_strip(const struct codec_step *step, const void *in,
			    size_t nin, size_t *nout)
{
	uint32_t stored, sum;
	size_t n;

	(void)step;
	if (nin < SUM_BYTES)
		return -EBADMSG;
	n = nin - SUM_BYTES;
	stored = le32((const uint8_t *)in + n);
	sum = fletcher32(in, n);
	/* HDF5 up to 1.6.2 swapped the bytes of each half on little endian. */
	if (stored != sum &&
	    stored != ((sum & 0x00ff00ff) << 8 | (sum >> 8 & 0x00ff00ff)))
		return -EBADMSG;
	*nout = n;
	return 0;
}

static int fletcher32_decode(const struct codec_step *step, const void *in,
			     size_t nin, void *out, size_t *nout,
			     struct codec_note *note)
{
	size_t n;
	int r = fletcher32_strip(step, in, nin, &n);

	(void)note;
	if (r < 0)
		return r;
	if (n > *nout)
		return -ENOSPC;
	if (n)
		memcpy(out, in, n);
	*nout = n;
	return 0;
}

static size_t fletcher32_bound(size_t nout)
{
	return size_add(nout, SUM_BYTES);
}

const struct codec_ops codec_fletcher32 = {
	.name = "fletcher32",
	.h5_filter = 3,
	.decode = fletcher32_decode,
	.strip = fletcher32_strip,
	.bound = fletcher32_bound,
};
