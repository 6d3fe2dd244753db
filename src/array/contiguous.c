/* SPDX-License-Identifier: MIT */

/*
 * A box of an array that is stored in one piece. Long runs are read straight
 * into the reply; the rest goes through units in the cache, of 1 MiB or what
 * a small cache has room for.
 */

#include <config.h>

#include "array/array_impl.h"

#include <string.h>

#include "cache/cache.h"

/* A unit is pinned until the next one is needed: rows come in rising order. */
struct window {
	const struct stored_array *s;
	struct wait *w;
	struct cache_entry *e; /* NULL: none */
	uint64_t unit;
	size_t served;
};

static void window_close(struct window *k)
{
	if (k->e)
		cache_put(k->s->env->cache, k->e,
			  served_bytes(k->s, k->served));
	k->e = NULL;
	k->served = 0;
}

/* Bytes at off of the array; *end is where the unit that holds them ends. */
static int window_at(struct window *k, uint64_t off, const unsigned char **out,
		     uint64_t *end)
{
	const struct stored_array *s = k->s;
	uint64_t unit = off / s->chunk_bytes;
	uint64_t first = unit * s->chunk_bytes;
	uint64_t n = s->bytes - first < s->chunk_bytes ? s->bytes - first
						       : s->chunk_bytes;

	if (!k->e || k->unit != unit) {
		struct unit_job j = {
			.s = s,
			.unit = unit,
			.at = {.off = s->info.data_addr + first, .n = n},
			.raw = true,
			.bytes = n,
		};
		int err;

		window_close(k);
		err = unit_get(&j, k->w, &k->e);
		if (err)
			return err;
		k->unit = unit;
	}
	*out = (const unsigned char *)cache_data(k->e, NULL) + (off - first);
	*end = first + n;
	return 0;
}

/* A row that does not lie in one unit. */
static int read_split_row(struct window *k, unsigned char *dst, uint64_t src,
			  uint64_t row)
{
	while (row > 0) {
		const unsigned char *p;
		uint64_t end, part;
		int err = window_at(k, src, &p, &end);

		if (err)
			return err;
		part = end - src < row ? end - src : row;
		memcpy(dst, p, part);
		k->served += part;
		dst += part;
		src += part;
		row -= part;
	}
	return 0;
}

/* The rows of a group, the first at src of the array, to dst. */
static int read_rows(struct window *k, unsigned char *dst, uint64_t src,
		     const struct copy_walk *g, uint64_t row)
{
	for (uint64_t left = g->n; left > 0;) {
		const unsigned char *p;
		uint64_t end, n = 1;
		int err = window_at(k, src, &p, &end);

		if (err)
			return err;
		if (row <= end - src) {
			/* As many as lie in this unit. */
			if (left > 1)
				n += (end - src - row) / g->src_step;
			n = n < left ? n : left;
			copy_rows(dst, g->dst_step, p, g->src_step, n, row);
			k->served += n * row;
		} else {
			err = read_split_row(k, dst, src, row);
			if (err)
				return err;
		}
		left -= n;
		dst += n * g->dst_step;
		src += n * g->src_step;
	}
	return 0;
}

int contiguous_read_box(const struct array *a, const struct region *item,
			const struct region *box, void *out,
			const uint64_t stride[NDIM_MAX], struct wait *w)
{
	const struct stored_array *s = (const struct stored_array *)a;
	struct window k = {.s = s, .w = w};
	struct copy_walk row = {0};
	uint64_t src_stride[NDIM_MAX], base = 0, run;
	struct copy plan;
	int err = 0;

	shape_strides(&a->shape, src_stride);
	for (unsigned i = 0; i < box->ndim; i++)
		base += box->start[i] * src_stride[i] * a->item_size;
	copy_plan(&plan, box->ndim, a->item_size, box->extent, stride,
		  src_stride);
	run = copy_one_run(item->ndim, a->item_size, item->extent, src_stride);
	if (!s->swap &&
	    (plan.row >= DIRECT_ROW || run >= DIRECT_RUN || run == s->bytes))
		return direct_copy(s, 0, s->info.data_addr + base, &plan, out,
				   w);
	while (!err && copy_next(&plan, &row))
		err = read_rows(&k, (unsigned char *)out + row.dst,
				base + row.src, &row, plan.row);
	window_close(&k);
	return err;
}

uint64_t contiguous_decode_bytes(const struct array *a,
				 const struct region *box)
{
	const struct stored_array *s = (const struct stored_array *)a;
	uint64_t stride[NDIM_MAX], first = 0, last = 0, n = a->item_size;

	shape_strides(&a->shape, stride);
	for (unsigned k = 0; k < box->ndim; k++) {
		if (box->extent[k] == 0)
			return 0;
		first += box->start[k] * stride[k];
		last += (box->start[k] + box->extent[k] - 1) * stride[k];
		n *= box->extent[k];
	}
	if (copy_one_run(box->ndim, a->item_size, box->extent, stride))
		return n;
	first = first * a->item_size / s->chunk_bytes * s->chunk_bytes;
	last = (last * a->item_size / s->chunk_bytes + 1) * s->chunk_bytes;
	if (last > s->bytes)
		last = s->bytes;
	return last - first;
}
