/* SPDX-License-Identifier: MIT */

/*
 * Threads that read slices and patches of three arrays, any way round, through
 * one cache that holds a part of them; parked requests run again from their
 * start. Each byte is checked.
 */

#include <config.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "array/array.h"
#include "cache/cache.h"
#include "fake.h"
#include "stress.h"
#include "util/problem.h"

#define THREADS 8

#define ARRAYS 3

static struct fake fakes[ARRAYS];
static struct stored_array arrays[ARRAYS];
static atomic_bool wrong;

struct thread {
	struct stress_request r; /* first */
	unsigned rounds;
};

static bool is_right(const struct view *v, const struct fake *f,
		     const uint8_t *got)
{
	uint64_t at[3];
	uint8_t want[8];

	for (uint64_t i = 0; i < v->extent[0]; i++) {
		for (uint64_t j = 0; j < v->extent[1]; j++) {
			for (uint64_t k = 0; k < v->extent[2]; k++) {
				at[0] = (uint64_t)v->start[0] + i;
				at[1] = (uint64_t)v->start[1] + j;
				at[2] = (uint64_t)v->start[2] + k;
				fake_voxel(f, at, want);
				if (memcmp(want, got, f->item_size) != 0)
					return false;
				got += f->item_size;
			}
		}
	}
	return true;
}

/* Offers wait for a thread that has time; there is room for a few. */
static struct wait_offer offers[8];
static unsigned noffers;
static atomic_ullong taken;
static pthread_mutex_t offers_lock = PTHREAD_MUTEX_INITIALIZER;

static void offer(struct wait *w, const struct wait_offer *o)
{
	bool full;

	(void)w;
	pthread_mutex_lock(&offers_lock);
	full = noffers == 8;
	if (!full)
		offers[noffers++] = *o;
	pthread_mutex_unlock(&offers_lock);
	if (full)
		o->drop(o->arg);
}

static void work_offers(void)
{
	for (;;) {
		struct wait_offer o = {.run = NULL};

		pthread_mutex_lock(&offers_lock);
		if (noffers > 0)
			o = offers[--noffers];
		pthread_mutex_unlock(&offers_lock);
		if (!o.run)
			return;
		taken++;
		o.run(o.arg);
	}
}

static void *run(void *arg)
{
	struct thread *t = arg;

	for (unsigned i = 0; i < t->rounds; i++) {
		uint64_t x = stress_rnd(&t->r.state), n;
		unsigned which = (unsigned)(x >> 32) % ARRAYS;
		struct view v = {.array = &arrays[which].base};
		struct wait *w = x >> 1 & 3 ? &t->r.wait : NULL;
		unsigned axis = (unsigned)(x >> 4) % 3;
		uint8_t *buf;
		int err;

		for (unsigned k = 0; k < 3; k++) {
			uint64_t d = fakes[which].shape.dim[k];
			uint64_t p = k == axis ? 1 : x >> 8 & 1 ? d : d / 3;

			v.extent[k] = p;
			v.start[k] = (int64_t)(stress_rnd(&t->r.state) %
					       (d - p + 1));
		}
		if (view_bytes(&v, &n) < 0)
			abort();
		buf = malloc(n);
		if (!buf)
			abort();
		while ((err = array_read(&v, 0, n, buf, w)) == -EAGAIN ||
		       err == -ERESTART)
			stress_again(&t->r, err);
		if (err || !is_right(&v, &fakes[which], buf))
			wrong = true;
		free(buf);
		work_offers();
	}
	return NULL;
}

int main(void)
{
	static struct thread t[THREADS];
	struct array_env env = {.problems = problems_new()};
	uint64_t seed = stress_seed(), parked = 0;

	fakes[0] = (struct fake){
		.shape = {3, {24, 48, 40}},
		.chunk = {3, {8, 16, 16}},
		.kind = 'i',
		.order = '>',
		.item_size = 2,
		.layout = CAT_CHUNKED,
		.nfilter = 2,
		.filter = {2, 32004},
	};
	fakes[1] = (struct fake){
		.shape = {3, {40, 32, 36}},
		.chunk = {3, {1, 32, 36}},
		.kind = 'f',
		.order = '<',
		.item_size = 4,
		.layout = CAT_CHUNKED,
		.nfilter = 1,
		.filter = {1},
	};
	fakes[2] = (struct fake){
		.shape = {3, {24, 50, 40}},
		.chunk = {3, {16, 32, 40}},
		.kind = 'i',
		.order = '>',
		.item_size = 2,
		.layout = CAT_CHUNKED,
		.nfilter = 1,
		.filter = {TOY_FILTER},
		.toy = {.block = {8, 16, 16}, .gap = 900},
		.layers = true,
	};
	env.cache = cache_new((size_t)64 << 10, NULL);
	for (unsigned i = 0; i < ARRAYS; i++) {
		fake_store(&fakes[i], NULL, NULL);
		if (stored_array_init(&arrays[i], &env,
				      fake_container(&fakes[i]), i,
				      fake_catalog(&fakes[i]), 1, "stress") < 0)
			abort();
	}
	for (unsigned i = 0; i < THREADS; i++) {
		stress_request_init(&t[i].r, seed + i * 1000003);
		t[i].r.wait.offer = offer;
		t[i].rounds = 60;
	}
	printf("1..1\n# seed %llu\n", (unsigned long long)seed);
	stress_run(THREADS, run, t, sizeof(t[0]));
	work_offers();
	cache_check(env.cache);
	cache_free(env.cache);
	for (unsigned i = 0; i < THREADS; i++)
		parked += t[i].r.parked;
	if (problems_count(env.problems) > 0)
		wrong = true;
	problems_free(env.problems);
	for (unsigned i = 0; i < ARRAYS; i++)
		fake_fini(&fakes[i]);
	printf("# %llu parked, %llu offers taken\n%sok 1 - array\n",
	       (unsigned long long)parked, (unsigned long long)taken,
	       wrong ? "not " : "");
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
