/* SPDX-License-Identifier: MIT */

/*
 * What is known of a chunk that its codec has cut into blocks: made once from
 * a few small reads, and kept in the cache beside the blocks.
 */

#include <config.h>

#include "array/array_impl.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "cache/cache.h"
#include "codec/codec.h"
#include "util/checked.h"
#include "util/cleanup.h"

/*
 * Blocks below this size are not worth an entry in the cache each, and lists
 * of them longer than this are not worth being kept: decode the chunk whole.
 */
#define BLOCK_BYTES_MIN 512
#define TABLE_PART 64 /* of the cache's size */
#define TABLE_MIN ((size_t)64 << 10)

struct frame_job {
	const struct unit_job *j;
	bool plain;
	uint64_t left; /* bytes that the codec may still ask for */
};

const struct codec_block_ops *frame_ops(const struct unit_job *j)
{
	/* Readers look for blocks in all chunks of an array or in none. */
	if (j->raw || !j->s->base.in_blocks)
		return NULL;
	return codec_blocks(&j->s->chain, j->at.skip);
}

void frame_key(const struct stored_array *s, uint64_t slot, bool plain,
	       struct cache_key *out)
{
	unit_key(s, slot, plain, out);
	out->kind = CACHE_FRAME;
}

bool frame_is_whole(const struct cache_entry *frame)
{
	const struct codec_frame *f = cache_data(frame, NULL);

	return f->is_whole && !f->is_constant;
}

bool frame_is_ambiguous(const struct cache_entry *frame)
{
	const struct codec_frame *f = cache_data(frame, NULL);

	return f->is_ambiguous && !f->is_whole && !f->is_constant;
}

static int fetch(void *arg, uint64_t off, size_t n, void *out)
{
	struct frame_job *f = arg;
	const struct stored *at = &f->j->at;

	if (off > at->n || n > at->n - off)
		return -EBADMSG;
	if (n > f->left)
		return -EFBIG;
	f->left -= n;
	return container_read(f->j->s->container, at->off + off, n, out);
}

/* It says where to copy from and to, so it is looked at once more. */
static bool is_sound(const struct stored_array *s, const struct codec_frame *f)
{
	uint64_t bytes = s->base.item_size, count = 1;

	if (f->nblock == 0 || f->block_bytes == 0)
		return false;
	if (f->ndim == 0)
		return (uint64_t)(f->nblock - 1) * f->block_bytes +
			       f->last_bytes ==
		       s->chunk_bytes;
	if (f->ndim != s->chunk.ndim || f->last_bytes != f->block_bytes)
		return false;
	for (unsigned k = 0; k < f->ndim; k++) {
		if ((uint64_t)f->grid[k] * f->block[k] < s->chunk.dim[k] ||
		    !checked_mul(bytes, f->block[k], &bytes) ||
		    !checked_mul(count, f->grid[k], &count))
			return false;
	}
	return bytes == f->block_bytes && count == f->nblock;
}

static bool is_worth_it(const struct stored_array *s,
			const struct codec_frame *f)
{
	assert(f && (f->is_whole || is_sound(s, f)));
	if (f->is_constant || (f->is_ambiguous && !f->is_whole))
		return true;
	return !f->is_whole && f->block_bytes >= BLOCK_BYTES_MIN &&
	       f->block_bytes % s->base.item_size == 0;
}

/* Nothing but that the chunk is to be decoded at once. */
static int make_whole(struct codec_frame **out)
{
	struct codec_frame *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	*f = (struct codec_frame){.size = sizeof(*f), .is_whole = true};
	free(*out);
	*out = f;
	return 0;
}

static int open_frame(struct frame_job *f, struct codec_frame **out,
		      const char **what)
{
	const struct unit_job *j = f->j;
	const struct stored_array *s = j->s;
	const struct codec_block_ops *ops = frame_ops(j);
	const struct codec_chunk chunk = {
		.stored = j->at.n,
		.bytes = j->bytes,
		.ndim = s->chunk.ndim,
		.item_size = s->base.item_size,
		.dim = s->chunk.dim,
		.plain = f->plain,
	};
	int err;

	assert(ops);
	err = ops->open(&chunk, fetch, f, out, what);
	if (err == -EFBIG || (!err && !is_worth_it(s, *out)))
		return make_whole(out);
	return err;
}

static int frame_load(void *arg, const struct cache_key *key, struct wait *w,
		      void **data, size_t *size)
{
	const struct unit_job *j = arg;
	const struct stored_array *s = j->s;
	CLEANUP(cleanup_freep) struct codec_frame *f = NULL;
	struct frame_job job = {.j = j, .plain = key->band};
	const char *what = NULL;
	int err;

	(void)w;
	job.left = cache_size(s->env->cache) / TABLE_PART;
	if (job.left < TABLE_MIN)
		job.left = TABLE_MIN;
	err = open_frame(&job, &f, &what);
	if (err == -EOPNOTSUPP && what)
		return frame_tell(s, key->unit, what);
	if (err)
		return unit_tell(s, key->unit, err, &j->at);
	*size = f->size;
	*data = take_ptr(f);
	return 0;
}

int frame_get(const struct unit_job *j, bool plain, struct wait *w,
	      struct cache_entry **out)
{
	const struct stored_array *s = j->s;
	struct cache_ask ask = {
		.load = frame_load,
		.arg = (void *)(uintptr_t)j,
		.where = {.source = s->source, .device = s->device},
	};
	int err;

	if (j->at.n > codec_stored_max(j->bytes))
		return unit_tell(s, j->unit, -EBADMSG, &j->at);
	frame_key(s, j->unit, plain, &ask.key);
	err = cache_get(s->env->cache, &ask, w, out);
	if (err == -ENOMEM)
		return unit_tell(s, j->unit, err, &j->at);
	return err;
}
