/* SPDX-License-Identifier: MIT */

/*
 * What the cache calls to make units and pages of the chunk index. Loads run
 * with no lock held.
 */

#include <config.h>

#include "array/array_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "codec/codec.h"
#include "util/checked.h"
#include "util/metric.h"
#include "util/parse.h"
#include "util/problem.h"
#include "util/swap.h"

static struct metric units_metric = {
	.name = "units_decoded",
	.help = "Units (chunks, blocks of chunks, or pieces of contiguous "
		"data) loaded.",
	.kind = METRIC_COUNTER,
};
static struct metric bytes_metric = {
	.name = "bytes_decoded",
	.help = "Bytes of the units loaded, decoded.",
	.kind = METRIC_COUNTER,
};

void array_metrics(struct metrics *m)
{
	metric_register(m, &units_metric);
	metric_register(m, &bytes_metric);
}

void unit_count(uint64_t bytes)
{
	metric_add(&units_metric, 1);
	metric_add(&bytes_metric, (int64_t)bytes);
}

/* -------------------------------------------------------------- units */

void unit_key(const struct stored_array *s, uint64_t unit, uint32_t band,
	      struct cache_key *out)
{
	*out = (struct cache_key){
		.source = s->source,
		.object = s->info.addr,
		.unit = unit,
		.band = band,
		.kind = CACHE_UNIT,
	};
}

/* Elements of the piece along the band's axis. */
static uint64_t piece_length(const struct unit_job *j)
{
	uint64_t all = j->s->chunk.dim[j->band->axis];
	uint64_t first = j->piece * j->band->width;

	return j->band->width < all - first ? j->band->width : all - first;
}

/* Of a decoded chunk to the buffer of a piece. */
static void cut_piece(const struct unit_job *j, const void *chunk, void *out)
{
	const struct stored_array *s = j->s;
	struct shape part = s->chunk;
	uint64_t stride[NDIM_MAX];
	struct copy p;

	part.dim[j->band->axis] = piece_length(j);
	shape_strides(&part, stride);
	copy_plan(&p, part.ndim, s->base.item_size, part.dim, stride,
		  s->chunk_stride);
	copy_run(&p, out,
		 (const unsigned char *)chunk +
			 j->piece * j->band->width *
				 s->chunk_stride[j->band->axis] *
				 s->base.item_size);
}

/* Bytes of the stored chunk, where it has to be decoded. */
static size_t stored_bytes(const struct unit_job *j)
{
	return j->raw ? 0 : (size_t)j->at.n;
}

/*
 * Read and decode a unit to out. scratch is for its stored bytes, and behind
 * them, where only a piece is wanted, for all of its values.
 */
static int read_unit(const struct unit_job *j, unsigned char *scratch,
		     unsigned char *out, struct codec_note *note)
{
	const struct stored_array *s = j->s;
	size_t stored = stored_bytes(j);
	unsigned char *values = j->band ? scratch + stored : out;
	int err = container_read(s->container, j->at.off, (size_t)j->at.n,
				 j->raw ? values : scratch);

	if (!err && !j->raw)
		err = codec_decode_note(&s->chain, j->at.skip, scratch, stored,
					values, (size_t)j->bytes, note);
	if (err)
		return err;
	if (s->swap)
		swap_items(values, j->bytes / s->base.item_size,
			   s->base.item_size);
	if (j->band)
		cut_piece(j, values, out);
	return 0;
}

static int unit_load(void *arg, const struct cache_key *key, struct wait *w,
		     void **data, size_t *size)
{
	const struct unit_job *j = arg;
	const struct stored_array *s = j->s;
	const struct array_env *env = s->env;
	size_t room = stored_bytes(j) + (j->band ? (size_t)j->bytes : 0);
	struct cache_scratch *scratch = NULL;
	struct codec_note note = {NULL, false};
	void *mem = NULL;
	int err = 0;

	(void)w;
	(void)size; /* is what was asked for */
	if (env->on_decode)
		env->on_decode(env->on_decode_arg, &s->info, key->unit, 0);
	if (room) {
		scratch = cache_scratch_take(env->cache, room, &mem);
		if (!scratch)
			err = -ENOMEM;
	}
	if (!err)
		err = read_unit(j, mem, *data, &note);
	if (scratch &&
	    !cache_scratch_give(
		    env->cache, scratch,
		    j->raw ? 0 : codec_scratch(&s->chain, (size_t)j->bytes)))
		codec_trim(0);
	if (err == -EOPNOTSUPP && note.what)
		return frame_tell(s, key->unit, note.what);
	if (err)
		return unit_tell(s, key->unit, err, &j->at);
	if (note.is_ambiguous)
		ambiguous_tell(s);
	unit_count(j->bytes);
	return 0;
}

int unit_ask(const struct unit_job *j, struct cache_ask *out)
{
	const struct stored_array *s = j->s;
	size_t scratch = 0;

	if (j->raw ? j->at.n != j->bytes : j->at.n > codec_stored_max(j->bytes))
		return unit_tell(s, j->unit, -EBADMSG, &j->at);
	if (!j->raw)
		scratch = (size_t)j->at.n +
			  codec_scratch(&s->chain, (size_t)j->bytes);
	if (j->bytes > cache_size(s->env->cache) / 2)
		return size_tell(s, NULL, j->bytes, scratch);
	*out = (struct cache_ask){
		.need = (size_t)j->bytes,
		.scratch = scratch,
		.load = unit_load,
		.arg = (void *)(uintptr_t)j,
		.where = {.source = s->source, .device = s->device},
	};
	if (j->band) {
		out->need = (size_t)(j->bytes / s->chunk.dim[j->band->axis] *
				     piece_length(j));
		out->scratch += (size_t)j->bytes;
	}
	unit_key(s, j->unit, j->band ? band_number(j->band, j->piece) : 0,
		 &out->key);
	return 0;
}

int unit_get(const struct unit_job *j, struct wait *w, struct cache_entry **out)
{
	const struct stored_array *s = j->s;
	struct cache_ask ask;
	int err = unit_ask(j, &ask);

	if (err)
		return err;
	err = cache_get(s->env->cache, &ask, w, out);
	if (err == -EFBIG)
		return size_tell(s, NULL, j->bytes, ask.scratch);
	if (err == -ENOMEM)
		return unit_tell(s, j->unit, err, &j->at);
	return err;
}

/* -------------------------------------------------------------- index */

struct index_job {
	const struct stored_array *s;
	uint64_t page;
};

static int index_load(void *arg, const struct cache_key *key, struct wait *w,
		      void **data, size_t *size)
{
	const struct index_job *j = arg;
	const struct stored_array *s = j->s;
	char *why = NULL;
	int err;

	(void)key;
	(void)w;
	err = container_index(s->container, &s->info, j->page,
			      cache_size(s->env->cache) / 2, data, size, &why);
	/* The one is told by index_get, the other is no fault. */
	if (err && err != -ENOMEM && err != -EINTR)
		problem_tell(s->env->problems, err, "%s: %s", s->label,
			     why ? why : strerror(-err));
	else if (!err && why)
		problem_note(s->env->problems, "%s: %s", s->label, why);
	free(why);
	return err;
}

int index_get(const struct stored_array *s, uint64_t page, struct wait *w,
	      struct cache_entry **out)
{
	struct index_job j = {.s = s, .page = page};
	const struct cache_ask ask = {
		.key =
			{
				.source = s->source,
				.object = s->info.addr,
				.unit = page,
				.kind = CACHE_INDEX,
			},
		.load = index_load,
		.arg = &j,
		.where = {.source = s->source, .device = WAIT_DEVICE_SCAN},
	};
	int err = cache_get(s->env->cache, &ask, w, out);

	if (err == -ENOMEM)
		return problem_tell(s->env->problems, err,
				    "%s: not enough memory for its index",
				    s->label);
	return err;
}
