/* SPDX-License-Identifier: MIT */

/*
 * The cache by itself. What needs two callers at once is made to happen in
 * one thread where it can: a load calls back into the test, which then is the
 * second caller. Parked requests are struct waits that count their wakes.
 */

#include <config.h>

#include "cache/cache.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "util/metric.h"

#include "unit.h"

#define MIB ((size_t)1 << 20)

static struct metrics metrics;

static int64_t counter(const char *name)
{
	return metric_get(metric_find(&metrics, name));
}

/* A load whose outcome the test chooses, and that may call the test. */
struct script {
	struct cache *c;
	unsigned loads;
	int err;
	size_t size; /* without need: bytes to allocate */
	void (*meanwhile)(struct script *s);
	void *extra;
};

static int scripted(void *arg, const struct cache_key *key, struct wait *w,
		    void **data, size_t *size)
{
	struct script *s = arg;

	(void)w;
	s->loads++;
	if (s->meanwhile)
		s->meanwhile(s);
	if (s->err)
		return s->err;
	if (!*data) {
		*size = s->size;
		*data = malloc(s->size ? s->size : 1);
		if (!*data)
			return -ENOMEM;
	}
	memset(*data, (int)(key->unit & 0xff), *size);
	return 0;
}

static struct cache_ask ask_for(struct script *s, uint64_t unit, size_t need)
{
	return (struct cache_ask){
		.key = {.source = 1, .object = 2, .unit = unit},
		.need = need,
		.load = scripted,
		.arg = s,
	};
}

/* Load or find a unit, look at its bytes, put it. */
static void touch(struct script *s, uint64_t unit, size_t need, size_t served)
{
	struct cache_ask ask = ask_for(s, unit, need);
	struct cache_entry *e;
	const unsigned char *p;
	size_t n;

	ck_assert_int_eq(cache_get(s->c, &ask, NULL, &e), 0);
	p = cache_data(e, &n);
	ck_assert_uint_eq(n, need);
	ck_assert_uint_eq(p[0], unit & 0xff);
	ck_assert_uint_eq(p[n - 1], unit & 0xff);
	cache_put(s->c, e, served);
	cache_check(s->c);
}

static bool holds(struct script *s, uint64_t unit)
{
	struct cache_ask ask = ask_for(s, unit, 0);
	struct cache_entry *e = cache_peek(s->c, &ask.key);

	if (e)
		cache_put(s->c, e, 0);
	return e;
}

/* A request that counts; admit answers what the test says. */
struct request {
	struct wait wait; /* first */
	unsigned wakes, asked;
	int answer;
	struct wait_need need;
};

static int request_admit(struct wait *w, const struct wait_need *need)
{
	struct request *r = (struct request *)w;

	r->asked++;
	r->need = *need;
	return r->answer;
}

static void request_wake(struct wait *w)
{
	((struct request *)w)->wakes++;
}

static struct request request_new(void)
{
	return (struct request){
		.wait = {.admit = request_admit, .wake = request_wake},
	};
}

START_TEST(test_hit_and_miss)
{
	struct script s = {.c = cache_new(4 * MIB, &metrics)};

	touch(&s, 1, 1000, 0);
	touch(&s, 1, 1000, 0);
	touch(&s, 2, MIB, 0);
	touch(&s, 2, MIB, 0);
	ck_assert_uint_eq(s.loads, 2);
	ck_assert_int_eq(counter("cache_misses"), 2);
	ck_assert_int_eq(counter("cache_hits"), 2);
	ck_assert_int_eq(counter("cache_entries"), 2);
	ck_assert_int_ge(counter("cache_bytes"), (int64_t)MIB + 1000);
	ck_assert_int_eq(counter("cache_pinned_bytes"), 0);
	cache_drop(s.c);
	ck_assert_int_eq(counter("cache_bytes"), 0);
	cache_free(s.c);
}
END_TEST

/* Each field of the key tells two entries apart. */
START_TEST(test_key_fields)
{
	struct script s = {.c = cache_new(4 * MIB, NULL)};
	struct cache_key keys[] = {
		{0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {0, 1, 0, 0, 0},
		{0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1},
	};

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 6; i++) {
			struct cache_ask ask = ask_for(&s, 0, 16);
			struct cache_entry *e;

			ask.key = keys[i];
			ck_assert_int_eq(cache_get(s.c, &ask, NULL, &e), 0);
			cache_put(s.c, e, 0);
		}
	}
	ck_assert_uint_eq(s.loads, 6);
	cache_free(s.c);
}
END_TEST

START_TEST(test_evicts_the_coldest)
{
	struct script s = {.c = cache_new(4 * MIB, &metrics)};

	for (uint64_t u = 0; u < 3; u++)
		touch(&s, u, MIB, 0);
	touch(&s, 0, MIB, 0);
	touch(&s, 3, MIB, 0); /* four and their overhead do not fit */
	ck_assert(holds(&s, 0));
	ck_assert(!holds(&s, 1));
	ck_assert(holds(&s, 2));
	ck_assert(holds(&s, 3));
	ck_assert_int_eq(counter("cache_evictions"), 1);
	ck_assert_int_le(counter("cache_bytes"), 4 * (int64_t)MIB);
	cache_free(s.c);
}
END_TEST

/* An entry whose bytes were all handed out is the next to leave. */
START_TEST(test_served_entries_leave_first)
{
	struct script s = {.c = cache_new(4 * MIB, NULL)};

	touch(&s, 0, MIB, MIB / 2);
	touch(&s, 1, MIB, MIB / 2);
	touch(&s, 2, MIB, MIB);
	touch(&s, 3, MIB, 0);
	ck_assert(!holds(&s, 2));
	touch(&s, 1, MIB, MIB / 2); /* its other half */
	touch(&s, 4, MIB, 0);
	ck_assert(!holds(&s, 1));
	ck_assert(holds(&s, 0));
	ck_assert(holds(&s, 3));
	cache_free(s.c);
}
END_TEST

/* They go for room only: another view may want them. */
START_TEST(test_served_entries_stay_while_there_is_room)
{
	struct script s = {.c = cache_new(32 * MIB, NULL)};

	for (uint64_t u = 0; u < 30; u++)
		touch(&s, u, MIB, MIB);
	for (uint64_t u = 0; u < 30; u++)
		ck_assert(holds(&s, u));
	cache_free(s.c);
}
END_TEST

START_TEST(test_scratch)
{
	struct cache *c = cache_new(16 * MIB, &metrics);
	struct cache_scratch *a, *b;
	void *at, *again;

	a = cache_scratch_take(c, MIB / 4, &at);
	ck_assert_ptr_nonnull(a);
	memset(at, 1, MIB / 4);
	ck_assert(cache_scratch_give(c, a, MIB / 4));
	ck_assert_int_eq(counter("cache_bytes"), (int64_t)MIB / 2);
	b = cache_scratch_take(c, 1000, &again);
	ck_assert_ptr_eq(at, again);
	a = cache_scratch_take(c, MIB / 2, &at);
	ck_assert_ptr_ne(at, again);
	ck_assert(cache_scratch_give(c, a, 0));
	ck_assert(cache_scratch_give(c, b, 0));
	ck_assert_int_eq(counter("cache_bytes"), (int64_t)MIB);
	/* More than a sixteenth of the cache is not kept. */
	a = cache_scratch_take(c, 2 * MIB, &at);
	ck_assert(!cache_scratch_give(c, a, 0));
	ck_assert_int_eq(counter("cache_bytes"), (int64_t)MIB / 2);
	cache_free(c);
}
END_TEST

START_TEST(test_pinned_entries_stay)
{
	struct script s = {.c = cache_new(4 * MIB, &metrics)};
	struct cache_ask ask = ask_for(&s, 100, MIB);
	struct cache_entry *e;

	ck_assert_int_eq(cache_get(s.c, &ask, NULL, &e), 0);
	for (uint64_t u = 0; u < 10; u++)
		touch(&s, u, MIB, 0);
	ck_assert_int_ge(counter("cache_pinned_bytes"), (int64_t)MIB);
	ck_assert(holds(&s, 100));
	ck_assert_uint_eq(*(const unsigned char *)cache_data(e, NULL), 100);
	cache_put(s.c, e, 0);
	cache_check(s.c);
	ck_assert_int_eq(counter("cache_pinned_bytes"), 0);
	cache_free(s.c);
}
END_TEST

START_TEST(test_too_large)
{
	struct script s = {.c = cache_new(4 * MIB, NULL), .size = 16};
	struct cache_ask ask = ask_for(&s, 0, 2 * MIB + 1);
	struct cache_entry *e;

	ck_assert_int_eq(cache_get(s.c, &ask, NULL, &e), -EFBIG);
	ask.need = 2 * MIB;
	ck_assert_int_eq(cache_get(s.c, &ask, NULL, &e), 0);
	cache_put(s.c, e, 0);
	ask = ask_for(&s, 1, MIB);
	ask.scratch = 3 * MIB + CACHE_LOAD_SLACK + 1;
	ck_assert_int_eq(cache_get(s.c, &ask, NULL, &e), -EFBIG);
	ask.scratch = SIZE_MAX;
	ck_assert_int_eq(cache_get(s.c, &ask, NULL, &e), -EFBIG);
	ck_assert_uint_eq(s.loads, 1);
	cache_check(s.c);
	cache_free(s.c);
}
END_TEST

START_TEST(test_failures_are_remembered)
{
	struct script s = {.c = cache_new(4 * MIB, &metrics), .err = -EBADMSG};
	struct cache_ask ask = ask_for(&s, 0, MIB);
	struct cache_entry *e;

	ck_assert_int_eq(cache_get(s.c, &ask, NULL, &e), -EBADMSG);
	ck_assert_int_eq(cache_get(s.c, &ask, NULL, &e), -EBADMSG);
	ck_assert_uint_eq(s.loads, 1);
	ck_assert(!cache_wants(s.c, &ask.key));
	ck_assert_int_eq(counter("cache_load_errors"), 1);
	ck_assert_int_eq(counter("cache_bytes"), 0);
	cache_drop(s.c);
	s.err = 0;
	ck_assert_int_eq(cache_get(s.c, &ask, NULL, &e), 0);
	cache_put(s.c, e, 0);
	for (unsigned i = 0; i < 4; i++) {
		static const int passing[] = {-EAGAIN, -ERESTART, -EINTR,
					      -ENOMEM};

		ask = ask_for(&s, 1 + i, MIB);
		s.err = passing[i];
		s.loads = 0;
		ck_assert_int_eq(cache_get(s.c, &ask, NULL, &e), s.err);
		ck_assert_int_eq(cache_get(s.c, &ask, NULL, &e), s.err);
		ck_assert_uint_eq(s.loads, 2);
	}
	cache_check(s.c);
	cache_free(s.c);
}
END_TEST

/* A load that finds out its size; one that fails after it has allocated. */
static int unsized_failure(void *arg, const struct cache_key *key,
			   struct wait *w, void **data, size_t *size)
{
	(void)arg;
	(void)key;
	(void)w;
	*data = malloc(100);
	*size = 100;
	return -EIO;
}

START_TEST(test_unsized)
{
	struct script s = {.c = cache_new(MIB, &metrics), .size = 5000};
	struct cache_ask ask = ask_for(&s, 7, 0);
	struct cache_entry *e;
	size_t n;

	ck_assert_int_eq(cache_get(s.c, &ask, NULL, &e), 0);
	ck_assert_uint_eq(*(const unsigned char *)cache_data(e, &n), 7);
	ck_assert_uint_eq(n, 5000);
	ck_assert_int_ge(counter("cache_bytes"), 5000);
	cache_put(s.c, e, 0);
	cache_check(s.c);
	ask = ask_for(&s, 8, 0);
	ask.load = unsized_failure;
	ck_assert_int_eq(cache_get(s.c, &ask, NULL, &e), -EIO);
	cache_check(s.c);
	cache_free(s.c);
}
END_TEST

START_TEST(test_charge)
{
	struct script s = {.c = cache_new(4 * MIB, &metrics)};

	for (uint64_t u = 0; u < 3; u++)
		touch(&s, u, MIB, 0);
	cache_charge(s.c, 2 * (int64_t)MIB);
	cache_check(s.c);
	ck_assert(!holds(&s, 0));
	ck_assert(!holds(&s, 1));
	ck_assert(holds(&s, 2));
	ck_assert_int_le(counter("cache_bytes"), 4 * (int64_t)MIB);
	cache_charge(s.c, 9 * (int64_t)MIB); /* more than there is */
	ck_assert(!holds(&s, 2));
	touch(&s, 3, MIB, 0); /* one always may load */
	cache_charge(s.c, -11 * (int64_t)MIB);
	touch(&s, 4, MIB, 0);
	ck_assert(holds(&s, 4));
	cache_free(s.c);
}
END_TEST

START_TEST(test_admit)
{
	struct script s = {.c = cache_new(4 * MIB, NULL)};
	struct cache_ask ask = ask_for(&s, 0, MIB);
	struct request r = request_new();
	struct cache_entry *e;

	ask.where = (struct wait_need){.source = 5, .device = 6};
	r.answer = -ERESTART;
	ck_assert_int_eq(cache_get(s.c, &ask, &r.wait, &e), -ERESTART);
	r.answer = -EAGAIN;
	ck_assert_int_eq(cache_get(s.c, &ask, &r.wait, &e), -EAGAIN);
	ck_assert_uint_eq(s.loads, 0);
	ck_assert(cache_wants(s.c, &ask.key));
	cache_check(s.c);
	r.answer = 0;
	ck_assert_int_eq(cache_get(s.c, &ask, &r.wait, &e), 0);
	cache_put(s.c, e, 0);
	ck_assert_uint_eq(r.asked, 3);
	ck_assert_uint_eq(r.need.source, 5);
	ck_assert_uint_eq(r.need.device, 6);
	/* A hit asks nobody. */
	ck_assert_int_eq(cache_get(s.c, &ask, &r.wait, &e), 0);
	cache_put(s.c, e, 0);
	ck_assert_uint_eq(r.asked, 3);
	ck_assert_uint_eq(r.wakes, 0);
	cache_free(s.c);
}
END_TEST

/* While unit 0 loads another request asks for it: parked, woken once. */
static void ask_again(struct script *s)
{
	struct cache_ask ask = ask_for(s, 0, MIB);
	struct request *r = s->extra;
	struct cache_entry *e;

	ck_assert(!cache_wants(s->c, &ask.key));
	ck_assert_ptr_null(cache_peek(s->c, &ask.key));
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(cache_get(s->c, &ask, &r[i].wait, &e),
				 -EAGAIN);
		ck_assert_uint_eq(r[i].asked, 0);
		ck_assert_uint_eq(r[i].wakes, 0);
	}
	cache_check(s->c);
}

START_TEST(test_park_on_a_load)
{
	static const int outcome[] = {0, -EIO, -EAGAIN};
	int err = outcome[_i];
	struct request r[2] = {request_new(), request_new()};
	struct script s = {.c = cache_new(8 * MIB, NULL),
			   .err = err,
			   .meanwhile = ask_again,
			   .extra = r};
	struct cache_ask ask = ask_for(&s, 0, MIB);
	struct cache_entry *e;

	ck_assert_int_eq(cache_get(s.c, &ask, NULL, &e), err);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_uint_eq(r[i].wakes, 1);
	if (!err)
		cache_put(s.c, e, 0);
	/* What a woken request finds. */
	s.meanwhile = NULL;
	s.err = 0;
	s.loads = 0;
	err = cache_get(s.c, &ask, &r[0].wait, &e);
	ck_assert_int_eq(err, outcome[_i] == -EIO ? -EIO : 0);
	ck_assert_uint_eq(s.loads, outcome[_i] == -EAGAIN);
	if (!err)
		cache_put(s.c, e, 0);
	ck_assert_uint_eq(r[0].wakes, 1);
	cache_check(s.c);
	cache_free(s.c);
}
END_TEST

/* A load may need another entry, however little room there is. */
static void load_another(struct script *s)
{
	struct script inner = {.c = s->c};
	struct cache_ask ask = ask_for(&inner, 50, 2 * MIB);
	struct cache_entry *e;

	ck_assert_int_eq(cache_get(s->c, &ask, NULL, &e), 0);
	cache_check(s->c);
	cache_put(s->c, e, 0);
}

START_TEST(test_nested)
{
	struct script s = {.c = cache_new(4 * MIB, NULL),
			   .meanwhile = load_another};

	touch(&s, 0, 2 * MIB, 0);
	cache_free(s.c);
}
END_TEST

/*
 * The load of an entry of one cache needs an entry of another, in which one
 * more load has no room: it waits for that like anybody.
 */
static void ask_full_cache(struct script *s)
{
	struct script *full = s->extra;
	struct request *r = full->extra;
	struct cache_ask ask = ask_for(full, 51, 2 * MIB);
	struct cache_entry *e;

	ck_assert_int_eq(cache_get(full->c, &ask, &r->wait, &e), -EAGAIN);
	ck_assert_uint_eq(r->wakes, 0);
}

static void load_in_another(struct script *full)
{
	struct script s = {.c = cache_new(4 * MIB, NULL),
			   .meanwhile = ask_full_cache,
			   .extra = full};
	struct cache_ask ask = ask_for(&s, 50, MIB);
	struct cache_entry *e;

	full->meanwhile = NULL;
	ck_assert_int_eq(cache_get(s.c, &ask, NULL, &e), 0);
	cache_put(s.c, e, 0);
	cache_check(s.c);
	cache_free(s.c);
}

START_TEST(test_two_caches)
{
	struct request r = request_new();
	struct script full = {.c = cache_new(4 * MIB, &metrics),
			      .meanwhile = load_in_another,
			      .extra = &r};
	struct cache_ask ask = ask_for(&full, 0, 2 * MIB);
	struct cache_entry *e;

	ck_assert_int_eq(cache_get(full.c, &ask, NULL, &e), 0);
	ck_assert_uint_eq(full.loads, 1);
	ck_assert_uint_eq(r.wakes, 1);
	/* What the other one has is not shown as this one's. */
	ck_assert_int_eq(counter("cache_size"), 4 * MIB);
	ck_assert_int_eq(counter("cache_entries"), 1);
	ck_assert_uint_eq(cache_bytes(full.c), (size_t)counter("cache_bytes"));
	cache_put(full.c, e, 0);
	cache_free(full.c);
}
END_TEST

/* ------------------------------------------------- with a second thread */

struct slow {
	struct script script; /* first */
	struct cache_ask ask;
	sem_t started, go_on;
	int result;
	unsigned char first;
};

static void hold(struct script *s)
{
	struct slow *slow = (struct slow *)s;

	sem_post(&slow->started);
	sem_wait(&slow->go_on);
}

static void *get_and_put(void *arg)
{
	struct slow *slow = arg;
	struct cache_entry *e;

	slow->result = cache_get(slow->script.c, &slow->ask, NULL, &e);
	if (slow->result == 0) {
		slow->first = *(const unsigned char *)cache_data(e, NULL);
		cache_put(slow->script.c, e, 0);
	}
	return NULL;
}

static void slow_init(struct slow *slow, struct cache *c, uint64_t unit,
		      size_t need)
{
	memset(slow, 0, sizeof(*slow));
	slow->script.c = c;
	slow->script.meanwhile = hold;
	slow->ask = ask_for(&slow->script, unit, need);
	slow->result = 1;
	sem_init(&slow->started, 0, 0);
	sem_init(&slow->go_on, 0, 0);
}

/* Two loads of half the cache: the second is parked until the first ends. */
START_TEST(test_park_for_room)
{
	struct cache *c = cache_new(4 * MIB, NULL);
	struct script s = {.c = c};
	struct cache_ask ask = ask_for(&s, 1, MIB);
	struct request r = request_new();
	struct cache_entry *e;
	struct slow slow;
	pthread_t thread;

	slow_init(&slow, c, 0, 2 * MIB);
	ck_assert_int_eq(pthread_create(&thread, NULL, get_and_put, &slow), 0);
	sem_wait(&slow.started);
	ck_assert_int_eq(cache_get(c, &ask, &r.wait, &e), -EAGAIN);
	ck_assert_uint_eq(r.asked, 1);
	ck_assert_uint_eq(r.wakes, 0);
	ck_assert_uint_eq(s.loads, 0);
	cache_check(c);
	/* What takes no room is not held up. */
	s.size = 10;
	ask = ask_for(&s, 2, 0);
	ck_assert_int_eq(cache_get(c, &ask, &r.wait, &e), 0);
	cache_put(c, e, 0);
	sem_post(&slow.go_on);
	pthread_join(thread, NULL);
	ck_assert_int_eq(slow.result, 0);
	ck_assert_uint_eq(r.wakes, 1);
	ask = ask_for(&s, 1, MIB);
	ck_assert_int_eq(cache_get(c, &ask, &r.wait, &e), 0);
	cache_put(c, e, 0);
	cache_check(c);
	cache_free(c);
}
END_TEST

/* A source that hangs holds half of what loads may take, not all. */
START_TEST(test_other_sources_load)
{
	struct cache *c = cache_new(8 * MIB, NULL);
	struct script s = {.c = c};
	struct cache_ask ask = ask_for(&s, 1, 3 * MIB / 2);
	struct request r = request_new();
	struct cache_entry *e;
	struct slow slow;
	pthread_t thread;

	slow_init(&slow, c, 0, 3 * MIB / 2);
	ck_assert_int_eq(pthread_create(&thread, NULL, get_and_put, &slow), 0);
	sem_wait(&slow.started);
	ck_assert_int_eq(cache_get(c, &ask, &r.wait, &e), -EAGAIN);
	ask.key.source = 2;
	ck_assert_int_eq(cache_get(c, &ask, &r.wait, &e), 0);
	cache_put(c, e, 0);
	cache_check(c);
	sem_post(&slow.go_on);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(r.wakes, 1);
	cache_check(c);
	cache_free(c);
}
END_TEST

/* A caller that blocks gets what the loading one made, and its errors. */
START_TEST(test_block_on_a_load)
{
	int err = _i ? -EBADMSG : 0;
	struct cache *c = cache_new(4 * MIB, NULL);
	struct slow slow, other;
	pthread_t first, second;

	slow_init(&slow, c, 9, MIB);
	slow.script.err = err;
	slow_init(&other, c, 9, MIB);
	ck_assert_int_eq(pthread_create(&first, NULL, get_and_put, &slow), 0);
	sem_wait(&slow.started);
	ck_assert_int_eq(pthread_create(&second, NULL, get_and_put, &other), 0);
	sem_post(&slow.go_on);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	ck_assert_int_eq(slow.result, err);
	ck_assert_int_eq(other.result, err);
	if (!err)
		ck_assert_uint_eq(other.first, 9);
	ck_assert_uint_eq(slow.script.loads + other.script.loads, 1);
	cache_check(c);
	cache_free(c);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("cache");
	TCase *t = tcase_create("alone");

	tcase_add_test(t, test_hit_and_miss);
	tcase_add_test(t, test_key_fields);
	tcase_add_test(t, test_evicts_the_coldest);
	tcase_add_test(t, test_served_entries_leave_first);
	tcase_add_test(t, test_served_entries_stay_while_there_is_room);
	tcase_add_test(t, test_scratch);
	tcase_add_test(t, test_pinned_entries_stay);
	tcase_add_test(t, test_too_large);
	tcase_add_test(t, test_failures_are_remembered);
	tcase_add_test(t, test_unsized);
	tcase_add_test(t, test_charge);
	suite_add_tcase(s, t);
	t = tcase_create("waits");
	tcase_add_test(t, test_admit);
	tcase_add_loop_test(t, test_park_on_a_load, 0, 3);
	tcase_add_test(t, test_nested);
	tcase_add_test(t, test_two_caches);
	tcase_add_test(t, test_park_for_room);
	tcase_add_test(t, test_other_sources_load);
	tcase_add_loop_test(t, test_block_on_a_load, 0, 2);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(suite)
