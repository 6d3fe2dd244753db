/* SPDX-License-Identifier: MIT */

/*
 * Small tables that lie in arrays, a row for each of many objects: a few KiB of
 * rows at a time, through the cache.
 */

#include <config.h>

#include "array/array_impl.h"
#include "array/derived_impl.h"
#include "util/checked.h"

_Static_assert(COLUMN_BYTES < DIRECT_RUN, "rows are read through the cache");

void column_init(struct column *c, const struct array *a, struct wait *w)
{
	c->a = a;
	c->w = w;
	c->first = c->n = 0;
	if (!a)
		return;
	c->row = a->item_size;
	for (unsigned k = 1; k < a->shape.ndim; k++)
		c->row *= a->shape.dim[k];
}

int column_at(struct column *c, uint64_t i, const unsigned char **out)
{
	if (i < c->first || i - c->first >= c->n) {
		struct region r = {.ndim = c->a->shape.ndim};
		uint64_t stride[NDIM_MAX], all = c->a->shape.dim[0];
		uint64_t n = sizeof(c->buf) / c->row;
		int err;

		/* Not all at once, which would not be cached either. */
		if (n >= all)
			n = div_up(all, 2);
		if (n > all - i)
			n = all - i;
		for (unsigned k = 1; k < r.ndim; k++)
			r.extent[k] = c->a->shape.dim[k];
		r.start[0] = i;
		r.extent[0] = n;
		shape_strides(&c->a->shape, stride);
		c->n = 0;
		err = c->a->ops->read_box(c->a, &r, &r, c->buf, stride, c->w);
		if (err)
			return err;
		c->first = i;
		c->n = n;
	}
	*out = c->buf + (i - c->first) * c->row;
	return 0;
}

bool column_whole(const struct column *c, const unsigned char *row, unsigned k,
		  uint64_t *out)
{
	unsigned size = c->a->item_size;
	uint64_t v = 0;

	memcpy(&v, row + k * size, size);
	if (c->a->kind == 'i' && v >> (8 * size - 1))
		return false;
	*out = v;
	return true;
}
