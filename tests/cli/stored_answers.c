/* SPDX-License-Identifier: MIT */

/*
 * What the sampling indices of a medh5 file say, for stored.py.
 *
 *     stored_answers FILE [TIMES]
 *
 * For each annotation of each sample a line "SAMPLE ID STATE WHY", its parts
 * separated by tabs; then, if it is fresh, a line of each class: id, count,
 * rows, box, the SHA-256 of all its coordinates as int32. At the end the
 * problems. With TIMES: how long it took to look at each index, and to draw.
 */

#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../model/array_file.h"
#include "index/stored.h"
#include "util/hash.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint32_t child(const struct catalog *k, uint32_t group, const char *name)
{
	int64_t i = catalog_find(k, group, name, strlen(name));
	struct member m;

	if (i < 0)
		return OBJECT_NONE;
	catalog_member(k, group, (uint32_t)i, &m);
	return m.kind == CAT_HARD ? m.target : OBJECT_NONE;
}

static int print_class(const struct stored_ask *ask,
		       const struct stored_index *x, uint32_t i)
{
	const unsigned ndim = stored_shape(x)->ndim;
	struct stored_class c;
	char hex[HASH_HEX_MAX];
	struct hash *h;
	int err = hash_new("sha256", &h);

	stored_class(x, i, &c);
	for (uint64_t row = 0; row < c.rows && !err; row++) {
		uint64_t at[NDIM_MAX];

		err = stored_row(ask, x, i, row, NULL, at);
		for (unsigned a = 0; a < ndim && !err; a++) {
			int32_t v = (int32_t)at[a];

			err = hash_add(h, &v, sizeof(v));
		}
	}
	if (!err)
		err = hash_hex(h, hex);
	hash_free(h);
	if (err)
		return err;
	printf("%" PRId64 "\t%" PRIu64 "\t%" PRIu64 "\t", c.id, c.count,
	       c.rows);
	for (unsigned a = 0; a < ndim; a++)
		printf("%s%" PRIu64 ":%" PRIu64, a ? "," : "", c.start[a],
		       c.stop[a]);
	printf("\t%s\n", hex);
	return stored_find(x, c.id) == i ? 0 : -EINVAL;
}

static int print_index(const struct stored_ask *ask)
{
	static const char *const state[] = {"absent", "fresh", "stale",
					    "malformed"};
	struct stored_pin p;
	int err = stored_get(ask, NULL, &p);

	if (err) {
		printf("\t%s\t\n", strerror(-err));
		return 0;
	}
	printf("\t%s\t%s\n", state[stored_state(p.index)], stored_why(p.index));
	for (uint32_t i = 0; i < stored_classes(p.index) && !err; i++)
		err = print_class(ask, p.index, i);
	stored_put(ask->env, &p);
	return err;
}

static int time_index(const struct stored_ask *ask)
{
	uint64_t at[NDIM_MAX];
	struct stored_pin p;
	double begin = now(), looked, first;
	int err = stored_get(ask, NULL, &p);

	if (err || stored_state(p.index) != STORED_FRESH)
		return err ? err : -EINVAL;
	looked = now();
	err = stored_row(ask, p.index, 0, 0, NULL, at);
	first = now();
	for (uint32_t i = 0; i < 1000 && !err; i++)
		err = stored_row(ask, p.index, 0, 0, NULL, at);
	printf("\tlook %.0f us, first row %.1f us, next %.2f us\n",
	       (looked - begin) * 1e6, (first - looked) * 1e6,
	       (now() - first) * 1e3);
	stored_put(ask->env, &p);
	return err;
}

static int of_sample(struct array_file *f, uint32_t sample, bool times)
{
	const struct catalog *k = f->catalog.data;
	struct sample_info s;
	uint32_t all;
	int err = 0;

	catalog_sample(k, sample, &s);
	all = child(k, s.root, "annotations");
	for (uint32_t i = 0; i < catalog_members(k, all) && !err; i++) {
		char label[512];
		struct member m;
		const struct stored_ask ask = {
			.env = &f->env,
			.container = f->container,
			.source = 1,
			.k = k,
			.sample = sample,
			.annotation = (catalog_member(k, all, i, &m), m.target),
			.label = label,
		};

		snprintf(label, sizeof(label), "%s: annotations/%.*s", f->path,
			 (int)m.name.n, m.name.p);
		printf("%u\t%.*s", sample, (int)m.name.n, m.name.p);
		err = times ? time_index(&ask) : print_index(&ask);
	}
	return err;
}

int main(int argc, char **argv)
{
	struct array_file f;
	int r = argc >= 2 ? array_file_open(&f, argv[1], (size_t)16 << 20) : -1;

	if (r < 0)
		return EXIT_FAILURE;
	for (uint32_t i = 0; i < catalog_samples(f.catalog.data) && !r; i++)
		r = of_sample(&f, i, argc > 2);
	if (r < 0)
		fprintf(stderr, "%s\n", strerror(-r));
	printf("problems\n");
	for (uint32_t i = 0; i < catalog_problems(f.catalog.data); i++) {
		struct bytes text;
		uint32_t object;

		catalog_problem(f.catalog.data, i, &object, &text);
		printf("scan\t%.*s\n", (int)text.n, text.p);
	}
	problems_write(f.env.problems, stdout);
	array_file_close(&f);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
