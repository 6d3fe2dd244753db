/* SPDX-License-Identifier: MIT */

/*
 * The worst item is found axis by axis, since the chunks under a box are a
 * product over the axes. Starts of a grid meet the chunks in a pattern that
 * repeats, so a few starts tell about all.
 */

#include <config.h>

#include "tree/cost.h"

#define STARTS_MAX 4096 /* tried of a grid */

/* Chunks under [start, start + extent), as far as it lies in the axis. */
static uint64_t under(const struct sample_axis *a, uint64_t start,
		      uint64_t chunk)
{
	uint64_t end =
		a->length - start < a->extent ? a->length : start + a->extent;

	return end == start ? 0 : (end - 1) / chunk - start / chunk + 1;
}

static uint64_t clip_start(const struct sample_axis *a, uint64_t start)
{
	uint64_t last = a->length < a->extent ? 0 : a->length - a->extent;

	return start < last ? start : last;
}

static uint64_t worst_start(const struct view_geometry *g, unsigned k,
			    uint64_t chunk)
{
	const struct sample_axis *a = &g->sampling.axis[k];
	uint64_t best = 0, start = 0;

	if (a->all || a->length == 0)
		return 0;
	if (g->sampling.kind != SAMPLE_GRID)
		/* Any start: the last element of a chunk is the worst. */
		return clip_start(a, chunk - 1);
	for (unsigned i = 0; i < STARTS_MAX; i++) {
		uint64_t s = g->sampling.border == SAMPLE_SNAP
				     ? clip_start(a, start)
				     : start;

		if (under(a, s, chunk) > under(a, best, chunk))
			best = s;
		if (a->length - start <= a->step)
			break;
		start += a->step;
	}
	return best;
}

uint64_t view_cost(const struct array *a, const uint64_t *chunk,
		   const struct view_geometry *g)
{
	struct region box = {.ndim = g->sampling.ndim};

	for (unsigned k = 0; k < box.ndim; k++) {
		const struct sample_axis *axis = &g->sampling.axis[k];

		if (chunk && chunk[k])
			box.start[k] = worst_start(g, k, chunk[k]);
		box.extent[k] = axis->extent;
		if (box.extent[k] > axis->length - box.start[k])
			box.extent[k] = axis->length - box.start[k];
		if (box.extent[k] == 0)
			return 0;
	}
	return a->ops->decode_bytes(a, &box);
}
