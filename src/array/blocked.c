/* SPDX-License-Identifier: MIT */

/*
 * What a box needs of a chunk that is cut into blocks. The blocks under it are
 * gone through in windows: of each, what the cache has is copied, and what is
 * missing is loaded in a few reads. A reader goes through them from the first
 * to the last; idle workers, to whom it offers those after its own, come from
 * the other end, so that they meet once.
 */

#include <config.h>

#include "array/array_impl.h"

#include <errno.h>
#include <string.h>

#include "cache/cache.h"
#include "codec/codec.h"
#include "util/checked.h"
#include "util/cleanup.h"
#include "util/swap.h"

/* What one thread decodes in one go, in bytes of values. */
#define WINDOW_BYTES ((uint64_t)512 << 10)
#define OFFERS_MAX 32

struct reader {
	const struct stored_array *s;
	const struct chunk_part *part;
	const struct codec_frame *frame; /* pinned */
	struct cover cover;
	uint64_t window, nwindow; /* blocks in one; how many, or none */
	const uint64_t *stride;	  /* of the reply; NULL: only load */
	struct wait *w;
};

static void reader_init(struct reader *r, const struct stored_array *s,
			const struct chunk_part *p, struct cache_entry *frame,
			const uint64_t *stride, struct wait *w)
{
	*r = (struct reader){
		.s = s,
		.part = p,
		.frame = cache_data(frame, NULL),
		.stride = stride,
		.w = w,
	};
	if (r->frame->is_constant)
		return;
	cover_init(&r->cover, s, r->frame, p);
	r->window = WINDOW_BYTES / r->frame->block_bytes;
	if (r->window < 1)
		r->window = 1;
	if (r->window > CACHE_RUN_MAX)
		r->window = CACHE_RUN_MAX;
	r->nwindow = div_up(r->cover.count, r->window);
}

/* Copy what lies under the box. Bytes that count as served. */
static size_t copy_out(const struct reader *r, uint32_t block,
		       const struct cache_entry *e)
{
	if (!r->stride)
		return 0;
	return served_bytes(r->s, cover_copy(&r->cover, block,
					     cache_data(e, NULL), r->stride));
}

/* The blocks of a window and their keys. */
static unsigned list(const struct reader *r, uint64_t window, uint32_t *block,
		     struct cache_key *key)
{
	uint64_t end = (window + 1) * r->window;
	unsigned n = 0;

	if (end > r->cover.count)
		end = r->cover.count;
	for (uint64_t i = window * r->window; i < end; i++) {
		if (!cover_nth(&r->cover, i, &block[n]))
			continue;
		block_key(r->s, r->part->slot, block[n], &key[n]);
		n++;
	}
	return n;
}

/* Those of a window that are missing; what is there is copied. */
static unsigned look(const struct reader *r, uint64_t window, uint32_t *missing)
{
	struct cache *c = r->s->env->cache;
	struct cache_entry *e[CACHE_RUN_MAX];
	struct cache_key key[CACHE_RUN_MAX];
	size_t served[CACHE_RUN_MAX];
	uint32_t block[CACHE_RUN_MAX];
	unsigned n = list(r, window, block, key), left = 0;

	if (n == 0)
		return 0;
	if (!r->stride) {
		for (unsigned i = 0; i < n; i++)
			if (cache_wants(c, &key[i]))
				missing[left++] = block[i];
		return left;
	}
	cache_peek_run(c, key, n, e);
	for (unsigned i = 0; i < n; i++) {
		if (e[i])
			served[i] = copy_out(r, block[i], e[i]);
		else
			missing[left++] = block[i];
	}
	if (left < n)
		cache_put_run(c, e, n, served);
	return left;
}

/* Load what is missing of a window, and copy it. */
static int load(const struct reader *r, uint32_t *missing, unsigned n)
{
	const struct unit_job *j = &r->part->job;
	struct cache *c = r->s->env->cache;
	struct cache_entry *e[CACHE_RUN_MAX];
	size_t served[CACHE_RUN_MAX];

	block_sort(j, r->frame, missing, n);
	while (n > 0) {
		unsigned near = block_near(j, r->frame, missing, n), left = 0;
		int err = block_get(j, r->frame, missing, near, r->w, e);

		if (err)
			return err;
		for (unsigned i = 0; i < n; i++) {
			if (i < near && e[i])
				served[i] = copy_out(r, missing[i], e[i]);
			else
				missing[left++] = missing[i];
		}
		cache_put_run(c, e, near, served);
		n = left;
	}
	return 0;
}

/* -------------------------------------------------------------- offers */

int blocked_load(const struct stored_array *s, const struct chunk_part *p,
		 uint64_t first, uint64_t n, struct wait *w)
{
	/* After -EAGAIN all else may be gone. */
	struct cache *c = s->env->cache;
	uint32_t missing[CACHE_RUN_MAX];
	struct cache_entry *frame, *e;
	struct reader r;
	enum verdict verdict = verdict_known(s);
	int err = frame_get(&p->job, verdict == VERDICT_PLAIN, w, &frame);

	if (err)
		return err;
	if (verdict == VERDICT_NONE && frame_is_ambiguous(frame)) {
		/* That takes the catalog, which may be gone. */
		cache_put(c, frame, 0);
		return 0;
	}
	if (frame_is_whole(frame)) {
		cache_put(c, frame, 0);
		err = unit_get(&p->job, w, &e);
		if (!err)
			cache_put(c, e, 0);
		return err;
	}
	reader_init(&r, s, p, frame, NULL, w);
	if (r.nwindow == 0)
		n = 0;
	else if (n > r.nwindow - first)
		n = r.nwindow - first;
	while (!err && n > 0) {
		n--;
		err = load(&r, missing, look(&r, first + n, missing));
	}
	cache_put(c, frame, 0);
	return err;
}

/* What comes after this window of its chunk, the last one first. */
static bool offer_rest(const struct reader *r, uint64_t window,
		       struct offer_set *set)
{
	uint32_t missing[CACHE_RUN_MAX];
	struct reader looking = *r;
	uint64_t last = r->nwindow - 1;
	bool more = true;

	looking.stride = NULL;
	if (last - window > OFFERS_MAX)
		last = window + OFFERS_MAX;
	for (; more && last > window; last--) {
		unsigned n = look(&looking, last, missing);

		if (n > 0)
			more = offer_part(set, r->part, last, 1,
					  n * (uint64_t)r->frame->block_bytes,
					  r->w);
	}
	return more;
}

uint64_t blocked_missing(const struct stored_array *s,
			 const struct chunk_part *p)
{
	struct cache *c = s->env->cache;
	uint32_t missing[CACHE_RUN_MAX];
	uint64_t n = s->base.item_size;
	struct cache_entry *frame;
	struct cache_key key;
	struct reader r;

	frame_key(s, p->slot, verdict_known(s) == VERDICT_PLAIN, &key);
	frame = cache_peek(c, &key);
	if (!frame || frame_is_whole(frame)) {
		for (unsigned k = 0; k < s->chunk.ndim; k++)
			n *= p->extent[k];
		if (frame)
			cache_put(c, frame, 0);
		return n;
	}
	reader_init(&r, s, p, frame, NULL, NULL);
	n = 0;
	for (uint64_t i = 0; i < r.nwindow && i < OFFERS_MAX; i++)
		n += look(&r, i, missing);
	n *= r.frame->block_bytes;
	cache_put(c, frame, 0);
	return n;
}

/* A block is missing: what will be missing next may be loaded ahead. */
static void offer(struct chunk_walk *k, const struct reader *r, uint64_t window)
{
	struct offer_set *set;

	if (!k->w || !k->w->offer || k->offered)
		return;
	k->offered = true;
	set = offer_begin(k->s, &k->band);
	if (!set)
		return;
	if (offer_rest(r, window, set))
		chunk_offer_next(k, r->part, set);
	offer_end(set);
}

/* -------------------------------------------------------------- readers */

/* All of the chunk is one item. */
static void fill(const struct chunk_walk *k, const struct chunk_part *p,
		 const struct codec_frame *f)
{
	unsigned isz = k->s->base.item_size;
	uint8_t item[sizeof(f->value)];
	struct copy plan;

	memcpy(item, f->value, isz);
	if (k->s->swap)
		swap_items(item, 1, isz);
	copy_plan(&plan, k->s->chunk.ndim, isz, p->extent, k->stride,
		  k->stride);
	copy_fill(&plan, p->dst, item, isz);
}

static int read_blocks(struct chunk_walk *k, struct chunk_part *p,
		       struct cache_entry *frame)
{
	uint32_t missing[CACHE_RUN_MAX];
	struct reader r;
	int err = 0;

	reader_init(&r, k->s, p, frame, k->stride, k->w);
	if (r.frame->is_constant)
		fill(k, p, r.frame);
	for (uint64_t i = 0; !err && i < r.nwindow; i++) {
		unsigned n = look(&r, i, missing);

		if (n == 0)
			continue;
		err = chunk_locate(k, p);
		if (err)
			return err;
		offer(k, &r, i);
		err = load(&r, missing, n);
	}
	return err;
}

/* *out is NULL: the chunk is a hole, or has to be decoded whole. */
static int pin_frame(struct chunk_walk *k, struct chunk_part *p, bool plain,
		     struct cache_entry **out)
{
	struct cache_key key;
	int err;

	frame_key(k->s, p->slot, plain, &key);
	*out = cache_peek(k->s->env->cache, &key);
	if (*out)
		return 0;
	err = chunk_locate(k, p);
	if (err || p->hole || !frame_ops(&p->job))
		return err;
	return frame_get(&p->job, plain, k->w, out);
}

/* The chunk is ambiguous: take the frame that is right. */
static int settle(struct chunk_walk *k, struct chunk_part *p,
		  struct cache_entry **frame)
{
	enum verdict verdict;
	int err = verdict_get(k->s, k->w, &verdict);

	if (err || verdict != VERDICT_PLAIN)
		return err;
	cache_put(k->s->env->cache, take_ptr(*frame), 0);
	return pin_frame(k, p, true, frame);
}

int blocked_read(struct chunk_walk *k, struct chunk_part *p, bool *is_read)
{
	struct cache *c = k->s->env->cache;
	struct cache_entry *frame;
	int err;

	*is_read = false;
	err = pin_frame(k, p, k->s->reading == ARRAY_PLAIN, &frame);
	if (err || !frame)
		return err;
	if (k->s->reading == ARRAY_DECIDED && frame_is_ambiguous(frame))
		err = settle(k, p, &frame);
	if (!err && frame) {
		*is_read = !frame_is_whole(frame);
		if (*is_read)
			err = read_blocks(k, p, frame);
	}
	if (frame)
		cache_put(c, frame, 0);
	return err;
}
