/* SPDX-License-Identifier: MIT */

/*
 * The pieces of a box of a derived array: as many of its rows, planes, ... as
 * scratch memory holds the source's values of.
 */

#include <config.h>

#include "array/derived_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "array/array_impl.h"
#include "util/cleanup.h"

/* Of one read. Larger ones save little: units under two pieces are hits. */
#define SCRATCH_BYTES (UINT64_C(48) << 10)

/*
 * The axis that is cut, every one before it being walked element by element,
 * and how many elements of it a piece has.
 */
static unsigned cut_axis(const struct region *box, uint64_t most,
			 uint64_t *length)
{
	uint64_t inner = 1;
	unsigned k = box->ndim;

	*length = 1;
	while (k > 0) {
		uint64_t n = box->extent[--k];

		if (n > most / inner) {
			*length = most / inner;
			return k;
		}
		*length = n;
		inner *= n;
	}
	return 0;
}

/* To the next piece; false: that was the last. */
static bool next(struct region *at, const struct region *box, unsigned axis,
		 uint64_t length)
{
	uint64_t end = box->start[axis] + box->extent[axis];

	at->start[axis] += at->extent[axis];
	if (at->start[axis] < end) {
		if (at->extent[axis] > end - at->start[axis])
			at->extent[axis] = end - at->start[axis];
		return true;
	}
	at->start[axis] = box->start[axis];
	at->extent[axis] = length;
	for (unsigned k = axis; k-- > 0;) {
		if (++at->start[k] < box->start[k] + box->extent[k])
			return true;
		at->start[k] = box->start[k];
	}
	return false;
}

/* Bytes of the largest value that is loaded. */
static unsigned scratch_item(const struct derived *d)
{
	unsigned n = 1;

	for (unsigned i = SOURCE_DATA; i <= SOURCE_IGNORE; i++)
		if (d->source[i] && d->source[i]->item_size > n)
			n = d->source[i]->item_size;
	return n;
}

int piece_each(const struct derived *d, const struct region *item,
	       const struct region *box, void *out,
	       const uint64_t stride[NDIM_MAX], struct wait *w,
	       int (*fn)(struct piece *p), const void *arg)
{
	struct piece p = {
		.d = d,
		.arg = arg,
		.item = item,
		.box = *box,
		.stride = stride,
		.w = w,
	};
	CLEANUP(cleanup_freep) void *scratch = NULL;
	uint64_t length, bytes = scratch_item(d);
	unsigned axis, n = box->ndim;
	int err;

	for (unsigned k = 0; k < n; k++)
		if (box->extent[k] == 0)
			return 0;
	axis = cut_axis(box, SCRATCH_BYTES / bytes, &length);
	for (unsigned k = 0; k < n; k++) {
		if (k <= axis)
			p.box.extent[k] = k < axis ? 1 : length;
		bytes *= p.box.extent[k];
	}
	p.scratch = scratch = malloc(bytes);
	if (!scratch)
		return -ENOMEM;
	do {
		uint64_t at = 0;

		for (unsigned k = 0; k < n; k++)
			at += (p.box.start[k] - box->start[k]) * stride[k];
		p.out = (unsigned char *)out + at * d->base.item_size;
		err = fn(&p);
	} while (!err && n > 0 && next(&p.box, box, axis, length));
	return err;
}

/* The same region in an array with perhaps an axis more, the first. */
static void lead(struct region *r, const struct region *of,
		 const uint64_t *plane)
{
	unsigned more = plane ? 1 : 0;

	r->ndim = of->ndim + more;
	if (plane) {
		r->start[0] = *plane;
		r->extent[0] = 1;
	}
	for (unsigned k = 0; k < of->ndim; k++) {
		r->start[k + more] = of->start[k];
		r->extent[k + more] = of->extent[k];
	}
}

int piece_load(struct piece *p, const struct array *a, const uint64_t *plane)
{
	struct region item, box;
	struct shape dense;
	uint64_t stride[NDIM_MAX];

	lead(&item, p->item, plane);
	lead(&box, &p->box, plane);
	dense.ndim = box.ndim;
	for (unsigned k = 0; k < box.ndim; k++)
		dense.dim[k] = box.extent[k];
	shape_strides(&dense, stride);
	p->in_size = a->item_size;
	return a->ops->read_box(a, &item, &box, p->scratch, stride, p->w);
}

void piece_rows(const struct piece *p, piece_row_fn *fn, const void *arg)
{
	struct shape dense = {.ndim = p->box.ndim};
	unsigned out_size = p->d->base.item_size;
	uint64_t stride[NDIM_MAX];
	struct copy_walk k = {0};
	struct copy plan;

	for (unsigned i = 0; i < dense.ndim; i++)
		dense.dim[i] = p->box.extent[i];
	shape_strides(&dense, stride);
	/* In elements, of which both sides have their own size. */
	copy_plan(&plan, dense.ndim, 1, p->box.extent, p->stride, stride);
	while (copy_next(&plan, &k))
		for (uint64_t i = 0; i < k.n; i++)
			fn(arg, p->out + (k.dst + i * k.dst_step) * out_size,
			   p->scratch + (k.src + i * k.src_step) * p->in_size,
			   plan.row);
}

void piece_clear(const struct piece *p)
{
	static const unsigned char zero[8];
	struct copy plan;

	copy_plan(&plan, p->box.ndim, p->d->base.item_size, p->box.extent,
		  p->stride, p->stride);
	copy_fill(&plan, p->out, zero, p->d->base.item_size);
}
