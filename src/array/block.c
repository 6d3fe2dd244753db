/* SPDX-License-Identifier: MIT */

/*
 * Blocks of a chunk into the cache. Those that are missing and stored side by
 * side are read at once, then decoded one by one; each of them is an entry of
 * its own, loaded once however many ask for it.
 */

#include <config.h>

#include "array/array_impl.h"

#include <errno.h>
#include <string.h>

#include "cache/cache.h"
#include "codec/codec.h"
#include "util/checked.h"
#include "util/swap.h"

/*
 * A read of a network file system takes about as long as so many bytes more;
 * on a local disk they cost no more than the call that they save.
 */
#define GAP_MAX (UINT64_C(64) << 10)
#define READ_MAX (UINT64_C(1) << 20) /* in one go, but for a larger block */
#define READ_PART 16		     /* of the cache's size */

struct run {
	const struct unit_job *j;
	const struct codec_frame *frame;
	const struct codec_block_ops *ops;
	unsigned n;
	const uint32_t *block;
	struct cache_ask ask[CACHE_RUN_MAX];
	uint64_t mine; /* those to be loaded */
	/* the stored bytes, read by the first load */
	bool is_read;
	int err;
	struct cache_scratch *scratch;
	const unsigned char *stored;
	uint64_t from; /* where they begin in the chunk */
};

void block_key(const struct stored_array *s, uint64_t slot, uint32_t block,
	       struct cache_key *out)
{
	unit_key(s, slot, block, out);
	out->kind = CACHE_BLOCK;
}

static uint32_t block_bytes(const struct codec_frame *f, uint32_t block)
{
	return block == f->nblock - 1 ? f->last_bytes : f->block_bytes;
}

/* ----------------------------------------------------- where they are */

/* Grows to have a block; one that takes no bytes lies nowhere. */
struct range {
	uint64_t from, to;
};

static struct range range_with(const struct codec_block_ops *ops,
			       const struct codec_frame *f, uint32_t block,
			       struct range r)
{
	uint64_t off;
	size_t n;

	ops->stored(f, block, &off, &n);
	if (n == 0)
		return r;
	if (r.from == r.to)
		return (struct range){off, off + n};
	if (off < r.from)
		r.from = off;
	if (off + n > r.to)
		r.to = off + n;
	return r;
}

static uint64_t start_of(const struct codec_block_ops *ops,
			 const struct codec_frame *f, uint32_t block)
{
	return range_with(ops, f, block, (struct range){0}).from;
}

void block_sort(const struct unit_job *j, const struct codec_frame *f,
		uint32_t *block, unsigned n)
{
	const struct codec_block_ops *ops = frame_ops(j);

	/* As a rule they are in order. */
	for (unsigned i = 1; i < n; i++) {
		uint32_t b = block[i];
		uint64_t start = start_of(ops, f, b);
		unsigned k = i;

		for (; k > 0 && start_of(ops, f, block[k - 1]) > start; k--)
			block[k] = block[k - 1];
		block[k] = b;
	}
}

unsigned block_near(const struct unit_job *j, const struct codec_frame *f,
		    const uint32_t *block, unsigned n)
{
	const struct codec_block_ops *ops = frame_ops(j);
	uint64_t most = cache_size(j->s->env->cache) / READ_PART;
	struct range r = {0};
	unsigned i;

	if (most > READ_MAX)
		most = READ_MAX;
	for (i = 0; i < n && i < CACHE_RUN_MAX; i++) {
		struct range more = range_with(ops, f, block[i], r);

		if (i > 0 && r.from != r.to &&
		    (more.to - more.from > most ||
		     start_of(ops, f, block[i]) > r.to + GAP_MAX))
			break;
		r = more;
	}
	return i;
}

/* -------------------------------------------------------------- loads */

static int read_stored(struct run *r)
{
	const struct unit_job *j = r->j;
	const struct stored_array *s = j->s;
	struct range all = {0};
	void *mem;
	int err;

	for (unsigned i = 0; i < r->n; i++)
		if (r->mine >> i & 1)
			all = range_with(r->ops, r->frame, r->block[i], all);
	if (all.from == all.to)
		return 0;
	if (all.to > j->at.n)
		return unit_tell(s, j->unit, -EBADMSG, &j->at);
	r->scratch = cache_scratch_take(s->env->cache,
					(size_t)(all.to - all.from), &mem);
	if (!r->scratch)
		return unit_tell(s, j->unit, -ENOMEM, &j->at);
	err = container_read(s->container, j->at.off + all.from,
			     (size_t)(all.to - all.from), mem);
	if (err)
		return unit_tell(s, j->unit, err,
				 &(struct stored){
					 .off = j->at.off + all.from,
					 .n = all.to - all.from,
				 });
	r->stored = mem;
	r->from = all.from;
	return 0;
}

static int block_load(void *arg, const struct cache_key *key, struct wait *w,
		      void **data, size_t *size)
{
	struct run *r = arg;
	const struct stored_array *s = r->j->s;
	uint32_t block = key->band;
	const unsigned char *in = NULL;
	uint64_t off;
	size_t n;
	int err;

	(void)w;
	if (!r->is_read) {
		r->is_read = true;
		r->err = read_stored(r);
	}
	if (r->err)
		return r->err;
	if (s->env->on_decode)
		s->env->on_decode(s->env->on_decode_arg, &s->info, key->unit,
				  1 + block);
	r->ops->stored(r->frame, block, &off, &n);
	if (n > 0)
		in = r->stored + (off - r->from);
	err = r->ops->decode(r->frame, block, in, n, *data);
	if (err)
		return block_tell(s, key->unit, block, err, &r->j->at);
	if (s->swap)
		swap_items(*data, *size / s->base.item_size, s->base.item_size);
	unit_count(*size);
	return 0;
}

static void run_ask(struct run *r)
{
	const struct stored_array *s = r->j->s;
	struct range all = {0};

	for (unsigned i = 0; i < r->n; i++) {
		struct cache_ask *ask = &r->ask[i];

		*ask = (struct cache_ask){
			.need = block_bytes(r->frame, r->block[i]),
			.load = block_load,
			.arg = r,
			.where = {.source = s->source, .device = s->device},
		};
		block_key(s, r->j->unit, r->block[i], &ask->key);
		all = range_with(r->ops, r->frame, r->block[i], all);
	}
	/* The first one is loaded last. What its codec takes is a block. */
	r->ask[0].scratch = (size_t)(all.to - all.from) + r->frame->block_bytes;
}

int block_get(const struct unit_job *j, const struct codec_frame *f,
	      const uint32_t *block, unsigned n, struct wait *w,
	      struct cache_entry **out)
{
	const struct stored_array *s = j->s;
	struct cache *c = s->env->cache;
	struct run r = {
		.j = j,
		.frame = f,
		.ops = frame_ops(j),
		.n = n,
		.block = block,
	};
	int err;

	run_ask(&r);
	err = cache_get_run(c, r.ask, n, w, &r.mine, out);
	if (r.scratch && !cache_scratch_give(c, r.scratch, f->block_bytes))
		codec_trim(0);
	if (err == -EFBIG)
		return size_tell(s, f, f->block_bytes, r.ask[0].scratch);
	if (err == -ENOMEM)
		return block_tell(s, j->unit, block[0], err, &j->at);
	return err;
}
