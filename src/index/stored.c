/* SPDX-License-Identifier: MIT */

/* The table of a sampling index that a medh5 file carries. No locks. */

#include <config.h>

#include "index/stored.h"

#include <assert.h>
#include <errno.h>

#include "array/carried.h"
#include "cache/cache.h"
#include "index/stored_impl.h"

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

static int load(void *arg, const struct cache_key *key, struct wait *w,
		void **data, size_t *size)
{
	(void)key;
	return stored_load(arg, w, data, size);
}

int stored_get(const struct stored_ask *ask, struct wait *w,
	       struct stored_pin *out)
{
	struct carried_ask in = to_carried(ask);
	struct cache_ask want = {
		.key = {.source = ask->source,
			.unit = ask->sample,
			.kind = CACHE_CARRIED},
		.load = load,
		.arg = &in,
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
