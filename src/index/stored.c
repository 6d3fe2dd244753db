/* SPDX-License-Identifier: MIT */

/*
 * The table of a sampling index that a medh5 file carries. All of its numbers
 * are looked at before any is used, so that what a draw gives does not depend
 * on which class was drawn before. No locks.
 */

#include <config.h>

#include "index/stored.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/carried.h"
#include "cache/cache.h"
#include "index/stored_impl.h"
#include "util/cleanup.h"

static struct carried_ask to_carried(const struct stored_ask *a)
{
	return (struct carried_ask){
		.env = a->env,
		.container = a->container,
		.source = a->source,
		.k = a->k,
		.sample = a->sample,
		.annotation = a->annotation,
		.label = a->label,
	};
}

static enum stored_state state_of(enum carried_state s)
{
	switch (s) {
	case CARRIED_ABSENT:
		return STORED_ABSENT;
	case CARRIED_FRESH:
		return STORED_FRESH;
	case CARRIED_MALFORMED:
		return STORED_MALFORMED;
	case CARRIED_STALE:
	case CARRIED_UNKNOWN:
	default:
		return STORED_STALE;
	}
}

/* --------------------------------------------------------------- loading */

/* All of an array. *out is malloc'ed. */
static int read_whole(const struct carried_ask *ask, uint32_t object,
		      struct wait *w, void **out)
{
	CLEANUP(cleanup_freep) void *data = NULL;
	struct stored_array s;
	struct view v = {.array = &s.base};
	int err = carried_array(ask, object, &s);

	if (err)
		return err;
	memcpy(v.extent, s.base.shape.dim, sizeof(v.extent));
	data = malloc(s.bytes + 1);
	if (!data)
		return -ENOMEM;
	err = array_read(&v, 0, (size_t)s.bytes, data, w);
	if (!err)
		*out = take_ptr(data);
	return err;
}

/* The tables as they are stored. */
struct tables {
	uint16_t *id;
	int64_t *count;
	float *box;
};

static void tables_fini(struct tables *t)
{
	free(t->id);
	free(t->count);
	free(t->box);
}

static int read_tables(const struct carried_ask *ask,
		       const struct carried_index *c, struct wait *w,
		       struct tables *t)
{
	void *p;
	int err = read_whole(ask, c->class_ids, w, &p);

	if (err)
		return err;
	t->id = p;
	err = read_whole(ask, c->voxel_counts, w, &p);
	if (err)
		return err;
	t->count = p;
	err = read_whole(ask, c->class_bboxes, w, &p);
	if (!err)
		t->box = p;
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct stored_record *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* What the tables say, ids ascending. 0 or -EBADMSG. */
static int fill_records(const struct carried_index *c, const struct tables *t,
			struct stored_index *x)
{
	struct stored_record *r = stored_records(x);

	for (uint32_t i = 0; i < c->nclass; i++) {
		int err = stored_entry_check(
			&x->shape, c->max_coords, t->id[i], t->count[i],
			t->box + (size_t)i * 2 * c->nspatial, &r[i]);

		if (err)
			return err;
	}
	qsort(r, c->nclass, sizeof(*r), compare);
	for (uint32_t i = 1; i < c->nclass; i++)
		if (r[i].id == r[i - 1].id)
			return -EBADMSG;
	return 0;
}

/* A class of as many coordinates as builders choose by default. */
#define BUFFER ((size_t)48 << 10)

/* Every coordinate of a class. -EBADMSG, -ENOENT: they contradict the table. */
static int check_class(const struct carried_ask *ask,
		       const struct carried_index *c, struct wait *w,
		       const struct shape *shape, struct stored_record *r,
		       int32_t *buffer)
{
	const size_t row = c->nspatial * sizeof(int32_t), most = BUFFER / row;
	struct stored_array s;
	struct view v = {.array = &s.base};
	struct stored_rows k;
	int err = carried_coords(ask, c, r->id, r->rows, &s);

	if (err)
		return err;
	r->object = s.object;
	r->address = s.info.addr;
	memcpy(v.extent, s.base.shape.dim, sizeof(v.extent));
	stored_rows_begin(&k, shape, r);
	for (uint64_t done = 0; done < r->rows && !err;) {
		size_t n =
			r->rows - done < most ? (size_t)(r->rows - done) : most;

		err = array_read(&v, done * row, n * row, buffer, w);
		if (!err)
			err = stored_rows_check(&k, buffer, n);
		done += n;
	}
	return err ? err : stored_rows_end(&k);
}

static int check_rows(const struct carried_ask *ask,
		      const struct carried_index *c, struct wait *w,
		      struct stored_index *x, char why[CARRIED_WHY])
{
	CLEANUP(cleanup_freep) int32_t *buffer = malloc(BUFFER);
	struct stored_record *r = stored_records(x);
	int err = 0;

	if (!buffer)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->nclass && !err; i++) {
		err = check_class(ask, c, w, &x->shape, &r[i], buffer);
		if (err == -ENOENT)
			snprintf(why, CARRIED_WHY,
				 "fg_coords/%u is missing, or not of the type "
				 "and shape it has to be",
				 r[i].id);
		else if (carried_is_broken(err))
			snprintf(why, CARRIED_WHY,
				 "fg_coords/%u contradicts voxel_counts, "
				 "class_bboxes or the order of coordinates, "
				 "or cannot be read",
				 r[i].id);
	}
	return err;
}

/* 0, also with why set: then it is malformed. */
static int read_all(const struct carried_ask *ask,
		    const struct carried_index *c, struct wait *w,
		    struct stored_index *x, char why[CARRIED_WHY])
{
	CLEANUP(tables_fini) struct tables t = {0};
	int err;

	x->shape.ndim = c->nspatial;
	memcpy(x->shape.dim, c->shape, c->nspatial * sizeof(*c->shape));
	x->nclass = c->nclass;
	err = read_tables(ask, c, w, &t);
	if (!err)
		err = fill_records(c, &t, x);
	if (!err)
		err = check_rows(ask, c, w, x, why);
	else if (carried_is_broken(err))
		strcpy(why, "its tables contradict each other or the shape of "
			    "the annotation, or cannot be read");
	return carried_is_broken(err) || err == -ENOENT ? 0 : err;
}

struct load {
	const struct carried_ask *ask;
};

static int load(void *arg, const struct cache_key *key, struct wait *w,
		void **data, size_t *size)
{
	const struct load *l = arg;
	struct carried_index c;
	struct stored_index *x;
	int err = carried_read(l->ask, &c);

	(void)key;
	if (err)
		return err;
	if (c.state != CARRIED_FRESH)
		c.nclass = 0;
	*size = sizeof(*x) + c.nclass * sizeof(struct stored_record);
	x = calloc(1, *size);
	if (!x)
		return -ENOMEM;
	*data = x;
	if (c.state == CARRIED_FRESH) {
		err = read_all(l->ask, &c, w, x, c.why);
		if (err)
			return err;
		if (*c.why) {
			c.state = CARRIED_MALFORMED;
			carried_tell(l->ask, c.state, c.why);
			x->nclass = 0;
		}
	}
	x->state = state_of(c.state);
	_Static_assert(sizeof(x->why) >= sizeof(c.why), "it fits");
	strcpy(x->why, c.why);
	return 0;
}

int stored_get(const struct stored_ask *ask, struct wait *w,
	       struct stored_pin *out)
{
	const struct carried_ask in = to_carried(ask);
	struct load l = {&in};
	struct cache_ask want = {
		.key = {.source = ask->source,
			.unit = ask->sample,
			.kind = CACHE_CARRIED},
		.load = load,
		.arg = &l,
		.where = {.source = ask->source},
	};
	struct cache_entry *e;
	int err;

	carried_where(&in, &want.key.object, &want.where.device);
	err = cache_get(ask->env->cache, &want, w, &e);
	if (!err)
		*out = (struct stored_pin){e, cache_data(e, NULL)};
	return err;
}

void stored_put(const struct array_env *env, struct stored_pin *pin)
{
	if (pin->entry)
		cache_put(env->cache, pin->entry, 0);
	*pin = (struct stored_pin){NULL, NULL};
}

/* --------------------------------------------------------------- reading */

enum stored_state stored_state(const struct stored_index *x)
{
	return x->state;
}

const char *stored_why(const struct stored_index *x)
{
	return x->why;
}

const struct shape *stored_shape(const struct stored_index *x)
{
	return &x->shape;
}

uint32_t stored_classes(const struct stored_index *x)
{
	return x->nclass;
}

static const struct stored_record *record(const struct stored_index *x,
					  uint32_t i)
{
	assert(i < x->nclass);
	return (const struct stored_record *)(x + 1) + i;
}

void stored_class(const struct stored_index *x, uint32_t i,
		  struct stored_class *out)
{
	const struct stored_record *r = record(x, i);

	*out = (struct stored_class){
		.id = r->id,
		.count = r->count,
		.rows = r->rows,
	};
	for (unsigned k = 0; k < x->shape.ndim; k++) {
		out->start[k] = r->start[k];
		out->stop[k] = r->stop[k];
	}
}

int64_t stored_find(const struct stored_index *x, int64_t id)
{
	uint32_t low = 0, high = x->nclass;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		int64_t there = record(x, mid)->id;

		if (there == id)
			return mid;
		if (there < id)
			low = mid + 1;
		else
			high = mid;
	}
	return -ENOENT;
}

int stored_row(const struct stored_ask *ask, const struct stored_index *x,
	       uint32_t i, uint64_t row, struct wait *w, uint64_t at[NDIM_MAX])
{
	const struct stored_record *r = record(x, i);
	const struct carried_ask in = to_carried(ask);
	struct stored_array s;
	struct view v = {
		.array = &s.base,
		.start = {(int64_t)row},
		.extent = {1, x->shape.ndim},
	};
	int32_t c[3];
	int err = carried_array(&in, r->object, &s);

	assert(row < r->rows);
	if (err)
		return err;
	/* Of the very file that was looked at? */
	if (s.info.addr != r->address || s.base.shape.ndim != 2 ||
	    s.base.shape.dim[0] != r->rows ||
	    s.base.shape.dim[1] != x->shape.ndim || s.base.item_size != 4)
		return -ESTALE;
	err = array_read(&v, 0, x->shape.ndim * sizeof(*c), c, w);
	for (unsigned k = 0; k < x->shape.ndim && !err; k++) {
		if (c[k] < 0 || (uint64_t)c[k] < r->start[k] ||
		    (uint64_t)c[k] >= r->stop[k])
			err = -ESTALE;
		else
			at[k] = (uint64_t)c[k];
	}
	return err;
}
