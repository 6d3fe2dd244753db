/* SPDX-License-Identifier: MIT */

/*
 * Whether the numbers of a sampling index that a file carries can be true of
 * an array of that shape. Pure.
 */

#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

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
	for (unsigned i = 0; i < 3; i++)
		k->lo[i] = INT32_MAX;
}

/* Whether a is behind b in C order. */
static bool is_behind(const int32_t *a, const int32_t *b, unsigned ndim)
{
	unsigned i = 0;

	while (i + 1 < ndim && a[i] == b[i])
		i++;
	return a[i] > b[i];
}

int stored_rows_check(struct stored_rows *k, const int32_t *at, size_t n)
{
	const struct stored_record *r = k->r;
	const unsigned ndim = k->ndim;

	if (k->seen && !is_behind(at, k->last, ndim))
		return -EBADMSG;
	for (size_t i = 0; i < n; i++, at += ndim) {
		if (i && !is_behind(at, at - ndim, ndim))
			return -EBADMSG;
		for (unsigned a = 0; a < ndim; a++) {
			if ((uint32_t)at[a] < r->start[a] ||
			    (uint32_t)at[a] >= r->stop[a])
				return -EBADMSG;
			k->lo[a] = at[a] < k->lo[a] ? at[a] : k->lo[a];
			k->hi[a] = at[a] > k->hi[a] ? at[a] : k->hi[a];
		}
	}
	memcpy(k->last, at - ndim, ndim * sizeof(*at));
	k->seen += n;
	return 0;
}

int stored_rows_end(const struct stored_rows *k)
{
	const struct stored_record *r = k->r;

	if (k->seen != r->rows)
		return -EBADMSG;
	for (unsigned a = 0; a < k->ndim && r->count && r->rows == r->count;
	     a++)
		if ((uint32_t)k->lo[a] != r->start[a] ||
		    (uint32_t)k->hi[a] + 1 != r->stop[a])
			return -EBADMSG;
	return 0;
}
