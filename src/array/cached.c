/* SPDX-License-Identifier: MIT */

/* Glue between the cache and what makes catalogs and whole files. */

#include <config.h>

#include "array/cached.h"

#include <errno.h>
#include <stdlib.h>

#include "array/array_impl.h"
#include "cache/cache.h"

int array_env_init(struct array_env *env, size_t cache_size, struct metrics *m,
		   struct problems *p)
{
	*env = (struct array_env){.problems = p};
	env->cache = cache_new(cache_size, m);
	env->verdicts = verdicts_new();
	if (env->cache && env->verdicts)
		return 0;
	array_env_fini(env);
	return -ENOMEM;
}

void array_env_fini(struct array_env *env)
{
	if (env->cache)
		cache_free(env->cache);
	env->cache = NULL;
	verdicts_free(env->verdicts);
	env->verdicts = NULL;
}

void array_env_charge(const struct array_env *env, int64_t bytes)
{
	cache_charge(env->cache, bytes);
}

static int get(const struct array_env *env, const struct cache_ask *ask,
	       struct wait *w, struct cached *out)
{
	int err = cache_get(env->cache, ask, w, &out->entry);

	if (err == 0)
		out->data = cache_data(out->entry, &out->size);
	return err;
}

struct catalog_load {
	struct container *container;
	size_t max;
	void (*failed)(void *arg, int err, char *why);
	void *arg;
};

static int load_catalog(void *arg, const struct cache_key *key, struct wait *w,
			void **data, size_t *size)
{
	struct catalog_load *l = arg;
	char *why = NULL;
	int err;

	(void)key;
	(void)w;
	err = container_catalog(l->container, l->max, data, size, &why);
	if (err < 0 && l->failed)
		l->failed(l->arg, err, why);
	else
		free(why);
	return err;
}

int cached_catalog(const struct array_env *env, struct container *c,
		   uint64_t source,
		   void (*failed)(void *arg, int err, char *why), void *arg,
		   struct wait *w, struct cached *out)
{
	struct catalog_load l = {
		.container = c,
		.max = cache_size(env->cache) / 2,
		.failed = failed,
		.arg = arg,
	};
	const struct cache_ask ask = {
		.key = {.source = source, .kind = CACHE_CATALOG},
		.load = load_catalog,
		.arg = &l,
		.where = {.source = source, .device = WAIT_DEVICE_SCAN},
	};

	return get(env, &ask, w, out);
}

struct file_load {
	cached_make_fn *make;
	void *arg;
};

static int load_file(void *arg, const struct cache_key *key, struct wait *w,
		     void **data, size_t *size)
{
	struct file_load *l = arg;

	(void)key;
	return l->make(l->arg, w, data, size);
}

int cached_file(const struct array_env *env, uint64_t source,
		uint64_t directory, unsigned which, uint64_t device,
		cached_make_fn *make, void *arg, struct wait *w,
		struct cached *out)
{
	struct file_load l = {.make = make, .arg = arg};
	const struct cache_ask ask = {
		.key = {.source = source,
			.object = directory,
			.unit = which,
			.kind = CACHE_RENDERED},
		.load = load_file,
		.arg = &l,
		.where = {.source = source, .device = device},
	};

	return get(env, &ask, w, out);
}

void cached_put(const struct array_env *env, struct cached *c)
{
	if (c->entry)
		cache_put(env->cache, c->entry, 0);
	c->entry = NULL;
}
