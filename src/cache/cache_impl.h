/* SPDX-License-Identifier: MIT */

/* What the files of the cache share: the entry, the table, the LRU. */

#ifndef CACHE_CACHE_IMPL_H
#define CACHE_CACHE_IMPL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/cache.h"
#include "util/metric.h"
#include "util/wait.h"

enum entry_state { ENTRY_LOADING, ENTRY_READY, ENTRY_FAILED };

/* All fields are protected by the cache's lock; data is constant when READY. */
struct cache_entry {
	struct cache_key key;
	uint64_t hash;
	struct cache_entry *chain; /* in the table; then in a list of victims */
	struct cache_entry *hotter, *colder; /* in the LRU */
	enum entry_state state;
	bool in_lru;
	unsigned pins; /* readers, the loader, callers blocked for it */
	int error;     /* FAILED */
	void *data;
	size_t size;   /* of the result */
	size_t room;   /* bytes of the buffer at data */
	size_t cost;   /* charged; while LOADING with what loading takes */
	size_t weight; /* LOADING, see room.c */
	struct cache_entry *next_load;
	size_t served; /* bytes handed out, see cache_put */
	pthread_cond_t done;
	struct waitq parked; /* until it is no longer LOADING */
};

/* Chained hash table; it grows, and goes on with long chains if it cannot. */
struct table {
	struct cache_entry **slot;
	size_t nslot; /* a power of two */
	size_t n;
};

int table_init(struct table *t);
void table_fini(struct table *t);
uint64_t table_hash(const struct cache_key *key);
bool key_equal(const struct cache_key *a, const struct cache_key *b);
struct cache_entry *table_find(const struct table *t, uint64_t hash,
			       const struct cache_key *key);
void table_add(struct table *t, struct cache_entry *e);
void table_remove(struct table *t, struct cache_entry *e);

struct lru {
	struct cache_entry *hottest, *coldest;
};

void lru_add_hot(struct lru *l, struct cache_entry *e);
void lru_add_cold(struct lru *l, struct cache_entry *e);
void lru_remove(struct lru *l, struct cache_entry *e);

/*
 * Failed loads of the last second: a direct-mapped table, so it is bounded; of
 * two keys that fall together the later one is remembered.
 */
#define FAILURES 256

struct failures {
	struct failure {
		struct cache_key key;
		int error;	/* 0: none */
		uint64_t until; /* ns, CLOCK_MONOTONIC */
	} slot[FAILURES];
};

void failures_add(struct failures *f, uint64_t hash,
		  const struct cache_key *key, int error);
/* The error, or 0. */
int failures_find(struct failures *f, uint64_t hash,
		  const struct cache_key *key);

/* ------------------------------------------------------------ scratch.c */

/* The last one given is the next one taken: its pages are in the CPU's cache.
 */
struct scratch_pool {
	pthread_mutex_t lock; /* taken before the cache's; protects all */
	struct cache_scratch *idle;
	size_t kept; /* bytes of what is idle, with what others keep */
	size_t charged;
};

void scratch_init(struct scratch_pool *p);
void scratch_fini(struct scratch_pool *p);

struct cache {
	size_t size;		       /* constant */
	struct cache_metrics *metrics; /* constant */
	pthread_mutex_t lock;
	/* protected by lock */
	struct table table;
	struct lru lru;
	struct failures failures;
	size_t bytes;	 /* cost of all entries */
	size_t pinned;	 /* of these, cost of those that are not in the LRU */
	int64_t outside; /* cache_charge */
	size_t weight;	 /* of the loads that run, see room.c */
	struct cache_entry *loads; /* those with a weight */
	pthread_cond_t room_changed;
	struct waitq parked; /* for room */
	/* their own */
	atomic_size_t heap_freed; /* since the heap was trimmed */
	struct scratch_pool scratch;
};

/* --------------------------------------------------------------- room.c */

void entry_free(struct cache_entry *e);
/* Take an entry out of the LRU and the table, into a list. */
void room_evict(struct cache *c, struct cache_entry *e,
		struct cache_entry **victims);
/* What is in the LRU leaves, coldest first, until all fits, or all has left. */
struct cache_entry *room_make(struct cache *c);
/*
 * Free a list of those that left, without the lock, but for up to n buffers of
 * size bytes: these go to kept. How many.
 */
unsigned room_free(struct cache *c, struct cache_entry *e, size_t size,
		   unsigned n, void **kept);
/* Whether one more load may run; it enters, and leaves if it has a weight. */
bool room_may_load(const struct cache *c, const struct cache_ask *ask);
void room_enter(struct cache *c, const struct cache_ask *ask,
		struct cache_entry *e);
void room_leave(struct cache *c, struct cache_entry *e);

/* ------------------------------------------------------------ account.c */

extern struct cache_metrics {
	struct metric size, bytes, pinned, entries, hits, misses, evictions,
		errors;
} cache_metrics, cache_unlisted; /* of caches that were given no registry */

void cache_metrics_register(struct metrics *m);
/* Set the gauges. Called with the lock held. */
void cache_publish(const struct cache *c);
/* Have the allocator give back what is freed. */
void cache_tune_malloc(void);
/* Bytes of a buffer that stay with the heap when it is freed. */
size_t heap_part(size_t room);
/* So many were freed: after a while have the heap give back its free pages. */
void cache_trim_heap(struct cache *c, size_t freed);
/* A buffer for a result, its pages there; NULL: out of memory. */
void *buffer_new(size_t n);
/* What an entry with a buffer of room bytes takes. */
size_t entry_cost(size_t room);

#endif
