/* SPDX-License-Identifier: MIT */

/*
 * Prefetch within one read. The reader loads the first missing unit itself and
 * offers the next ones; whoever takes an offer runs it later, perhaps when the
 * request and its catalog are gone. An offer never waits: where the unit is
 * loaded by someone else, or there is no room, it ends.
 */

#include <config.h>

#include "array/array_impl.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

struct offer_set {
	atomic_uint refs;
	atomic_bool refused;
	size_t left; /* bytes that may yet be offered; the reader's */
	struct stored_array s;
	struct band band;
	uint32_t param[]; /* of the chain; then the label */
};

struct offered {
	struct wait wait; /* first */
	struct offer_set *set;
	struct chunk_part part; /* of a unit only its job */
	uint64_t first, n;	/* windows of blocks; n == 0: the unit */
};

static void set_unref(struct offer_set *set)
{
	if (atomic_fetch_sub(&set->refs, 1) == 1)
		free(set);
}

static void offered_free(struct offered *o)
{
	set_unref(o->set);
	free(o);
}

/* Whoever took the offer had to be admitted for it. */
static int offered_admit(struct wait *w, const struct wait_need *need)
{
	(void)w;
	(void)need;
	return 0;
}

static void offered_wake(struct wait *w)
{
	offered_free((struct offered *)w);
}

static int load_unit(struct offered *o)
{
	struct cache *c = o->set->s.env->cache;
	struct cache_entry *e;
	struct cache_ask ask;
	int err = unit_ask(&o->part.job, &ask);

	if (!err)
		err = cache_get(c, &ask, &o->wait, &e);
	if (!err)
		cache_put(c, e, 0);
	return err;
}

static void offered_run(void *arg)
{
	struct offered *o = arg;
	int err;

	if (o->n > 0)
		err = blocked_load(&o->set->s, &o->part, o->first, o->n,
				   &o->wait);
	else
		err = load_unit(o);
	if (err != -EAGAIN) /* else offered_wake will free it, or has */
		offered_free(o);
}

static void offered_drop(void *arg)
{
	struct offered *o = arg;

	atomic_store(&o->set->refused, true);
	offered_free(o);
}

struct offer_set *offer_begin(const struct stored_array *s,
			      const struct band *band)
{
	size_t nparam = 0, label = strlen(s->label) + 1;
	struct offer_set *set;
	uint32_t *param;

	for (unsigned i = 0; i < s->chain.n; i++)
		nparam += s->chain.step[i].nparam;
	set = malloc(sizeof(*set) + nparam * sizeof(*param) + label);
	if (!set)
		return NULL;
	atomic_init(&set->refs, 1);
	atomic_init(&set->refused, false);
	set->left = cache_size(s->env->cache) / 8;
	set->band = *band;
	set->s = *s;
	param = set->param;
	for (unsigned i = 0; i < s->chain.n; i++) {
		struct codec_step *step = &set->s.chain.step[i];

		if (step->nparam)
			memcpy(param, step->param,
			       step->nparam * sizeof(*param));
		step->param = param;
		param += step->nparam;
	}
	memcpy(param, s->label, label);
	set->s.label = (const char *)param;
	/* Nothing of the catalog is left. */
	set->s.catalog = NULL;
	set->s.info.dim = set->s.base.shape.dim;
	set->s.info.chunk = set->s.chunk.dim;
	set->s.info.fill = set->s.info.compact = (struct bytes){NULL, 0};
	set->s.info.type_text = set->s.info.refused = (struct bytes){NULL, 0};
	return set;
}

/* Takes o, which may be NULL. */
static bool offer(struct offer_set *set, struct offered *o, struct wait *w)
{
	if (!o)
		return false;
	atomic_fetch_add(&set->refs, 1);
	o->wait = (struct wait){.admit = offered_admit, .wake = offered_wake};
	o->set = set;
	o->part.job.s = &set->s;
	if (o->part.job.band)
		o->part.job.band = &set->band;
	w->offer(w, &(struct wait_offer){
			    .run = offered_run,
			    .drop = offered_drop,
			    .arg = o,
			    .need = {.source = set->s.source,
				     .device = set->s.device},
		    });
	return !atomic_load(&set->refused);
}

bool offer_unit(struct offer_set *set, const struct unit_job *j, struct wait *w)
{
	struct offered *o;

	if (set->left < j->bytes)
		return false;
	set->left -= j->bytes;
	o = calloc(1, sizeof(*o));
	if (o)
		o->part.job = *j;
	return offer(set, o, w);
}

bool offer_part(struct offer_set *set, const struct chunk_part *p,
		uint64_t first, uint64_t n, uint64_t bytes, struct wait *w)
{
	struct offered *o;

	if (set->left < bytes)
		return false;
	set->left -= bytes;
	o = calloc(1, sizeof(*o));
	if (o) {
		o->part = *p;
		o->first = first;
		o->n = n;
	}
	return offer(set, o, w);
}

void offer_end(struct offer_set *set)
{
	set_unref(set);
}
