/* SPDX-License-Identifier: MIT */

/*
 * Threads that get and put random keys of a cache that is far too small, with
 * loads that fail, that end without a trace, and that need other entries. A
 * load checks that it is alone for its key, and that no more run than fit; a
 * reader checks each byte.
 */

#include <config.h>

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "cache/cache.h"
#include "stress.h"
#include "util/metric.h"

#define KEYS 300
#define SOURCES 3
#define THREADS 12
#define RUN 5
#define SIZE ((size_t)96 << 10)

static struct cache *cache;
static atomic_int loading[KEYS];
static atomic_size_t running, weight, of_source[SOURCES];
static atomic_ullong loads, failed;
static atomic_bool wrong;

struct thread {
	struct stress_request r; /* first */
	unsigned rounds, depth;
	bool in_run; /* whose loads need no other entries */
};

static void fault(const char *what)
{
	if (!atomic_exchange(&wrong, true))
		printf("# %s\n", what);
}

static size_t size_of(uint64_t unit)
{
	return unit % 7 == 0 ? 0 : 1 + hash_mix(unit, 3) % (SIZE / 8);
}

static size_t scratch_of(uint64_t unit)
{
	return hash_mix(unit, 5) % (SIZE / 16);
}

static int get(struct thread *t, uint64_t unit, struct wait *w,
	       struct cache_entry **out);

static int load(void *arg, const struct cache_key *key, struct wait *w,
		void **data, size_t *size)
{
	struct thread *t = arg;
	uint64_t unit = key->unit;
	size_t mine = 2 * (size_of(unit) + scratch_of(unit));
	uint64_t x = stress_rnd(&t->r.state) % 32;
	int err = 0;

	atomic_fetch_add(&loads, 1);
	if (atomic_fetch_add(&loading[unit], 1) != 0)
		fault("two loads of one key");
	if (t->depth == 0 && mine) {
		size_t others = atomic_fetch_add(&running, 1);
		size_t same =
			atomic_fetch_add(&of_source[unit % SOURCES], mine);

		if (atomic_fetch_add(&weight, mine) + mine > SIZE && others)
			fault("more loads than fit");
		if (same && same + mine > SIZE / 2)
			fault("more loads of one source than fit");
	}
	sched_yield();
	t->depth++;
	if (x < 4 && unit > 0 && !t->in_run) {
		/* Only smaller keys, so that no two loads need each other. */
		struct cache_entry *e;

		err = get(t, unit / 2, w, &e);
		if (!err)
			cache_put(cache, e, 0);
	}
	t->depth--;
	if (!err && !*data) {
		*size = 1 + unit;
		*data = malloc(*size);
		if (!*data)
			err = -ENOMEM;
	}
	if (!err)
		memset(*data, (int)(unit & 0xff), *size);
	if (!err && x == 30)
		err = -EIO;
	if (!err && x == 31)
		err = -EINTR;
	if (err)
		atomic_fetch_add(&failed, 1);
	if (t->depth == 0 && mine) {
		atomic_fetch_sub(&weight, mine);
		atomic_fetch_sub(&of_source[unit % SOURCES], mine);
		atomic_fetch_sub(&running, 1);
	}
	atomic_fetch_sub(&loading[unit], 1);
	return err;
}

static struct cache_ask ask_for(struct thread *t, uint64_t unit)
{
	return (struct cache_ask){
		.key = {.source = unit % SOURCES, .object = 2, .unit = unit},
		.need = size_of(unit),
		.scratch = scratch_of(unit),
		.load = load,
		.arg = t,
	};
}

static int get(struct thread *t, uint64_t unit, struct wait *w,
	       struct cache_entry **out)
{
	const struct cache_ask ask = ask_for(t, unit);

	return cache_get(cache, &ask, w, out);
}

static void check(const struct cache_entry *e, uint64_t unit);

/* The first of a few neighbours; the others are looked at and put. */
static int get_run(struct thread *t, uint64_t unit, struct wait *w,
		   struct cache_entry **out)
{
	struct cache_entry *e[RUN];
	struct cache_ask ask[RUN];
	uint64_t mine;
	int err;

	for (unsigned i = 0; i < RUN; i++)
		ask[i] = ask_for(t, (unit + i) % KEYS);
	t->in_run = true;
	err = cache_get_run(cache, ask, RUN, w, &mine, e);
	t->in_run = false;
	for (unsigned i = 1; i < RUN; i++) {
		if (e[i] && !(mine >> i & 1))
			fault("pinned what was not loaded");
		if (e[i]) {
			check(e[i], ask[i].key.unit);
			cache_put(cache, e[i], 0);
		}
	}
	*out = e[0];
	return err;
}

/* Those of a few neighbours that are there. */
static void peek_run(uint64_t unit, size_t served)
{
	struct cache_entry *e[RUN];
	struct cache_key key[RUN];
	size_t all[RUN];

	for (unsigned i = 0; i < RUN; i++) {
		key[i] = ask_for(NULL, (unit + i) % KEYS).key;
		all[i] = served;
	}
	cache_peek_run(cache, key, RUN, e);
	for (unsigned i = 0; i < RUN; i++)
		if (e[i])
			check(e[i], key[i].unit);
	cache_put_run(cache, e, RUN, all);
}

static void check(const struct cache_entry *e, uint64_t unit)
{
	size_t n;
	const unsigned char *p = cache_data(e, &n);

	if (n != (size_of(unit) ? size_of(unit) : 1 + unit))
		fault("wrong size");
	for (size_t i = 0; i < n; i++) {
		if (p[i] != (unit & 0xff)) {
			fault("wrong bytes");
			return;
		}
	}
}

static void *run(void *arg)
{
	struct thread *t = arg;

	for (unsigned i = 0; i < t->rounds; i++) {
		uint64_t x = stress_rnd(&t->r.state);
		/* Half of the time a few keys that all threads want. */
		uint64_t unit = x & 1 ? (x >> 1) % 5 : (x >> 1) % KEYS;
		struct wait *w = x >> 20 & 3 ? &t->r.wait : NULL;
		struct cache_entry *e;
		int err;

		while ((err = x >> 50 & 1 ? get_run(t, unit, w, &e)
					  : get(t, unit, w, &e)) == -EAGAIN ||
		       err == -ERESTART)
			stress_again(&t->r, err);
		if (!err) {
			check(e, unit);
			cache_put(cache, e, x >> 30 & 1 ? size_of(unit) : 0);
		} else if (err != -EIO && err != -EINTR) {
			fault("an error of nobody's");
		}
		switch (x >> 40 & 0x3f) {
		case 0:
			cache_check(cache);
			break;
		case 1:
			cache_charge(cache, SIZE / 2);
			cache_charge(cache, -(int64_t)(SIZE / 2));
			break;
		case 2:
			cache_drop(cache);
			break;
		case 3:
		case 4:
		case 5:
			peek_run(unit, x >> 30 & 1);
			break;
		default:
			break;
		}
	}
	return NULL;
}

int main(void)
{
	static struct thread t[THREADS];
	struct metrics m = {NULL};
	uint64_t seed = stress_seed();
	uint64_t parked = 0;

	cache = cache_new(SIZE, &m);
	for (unsigned i = 0; i < THREADS; i++) {
		stress_request_init(&t[i].r, seed + i * 1000003);
		t[i].rounds = 4000;
	}
	printf("1..1\n# seed %llu\n", (unsigned long long)seed);
	stress_run(THREADS, run, t, sizeof(t[0]));
	cache_check(cache);
	cache_drop(cache);
	if (metric_get(metric_find(&m, "cache_bytes")) != 0)
		fault("bytes are left");
	cache_free(cache);
	for (unsigned i = 0; i < THREADS; i++) {
		int left;

		parked += t[i].r.parked;
		sem_getvalue(&t[i].r.woken, &left);
		if (left)
			fault("a request was woken twice");
	}
	if (!parked || !failed)
		fault("nothing was parked, or nothing failed");
	printf("# %llu loads, %llu failed, %llu parked\n%sok 1 - cache\n",
	       (unsigned long long)loads, (unsigned long long)failed,
	       (unsigned long long)parked, wrong ? "not " : "");
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
