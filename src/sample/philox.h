/* SPDX-License-Identifier: MIT */

/*
 * Philox4x64-10, a counter-based generator: a block of four words is a pure
 * function of a counter and a key, so that any draw can be had alone. Salmon
 * et al., Parallel random numbers: as easy as 1, 2, 3 (SC11). NumPy has it as
 * numpy.random.Philox, which adds one to the counter before its first block.
 * Products are put together from 32-bit halves: the layer uses no 128-bit type.
 */

#ifndef SAMPLE_PHILOX_H
#define SAMPLE_PHILOX_H

#include <stdint.h>

static inline uint64_t mul_high(uint64_t a, uint64_t b)
{
	const uint64_t al = (uint32_t)a, ah = a >> 32;
	const uint64_t bl = (uint32_t)b, bh = b >> 32;
	const uint64_t low = al * bl;
	const uint64_t mid = ah * bl + (low >> 32);
	const uint64_t other = al * bh + (uint32_t)mid;

	return ah * bh + (mid >> 32) + (other >> 32);
}

/* One block, in place: c is the counter, then the four words. */
static inline void philox4x64(uint64_t c[4], uint64_t k0, uint64_t k1)
{
	const uint64_t m0 = UINT64_C(0xd2e7470ee14c6c93);
	const uint64_t m1 = UINT64_C(0xca5a826395121157);

	for (unsigned round = 0; round < 10; round++) {
		const uint64_t h0 = mul_high(m0, c[0]), l0 = m0 * c[0];
		const uint64_t h1 = mul_high(m1, c[2]), l1 = m1 * c[2];

		c[0] = h1 ^ c[1] ^ k0;
		c[1] = l1;
		c[2] = h0 ^ c[3] ^ k1;
		c[3] = l0;
		k0 += UINT64_C(0x9e3779b97f4a7c15);
		k1 += UINT64_C(0xbb67ae8584caa73b);
	}
}

#endif
