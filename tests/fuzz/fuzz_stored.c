/* SPDX-License-Identifier: MIT */

/*
 * A medh5 file with sampling indices, as in stored_file.h. The index of each
 * annotation is looked at; of what is said to be fresh every number is asked
 * for, and has to be what the layer's header says.
 */

#define _GNU_SOURCE
#include <config.h>

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../must.h"
#include "array/array.h"
#include "cache/cache.h"
#include "index/stored.h"
#include "stored_file.h"
#include "util/checked.h"
#include "util/log.h"
#include "util/problem.h"

#define ARRAY_MOST ((uint64_t)2 << 20) /* bytes; more take too long */
#define ROWS_MOST 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_small(const struct catalog *k)
{
	for (uint32_t i = 0; i < catalog_arrays(k); i++) {
		struct array_info a;
		uint64_t bytes;

		catalog_array(k, catalog_nth_array(k, i), &a);
		bytes = a.item_size;
		for (unsigned d = 0; d < a.rank; d++)
			if (!checked_mul(bytes, a.dim[d], &bytes))
				return false;
		if (bytes > ARRAY_MOST)
			return false;
	}
	return true;
}

/* Rows ascend, in the box, and fill it if they are all voxels there are. */
static void look_at_rows(const struct stored_ask *ask,
			 const struct stored_index *x, uint32_t i,
			 const struct stored_class *c)
{
	const struct shape *s = stored_shape(x);
	uint64_t lo[NDIM_MAX], hi[NDIM_MAX] = {0}, last[NDIM_MAX] = {0};
	uint64_t n = c->rows < ROWS_MOST ? c->rows : ROWS_MOST;

	memset(lo, 0xff, sizeof(lo));
	for (uint64_t row = 0; row < n; row++) {
		uint64_t at[NDIM_MAX];
		int order = 0;

		MUST(stored_row(ask, x, i, row, NULL, at) == 0);
		for (unsigned a = 0; a < s->ndim; a++) {
			MUST(at[a] >= c->start[a] && at[a] < c->stop[a]);
			if (!order)
				order = (at[a] > last[a]) - (at[a] < last[a]);
			lo[a] = at[a] < lo[a] ? at[a] : lo[a];
			hi[a] = at[a] + 1 > hi[a] ? at[a] + 1 : hi[a];
		}
		MUST(row == 0 || order > 0);
		memcpy(last, at, sizeof(last));
	}
	if (n && n == c->count)
		for (unsigned a = 0; a < s->ndim; a++)
			MUST(lo[a] == c->start[a] && hi[a] == c->stop[a]);
}

static void look_at_classes(const struct stored_ask *ask,
			    const struct stored_index *x)
{
	const struct shape *s = stored_shape(x);
	int64_t id = 0;

	MUST(s->ndim >= 2 && s->ndim <= 3);
	for (uint32_t i = 0; i < stored_classes(x); i++) {
		struct stored_class c;
		uint64_t volume = 1;

		stored_class(x, i, &c);
		MUST(c.id > id && c.id < 65535);
		id = c.id;
		MUST(stored_find(x, id) == i);
		MUST(c.rows <= c.count && (c.rows > 0) == (c.count > 0));
		for (unsigned a = 0; a < s->ndim; a++) {
			MUST(c.start[a] <= c.stop[a] && c.stop[a] <= s->dim[a]);
			MUST(checked_mul(volume, c.stop[a] - c.start[a],
					 &volume));
		}
		MUST(c.count <= volume);
		look_at_rows(ask, x, i, &c);
	}
	MUST(stored_find(x, id + 1) == -ENOENT && stored_find(x, 0) == -ENOENT);
}

static void look_at(const struct stored_ask *ask)
{
	struct stored_pin p;
	const char *why;

	if (stored_get(ask, NULL, &p))
		return;
	why = stored_why(p.index);
	MUST(strlen(why) < 160);
	switch (stored_state(p.index)) {
	case STORED_FRESH:
		MUST(!*why);
		look_at_classes(ask, p.index);
		break;
	case STORED_ABSENT:
		MUST(!*why && !stored_classes(p.index));
		break;
	case STORED_STALE:
	case STORED_MALFORMED:
		MUST(*why && !stored_classes(p.index));
		break;
	default:
		abort();
	}
	stored_put(ask->env, &p);
}

static void look_at_all(struct container *c, const struct catalog *k)
{
	static struct array_env env;
	uint32_t last = OBJECT_NONE;

	if (!env.cache) {
		log_open("/dev/null");
		env.cache = cache_new(64 << 20, NULL);
	}
	env.problems = problems_new();
	for (uint32_t o = 0; o < catalog_objects(k); o++) {
		struct place_info place;

		if (!catalog_place(k, o, &place) ||
		    place.annotation == OBJECT_NONE || place.annotation == last)
			continue;
		last = place.annotation;
		look_at(&(struct stored_ask){
			.env = &env,
			.container = c,
			.source = 1,
			.k = k,
			.sample = place.sample,
			.annotation = place.annotation,
			.label = "file: annotations/ID",
		});
	}
	cache_drop(env.cache);
	problems_free(env.problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stored_file f;

	if (stored_file_open(&f, data, size) && is_small(f.k))
		look_at_all(&f.container, f.k);
	stored_file_close(&f);
	return 0;
}
