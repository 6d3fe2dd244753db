/* SPDX-License-Identifier: MIT */

/*
 * What an exact index costs: an array of a file is read once from end to end,
 * then its index is built, each with an empty cache; then voxels are looked up.
 *
 *     bench_label FILE ARRAY THREADS [TIMES]
 *
 * Prints seconds of both (the least of TIMES), runs, bytes, bytes a run,
 * nanoseconds of a lookup, and voxels.
 */

#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../model/array_file.h"
#include "index/index.h"
#include "util/hash.h"

#define CACHE ((size_t)256 << 20)
#define BUFFER ((size_t)1 << 20)
#define LOOKUPS 1000000

static struct {
	struct array_file file;
	struct stored_array array;
	void *buf;
} bench;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All of it, a megabyte of rows at a time. */
static int read_all(void)
{
	struct view v = {.array = &bench.array.base};
	uint64_t n;
	int err;

	for (unsigned k = 0; k < v.array->shape.ndim; k++)
		v.extent[k] = v.array->shape.dim[k];
	err = view_bytes(&v, &n);
	for (uint64_t at = 0; !err && at < n; at += BUFFER)
		err = array_read(&v, at, n - at < BUFFER ? n - at : BUFFER,
				 bench.buf, NULL);
	return err;
}

static int build(unsigned threads, void **out, size_t *size)
{
	const struct label_plane p = {.array = &bench.array.base};
	const struct label_source s = {
		.shape = p.array->shape, .nplane = 1, .plane = &p};
	const struct index_conf conf = {
		.threads = threads,
		.memory = (size_t)8 << 20,
		.max = (size_t)1 << 30,
		.max_classes = 65536,
	};

	return label_index_build(&s, &conf, out, size);
}

static double lookup(const struct label_index *x)
{
	const uint32_t classes = label_index_classes(x);
	uint64_t sum = 0, at[NDIM_MAX];
	double t = now();

	for (uint64_t i = 0; classes && i < LOOKUPS; i++) {
		struct label_class c;
		uint64_t r = hash_mix(i, 1);

		label_index_class(x, (uint32_t)(r % classes), &c);
		label_index_voxel(x, (uint32_t)(r % classes), r % c.count, at);
		sum += at[0];
	}
	t = now() - t;
	return sum == 1 ? 0 : 1e9 * t / LOOKUPS;
}

int main(int argc, char **argv)
{
	double reading = 1e9, building = 1e9, t;
	unsigned times = argc > 4 ? (unsigned)atoi(argv[4]) : 5;
	uint64_t runs = 0, voxels = 0;
	void *x = NULL;
	size_t size = 0;
	int err;

	if (argc < 4)
		return EXIT_FAILURE;
	bench.buf = malloc(BUFFER);
	err = bench.buf ? array_file_open(&bench.file, argv[1], CACHE) : -1;
	if (!err)
		err = array_file_get(&bench.file, argv[2], &bench.array);
	for (unsigned i = 0; !err && i < times; i++) {
		cache_drop(bench.file.env.cache);
		t = now();
		err = read_all();
		t = now() - t;
		reading = t < reading ? t : reading;
		cache_drop(bench.file.env.cache);
		free(x);
		x = NULL;
		t = now();
		if (!err)
			err = build((unsigned)atoi(argv[3]), &x, &size);
		t = now() - t;
		building = t < building ? t : building;
	}
	if (err) {
		fprintf(stderr, "%s: %s: %d\n", argv[1], argv[2], err);
		return EXIT_FAILURE;
	}
	for (uint32_t i = 0; i < label_index_classes(x); i++) {
		struct label_class c;

		label_index_class(x, i, &c);
		runs += c.runs;
		voxels += c.count;
	}
	printf("%.5f %.5f %" PRIu64 " %zu %.2f %.0f %" PRIu64 "\n", reading,
	       building, runs, size, runs ? (double)size / (double)runs : 0,
	       lookup(x), voxels);
	return EXIT_SUCCESS;
}
