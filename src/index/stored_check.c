/* SPDX-License-Identifier: MIT */

/*
 * Whether the numbers of a sampling index that a file carries can be true of
 * an array of that shape. Pure.
 */

#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "index/stored_impl.h"
#include "util/checked.h"

#define ID_MAX 65534u

/* An edge between two voxels, as the number of voxels below it. */
static bool edge(float v, uint64_t length, uint32_t *out)
{
	double below = (double)v + 0.5;

	if (!(below >= 0) || below > (double)length || below > INT32_MAX ||
	    below != floor(below))
		return false;
	*out = (uint32_t)below;
	return true;
}

static bool is_empty(const float *box, unsigned ndim)
{
	for (unsigned i = 0; i < 2 * ndim; i++)
		if (!isnan(box[i]))
			return false;
	return true;
}

int stored_entry_check(const struct shape *shape, uint64_t max_coords,
		       uint32_t id, int64_t count, const float *box,
		       struct stored_record *out)
{
	struct stored_record r = {.id = id, .count = (uint64_t)count};
	uint64_t volume = 1;

	if (id < 1 || id > ID_MAX || count < 0)
		return -EBADMSG;
	r.rows = r.count < max_coords ? r.count : max_coords;
	if (!count) {
		*out = r;
		return is_empty(box, shape->ndim) ? 0 : -EBADMSG;
	}
	for (unsigned k = 0; k < shape->ndim; k++) {
		if (!edge(box[2 * k], shape->dim[k], &r.start[k]) ||
		    !edge(box[2 * k + 1], shape->dim[k], &r.stop[k]) ||
		    r.stop[k] <= r.start[k] ||
		    !checked_mul(volume, r.stop[k] - r.start[k], &volume))
			return -EBADMSG;
	}
	*out = r;
	return r.count <= volume ? 0 : -EBADMSG;
}

void stored_rows_begin(struct stored_rows *k, const struct shape *shape,
		       const struct stored_record *r)
{
	*k = (struct stored_rows){.r = r, .ndim = shape->ndim};
	for (unsigned a = 0; a < 3; a++)
		k->lo[a] = UINT32_MAX;
}

/*
 * Without a branch in it, as it is run over all coordinates there are. Where a
 * row is inside the box its place there in C order cannot overflow.
 */
static inline bool rows_check(struct stored_rows *k, const int32_t *at,
			      size_t n, const unsigned ndim)
{
	const struct stored_record *r = k->r;
	uint32_t extent[3] = {0}, first[3] = {0};
	uint64_t next = k->next;
	bool bad = false;

	for (unsigned a = 0; a < ndim; a++) {
		first[a] = r->start[a];
		extent[a] = r->stop[a] - r->start[a];
	}
	for (; n; n--, at += ndim) {
		uint64_t place = 0;

		for (unsigned a = 0; a < ndim; a++) {
			uint32_t in = (uint32_t)at[a] - first[a];

			bad |= in >= extent[a];
			place = place * extent[a] + in;
		}
		bad |= place < next;
		next = place + 1;
	}
	k->next = next;
	return !bad;
}

/* The box of rows that are inside the one they should be in. */
static void rows_box(struct stored_rows *k, const int32_t *at, size_t n)
{
	for (; n; n--, at += k->ndim) {
		for (unsigned a = 0; a < k->ndim; a++) {
			uint32_t v = (uint32_t)at[a];

			k->lo[a] = v < k->lo[a] ? v : k->lo[a];
			k->hi[a] = v > k->hi[a] ? v : k->hi[a];
		}
	}
}

int stored_rows_check(struct stored_rows *k, const int32_t *at, size_t n)
{
	if (!(k->ndim == 3 ? rows_check(k, at, n, 3) : rows_check(k, at, n, 2)))
		return -EBADMSG;
	if (k->r->rows == k->r->count)
		rows_box(k, at, n);
	k->seen += n;
	return 0;
}

int stored_rows_end(const struct stored_rows *k)
{
	const struct stored_record *r = k->r;

	if (k->seen != r->rows)
		return -EBADMSG;
	if (!r->count || r->rows < r->count)
		return 0;
	for (unsigned a = 0; a < k->ndim; a++)
		if (k->lo[a] != r->start[a] || k->hi[a] + 1 != r->stop[a])
			return -EBADMSG;
	return 0;
}
