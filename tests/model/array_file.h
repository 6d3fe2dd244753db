/* SPDX-License-Identifier: MIT */

/* Arrays of a file, for programs that need no tree. */

#ifndef TESTS_ARRAY_FILE_H
#define TESTS_ARRAY_FILE_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/cached.h"
#include "cache/cache.h"
#include "container/container.h"
#include "store/store.h"
#include "util/problem.h"

struct array_file {
	struct array_env env;
	struct container_conf conf;
	struct container *container;
	struct cached catalog;
	const char *path;
};

/* The scanner is the one of $builddir. 0 or -errno; close whatever it is. */
static inline int array_file_open(struct array_file *f, const char *path,
				  size_t cache)
{
	static char scanner[4096];
	const char *build = getenv("builddir");
	struct store *s;
	int err;

	*f = (struct array_file){.path = path, .conf = {.scanner = scanner}};
	snprintf(scanner, sizeof(scanner), "%s/patchfs-scan",
		 build ? build : ".");
	err = array_env_init(&f->env, cache, NULL, problems_new());
	if (!err)
		err = scanners_new(scanner, &f->conf.scanners);
	if (!err)
		err = store_open(path, -1, &s);
	if (!err) {
		err = container_open(s, &f->conf, &f->container);
		if (err)
			store_close(s);
	}
	if (!err)
		err = cached_catalog(&f->env, f->container, 1, NULL, NULL, NULL,
				     &f->catalog);
	return err;
}

/* The array at a path of hard links, without a leading slash. */
static inline int array_file_get(struct array_file *f, const char *path,
				 struct stored_array *out)
{
	const struct catalog *k = f->catalog.data;
	struct member m = {.target = 0};

	for (const char *end; *path; path = *end ? end + 1 : end) {
		int64_t i;

		end = path + strcspn(path, "/");
		i = catalog_find(k, m.target, path, (size_t)(end - path));
		if (i < 0)
			return (int)i;
		catalog_member(k, m.target, (uint32_t)i, &m);
		if (m.kind != CAT_HARD)
			return -EINVAL;
	}
	if (catalog_kind(k, m.target) != OBJECT_ARRAY)
		return -EINVAL;
	return stored_array_init(out, &f->env, f->container, 1, k, m.target,
				 f->path);
}

static inline void array_file_close(struct array_file *f)
{
	cached_put(&f->env, &f->catalog);
	if (f->container)
		container_close(f->container);
	scanners_free(f->conf.scanners);
	array_env_fini(&f->env);
	problems_free(f->env.problems);
}

#endif
