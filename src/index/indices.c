/* SPDX-License-Identifier: MIT */

/*
 * A cache whose entries are indices. That a label cannot have one is an entry
 * too, a small one: to find it out again would take reading all of it. No lock
 * but the cache's own.
 */

#include <config.h>

#include "index/indices.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "index/index_impl.h"
#include "util/log.h"
#include "util/metric.h"

/* As many builds run at once, if there are as many sources and a half. */
#define BUILDS 4

struct indices {
	struct indices_conf conf;
	struct cache *cache;
	atomic_bool over;
	atomic_bool told; /* that sidecars cannot be written */
};

/* In place of an index: why there is none. Smaller than any. */
struct refusal {
	int error;
};

static struct metric built = {
	.name = "indices_built",
	.help = "Sampling indices made by reading all of a label.",
	.kind = METRIC_COUNTER,
};
static struct metric loaded = {
	.name = "indices_loaded",
	.help = "Sampling indices read from files of earlier runs.",
	.kind = METRIC_COUNTER,
};
static struct metric bytes = {
	.name = "index_bytes",
	.help = "Bytes that sampling indices take.",
	.kind = METRIC_GAUGE,
};

void indices_metrics(struct metrics *m)
{
	metric_register(m, &built);
	metric_register(m, &loaded);
	metric_register(m, &bytes);
}

struct indices *indices_new(const struct indices_conf *conf)
{
	struct indices *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->conf = *conf;
	atomic_init(&x->over, false);
	atomic_init(&x->told, false);
	x->cache = cache_new(conf->size, NULL);
	if (!x->cache) {
		free(x);
		return NULL;
	}
	return x;
}

void indices_free(struct indices *x)
{
	if (!x)
		return;
	cache_free(x->cache);
	free(x);
}

bool indices_are_kept(struct indices *x)
{
	return !atomic_load(&x->told);
}

void indices_stop(struct indices *x)
{
	atomic_store(&x->over, true);
}

/* --------------------------------------------------------------- loading */

struct load {
	struct indices *x;
	const struct index_ask *ask;
	size_t max;
};

static bool is_over(void *arg)
{
	const struct load *l = arg;

	return atomic_load(&l->x->over);
}

/* Others leave for what is held while one is made. */
static void charge(void *arg, int64_t n)
{
	const struct load *l = arg;

	cache_charge(l->x->cache, n);
}

static void pass_progress(void *arg, uint64_t done, uint64_t all)
{
	const struct load *l = arg;

	l->ask->progress(l->ask->arg, done, all);
}

static int build(struct load *l, const struct index_origin *from, void **data,
		 size_t *size)
{
	struct indices *x = l->x;
	const struct index_conf conf = {
		.threads = x->conf.threads,
		.memory = x->conf.memory,
		.max = l->max,
		.charge = charge,
		.max_classes = x->conf.max_classes,
		.stop = is_over,
		.progress = l->ask->progress ? pass_progress : NULL,
		.arg = l,
	};
	int err = label_index_build(&from->label, &conf, data, size);

	if (err)
		return err;
	metric_add(&built, 1);
	if (!from->has_key || x->conf.dir < 0)
		return 0;
	/* It serves without; once is enough to say so. */
	err = sidecar_store(x->conf.dir, &from->key, *data, *size);
	if (err && !atomic_exchange(&x->told, true))
		log_warn("sampling indices cannot be kept for later: %s",
			 strerror(-err));
	return 0;
}

static int load_or_build(struct load *l, struct wait *w, void **data,
			 size_t *size)
{
	const struct index_ask *ask = l->ask;
	struct index_origin from = {0};
	int err;

	if (ask->make)
		return ask->make(ask->arg, w, l->max, data, size);
	err = ask->origin(ask->arg, w, &from);
	if (err)
		return err;
	if (from.has_key && l->x->conf.dir >= 0) {
		err = sidecar_load(l->x->conf.dir, &from.key, &from.label.shape,
				   l->max, data, size);
		if (!err) {
			metric_add(&loaded, 1);
			return 0;
		}
		/* Whatever is wrong with the file: the label is there. */
		if (err == -ENOMEM)
			return err;
	}
	return build(l, &from, data, size);
}

static int load(void *arg, const struct cache_key *key, struct wait *w,
		void **data, size_t *size)
{
	struct refusal *no;
	int err = load_or_build(arg, w, data, size);

	(void)key;
	if (err != -EINVAL && err != -EOVERFLOW && err != -E2BIG &&
	    err != -EFBIG)
		return err;
	no = malloc(sizeof(*no));
	if (!no)
		return -ENOMEM;
	no->error = err;
	*data = no;
	*size = sizeof(*no);
	return 0;
}

static struct cache_key key_of(uint64_t source, uint64_t object,
			       uint64_t variant)
{
	return (struct cache_key){
		.source = source,
		.object = object,
		.unit = variant,
		.kind = CACHE_INDEX,
	};
}

/* The entry as an index; or its error, and it is put. */
static int unwrap(struct indices *x, struct cache_entry *e,
		  struct index_pin *out)
{
	size_t size;
	const void *data = cache_data(e, &size);
	int err;

	if (size >= sizeof(struct label_index)) {
		*out = (struct index_pin){.entry = e, .index = data};
		return 0;
	}
	err = ((const struct refusal *)data)->error;
	cache_put(x->cache, e, 0);
	return err;
}

int indices_get(struct indices *x, const struct index_ask *ask, struct wait *w,
		struct index_pin *out)
{
	struct load l = {
		.x = x,
		.ask = ask,
		.max = cache_size(x->cache) / 2,
	};
	const struct cache_ask want = {
		.key = key_of(ask->source, ask->object, ask->variant),
		.scratch = cache_size(x->cache) / (2 * BUILDS),
		.load = load,
		.arg = &l,
		.where = {.source = ask->source, .device = ask->device},
	};
	struct cache_entry *e;
	int err = cache_get(x->cache, &want, w, &e);

	metric_set(&bytes, (int64_t)cache_bytes(x->cache));
	return err ? err : unwrap(x, e, out);
}

bool indices_peek(struct indices *x, uint64_t source, uint64_t object,
		  uint64_t variant, struct index_pin *out)
{
	const struct cache_key key = key_of(source, object, variant);
	struct cache_entry *e = cache_peek(x->cache, &key);

	return e && unwrap(x, e, out) == 0;
}

int indices_read_sidecar(const struct indices *x, const struct sidecar_key *key,
			 const struct shape *shape, void **out, size_t *size)
{
	if (x->conf.dir < 0)
		return -ENOENT;
	return sidecar_load(x->conf.dir, key, shape, cache_size(x->cache) / 2,
			    out, size);
}

void indices_put(struct indices *x, struct index_pin *pin)
{
	if (pin->entry) {
		cache_put(x->cache, pin->entry, 0);
		/* What was above the size for the pins leaves with the last. */
		metric_set(&bytes, (int64_t)cache_bytes(x->cache));
	}
	*pin = (struct index_pin){0};
}
