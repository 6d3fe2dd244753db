/* SPDX-License-Identifier: MIT */

/*
 * What is cached beside units, for those above, who do not see the cache:
 * catalogs, and files that are made whole.
 * Threads: init and fini from one; the rest from any, in parallel.
 */

#ifndef ARRAY_CACHED_H
#define ARRAY_CACHED_H

#include <stddef.h>
#include <stdint.h>

#include "array/array.h"
#include "util/wait.h"

struct cache_entry;

/* 0 or -ENOMEM. Makes the cache. */
int array_env_init(struct array_env *env, size_t cache_size, struct metrics *m,
		   struct problems *p);
void array_env_fini(struct array_env *env);
/* Bytes held elsewhere that count against the size; negative gives back. */
void array_env_charge(const struct array_env *env, int64_t bytes);

/* Pinned until put. */
struct cached {
	struct cache_entry *entry;
	const void *data;
	size_t size;
};

/*
 * The catalog of c, scanned if it is not there. failed, if not NULL, is told
 * of a scan that this call made and that failed; why is as container_catalog
 * gives it, to be freed by failed. Errors of container_catalog and cache_get.
 */
int cached_catalog(const struct array_env *env, struct container *c,
		   uint64_t source,
		   void (*failed)(void *arg, int err, char *why), void *arg,
		   struct wait *w, struct cached *out);

/* Make a file whole: *data is malloc'ed. 0 or -errno; util/wait.h. */
typedef int cached_make_fn(void *arg, struct wait *w, void **data,
			   size_t *size);
/* The file under (source, directory, which), made if it is not there. */
int cached_file(const struct array_env *env, uint64_t source,
		uint64_t directory, unsigned which, uint64_t device,
		cached_make_fn *make, void *arg, struct wait *w,
		struct cached *out);

void cached_put(const struct array_env *env, struct cached *c);

#endif
