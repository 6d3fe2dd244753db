/* SPDX-License-Identifier: MIT */

/* The weighted choice, which both kinds of foreground draws make. */

#ifndef SAMPLE_SAMPLE_IMPL_H
#define SAMPLE_SAMPLE_IMPL_H

#include <stddef.h>
#include <stdint.h>

#include "sample/foreground.h"

/* The 53 high bits of a word as a number in [0, 1). */
static inline double word_unit(uint64_t word)
{
	return (double)(word >> 11) * 0x1p-53;
}

/* Sum of the weights. -ENOENT: all are 0; -EINVAL: it overflows. */
int weights_total(enum class_weights weights, const struct draw_class *c,
		  size_t n, double *total);

/*
 * With weights w_i / scale, not all 0: the first i whose running sum is above u
 * times the sum of all, else the last that is not 0.
 */
size_t weights_pick(enum class_weights weights, const struct draw_class *c,
		    size_t n, double scale, double u);

#endif
