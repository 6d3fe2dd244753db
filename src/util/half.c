/* SPDX-License-Identifier: MIT */

/* Rounding to float16. */

#include <config.h>

#include "util/half.h"

#include <math.h>

uint16_t half_nearest(double v)
{
	uint16_t sign = signbit(v) ? 0x8000 : 0;
	int exponent;
	double m;

	v = fabs(v);
	if (isnan(v))
		return 0x7e00;
	if (v >= 65520)
		return sign | 0x7c00;
	if (v < 0x1p-14) /* in units of the smallest; 1024 is normal */
		return sign | (uint16_t)rint(v * 0x1p24);
	m = frexp(v, &exponent); /* 0.5 <= m < 1 */
	/* A mantissa that rounds up to 2048 carries into the exponent. */
	return (uint16_t)(sign | (((unsigned)(exponent + 13) << 10) +
				  (unsigned)rint(m * 2048)));
}
