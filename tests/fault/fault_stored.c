/* SPDX-License-Identifier: MIT */

/*
 * The Nth allocation fails, for every N, while the sampling index that a medh5
 * file carries is looked at and drawn from: each call says what it says without
 * that or -ENOMEM, nothing leaks (with a sanitizer), and what failed works
 * afterwards.
 */

#define _GNU_SOURCE
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fuzz/stored_file.h"
#include "array/array.h"
#include "cache/cache.h"
#include "failing.h"
#include "index/stored.h"
#include "util/log.h"
#include "util/problem.h"

static bool wrong;

/* What there is to be seen: the state, and places of rows by a formula. */
struct seen {
	enum stored_state state;
	char why[200];
	uint64_t classes, sum;
};

static int add_rows(const struct stored_ask *ask, const struct stored_index *x,
		    uint32_t i, uint64_t *sum)
{
	struct stored_class c;

	stored_class(x, i, &c);
	for (uint64_t row = 0; row < c.rows; row++) {
		uint64_t at[NDIM_MAX];
		int err = stored_row(ask, x, i, row, NULL, at);

		if (err)
			return err;
		for (unsigned a = 0; a < stored_shape(x)->ndim; a++)
			*sum = *sum * 31 + at[a];
	}
	return 0;
}

static int look(const struct stored_ask *ask, struct seen *out)
{
	struct stored_pin p;
	int err = stored_get(ask, NULL, &p);

	memset(out, 0, sizeof(*out));
	if (err)
		return err;
	out->state = stored_state(p.index);
	strcpy(out->why, stored_why(p.index));
	out->classes = stored_classes(p.index);
	for (uint32_t i = 0; i < out->classes && !err; i++)
		err = add_rows(ask, p.index, i, &out->sum);
	stored_put(ask->env, &p);
	return err;
}

/* True: no allocation failed, the scenario is over. */
static bool run(struct stored_file *f, long nth, struct seen *want)
{
	struct array_env env = {.problems = problems_new()};
	struct stored_ask ask = {
		.env = &env,
		.container = &f->container,
		.source = 1,
		.k = f->k,
		.label = "file: annotations/ID",
	};
	struct seen got = {0};
	bool over;
	int err;

	for (uint32_t o = 0; o < catalog_objects(f->k); o++) {
		struct place_info place;

		if (catalog_place(f->k, o, &place) &&
		    place.annotation != OBJECT_NONE)
			ask.annotation = place.annotation;
	}
	env.cache = cache_new(1 << 20, NULL);
	wrong |= !ask.annotation || !env.cache;
	left = nth;
	err = wrong ? -EINVAL : look(&ask, &got);
	over = left >= 0;
	left = -1;
	if (nth < 0)
		*want = got;
	wrong |= err && (err != -ENOMEM || over || nth < 0);
	wrong |= !err && memcmp(&got, want, sizeof(got)) != 0;
	wrong |= look(&ask, &got) || memcmp(&got, want, sizeof(got)) != 0;
	cache_check(env.cache);
	cache_free(env.cache);
	problems_free(env.problems);
	return over;
}

/* Allocations, or less than 0 if something went wrong. */
static long fail_each(const char *name, enum stored_state state)
{
	static uint8_t data[1 << 16];
	const char *srcdir = getenv("srcdir");
	struct stored_file f;
	struct seen want;
	char path[4096];
	long nth = 0;
	size_t n;
	FILE *in;

	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/stored/%s",
		 srcdir ? srcdir : ".", name);
	in = fopen(path, "rb");
	if (!in)
		return -1;
	n = fread(data, 1, sizeof(data), in);
	fclose(in);
	if (!stored_file_open(&f, data, n))
		return -1;
	run(&f, -1, &want);
	wrong |= want.state != state;
	while (!wrong && !run(&f, nth, &want))
		nth++;
	stored_file_close(&f);
	return wrong ? -1 : nth;
}

int main(void)
{
	static const struct {
		const char *name;
		enum stored_state state;
	} of[] = {
		{"fresh", STORED_FRESH},
		{"fresh-some", STORED_FRESH},
		{"fresh-big-endian", STORED_FRESH},
		{"fresh-computed-sha256", STORED_FRESH},
		{"stale-computed", STORED_STALE},
		{"bad-rows-order", STORED_MALFORMED},
		{"bad-box-nan", STORED_MALFORMED},
	};
	const unsigned n = sizeof(of) / sizeof(*of);
	bool bad = false;

	log_open("/dev/null");
	printf("1..%u\n", n);
	for (unsigned i = 0; i < n; i++) {
		long times;

		wrong = false;
		times = fail_each(of[i].name, of[i].state);
		bad |= times < 3;
		printf("%sok %u - %s # %ld allocations\n",
		       times < 3 ? "not " : "", i + 1, of[i].name, times);
	}
	return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
