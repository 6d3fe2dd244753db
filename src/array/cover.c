/* SPDX-License-Identifier: MIT */

/*
 * Which blocks of a chunk lie under a part of it, and the copy from one of
 * them to the reader. Blocks are boxes on a grid, or, where the chunk was
 * compressed as it is, ranges of its elements in C order.
 */

#include <config.h>

#include "array/array_impl.h"

#include "codec/codec.h"

static bool is_boxes(const struct cover *c)
{
	return c->frame->ndim > 0;
}

/* Elements of a block that is a range. */
static uint64_t range_length(const struct cover *c)
{
	return c->frame->block_bytes / c->s->base.item_size;
}

void cover_init(struct cover *c, const struct stored_array *s,
		const struct codec_frame *f, const struct chunk_part *p)
{
	uint64_t low = 0, high = 0;

	*c = (struct cover){.s = s, .frame = f, .part = p, .count = 1};
	if (!is_boxes(c)) {
		for (unsigned k = 0; k < s->chunk.ndim; k++) {
			uint64_t last = p->rel[k] + p->extent[k] - 1;

			low += p->rel[k] * s->chunk_stride[k];
			high += last * s->chunk_stride[k];
		}
		c->first[0] = low / range_length(c);
		c->count = high / range_length(c) - c->first[0] + 1;
		return;
	}
	for (unsigned k = 0; k < f->ndim; k++) {
		uint64_t last = p->rel[k] + p->extent[k] - 1;

		c->first[k] = p->rel[k] / f->block[k];
		c->n[k] = last / f->block[k] - c->first[k] + 1;
		c->count *= c->n[k];
	}
}

/* What the box of a chunk and the part have in common; false: nothing. */
static bool common(const struct chunk_part *p, const struct region *box,
		   struct region *out)
{
	*out = (struct region){.ndim = box->ndim};
	for (unsigned k = 0; k < box->ndim; k++) {
		uint64_t end = box->start[k] + box->extent[k];
		uint64_t stop = p->rel[k] + p->extent[k];
		uint64_t from = box->start[k];

		from = from > p->rel[k] ? from : p->rel[k];
		stop = stop < end ? stop : end;
		if (from >= stop)
			return false;
		out->start[k] = from;
		out->extent[k] = stop - from;
	}
	return true;
}

/* Elements of a range, as boxes of the chunk. */
struct range_walk {
	uint64_t at, left;
};

static struct range_walk range_begin(const struct cover *c, uint32_t block)
{
	uint64_t first = block * range_length(c), n = range_length(c);

	if (block == c->frame->nblock - 1)
		n = c->frame->last_bytes / c->s->base.item_size;
	return (struct range_walk){first, n};
}

/* The next of these that has something of the part. */
static bool range_next(const struct cover *c, struct range_walk *r,
		       struct region *out)
{
	while (r->left > 0) {
		struct region box;
		uint64_t n =
			shape_first_box(&c->s->chunk, r->at, r->left, &box);

		r->at += n;
		r->left -= n;
		if (common(c->part, &box, out))
			return true;
	}
	return false;
}

bool cover_nth(const struct cover *c, uint64_t i, uint32_t *block)
{
	uint64_t number = 0, rest = i, per = c->count;
	struct range_walk r;
	struct region box;

	if (!is_boxes(c)) {
		*block = (uint32_t)(c->first[0] + i);
		r = range_begin(c, *block);
		return range_next(c, &r, &box);
	}
	for (unsigned k = 0; k < c->frame->ndim; k++) {
		per /= c->n[k];
		number = number * c->frame->grid[k] + c->first[k] + rest / per;
		rest %= per;
	}
	*block = (uint32_t)number;
	return true;
}

/* Where the first element of a box of the chunk goes. */
static unsigned char *place(const struct cover *c, const struct region *box,
			    const uint64_t *stride)
{
	uint64_t at = 0;

	for (unsigned k = 0; k < box->ndim; k++)
		at += (box->start[k] - c->part->rel[k]) * stride[k];
	return c->part->dst + at * c->s->base.item_size;
}

/* A box of the chunk, whose elements begin at src. */
static uint64_t copy_box(const struct cover *c, const struct region *box,
			 const uint64_t *stride, const unsigned char *src,
			 const uint64_t *src_stride)
{
	uint64_t bytes = c->s->base.item_size;
	struct copy plan;

	for (unsigned k = 0; k < box->ndim; k++)
		bytes *= box->extent[k];
	copy_plan(&plan, box->ndim, c->s->base.item_size, box->extent, stride,
		  src_stride);
	copy_run(&plan, place(c, box, stride), src);
	return bytes;
}

static uint64_t copy_range(const struct cover *c, uint32_t block,
			   const unsigned char *data, const uint64_t *stride)
{
	const struct stored_array *s = c->s;
	struct range_walk r = range_begin(c, block);
	uint64_t first = r.at, bytes = 0;
	struct region box;

	while (range_next(c, &r, &box)) {
		uint64_t at = 0;

		for (unsigned k = 0; k < box.ndim; k++)
			at += box.start[k] * s->chunk_stride[k];
		bytes += copy_box(c, &box, stride,
				  data + (at - first) * s->base.item_size,
				  s->chunk_stride);
	}
	return bytes;
}

uint64_t cover_copy(const struct cover *c, uint32_t block, const void *data,
		    const uint64_t *stride)
{
	const struct codec_frame *f = c->frame;
	struct shape shape = {.ndim = f->ndim};
	uint64_t src_stride[NDIM_MAX], rest = block, skip = 0;
	struct region box = {.ndim = f->ndim}, part;

	if (!is_boxes(c))
		return copy_range(c, block, data, stride);
	for (unsigned k = f->ndim; k-- > 0;) {
		shape.dim[k] = box.extent[k] = f->block[k];
		box.start[k] = rest % f->grid[k] * f->block[k];
		rest /= f->grid[k];
	}
	if (!common(c->part, &box, &part))
		return 0;
	shape_strides(&shape, src_stride);
	for (unsigned k = 0; k < f->ndim; k++)
		skip += (part.start[k] - box.start[k]) * src_stride[k];
	return copy_box(c, &part, stride,
			(const unsigned char *)data +
				skip * c->s->base.item_size,
			src_stride);
}
