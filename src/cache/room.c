/* SPDX-License-Identifier: MIT */

/*
 * Room in the cache: what leaves to make it, and which loads may run at once.
 * The caller holds the lock, but where memory is freed.
 */

#include <config.h>

#include "cache/cache_impl.h"

#include <stdlib.h>

#include "util/cleanup.h"
#include "util/metric.h"

void entry_free(struct cache_entry *e)
{
	pthread_cond_destroy(&e->done);
	free(e->data);
	free(e);
}

unsigned room_free(struct cache *c, struct cache_entry *e, size_t size,
		   unsigned n, void **kept)
{
	unsigned got = 0;
	size_t freed = 0;

	while (e) {
		struct cache_entry *next = e->chain;

		if (got < n && size && e->room == size)
			kept[got++] = take_ptr(e->data);
		else
			freed += heap_part(e->room);
		entry_free(e);
		e = next;
	}
	if (freed)
		cache_trim_heap(c, freed);
	return got;
}

void room_evict(struct cache *c, struct cache_entry *e,
		struct cache_entry **victims)
{
	lru_remove(&c->lru, e);
	table_remove(&c->table, e);
	c->bytes -= e->cost;
	e->chain = *victims;
	*victims = e;
}

struct cache_entry *room_make(struct cache *c)
{
	struct cache_entry *victims = NULL, *e;

	while ((int64_t)c->bytes + c->outside > (int64_t)c->size &&
	       (e = c->lru.coldest)) {
		room_evict(c, e, &victims);
		metric_add(&c->metrics->evictions, 1);
	}
	cache_publish(c);
	return victims;
}

/* Such that at most size / (2 x (need + scratch)) loads run at once. */
static size_t weight_of(const struct cache_ask *ask)
{
	return 2 * (ask->need + ask->scratch);
}

/* Loads of one source may take half: if it hangs, others go on. */
static bool source_may_load(const struct cache *c, uint64_t source,
			    size_t weight)
{
	size_t sum = 0;

	for (const struct cache_entry *e = c->loads; e; e = e->next_load) {
		if (e->key.source == source)
			sum += e->weight;
	}
	return sum == 0 || sum + weight <= c->size / 2;
}

bool room_may_load(const struct cache *c, const struct cache_ask *ask)
{
	size_t weight = weight_of(ask);

	if (!c->loads || weight == 0)
		return true;
	return source_may_load(c, ask->key.source, weight) &&
	       c->weight + weight <= c->size &&
	       (int64_t)(c->pinned + weight / 2) + c->outside <=
		       (int64_t)c->size;
}

void room_enter(struct cache *c, const struct cache_ask *ask,
		struct cache_entry *e)
{
	e->weight = weight_of(ask);
	if (e->weight) {
		c->weight += e->weight;
		e->next_load = c->loads;
		c->loads = e;
	}
}

void room_leave(struct cache *c, struct cache_entry *e)
{
	struct cache_entry **at = &c->loads;

	while (*at != e)
		at = &(*at)->next_load;
	*at = e->next_load;
	e->next_load = NULL;
	c->weight -= e->weight;
	e->weight = 0;
}
