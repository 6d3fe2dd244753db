/* SPDX-License-Identifier: MIT */

/*
 * Bytes of a view. A range of bytes is whole elements, perhaps with a part of
 * one before and after; a run of elements is a few boxes of the item; a box of
 * the item is a region of the array, perhaps with an overhang to be padded.
 */

#include <config.h>

#include "array/array.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "array/array_impl.h"
#include "util/checked.h"

/* The item with its dropped axes, which have one element. */
static struct shape item_shape(const struct view *v)
{
	struct shape s = {.ndim = v->array->shape.ndim};

	for (unsigned k = 0; k < s.ndim; k++)
		s.dim[k] = v->extent[k];
	return s;
}

int view_bytes(const struct view *v, uint64_t *out)
{
	struct shape s = item_shape(v);
	uint64_t n;

	if (shape_count(&s, &n) < 0 ||
	    !checked_mul(n, v->array->item_size, &n) || n > INT64_MAX)
		return -EOVERFLOW;
	*out = n;
	return 0;
}

/*
 * Of a region given by start and extent what lies inside the array, and where
 * that begins in the region. False: nothing does.
 */
static bool clip(const struct shape *s, const int64_t *start,
		 const uint64_t *extent, struct region *in, uint64_t *skipped)
{
	in->ndim = s->ndim;
	for (unsigned k = 0; k < s->ndim; k++) {
		uint64_t before = start[k] < 0 ? -(uint64_t)start[k] : 0;
		uint64_t from = start[k] < 0 ? 0 : (uint64_t)start[k];

		if (before >= extent[k] || from >= s->dim[k])
			return false;
		in->start[k] = from;
		in->extent[k] = extent[k] - before;
		if (in->extent[k] > s->dim[k] - from)
			in->extent[k] = s->dim[k] - from;
		skipped[k] = before;
	}
	return true;
}

/* A box of the item, whose values are dense at out. */
static int read_item_box(const struct view *v, const struct region *item,
			 const struct region *box, unsigned char *out,
			 struct wait *w)
{
	const struct array *a = v->array;
	unsigned n = a->shape.ndim;
	struct shape dense = {.ndim = n};
	uint64_t stride[NDIM_MAX], skipped[NDIM_MAX] = {0};
	int64_t start[NDIM_MAX] = {0};
	struct region in;
	bool any, whole = true;

	for (unsigned k = 0; k < n; k++) {
		dense.dim[k] = box->extent[k];
		if (!checked_add_signed(v->start[k], (int64_t)box->start[k],
					&start[k]))
			return -EOVERFLOW;
	}
	shape_strides(&dense, stride);
	any = clip(&a->shape, start, box->extent, &in, skipped);
	for (unsigned k = 0; any && k < n; k++)
		whole = whole && in.extent[k] == box->extent[k];
	if (!any || !whole) {
		struct copy plan;

		if (!v->pad)
			return -EINVAL;
		copy_plan(&plan, n, a->item_size, box->extent, stride, stride);
		copy_fill(&plan, out, v->pad, a->item_size);
	}
	if (!any)
		return 0;
	for (unsigned k = 0; k < n; k++)
		out += skipped[k] * stride[k] * a->item_size;
	return a->ops->read_box(a, item, &in, out, stride, w);
}

/* Whole elements. */
static int read_run(const struct view *v, const struct shape *shape,
		    const struct region *item, uint64_t first, uint64_t count,
		    unsigned char *out, struct wait *w)
{
	while (count > 0) {
		struct region box;
		uint64_t n = shape_first_box(shape, first, count, &box);
		int err = read_item_box(v, item, &box, out, w);

		if (err)
			return err;
		first += n;
		count -= n;
		out += n * v->array->item_size;
	}
	return 0;
}

int array_read(const struct view *v, uint64_t off, size_t n, void *out,
	       struct wait *w)
{
	struct shape shape = item_shape(v);
	unsigned isz = v->array->item_size;
	uint64_t skipped[NDIM_MAX], total, count;
	unsigned char one[8], *to = out;
	struct region item;
	int err;

	assert(isz <= sizeof(one));
	err = view_bytes(v, &total);
	if (err)
		return err;
	if (off > total || n > total - off)
		return -EINVAL;
	if (n == 0)
		return 0;
	if (!clip(&v->array->shape, v->start, v->extent, &item, skipped))
		item = (struct region){.ndim = shape.ndim};
	if (off % isz || n < isz) {
		size_t part = isz - off % isz;

		part = part < n ? part : n;
		err = read_run(v, &shape, &item, off / isz, 1, one, w);
		if (err)
			return err;
		memcpy(to, one + off % isz, part);
		off += part;
		to += part;
		n -= part;
	}
	count = n / isz;
	err = read_run(v, &shape, &item, off / isz, count, to, w);
	if (err)
		return err;
	off += count * isz;
	to += count * isz;
	n -= count * isz;
	if (n > 0) {
		err = read_run(v, &shape, &item, off / isz, 1, one, w);
		if (err)
			return err;
		memcpy(to, one, n);
	}
	return 0;
}
