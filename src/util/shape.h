/* SPDX-License-Identifier: MIT */

/*
 * Shapes, regions and the linear walk over them. Pure functions of their
 * arguments; any thread.
 */

#ifndef UTIL_SHAPE_H
#define UTIL_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Arrays of more axes are listed, not served. */
#define NDIM_MAX 8

/* Rank 0 is a scalar: one element. */
struct shape {
	unsigned ndim;
	uint64_t dim[NDIM_MAX];
};

/* Elements [start, start + extent) on each axis, in array order. */
struct region {
	unsigned ndim;
	uint64_t start[NDIM_MAX];
	uint64_t extent[NDIM_MAX];
};

/* Product of the axes. -EOVERFLOW beyond 2^63 - 1. */
int shape_count(const struct shape *s, uint64_t *out);
bool shape_equal(const struct shape *a, const struct shape *b);
/* C-order strides in elements, of a shape that shape_count takes. */
void shape_strides(const struct shape *s, uint64_t stride[NDIM_MAX]);

/*
 * A run of elements [first, first + n) of a C-order array, cut into boxes.
 * Writes the first box, returns how many elements it covers (> 0 for n > 0).
 * Called until the run is used up, it gives at most 2 * ndim - 1 boxes, each
 * a block of whole trailing axes, in order: the bytes of the boxes end to end
 * are the bytes of the run. first + n must not exceed the element count.
 */
uint64_t shape_first_box(const struct shape *s, uint64_t first, uint64_t n,
			 struct region *out);

#endif
