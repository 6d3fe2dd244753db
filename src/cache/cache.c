/* SPDX-License-Identifier: MIT */

/*
 * The cache. An entry is in one of three states:
 *
 *   state    in table  in LRU               pins  data
 *   LOADING  yes       no                   >= 1  the loading thread's
 *   READY    yes       if and only if       >= 0  immutable
 *                      pins == 0
 *   FAILED   no        no                   >= 1  NULL; those who blocked for
 *                                                 it get the error, the last
 *                                                 one frees it
 *
 * cache_check asserts this table. Pins of a LOADING entry are its loader and
 * the callers that block for it; requests that are parked hold none: they run
 * again from their start, and look the key up again.
 *
 * One mutex covers all; it is never held while loading, copying, freeing a
 * buffer or waking. What bounds memory is the number of loads at once, decided
 * before a load starts: who holds a pin never waits for room.
 */

#include <config.h>

#include "cache/cache.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "cache/cache_impl.h"
#include "util/cleanup.h"
#include "util/metric.h"

/*
 * The cache of the load that this thread is inside of: one load may need
 * another entry. Of another cache it asks as anybody does.
 */
static _Thread_local const struct cache *inside;

static void pin(struct cache *c, struct cache_entry *e)
{
	if (e->in_lru) {
		lru_remove(&c->lru, e);
		c->pinned += e->cost;
		metric_set(&c->metrics->pinned, (int64_t)c->pinned);
	}
	e->pins++;
}

/* Wait until the entry is no longer LOADING. 0, or its error; unpinned then. */
static int wait_for(struct cache *c, struct cache_entry *e)
{
	int err;

	e->pins++;
	while (e->state == ENTRY_LOADING)
		pthread_cond_wait(&e->done, &c->lock);
	if (e->state == ENTRY_READY)
		return 0;
	err = e->error;
	if (--e->pins == 0)
		entry_free(e);
	return err;
}

/* Errors that end a load without a trace. */
static bool is_retry(int err)
{
	return err == -EAGAIN || err == -ERESTART || err == -EINTR;
}

static struct cache_entry *
begin_load(struct cache *c, const struct cache_ask *ask, uint64_t hash)
{
	struct cache_entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->key = ask->key;
	e->hash = hash;
	e->state = ENTRY_LOADING;
	e->pins = 1;
	e->cost = entry_cost(ask->need) + ask->scratch;
	pthread_cond_init(&e->done, NULL);
	table_add(&c->table, e);
	c->bytes += e->cost;
	c->pinned += e->cost;
	room_enter(c, ask, e);
	metric_add(&c->metrics->misses, 1);
	return e;
}

/*
 * The load is over: change the state under the lock, wake and free outside of
 * it. On failure data is freed. w is not touched: after -EAGAIN from below it
 * may belong to another thread.
 */
static int end_load(struct cache *c, const struct cache_ask *ask,
		    struct cache_entry *e, int err, void *data, size_t size)
{
	size_t cost = 0;
	struct cache_entry *victims, *gone = NULL;
	struct wait *for_entry, *for_room = NULL;

	pthread_mutex_lock(&c->lock);
	if (err) {
		table_remove(&c->table, e);
		e->state = ENTRY_FAILED;
		e->error = err;
		if (!is_retry(err) && err != -ENOMEM)
			failures_add(&c->failures, e->hash, &e->key, err);
		if (!is_retry(err))
			metric_add(&c->metrics->errors, 1);
		if (--e->pins == 0)
			gone = e;
	} else {
		e->state = ENTRY_READY;
		e->data = data;
		e->size = size;
		e->room = ask->need ? ask->need : size;
		cost = entry_cost(e->room);
	}
	c->bytes = c->bytes - e->cost + cost;
	c->pinned = c->pinned - e->cost + cost;
	e->cost = cost;
	if (e->weight) {
		room_leave(c, e);
		for_room = waitq_take(&c->parked);
		pthread_cond_broadcast(&c->room_changed);
	}
	for_entry = waitq_take(&e->parked);
	pthread_cond_broadcast(&e->done);
	victims = room_make(c);
	pthread_mutex_unlock(&c->lock);

	room_free(c, victims, 0, 0, NULL);
	if (err)
		free(data);
	if (gone)
		entry_free(gone);
	wait_wake_all(for_entry);
	wait_wake_all(for_room);
	return err;
}

static int load(struct cache *c, const struct cache_ask *ask, struct wait *w,
		struct cache_entry *e, void *buffer)
{
	size_t size = ask->need;
	int err = 0;

	if (ask->need && !buffer) {
		buffer = buffer_new(ask->need);
		if (!buffer)
			err = -ENOMEM;
	}
	if (!err) {
		const struct cache *outer = inside;

		inside = c;
		err = ask->load(ask->arg, &ask->key, w, &buffer, &size);
		inside = outer;
	}
	assert(err <= 0);
	assert(err || !ask->need || size <= ask->need);
	return end_load(c, ask, e, err, buffer, size);
}

/* What a caller is to load: some of the entries it asked for. */
struct claim {
	unsigned n;
	struct cache_entry **entry; /* n of them; NULL: not this caller's */
	uint64_t *mine;
};

/* Those of the others that are absent join the first, while there is room. */
static void claim_others(struct cache *c, const struct cache_ask *ask,
			 struct claim *k)
{
	for (unsigned i = 1; i < k->n; i++) {
		uint64_t hash = table_hash(&ask[i].key);

		if (table_find(&c->table, hash, &ask[i].key) ||
		    failures_find(&c->failures, hash, &ask[i].key))
			continue;
		if (inside != c && !room_may_load(c, &ask[i]))
			break;
		k->entry[i] = begin_load(c, &ask[i], hash);
		if (!k->entry[i])
			break;
		*k->mine |= (uint64_t)1 << i;
	}
}

/* Called with the lock held, gives it back; the first entry is begun. */
static int load_claimed(struct cache *c, const struct cache_ask *ask,
			struct wait *w, struct claim *k)
{
	struct cache_entry *victims;
	void *kept[CACHE_RUN_MAX];
	unsigned nkept;
	int err = 0;

	*k->mine = 1;
	claim_others(c, ask, k);
	victims = room_make(c);
	pthread_mutex_unlock(&c->lock);
	nkept = room_free(c, victims, ask->need, k->n, kept);
	for (unsigned i = k->n; i-- > 0;) {
		void *buffer = NULL;

		if (!k->entry[i])
			continue;
		if (nkept > 0 && ask[i].need == ask->need)
			buffer = kept[--nkept];
		err = load(c, &ask[i], w, k->entry[i], buffer);
		if (err)
			k->entry[i] = NULL;
	}
	while (nkept > 0)
		free(kept[--nkept]);
	return err;
}

/* Pin what is there, or wait, or load. */
static int get(struct cache *c, const struct cache_ask *ask, struct wait *w,
	       struct claim *k)
{
	uint64_t hash = table_hash(&ask->key);
	struct cache_entry *e;
	bool admitted = false;
	int err;

	if (ask->need > c->size / 2 ||
	    ask->scratch > c->size + CACHE_LOAD_SLACK - ask->need)
		return -EFBIG;
	pthread_mutex_lock(&c->lock);
	for (;;) {
		e = table_find(&c->table, hash, &ask->key);
		if (e && e->state == ENTRY_READY) {
			pin(c, e);
			metric_add(&c->metrics->hits, 1);
			break;
		}
		if (e && w) {
			waitq_park(&e->parked, w);
			err = -EAGAIN;
			goto fail;
		}
		if (e) {
			err = wait_for(c, e);
			if (!err) {
				metric_add(&c->metrics->hits, 1);
				break;
			}
			if (!is_retry(err))
				goto fail;
			continue;
		}
		err = failures_find(&c->failures, hash, &ask->key);
		if (err)
			goto fail;
		if (w && !admitted) {
			pthread_mutex_unlock(&c->lock);
			err = w->admit(w, &ask->where);
			if (err)
				return err;
			admitted = true;
			pthread_mutex_lock(&c->lock);
			continue;
		}
		if (inside == c || room_may_load(c, ask)) {
			k->entry[0] = begin_load(c, ask, hash);
			if (k->entry[0])
				return load_claimed(c, ask, w, k);
			err = -ENOMEM;
			goto fail;
		}
		if (w) {
			waitq_park(&c->parked, w);
			err = -EAGAIN;
			goto fail;
		}
		pthread_cond_wait(&c->room_changed, &c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	k->entry[0] = e;
	return 0;
fail:
	pthread_mutex_unlock(&c->lock);
	return err;
}

int cache_get(struct cache *c, const struct cache_ask *ask, struct wait *w,
	      struct cache_entry **out)
{
	struct cache_entry *e = NULL;
	uint64_t mine;
	int err = get(c, ask, w, &(struct claim){1, &e, &mine});

	if (!err)
		*out = e;
	return err;
}

int cache_get_run(struct cache *c, const struct cache_ask *ask, unsigned n,
		  struct wait *w, uint64_t *mine, struct cache_entry **out)
{
	int err;

	assert(n > 0 && n <= CACHE_RUN_MAX);
	for (unsigned i = 0; i < n; i++)
		out[i] = NULL;
	*mine = 0;
	err = get(c, ask, w, &(struct claim){n, out, mine});
	for (unsigned i = 0; err && i < n; i++) {
		if (out[i])
			cache_put(c, out[i], 0);
		out[i] = NULL;
	}
	return err;
}

void cache_peek_run(struct cache *c, const struct cache_key *key, unsigned n,
		    struct cache_entry **out)
{
	uint64_t hash[CACHE_RUN_MAX];
	unsigned hits = 0;

	assert(n <= CACHE_RUN_MAX);
	for (unsigned i = 0; i < n; i++)
		hash[i] = table_hash(&key[i]);
	pthread_mutex_lock(&c->lock);
	for (unsigned i = 0; i < n; i++) {
		struct cache_entry *e = table_find(&c->table, hash[i], &key[i]);

		if (e && e->state != ENTRY_READY)
			e = NULL;
		if (e) {
			pin(c, e);
			hits++;
		}
		out[i] = e;
	}
	pthread_mutex_unlock(&c->lock);
	if (hits > 0)
		metric_add(&c->metrics->hits, hits);
}

struct cache_entry *cache_peek(struct cache *c, const struct cache_key *key)
{
	struct cache_entry *e;

	cache_peek_run(c, key, 1, &e);
	return e;
}

/* With the lock held. */
static void unpin(struct cache *c, struct cache_entry *e, size_t served)
{
	assert(e->state == ENTRY_READY && e->pins > 0);
	if (served > e->size - e->served)
		e->served = e->size;
	else
		e->served += served;
	if (--e->pins > 0)
		return;
	c->pinned -= e->cost;
	if (e->served == e->size) {
		e->served = 0;
		lru_add_cold(&c->lru, e);
	} else {
		lru_add_hot(&c->lru, e);
	}
}

void cache_put_run(struct cache *c, struct cache_entry *const *e, unsigned n,
		   const size_t *served)
{
	struct cache_entry *victims;

	pthread_mutex_lock(&c->lock);
	for (unsigned i = 0; i < n; i++)
		if (e[i])
			unpin(c, e[i], served[i]);
	victims = room_make(c);
	pthread_mutex_unlock(&c->lock);
	room_free(c, victims, 0, 0, NULL);
}

void cache_put(struct cache *c, struct cache_entry *e, size_t served)
{
	cache_put_run(c, &e, 1, &served);
}

const void *cache_data(const struct cache_entry *e, size_t *size)
{
	if (size)
		*size = e->size;
	return e->data;
}

size_t cache_bytes(struct cache *c)
{
	LOCK_SCOPE(&c->lock);
	return c->bytes;
}

bool cache_wants(struct cache *c, const struct cache_key *key)
{
	uint64_t hash = table_hash(key);

	LOCK_SCOPE(&c->lock);
	return !table_find(&c->table, hash, key) &&
	       !failures_find(&c->failures, hash, key);
}

void cache_charge(struct cache *c, int64_t bytes)
{
	struct cache_entry *victims;

	pthread_mutex_lock(&c->lock);
	c->outside += bytes;
	assert(c->outside >= 0);
	victims = room_make(c);
	pthread_mutex_unlock(&c->lock);
	room_free(c, victims, 0, 0, NULL);
}

void cache_drop(struct cache *c)
{
	struct cache_entry *victims = NULL, *e;

	pthread_mutex_lock(&c->lock);
	while ((e = c->lru.coldest))
		room_evict(c, e, &victims);
	for (unsigned i = 0; i < FAILURES; i++)
		c->failures.slot[i].error = 0;
	cache_publish(c);
	pthread_mutex_unlock(&c->lock);
	room_free(c, victims, 0, 0, NULL);
}

struct cache *cache_new(size_t size, struct metrics *m)
{
	struct cache *c = calloc(1, sizeof(*c));

	if (!c || table_init(&c->table) < 0) {
		free(c);
		return NULL;
	}
	cache_tune_malloc();
	c->size = size < SIZE_MAX / 8 ? size : SIZE_MAX / 8;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->room_changed, NULL);
	scratch_init(&c->scratch);
	c->metrics = m ? &cache_metrics : &cache_unlisted;
	if (m)
		cache_metrics_register(m);
	metric_set(&c->metrics->size, (int64_t)c->size);
	cache_publish(c);
	return c;
}

void cache_free(struct cache *c)
{
	if (!c)
		return;
	cache_drop(c);
	assert(c->table.n == 0); /* all pins were put */
	scratch_fini(&c->scratch);
	table_fini(&c->table);
	pthread_cond_destroy(&c->room_changed);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

size_t cache_size(const struct cache *c)
{
	return c->size;
}
