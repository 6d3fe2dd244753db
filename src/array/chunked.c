/* SPDX-License-Identifier: MIT */

/*
 * A box of a chunked array: for each chunk under it, in the order of their
 * slots, find its values in the cache, or have them loaded, or fill, or read
 * them straight into the reply, and copy what lies under the box.
 */

#include <config.h>

#include "array/array_impl.h"

#include <string.h>

#include "cache/cache.h"
#include "util/checked.h"

/* Chunks looked at for what can be loaded ahead. */
#define LOOK_AHEAD 32

static uint64_t dot(unsigned n, const uint64_t *a, const uint64_t *b)
{
	uint64_t sum = 0;

	for (unsigned k = 0; k < n; k++)
		sum += a[k] * b[k];
	return sum;
}

/* What of the chunk at that place of the grid lies under the box. */
static void place(const struct chunk_walk *k, const uint64_t *at,
		  struct chunk_part *p)
{
	const struct shape *chunk = &k->s->chunk;
	const struct region *box = k->box;

	*p = (struct chunk_part){.dst = k->out};
	for (unsigned i = 0; i < box->ndim; i++) {
		uint64_t first = at[i] * chunk->dim[i], from, left;

		from = box->start[i] > first ? box->start[i] : first;
		left = box->start[i] + box->extent[i] - from;
		p->at[i] = at[i];
		p->rel[i] = from - first;
		p->extent[i] = chunk->dim[i] - p->rel[i];
		if (p->extent[i] > left)
			p->extent[i] = left;
		p->dst += (from - box->start[i]) * k->stride[i] *
			  k->s->base.item_size;
	}
	p->slot = dot(box->ndim, at, k->s->grid_stride);
}

bool chunk_next(const struct chunk_walk *k, struct chunk_part *p)
{
	uint64_t at[NDIM_MAX];

	memcpy(at, p->at, sizeof(at));
	for (unsigned i = k->box->ndim; i-- > 0;) {
		uint64_t first = k->box->start[i] / k->s->chunk.dim[i];

		if (at[i] - first + 1 < chunks_along(&k->s->chunk, k->box, i)) {
			at[i]++;
			place(k, at, p);
			return true;
		}
		at[i] = first;
	}
	return false;
}

/* Does the chunk reach beyond the array? Such may be stored unfiltered. */
static bool is_partial(const struct stored_array *s, const uint64_t *at)
{
	for (unsigned k = 0; k < s->chunk.ndim; k++) {
		uint64_t room = s->base.shape.dim[k] - at[k] * s->chunk.dim[k];

		if (room < s->chunk.dim[k])
			return true;
	}
	return false;
}

int chunk_locate(struct chunk_walk *k, struct chunk_part *p)
{
	const struct stored_array *s = k->s;
	struct cache *c = s->env->cache;
	uint64_t page = p->slot / INDEX_PAGE;
	struct unit_job *j = &p->job;
	uint32_t applied;
	int err;

	if (p->located)
		return 0;
	if (k->index && k->page != page) {
		cache_put(c, k->index, 0);
		k->index = NULL;
	}
	if (!k->index) {
		err = index_get(s, page, k->w, &k->index);
		if (err)
			return err;
		k->page = page;
	}
	*j = (struct unit_job){
		.s = s,
		.unit = p->slot,
		.bytes = s->chunk_bytes,
	};
	err = chunk_index_locate(cache_data(k->index, NULL), p->slot, &j->at);
	if (err)
		return unit_tell(s, p->slot, err, &j->at);
	applied =
		s->chain.n >= 32 ? UINT32_MAX : ((uint32_t)1 << s->chain.n) - 1;
	j->raw = (applied & ~j->at.skip) == 0 ||
		 (s->info.edge_unfiltered && is_partial(s, p->at));
	p->hole = j->at.n == 0;
	p->located = true;
	return 0;
}

/* The piece that has the start of the part. */
static uint64_t piece_of(const struct chunk_walk *k, const struct chunk_part *p)
{
	return p->rel[k->band.axis] / k->band.width;
}

void chunk_offer_next(struct chunk_walk *k, const struct chunk_part *now,
		      struct offer_set *set)
{
	const struct stored_array *s = k->s;
	struct chunk_part p = *now;
	bool more = true;

	for (unsigned i = 0; more && i < LOOK_AHEAD && chunk_next(k, &p); i++) {
		struct cache_key key;
		uint64_t n;

		if (p.slot / INDEX_PAGE != k->page)
			break;
		unit_key(s, p.slot, 0, &key);
		if (!cache_wants(s->env->cache, &key))
			continue;
		if (chunk_locate(k, &p) || p.hole || (p.job.raw && !s->swap))
			continue;
		if (k->band.bits) {
			p.job.band = &k->band;
			p.job.piece = piece_of(k, &p);
			unit_key(s, p.slot, band_number(&k->band, p.job.piece),
				 &key);
			if (!cache_wants(s->env->cache, &key))
				continue;
		}
		if (frame_ops(&p.job)) {
			n = blocked_missing(s, &p);
			more = n == 0 ||
			       offer_part(set, &p, 0, UINT64_MAX, n, k->w);
		} else {
			more = offer_unit(set, &p.job, k->w);
		}
	}
}

/* A unit is missing: those that will be missing next may be loaded ahead. */
static void offer(struct chunk_walk *k, const struct chunk_part *p)
{
	struct offer_set *set;

	if (!k->w || !k->w->offer || k->offered)
		return;
	k->offered = true;
	set = offer_begin(k->s, &k->band);
	if (!set)
		return;
	chunk_offer_next(k, p, set);
	offer_end(set);
}

/* From a whole chunk, or from the piece of one that has the part. */
static void copy_out(const struct chunk_walk *k, const struct chunk_part *p,
		     struct cache_entry *e, bool is_piece)
{
	const struct stored_array *s = k->s;
	unsigned n = s->chunk.ndim, isz = s->base.item_size, a = k->band.axis;
	const unsigned char *from = cache_data(e, NULL);
	struct shape shape = s->chunk;
	uint64_t stride[NDIM_MAX], served = isz, skip;
	struct copy plan;

	shape_strides(&shape, stride);
	skip = dot(n, p->rel, stride);
	if (is_piece) {
		uint64_t first = piece_of(k, p) * k->band.width;

		shape.dim[a] -= first;
		if (shape.dim[a] > k->band.width)
			shape.dim[a] = k->band.width;
		shape_strides(&shape, stride);
		skip = dot(n, p->rel, stride) - first * stride[a];
	}
	copy_plan(&plan, n, isz, p->extent, k->stride, stride);
	copy_run(&plan, p->dst, from + skip * isz);
	for (unsigned i = 0; i < n; i++)
		served *= p->extent[i];
	cache_put(s->env->cache, e, served_bytes(s, served));
}

/* The piece that the part needs, or the whole chunk, pinned; or NULL. */
static struct cache_entry *peek(const struct chunk_walk *k,
				const struct chunk_part *p, bool *is_piece)
{
	struct cache *c = k->s->env->cache;
	struct cache_entry *e = NULL;
	struct cache_key key;

	if (k->band.bits) {
		unit_key(k->s, p->slot, band_number(&k->band, piece_of(k, p)),
			 &key);
		e = cache_peek(c, &key);
	}
	*is_piece = e != NULL;
	if (e)
		return e;
	unit_key(k->s, p->slot, 0, &key);
	return cache_peek(c, &key);
}

/* What lies under the box of a chunk, or of a piece of it. */
static int read_part(struct chunk_walk *k, struct chunk_part *p)
{
	const struct stored_array *s = k->s;
	unsigned isz = s->base.item_size;
	bool is_piece, is_read;
	struct cache_entry *e = peek(k, p, &is_piece);
	struct copy plan;
	int err;

	if (e) {
		copy_out(k, p, e, is_piece);
		return 0;
	}
	err = chunk_locate(k, p);
	if (err)
		return err;
	copy_plan(&plan, s->chunk.ndim, isz, p->extent, k->stride,
		  s->chunk_stride);
	if (p->hole) {
		copy_fill(&plan, p->dst, s->fill, isz);
		return 0;
	}
	err = chunk_read_direct(
		k, p, &plan, dot(s->chunk.ndim, p->rel, s->chunk_stride) * isz,
		&is_read);
	if (err || is_read)
		return err;
	offer(k, p);
	if (k->band.bits) {
		p->job.band = &k->band;
		p->job.piece = piece_of(k, p);
	}
	err = unit_get(&p->job, k->w, &e);
	if (err)
		return err;
	copy_out(k, p, e, k->band.bits > 0);
	return 0;
}

static int read_chunk(struct chunk_walk *k, struct chunk_part *p)
{
	unsigned a = k->band.axis;
	uint64_t end = p->rel[a] + p->extent[a];
	bool is_read;
	int err;

	if (k->s->base.in_blocks) {
		err = blocked_read(k, p, &is_read);
		if (err || is_read)
			return err;
	}
	if (k->band.bits == 0)
		return read_part(k, p);
	do {
		uint64_t stop = (piece_of(k, p) + 1) * k->band.width;

		p->extent[a] = (stop < end ? stop : end) - p->rel[a];
		err = read_part(k, p);
		p->rel[a] += p->extent[a];
		p->dst += p->extent[a] * k->stride[a] * k->s->base.item_size;
	} while (!err && p->rel[a] < end);
	return err;
}

int chunked_read_box(const struct array *a, const struct region *item,
		     const struct region *box, void *out,
		     const uint64_t stride[NDIM_MAX], struct wait *w)
{
	const struct stored_array *s = (const struct stored_array *)a;
	struct chunk_walk k = {
		.s = s,
		.item = item,
		.box = box,
		.w = w,
		.out = out,
		.stride = stride,
	};
	uint64_t at[NDIM_MAX];
	struct chunk_part p;
	int err;

	band_choose(s, item, &k.band);
	for (unsigned i = 0; i < box->ndim; i++)
		at[i] = box->start[i] / s->chunk.dim[i];
	place(&k, at, &p);
	do {
		err = read_chunk(&k, &p);
	} while (!err && chunk_next(&k, &p));
	if (k.index)
		cache_put(s->env->cache, k.index, 0);
	return err;
}

uint64_t chunked_decode_bytes(const struct array *a, const struct region *box)
{
	const struct stored_array *s = (const struct stored_array *)a;
	uint64_t n = s->chunk_bytes;

	for (unsigned k = 0; k < box->ndim; k++) {
		if (box->extent[k] == 0)
			return 0;
		if (!checked_mul(n, chunks_along(&s->chunk, box, k), &n))
			return UINT64_MAX;
	}
	return n;
}
