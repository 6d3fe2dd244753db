/* SPDX-License-Identifier: MIT */

/*
 * Bands. A slice across chunks that are thin the other way touches so many
 * chunks that they do not stay in the cache until the next slice needs them.
 * Of each chunk then only the piece is kept that this slice and its neighbours
 * need, small enough for the pieces under one item to stay together. Which
 * pieces is a pure function of array, item size and cache size.
 */

#include <config.h>

#include "array/array_impl.h"

#include "cache/cache.h"
#include "util/checked.h"

#define BITS_MAX 24

void band_choose(const struct stored_array *s, const struct region *item,
		 struct band *out)
{
	uint64_t total = s->chunk_bytes, best = 1, room;

	*out = (struct band){0};
	for (unsigned k = 0; k < item->ndim; k++) {
		uint64_t n, of;

		if (item->extent[k] == 0)
			return;
		n = chunks_along(&s->chunk, item, k);
		if (!checked_mul(total, n, &total))
			total = UINT64_MAX;
		/* How much more the chunks hold than is asked for. */
		if (!checked_mul(n, s->chunk.dim[k], &of))
			of = UINT64_MAX;
		of /= item->extent[k];
		if (of > best) {
			best = of;
			out->axis = k;
		}
	}
	room = cache_size(s->env->cache) / 2;
	if (best < 2 || total <= room)
		return;
	out->width = s->chunk.dim[out->axis];
	while (out->bits < BITS_MAX && total > room) {
		uint64_t half = div_up(s->chunk.dim[out->axis],
				       UINT64_C(2) << out->bits);

		if (half < item->extent[out->axis] || half == out->width)
			break;
		out->bits++;
		out->width = half;
		total /= 2;
	}
}

uint32_t band_number(const struct band *b, uint64_t i)
{
	return (uint32_t)b->axis << 29 | (uint32_t)b->bits << BITS_MAX |
	       (uint32_t)i;
}
