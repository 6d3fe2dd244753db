/* SPDX-License-Identifier: MIT */

/* float16, which C11 has no type for, as its 16 bits. Pure; any thread. */

#ifndef UTIL_HALF_H
#define UTIL_HALF_H

#include <stdint.h>
#include <string.h>

/* Its value, exactly; what is no number stays none. */
static inline float half_value(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, m = h & 0x3ff, bits;
	unsigned e = h >> 10 & 31;
	float v;

	if (e == 0) {
		v = (float)m * 0x1p-24f;
		return sign ? -v : v;
	}
	bits = sign | (e == 31 ? 0x7f800000 : (uint32_t)(e + 112) << 23) |
	       m << 13;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* The nearest one, ties to even; beyond their range infinity. */
uint16_t half_nearest(double v);

#endif
