/* SPDX-License-Identifier: MIT */

/*
 * Chunks whose blocks may lie in one of two orders. c-blosc2 2.15.0 to 2.21.1
 * stored boxes of some shapes as they lie in the chunk, though the chunk says
 * otherwise, and nothing in it tells who wrote it. So it is found out once for
 * an array: by its digest, if it has one; else by a chunk that reaches beyond
 * the array, where only the right reading has the fill value all over; else
 * the chunks are believed. So are those that have to be decoded at once.
 */

#include <config.h>

#include "array/array_impl.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "codec/codec.h"
#include "util/cleanup.h"
#include "util/problem.h"

#define WINDOW ((size_t)1 << 20) /* of values, hashed at a time */
#define EDGES_MAX 16		 /* chunks looked at */

struct row {
	uint64_t source, object;
	enum verdict verdict;
};

struct verdicts {
	pthread_mutex_t lock;
	/* protected by lock; sorted */
	struct row *row;
	size_t n, room;
};

struct verdicts *verdicts_new(void)
{
	struct verdicts *v = calloc(1, sizeof(*v));

	if (v)
		pthread_mutex_init(&v->lock, NULL);
	return v;
}

void verdicts_free(struct verdicts *v)
{
	if (!v)
		return;
	pthread_mutex_destroy(&v->lock);
	free(v->row);
	free(v);
}

/* Index of the first row that is not before that one. */
static size_t find(const struct verdicts *v, const struct stored_array *s)
{
	size_t low = 0, high = v->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct row *r = &v->row[mid];

		if (r->source < s->source ||
		    (r->source == s->source && r->object < s->info.addr))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

enum verdict verdict_known(const struct stored_array *s)
{
	struct verdicts *v = s->env->verdicts;
	size_t i;

	if (!v || !s->base.in_blocks)
		return VERDICT_NONE;
	LOCK_SCOPE(&v->lock);
	i = find(v, s);
	if (i == v->n || v->row[i].source != s->source ||
	    v->row[i].object != s->info.addr)
		return VERDICT_NONE;
	return v->row[i].verdict;
}

/* Where there is no memory for it, it will be found out again. */
static void remember(const struct stored_array *s, enum verdict verdict)
{
	struct verdicts *v = s->env->verdicts;
	size_t i;

	if (!v)
		return;
	LOCK_SCOPE(&v->lock);
	if (v->n == v->room) {
		size_t room = v->room ? 2 * v->room : 16;
		struct row *row = realloc(v->row, room * sizeof(*row));

		if (!row)
			return;
		v->row = row;
		v->room = room;
		cache_charge(s->env->cache,
			     (int64_t)((room - v->n) * sizeof(*row)));
	}
	i = find(v, s);
	memmove(&v->row[i + 1], &v->row[i], (v->n - i) * sizeof(v->row[0]));
	v->row[i] = (struct row){s->source, s->info.addr, verdict};
	v->n++;
}

/* ---------------------------------------------------------------- edges */

/* A chunk that ends beyond the array along an axis. */
struct edge {
	const struct stored_array *s;
	unsigned axis;
	struct chunk_part part; /* what of it is outside */
};

/* Bytes of a step along the first axis. */
static uint64_t outside(struct edge *e, const uint64_t *at)
{
	const struct stored_array *s = e->s;
	struct chunk_part *p = &e->part;
	uint64_t bytes = s->base.item_size;

	*p = (struct chunk_part){.slot = 0};
	for (unsigned k = 0; k < s->chunk.ndim; k++) {
		p->at[k] = at[k];
		p->slot += at[k] * s->grid_stride[k];
		p->extent[k] = s->chunk.dim[k];
		if (k == e->axis) {
			p->rel[k] = s->base.shape.dim[k] % s->chunk.dim[k];
			p->extent[k] -= p->rel[k];
		}
		if (k > 0)
			bytes *= p->extent[k];
	}
	return bytes;
}

/* Is all of a part fill? 1, 0, -errno. */
static int part_is_fill(const struct stored_array *s, struct chunk_part *p,
			unsigned char *buffer, uint64_t bytes)
{
	struct shape shape = {.ndim = s->chunk.ndim};
	uint64_t stride[NDIM_MAX];
	struct chunk_walk k = {.s = s, .stride = stride};
	unsigned isz = s->base.item_size;
	bool is_read;
	int err;

	memcpy(shape.dim, p->extent, sizeof(shape.dim));
	shape_strides(&shape, stride);
	p->dst = buffer;
	err = blocked_read(&k, p, &is_read);
	if (k.index)
		cache_put(s->env->cache, k.index, 0);
	if (err)
		return err;
	/* A hole, or one that is not read by blocks, is fill in both. */
	for (uint64_t i = 0; is_read && i < bytes; i += isz)
		if (memcmp(buffer + i, s->fill, isz) != 0)
			return 0;
	return 1;
}

/* The same of all that is outside, in that reading, so much at a time. */
static int is_fill(const struct edge *e, enum array_reading reading,
		   uint64_t step_bytes, unsigned char *buffer, size_t room)
{
	const uint64_t steps = room / step_bytes;
	const uint64_t end = e->part.rel[0] + e->part.extent[0];
	struct stored_array as = *e->s;

	as.reading = reading;
	for (uint64_t at = e->part.rel[0]; at < end; at += steps) {
		struct chunk_part p = e->part;
		int r;

		p.rel[0] = at;
		p.extent[0] = end - at < steps ? end - at : steps;
		r = part_is_fill(&as, &p, buffer, p.extent[0] * step_bytes);
		if (r <= 0)
			return r;
	}
	return 1;
}

/* To the next chunk of those at the end of the axis. */
static bool next_edge(const struct edge *e, uint64_t *at)
{
	for (unsigned k = e->s->grid.ndim; k-- > 0;) {
		if (k == e->axis)
			continue;
		if (++at[k] < e->s->grid.dim[k])
			return true;
		at[k] = 0;
	}
	return false;
}

static int edge_verdict(const struct stored_array *s, void *buffer, size_t room,
			enum verdict *out)
{
	struct edge e = {.s = s};
	unsigned seen = 0;

	if (s->info.fill_undefined)
		return 0;
	for (; e.axis + 1 < s->chunk.ndim; e.axis++) {
		uint64_t at[NDIM_MAX] = {0};

		if (s->base.shape.dim[e.axis] % s->chunk.dim[e.axis] == 0)
			continue;
		at[e.axis] = s->grid.dim[e.axis] - 1;
		do {
			uint64_t step = outside(&e, at);
			int boxes, plain;

			if (step > room || seen++ == EDGES_MAX)
				return 0;
			boxes = is_fill(&e, ARRAY_BOXES, step, buffer, room);
			if (boxes < 0)
				return boxes;
			plain = is_fill(&e, ARRAY_PLAIN, step, buffer, room);
			if (plain < 0)
				return plain;
			if (boxes != plain) {
				*out = boxes ? VERDICT_BOXES : VERDICT_PLAIN;
				return 0;
			}
		} while (next_edge(&e, at));
	}
	return 0;
}

/* ------------------------------------------------------------- verdicts */

void ambiguous_tell(const struct stored_array *s)
{
	problem_note(s->env->problems,
		     "%s: is ambiguous; if c-blosc2 2.15.0 to 2.21.1 wrote it, "
		     "its values are in the wrong order",
		     s->label);
}

static void tell(const struct stored_array *s, enum verdict verdict,
		 bool is_sure)
{
	struct problems *p = s->env->problems;

	if (verdict == VERDICT_DAMAGED)
		problem_tell(p, -EBADMSG,
			     "%s: its digest agrees with neither order in "
			     "which its blocks may be stored; compare the file "
			     "with its original",
			     s->label);
	else if (verdict == VERDICT_PLAIN)
		problem_note(p,
			     "%s: was written by c-blosc2 2.15.0 to 2.21.1, "
			     "whose blocks are not where they say; read right "
			     "here, other programs may read it wrong",
			     s->label);
	else if (!is_sure)
		ambiguous_tell(s);
}

static int decide(void *arg, const struct cache_key *key, struct wait *w,
		  void **data, size_t *size)
{
	const struct stored_array *s = arg;
	enum verdict *verdict = malloc(sizeof(*verdict));
	CLEANUP(cleanup_freep) void *buffer = malloc(WINDOW);
	bool is_sure;
	int err;

	(void)key;
	(void)w; /* what it reads is waited for, so that it is done once */
	*data = verdict;
	*size = sizeof(*verdict);
	if (!verdict || !buffer)
		return -ENOMEM;
	*verdict = VERDICT_NONE;
	err = digest_verdict(s, buffer, WINDOW, verdict);
	if (!err && *verdict == VERDICT_NONE)
		err = edge_verdict(s, buffer, WINDOW, verdict);
	if (err)
		return err;
	is_sure = *verdict != VERDICT_NONE;
	if (!is_sure)
		*verdict = VERDICT_BOXES;
	tell(s, *verdict, is_sure);
	remember(s, *verdict);
	return 0;
}

int verdict_get(const struct stored_array *s, struct wait *w, enum verdict *out)
{
	const struct cache_ask ask = {
		.key =
			{
				.source = s->source,
				.object = s->info.addr,
				.kind = CACHE_VERDICT,
			},
		.scratch = WINDOW,
		.load = decide,
		.arg = (void *)(uintptr_t)s,
		.where = {.source = s->source, .device = s->device},
	};
	struct cache *c = s->env->cache;
	struct cache_entry *e;
	int err;

	*out = verdict_known(s);
	if (*out == VERDICT_NONE) {
		err = cache_get(c, &ask, w, &e);
		if (err == -ENOMEM)
			return unit_tell(s, 0, err, &(struct stored){0});
		if (err)
			return err;
		memcpy(out, cache_data(e, NULL), sizeof(*out));
		cache_put(c, e, 0);
	}
	return *out == VERDICT_DAMAGED ? -EBADMSG : 0;
}
