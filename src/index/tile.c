/* SPDX-License-Identifier: MIT */

/*
 * How an array is cut up to be read once. A job is a box of whole units, about
 * TARGET bytes if units are smaller, and all of the last axis if that fits, so
 * that runs stay whole. A job that no buffer holds is read in tiles, by one
 * thread and one after the other, while its units are in the cache.
 */

#include <config.h>

#include "index/build_impl.h"
#include "util/checked.h"

#define TARGET (UINT64_C(1) << 20)

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Bytes of a box, up to UINT64_MAX. */
static uint64_t box_bytes(const uint64_t *extent, unsigned n,
			  unsigned item_size)
{
	uint64_t bytes = item_size;

	for (unsigned k = 0; k < n; k++)
		if (!checked_mul(bytes, extent[k], &bytes))
			return UINT64_MAX;
	return bytes;
}

/* More units along an axis, as far as the bytes allow. True: it is whole. */
static bool grow(struct tiling *t, unsigned k, uint64_t bytes,
		 unsigned item_size)
{
	uint64_t one = t->job[k], most;

	if (one < t->dim[k]) {
		most = bytes / box_bytes(t->job, t->ndim, item_size);
		t->job[k] = most >= div_up(t->dim[k], one) ? t->dim[k]
			    : most > 1			   ? one * most
							   : one;
	}
	return t->job[k] == t->dim[k];
}

void tiling_make(struct tiling *t, const struct shape *s, const uint64_t *unit,
		 unsigned item_size, uint64_t room)
{
	const unsigned n = s->ndim;
	uint64_t rest = room / item_size;
	bool cut = false;

	*t = (struct tiling){.ndim = n, .jobs = 1};
	for (unsigned k = 0; k < n; k++)
		cut = cut || unit[k];
	for (unsigned k = 0; k < n; k++) {
		t->dim[k] = s->dim[k];
		/* Not in units: in rows. */
		t->job[k] = unit[k]		? min(unit[k], s->dim[k])
			    : cut || k + 1 == n ? s->dim[k]
						: 1;
	}
	for (unsigned k = n; k-- > 0;)
		if (!grow(t, k, k + 1 == n ? room : min(room, TARGET),
			  item_size))
			break;
	for (unsigned k = n; k-- > 0;) {
		t->tile[k] = min(t->job[k], rest);
		rest /= t->tile[k];
		rest = rest ? rest : 1;
		t->grid[k] = div_up(t->dim[k], t->job[k]);
	}
	for (unsigned k = 0; k < n; k++)
		t->jobs *= t->grid[k];
	t->bytes = box_bytes(t->tile, n, item_size);
}

/* Begin and end of a job. */
static void job_box(const struct tiling *t, uint64_t job, uint64_t *lo,
		    uint64_t *hi)
{
	for (unsigned k = t->ndim; k-- > 0;) {
		lo[k] = job % t->grid[k] * t->job[k];
		hi[k] = min(lo[k] + t->job[k], t->dim[k]);
		job /= t->grid[k];
	}
}

void tiling_first(const struct tiling *t, uint64_t job, struct region *tile)
{
	uint64_t hi[NDIM_MAX];

	*tile = (struct region){.ndim = t->ndim};
	job_box(t, job, tile->start, hi);
	for (unsigned k = 0; k < t->ndim; k++)
		tile->extent[k] = min(t->tile[k], hi[k] - tile->start[k]);
}

bool tiling_next(const struct tiling *t, uint64_t job, struct region *tile)
{
	uint64_t lo[NDIM_MAX], hi[NDIM_MAX];
	bool more = false;

	job_box(t, job, lo, hi);
	for (unsigned k = t->ndim; k-- > 0 && !more;) {
		tile->start[k] += t->tile[k];
		more = tile->start[k] < hi[k];
		if (!more)
			tile->start[k] = lo[k];
		tile->extent[k] = min(t->tile[k], hi[k] - tile->start[k]);
	}
	return more;
}
