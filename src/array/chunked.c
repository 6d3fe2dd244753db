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
#include "codec/codec.h"
#include "util/checked.h"

/* Chunks looked at for what can be loaded ahead. */
#define LOOK_AHEAD 32

/* A box being read. */
struct walk {
	const struct stored_array *s;
	const struct region *item, *box;
	struct wait *w;
	struct band band;
	struct cache_entry *index; /* pinned page, or NULL */
	uint64_t page;
	unsigned char *out;
	const uint64_t *stride; /* of out */
	bool offered;
};

/* A chunk of it, and what of it lies under the box. */
struct part {
	uint64_t slot;
	uint64_t at[NDIM_MAX];	/* of the chunk in the grid */
	uint64_t rel[NDIM_MAX]; /* start within the chunk */
	uint64_t extent[NDIM_MAX];
	unsigned char *dst;
	bool located, hole;
	struct unit_job job; /* if located and no hole */
};

static uint64_t dot(unsigned n, const uint64_t *a, const uint64_t *b)
{
	uint64_t sum = 0;

	for (unsigned k = 0; k < n; k++)
		sum += a[k] * b[k];
	return sum;
}

/* What of the chunk at that place of the grid lies under the box. */
static void place(const struct walk *k, const uint64_t *at, struct part *p)
{
	const struct shape *chunk = &k->s->chunk;
	const struct region *box = k->box;

	*p = (struct part){.dst = k->out};
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

/* To the next chunk under the box, row-major. False: that was the last. */
static bool step(const struct walk *k, uint64_t *at)
{
	for (unsigned i = k->box->ndim; i-- > 0;) {
		uint64_t first = k->box->start[i] / k->s->chunk.dim[i];

		if (at[i] - first + 1 < chunks_along(&k->s->chunk, k->box, i)) {
			at[i]++;
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

static int locate(struct walk *k, struct part *p)
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

/* Rows worth a pread each: long ones, or the one row of a long run. */
static bool is_long(const struct walk *k, const struct part *p,
		    const struct copy *plan)
{
	const struct stored_array *s = k->s;
	uint64_t extent[NDIM_MAX], run;

	if (plan->row >= DIRECT_ROW)
		return true;
	for (unsigned i = 0; i < s->chunk.ndim; i++) {
		uint64_t c = s->chunk.dim[i];
		uint64_t first = p->at[i] * c;
		uint64_t from = k->item->start[i];
		uint64_t end = from + k->item->extent[i];

		from = from < first ? 0 : from - first;
		extent[i] = end - first < c ? end - first - from : c - from;
	}
	run = copy_one_run(s->chunk.ndim, s->base.item_size, extent,
			   s->chunk_stride);
	return plan->ndim == 0 && (run >= DIRECT_RUN || run == p->job.bytes);
}

/*
 * Where the values of a chunk lie as they are served: all of it if it is
 * unfiltered, a part if its filter gained nothing. 1: they do not.
 */
static int find_values(struct walk *k, const struct part *p, uint64_t *off)
{
	const struct stored_array *s = k->s;
	const struct unit_job *j = &p->job;
	unsigned char head[CODEC_HEAD];
	size_t at;
	int err;

	*off = j->at.off;
	if (j->raw)
		return j->at.n == j->bytes ? 0 : 1;
	err = direct_read(s, p->slot, j->at.off, sizeof(head), head, k->w);
	if (err)
		return err;
	if (!codec_is_plain(&s->chain, j->at.skip, head, (size_t)j->at.n,
			    (size_t)j->bytes, &at))
		return 1;
	*off += at;
	return 0;
}

/*
 * Read rows of a chunk that is stored as it is served past the cache, if they
 * are long. 1: they are not.
 */
static int read_direct(struct walk *k, struct part *p, const struct copy *plan,
		       uint64_t src)
{
	const struct stored_array *s = k->s;
	const struct unit_job *j = &p->job;
	struct copy_walk row = {0};
	uint64_t off;
	int err;

	if (s->swap ||
	    (!j->raw &&
	     !codec_may_be_plain(&s->chain, j->at.skip, (size_t)j->at.n,
				 (size_t)j->bytes)) ||
	    !is_long(k, p, plan))
		return 1;
	err = find_values(k, p, &off);
	if (err)
		return err;
	while (copy_next(plan, &row)) {
		uint64_t from = off + src + row.src;
		unsigned char *to = p->dst + row.dst;

		for (uint64_t i = 0; i < row.n; i++) {
			err = direct_read(s, p->slot, from, plan->row, to,
					  k->w);
			if (err)
				return err;
			from += row.src_step;
			to += row.dst_step;
		}
	}
	return 0;
}

/* A unit is missing: those that will be missing next may be loaded ahead. */
static void offer_next(struct walk *k, const struct part *now)
{
	const struct stored_array *s = k->s;
	struct offer_set *set = NULL;
	uint64_t at[NDIM_MAX];
	bool more = true;
	struct part p;

	memcpy(at, now->at, sizeof(at));
	for (unsigned i = 0; more && i < LOOK_AHEAD && step(k, at); i++) {
		struct cache_key key;

		place(k, at, &p);
		if (p.slot / INDEX_PAGE != k->page)
			break;
		unit_key(s, p.slot, 0, &key);
		if (!cache_wants(s->env->cache, &key))
			continue;
		if (locate(k, &p) || p.hole || (p.job.raw && !s->swap))
			continue;
		if (k->band.bits) {
			p.job.band = &k->band;
			p.job.piece = p.rel[k->band.axis] / k->band.width;
			unit_key(s, p.slot, band_number(&k->band, p.job.piece),
				 &key);
			if (!cache_wants(s->env->cache, &key))
				continue;
		}
		if (!set)
			set = offer_begin(s, &k->band);
		more = set && offer_unit(set, &p.job, k->w);
	}
	if (set)
		offer_end(set);
}

/* From a whole chunk, or from the piece of one that has the part. */
static void copy_out(const struct walk *k, const struct part *p,
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
		uint64_t first = p->rel[a] / k->band.width * k->band.width;

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

/* What lies under the box of a chunk, or of a piece of it. */
static int read_part(struct walk *k, struct part *p)
{
	const struct stored_array *s = k->s;
	unsigned isz = s->base.item_size;
	bool banded = k->band.bits > 0;
	uint64_t piece = 0;
	struct cache_entry *e = NULL;
	struct cache_key key;
	struct copy plan;
	int err;

	if (banded) {
		piece = p->rel[k->band.axis] / k->band.width;
		unit_key(s, p->slot, band_number(&k->band, piece), &key);
		e = cache_peek(s->env->cache, &key);
		if (e) {
			copy_out(k, p, e, true);
			return 0;
		}
	}
	unit_key(s, p->slot, 0, &key);
	e = cache_peek(s->env->cache, &key);
	if (e) {
		copy_out(k, p, e, false);
		return 0;
	}
	err = locate(k, p);
	if (err)
		return err;
	copy_plan(&plan, s->chunk.ndim, isz, p->extent, k->stride,
		  s->chunk_stride);
	if (p->hole) {
		copy_fill(&plan, p->dst, s->fill, isz);
		return 0;
	}
	err = read_direct(k, p, &plan,
			  dot(s->chunk.ndim, p->rel, s->chunk_stride) * isz);
	if (err <= 0)
		return err;
	if (k->w && k->w->offer && !k->offered) {
		k->offered = true;
		offer_next(k, p);
	}
	p->job.band = banded ? &k->band : NULL;
	p->job.piece = piece;
	err = unit_get(&p->job, k->w, &e);
	if (err)
		return err;
	copy_out(k, p, e, banded);
	return 0;
}

static int read_chunk(struct walk *k, struct part *p)
{
	unsigned a = k->band.axis;
	uint64_t end = p->rel[a] + p->extent[a];
	int err;

	if (k->band.bits == 0)
		return read_part(k, p);
	do {
		uint64_t piece = p->rel[a] / k->band.width;
		uint64_t stop = (piece + 1) * k->band.width;

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
	struct walk k = {
		.s = s,
		.item = item,
		.box = box,
		.w = w,
		.out = out,
		.stride = stride,
	};
	uint64_t at[NDIM_MAX];
	struct part p;
	int err;

	band_choose(s, item, &k.band);
	for (unsigned i = 0; i < box->ndim; i++)
		at[i] = box->start[i] / s->chunk.dim[i];
	do {
		place(&k, at, &p);
		err = read_chunk(&k, &p);
	} while (!err && step(&k, at));
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
