/* SPDX-License-Identifier: MIT */

/*
 * What the cache and the copy out of it cost, without a mount: hits a second
 * with one and with four threads, megabytes a second of cached slices any way
 * round, and by how much resident memory exceeds what is accounted. Prints
 * "name value unit".
 */

#include <config.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "array/array.h"
#include "cache/cache.h"
#include "fake.h"
#include "util/hash.h"
#include "util/metric.h"
#include "util/problem.h"

#define SECONDS 0.3
#define UNITS 1024

static struct cache *cache;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static int fill(void *arg, const struct cache_key *key, struct wait *w,
		void **data, size_t *size)
{
	(void)arg;
	(void)w;
	memset(*data, (int)key->unit, *size);
	return 0;
}

static void get_from(struct cache *c, uint64_t unit, size_t need)
{
	const struct cache_ask ask = {
		.key = {.source = UINT64_MAX, .unit = unit},
		.need = need,
		.load = fill,
	};
	struct cache_entry *e;

	if (cache_get(c, &ask, NULL, &e) < 0)
		abort();
	cache_put(c, e, 0);
}

static void get_unit(uint64_t unit, size_t need)
{
	get_from(cache, unit, need);
}

static void *hit(void *arg)
{
	unsigned long *n = arg;
	double start = now();

	while (now() - start < SECONDS) {
		for (unsigned i = 0; i < 1000; i++)
			get_unit((*n + i) * 7 % UNITS, 100);
		*n += 1000;
	}
	return NULL;
}

static void bench_hits(unsigned threads)
{
	unsigned long n[8] = {0}, sum = 0;
	pthread_t t[8];
	double start = now();

	for (unsigned i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, hit, &n[i]);
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(t[i], NULL);
		sum += n[i];
	}
	printf("cache_hit_%uthreads %.0f ns\n", threads,
	       1e9 * (now() - start) / (double)sum);
}

static double resident(void)
{
	unsigned long pages = 0, rss = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%lu %lu", &pages, &rss) != 2)
		abort();
	fclose(f);
	return (double)rss * (double)sysconf(_SC_PAGESIZE);
}

/* Units of sizes between low and high come and go, then of another kind. */
static void bench_memory(const char *name, size_t low, size_t high, size_t then)
{
	double before, start, size = 256.0 * (1 << 20);
	uint64_t loads = 8 * (uint64_t)size / (low + high);
	struct metrics m = {NULL};
	pid_t child = fork();
	int status;

	if (child > 0) {
		waitpid(child, &status, 0);
		if (status)
			abort();
		return;
	}
	before = resident();
	cache = cache_new((size_t)size, &m);
	start = now();
	for (uint64_t i = 0; i < loads; i++)
		get_unit(i, low + hash_mix(i, 4) % (high - low + 1));
	printf("cache_load_%s %.0f ns\n", name,
	       1e9 * (now() - start) / (double)loads);
	for (uint64_t i = 0; then && i < (uint64_t)size / then / 2; i++)
		get_unit(i + 1000000, then);
	printf("cache_rss_%s %.3f of_accounted\n", name,
	       (resident() - before) /
		       (double)metric_get(metric_find(&m, "cache_bytes")));
	cache_free(cache);
	fflush(stdout);
	_exit(0);
}

static void bench_slices(const char *name, struct shape chunk, unsigned axis,
			 size_t piece)
{
	static unsigned char buf[1 << 20];
	struct array_env env = {
		.cache = cache_new((size_t)128 << 20, NULL),
		.problems = problems_new(),
	};
	struct fake f = {
		.shape = {3, {64, 512, 512}},
		.chunk = chunk,
		.kind = 'u',
		.order = '>', /* so that nothing is read past the cache */
		.item_size = 2,
		.layout = CAT_CHUNKED,
	};
	struct stored_array s;
	double start = 0, bytes = 0;

	fake_store(&f, NULL, NULL);
	if (stored_array_init(&s, &env, fake_container(&f), 1, fake_catalog(&f),
			      1, "bench") < 0)
		abort();
	for (unsigned round = 0; round < 2; round++) {
		unsigned long i = 0;

		start = now();
		for (bytes = 0;
		     round ? now() - start < SECONDS : i < f.shape.dim[axis];
		     i++) {
			struct view v = {.array = &s.base};
			uint64_t n;

			for (unsigned k = 0; k < 3; k++)
				v.extent[k] = f.shape.dim[k];
			v.start[axis] = (int64_t)(i % f.shape.dim[axis]);
			v.extent[axis] = 1;
			if (view_bytes(&v, &n) < 0)
				abort();
			for (uint64_t off = 0; off < n; off += piece) {
				size_t len = n - off < piece ? n - off : piece;

				if (array_read(&v, off, len, buf, NULL) < 0)
					abort();
			}
			bytes += (double)n;
		}
	}
	printf("slices_%s_axis%u_%zuk %.0f MB/s\n", name, axis, piece >> 10,
	       1e-6 * bytes / (now() - start));
	cache_free(env.cache);
	problems_free(env.problems);
	fake_fini(&f);
}

/* The processor's time of this thread: others may be running. */
static double cpu(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/*
 * Slices that are not cached, against their decoding alone: into a cache that
 * fills, or that is full and lets others go.
 */
static void bench_cold(const char *name, unsigned packing, bool is_full)
{
	static unsigned char buf[512 * 512 * 2];
	struct array_env env = {
		.cache = cache_new((size_t)256 << 20, NULL),
		.problems = problems_new(),
	};
	struct fake f = {
		.shape = {3, {32, 512, 512}},
		.chunk = {3, {1, 512, 512}},
		.kind = 'u',
		.order = '<',
		.item_size = 2,
		.layout = CAT_CHUNKED,
		.nfilter = 2,
		.filter = {2, packing},
	};
	struct stored_array s;
	double start, cold, alone;
	unsigned long i;

	fake_store(&f, NULL, NULL);
	if (stored_array_init(&s, &env, fake_container(&f), 1, fake_catalog(&f),
			      1, "bench") < 0)
		abort();
	for (i = 0; is_full && i < 512; i++)
		get_from(env.cache, i, sizeof(buf));
	start = cpu();
	for (i = 0; cpu() - start < SECONDS; i++) {
		struct view v = {
			.array = &s.base,
			.start = {(int64_t)(i % 32), 0, 0},
			.extent = {1, 512, 512},
		};

		if (i % 32 == 0 && !is_full)
			cache_drop(env.cache);
		s.source = i / 32;
		if (array_read(&v, 0, sizeof(buf), buf, NULL) < 0)
			abort();
	}
	cold = (double)i / (cpu() - start);
	start = cpu();
	for (i = 0; cpu() - start < SECONDS; i++) {
		const struct fake_chunk *c = &f.chunk_at[i % 32];

		if (codec_decode(&f.chain, 0, f.file + c->off, c->n, buf,
				 sizeof(buf)) < 0)
			abort();
	}
	alone = (double)i / (cpu() - start);
	printf("cold_%s_%s %.2f of_decoding_alone\n", name,
	       is_full ? "full" : "filling", cold / alone);
	cache_free(env.cache);
	problems_free(env.problems);
	fake_fini(&f);
}

int main(void)
{
	static const struct shape flat = {3, {1, 512, 512}};
	static const struct shape cube = {3, {32, 64, 64}};

	bench_memory("4k_60k", 4 << 10, 60 << 10, 0);
	bench_memory("64k_1m", 64 << 10, 1 << 20, 0);
	bench_memory("6500k", 6500 << 10, 6500 << 10, 0);
	bench_memory("4k_60k_then_1m", 4 << 10, 60 << 10, 1 << 20);
	bench_memory("4k_60k_then_50k", 4 << 10, 60 << 10, 50 << 10);
	cache = cache_new((size_t)64 << 20, NULL);
	bench_hits(1);
	bench_hits(4);
	cache_free(cache);
	for (unsigned axis = 0; axis < 3; axis++) {
		bench_slices("flat", flat, axis, 128 << 10);
		bench_slices("cube", cube, axis, 128 << 10);
		bench_slices("cube", cube, axis, 1 << 20);
	}
	bench_cold("shuffle_gzip", 1, false);
	bench_cold("shuffle_gzip", 1, true);
	bench_cold("shuffle_lz4", 32004, false);
	bench_cold("shuffle_lz4", 32004, true);
	return 0;
}
