/* SPDX-License-Identifier: MIT */

/*
 * What the cache counts: the cost of its buffers as the allocator sees them,
 * its metrics, and whether all its numbers agree.
 */

#include <config.h>

#include "cache/cache_impl.h"

#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "util/cleanup.h"

/* Buffers from here on are mappings of their own: freed is given back. */
#define MMAP_THRESHOLD ((size_t)64 << 10)
#define PAGE ((size_t)4096)
#define TRIM_AFTER ((size_t)8 << 20)
#define SMALL 16 /* what malloc adds to a block, and its alignment */

struct cache_metrics cache_metrics = {
	.size = {.name = "cache_size",
		 .help = "Bytes the cache may hold.",
		 .kind = METRIC_GAUGE},
	.bytes = {.name = "cache_bytes",
		  .help = "Bytes held, with what is charged from outside.",
		  .kind = METRIC_GAUGE},
	.pinned = {.name = "cache_pinned_bytes",
		   .help = "Bytes of entries in use and of loads that run.",
		   .kind = METRIC_GAUGE},
	.entries = {.name = "cache_entries",
		    .help = "Entries in the cache.",
		    .kind = METRIC_GAUGE},
	.hits = {.name = "cache_hits",
		 .help = "Entries found in the cache.",
		 .kind = METRIC_COUNTER},
	.misses = {.name = "cache_misses",
		   .help = "Loads started.",
		   .kind = METRIC_COUNTER},
	.evictions = {.name = "cache_evictions",
		      .help = "Entries that left to make room.",
		      .kind = METRIC_COUNTER},
	.errors = {.name = "cache_load_errors",
		   .help = "Loads that failed.",
		   .kind = METRIC_COUNTER},
};

struct cache_metrics cache_unlisted;

void cache_metrics_register(struct metrics *m)
{
	metric_register(m, &cache_metrics.size);
	metric_register(m, &cache_metrics.bytes);
	metric_register(m, &cache_metrics.pinned);
	metric_register(m, &cache_metrics.entries);
	metric_register(m, &cache_metrics.hits);
	metric_register(m, &cache_metrics.misses);
	metric_register(m, &cache_metrics.evictions);
	metric_register(m, &cache_metrics.errors);
}

void cache_publish(const struct cache *c)
{
	metric_set(&c->metrics->bytes, (int64_t)c->bytes + c->outside);
	metric_set(&c->metrics->pinned, (int64_t)c->pinned);
	metric_set(&c->metrics->entries, (int64_t)c->table.n);
}

void cache_tune_malloc(void)
{
#ifdef HAVE_MALLOPT
	mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD);
	mallopt(M_TRIM_THRESHOLD, 4 * MMAP_THRESHOLD);
	mallopt(M_ARENA_MAX, 4);
#endif
}

size_t heap_part(size_t room)
{
	return room < MMAP_THRESHOLD ? room : 0;
}

void cache_trim_heap(struct cache *c, size_t freed)
{
	if (atomic_fetch_add(&c->heap_freed, freed) + freed < TRIM_AFTER)
		return;
	atomic_store(&c->heap_freed, 0);
#ifdef HAVE_MALLOC_TRIM
	malloc_trim(0);
#endif
}

/*
 * All of it will be written: to have the kernel make its pages in one go takes
 * about two thirds of the time of faulting them in one by one.
 */
void *buffer_new(size_t n)
{
	char *buf = malloc(n);

#ifdef MADV_POPULATE_WRITE
	if (buf && n >= MMAP_THRESHOLD) {
		uintptr_t from = ((uintptr_t)buf + PAGE - 1) & ~(PAGE - 1);
		uintptr_t to = ((uintptr_t)buf + n) & ~(PAGE - 1);
		int saved = errno;

		/* Advice: where the kernel cannot, pages come as ever. */
		madvise((void *)from, to - from, MADV_POPULATE_WRITE);
		errno = saved;
	}
#endif
	return buf;
}

/* Bytes of memory that a malloc'ed buffer of n bytes takes. */
static size_t buffer_cost(size_t n)
{
	if (n < MMAP_THRESHOLD)
		return n + SMALL;
	return (n + SMALL + PAGE - 1) / PAGE * PAGE;
}

size_t entry_cost(size_t room)
{
	return sizeof(struct cache_entry) + SMALL +
	       sizeof(struct cache_entry *) + (room ? buffer_cost(room) : 0);
}

void cache_check(struct cache *c)
{
	size_t n = 0, idle = 0, bytes = 0, pinned = 0, listed = 0;
	size_t weight = 0;

	LOCK_SCOPE(&c->lock);
	for (size_t i = 0; i < c->table.nslot; i++) {
		struct cache_entry *e = c->table.slot[i];

		for (; e; e = e->chain) {
			assert((e->hash & (c->table.nslot - 1)) == i);
			assert(e->hash == table_hash(&e->key));
			assert(table_find(&c->table, e->hash, &e->key) == e);
			assert(e->state != ENTRY_FAILED);
			assert(e->in_lru ==
			       (e->state == ENTRY_READY && e->pins == 0));
			assert(e->state == ENTRY_READY || e->pins > 0);
			assert(e->state == ENTRY_READY || !e->data);
			assert(e->state == ENTRY_LOADING || !e->parked.head);
			assert(e->size <= e->room || e->state != ENTRY_READY);
			assert(e->served <= e->size);
			assert(e->state == ENTRY_LOADING ||
			       e->cost == entry_cost(e->room));
			n++;
			bytes += e->cost;
			idle += e->in_lru;
			pinned += e->in_lru ? 0 : e->cost;
		}
	}
	assert(n == c->table.n);
	assert(bytes == c->bytes && pinned == c->pinned);
	for (struct cache_entry *e = c->lru.hottest; e; e = e->colder) {
		assert(e->in_lru);
		assert(e->hotter ? e->hotter->colder == e
				 : c->lru.hottest == e);
		assert(e->colder ? e->colder->hotter == e
				 : c->lru.coldest == e);
		listed++;
	}
	assert(listed == idle);
	for (struct cache_entry *e = c->loads; e; e = e->next_load) {
		assert(e->state == ENTRY_LOADING && e->weight > 0);
		weight += e->weight;
	}
	assert(weight == c->weight);
	assert(c->loads || !c->parked.head);
	assert((int64_t)c->bytes + c->outside <= (int64_t)c->size ||
	       !c->lru.hottest);
}
