/* SPDX-License-Identifier: MIT */

/*
 * Shapes and the linear walk. The walk is written once, here: reading,
 * prefetching and counting all cut their runs with shape_first_box.
 */

#include <config.h>

#include "util/shape.h"

#include <errno.h>
#include <string.h>

#include "util/checked.h"

int shape_count(const struct shape *s, uint64_t *out)
{
	uint64_t n = 1;
	bool empty = false;

	for (unsigned k = 0; k < s->ndim; k++) {
		if (s->dim[k] == 0)
			empty = true;
		else if (!checked_mul(n, s->dim[k], &n) || n > INT64_MAX)
			return -EOVERFLOW;
	}
	*out = empty ? 0 : n;
	return 0;
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
	return a->ndim == b->ndim &&
	       memcmp(a->dim, b->dim, a->ndim * sizeof(a->dim[0])) == 0;
}

void shape_strides(const struct shape *s, uint64_t stride[NDIM_MAX])
{
	uint64_t n = 1;

	for (unsigned k = s->ndim; k-- > 0;) {
		stride[k] = n;
		n *= s->dim[k];
	}
}

uint64_t shape_first_box(const struct shape *s, uint64_t first, uint64_t n,
			 struct region *out)
{
	uint64_t at[NDIM_MAX];
	uint64_t inner = 1; /* elements of one step on axis k */
	unsigned k = s->ndim;

	out->ndim = s->ndim;
	if (n == 0 || s->ndim == 0)
		return n ? 1 : 0;
	for (unsigned i = s->ndim; i-- > 0;) {
		at[i] = first % s->dim[i];
		first /= s->dim[i];
		out->start[i] = at[i];
		out->extent[i] = 1;
	}
	/*
	 * Take whole trailing axes as long as the run starts at their origin
	 * and covers them.
	 */
	while (k > 0 && at[k - 1] == 0 && n / inner >= s->dim[k - 1]) {
		k--;
		out->extent[k] = s->dim[k];
		inner *= s->dim[k];
	}
	if (k > 0) {
		uint64_t room = s->dim[k - 1] - at[k - 1];
		uint64_t want = n / inner;

		out->extent[k - 1] = want < room ? want : room;
		inner *= out->extent[k - 1];
	}
	return inner;
}
