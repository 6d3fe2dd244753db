/* SPDX-License-Identifier: MIT */

/*
 * The Nth allocation fails, for every N, while a cache is made and arrays are
 * read through it: each call gives its bytes or -ENOMEM, nothing leaks (with a
 * sanitizer), and what failed works afterwards.
 */

#include <config.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "cache/cache.h"
#include "codec/codec.h"
#include "failing.h"
#include "fake.h"
#include "util/log.h"
#include "util/problem.h"

static struct fake f;
static struct problems *problems;
static bool wrong;

static int read_some(const struct stored_array *s)
{
	uint8_t got[2 * 4 * 6 * 20], want[8];
	int worst = 0;

	for (uint64_t i = 0; i < 10; i++) {
		struct view v = {
			.array = &s->base,
			.start = {(int64_t)i % 5, 1, (int64_t)i},
			.extent = {2, 4, 6},
		};
		uint64_t at[3], n;
		int err = view_bytes(&v, &n);

		if (!err)
			err = array_read(&v, 0, n, got, NULL);
		if (err) {
			worst = err;
			wrong |= err != -ENOMEM;
			continue;
		}
		for (uint64_t k = 0; k < 2 * 4 * 6; k++) {
			at[0] = (uint64_t)v.start[0] + k / 24;
			at[1] = 1 + k / 6 % 4;
			at[2] = i + k % 6;
			fake_voxel(&f, at, want);
			wrong |= memcmp(want, got + k * f.item_size,
					f.item_size) != 0;
		}
	}
	return worst;
}

/* True: no allocation failed, the scenario is over. */
static bool run(long nth, size_t size)
{
	struct array_env env = {.problems = problems};
	struct stored_array s;
	struct chunk_counts n;
	bool over;
	int err;

	codec_trim(0);
	left = nth;
	env.cache = cache_new(size, NULL);
	over = left >= 0;
	if (!env.cache) {
		wrong |= over;
		left = -1;
		return false;
	}
	err = stored_array_init(&s, &env, fake_container(&f), 1,
				fake_catalog(&f), 1, "fault");
	wrong |= err != 0;
	err = read_some(&s);
	if (!err)
		err = stored_array_counts(&s, &n, NULL);
	over = left >= 0;
	left = -1;
	wrong |= over && err;
	cache_check(env.cache);
	wrong |= read_some(&s) != 0;
	cache_check(env.cache);
	cache_free(env.cache);
	return over;
}

static struct fake make(bool in_blocks)
{
	struct fake x = {
		.shape = {3, {6, 8, 20}},
		.chunk = {3, {2, 4, 8}},
		.kind = 'f',
		.order = '>',
		.item_size = 4,
		.layout = CAT_CHUNKED,
		.nfilter = 3,
		.filter = {2, 1, 3},
	};

	if (in_blocks) {
		x.chunk = (struct shape){3, {6, 8, 20}};
		x.nfilter = 1;
		x.filter[0] = TOY_FILTER;
		x.toy = (struct toy_conf){.block = {2, 8, 20}};
	}
	return x;
}

int main(void)
{
	static const size_t sizes[] = {4096, 1 << 20};

	log_open("/dev/null");
	problems = problems_new();
	printf("1..4\n");
	for (unsigned i = 0; i < 4; i++) {
		long n = 0;

		f = make(i / 2);
		fake_store(&f, NULL, NULL);
		wrong = false;
		while (!run(n, sizes[i % 2]) && n < 100000)
			n++;
		printf("%sok %u - %ld allocations failed\n",
		       wrong || n < 5 || n == 100000 ? "not " : "", i + 1, n);
		if (wrong)
			return EXIT_FAILURE;
		fake_fini(&f);
	}
	problems_free(problems);
	return EXIT_SUCCESS;
}
