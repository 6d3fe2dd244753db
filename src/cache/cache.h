/* SPDX-License-Identifier: MIT */

/*
 * A pinned, single-flight, byte-bounded LRU. It knows keys and buffers only:
 * decoded units, catalogs, chunk indexes, rendered files.
 * Threads: new and free from one; everything else from any, in parallel.
 */

#ifndef CACHE_CACHE_H
#define CACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/wait.h"

struct cache;
struct cache_entry;
struct metrics;

/* What an object of a source is cached under. All fields count. */
struct cache_key {
	uint64_t source; /* number of the source, unique in this process */
	uint64_t object; /* address of the HDF5 object, or a directory number */
	uint64_t unit;
	uint32_t band; /* 0: the whole unit */
	uint32_t kind; /* enum cache_kind */
};

enum cache_kind {
	CACHE_UNIT,	/* decoded values */
	CACHE_CATALOG,	/* a container's catalog */
	CACHE_INDEX,	/* a page of chunk addresses */
	CACHE_RENDERED, /* a file made whole: info.json */
	CACHE_BLOCK,	/* of a chunk, its number in band */
	CACHE_FRAME,	/* what is known of a chunk cut into blocks */
	CACHE_CARRIED,	/* of a sampling index that the file itself has */
	CACHE_VERDICT,	/* how an ambiguous array is read */
};

/*
 * Make the buffer of key. With a need given, *data is a buffer of need bytes
 * (uninitialised) to be filled, else NULL and the load allocates with malloc.
 * On success *data and *size are the cache's; on failure the cache frees what
 * *data then points to. Called with no lock held. 0 or -errno.
 * A load may itself call cache_get with the same wait (a unit's load pins the
 * index); -EAGAIN and -ERESTART from it end the load without a trace.
 */
typedef int cache_load_fn(void *arg, const struct cache_key *key,
			  struct wait *w, void **data, size_t *size);

/* One load may take this much more than the cache's size, in bytes. */
#define CACHE_LOAD_SLACK ((size_t)16 << 20)

struct cache_ask {
	struct cache_key key;
	size_t need;	/* bytes of the result, 0 if not known beforehand */
	size_t scratch; /* bytes held besides while loading */
	cache_load_fn *load;
	void *arg;
	struct wait_need where; /* what loading occupies */
};

/*
 * size: --cache-size in bytes. NULL: out of memory. Tunes malloc for the whole
 * process, so that what is freed goes back to the system. Only one of the
 * caches of a process is given a registry; what others count is not shown.
 */
struct cache *cache_new(size_t size, struct metrics *m);
/* All pins must have been put. */
void cache_free(struct cache *c);
size_t cache_size(const struct cache *c);
/* What its entries take, and the loads that run. */
size_t cache_bytes(struct cache *c);

/*
 * Pin the entry of ask->key. If it is absent one caller loads it, the others
 * wait (w NULL) or are parked. At most size / (2 x (need + scratch)) loads run
 * at once, of one source half as many (one always may), the others wait or are
 * parked.
 * A failed load is reported to all who waited and remembered for a second;
 * -EAGAIN, -ERESTART, -EINTR and -ENOMEM are not remembered.
 * 0: *out is pinned until cache_put, one put for each success.
 * -EFBIG: need is above half the cache, or need + scratch above all of it and
 * CACHE_LOAD_SLACK; the load's own error; -ENOMEM;
 * -EAGAIN, -ERESTART: util/wait.h.
 */
int cache_get(struct cache *c, const struct cache_ask *ask, struct wait *w,
	      struct cache_entry **out);
/*
 * Keys that are better loaded together: what lies side by side is read once.
 * As cache_get of ask[0]; if this caller has to load it, then also those of the
 * others that are absent, as far as there is room, on this thread, one by one,
 * ask[0] last: what it takes besides is charged until the end. Their loads do
 * not call cache_get. Before the first of them is called, *mine says which
 * they are: bit i for ask[i]. out[i] is pinned, or NULL: bit i is not set, or
 * its load failed. The result is that of ask[0]; unless 0 nothing is pinned.
 */
#define CACHE_RUN_MAX 64
int cache_get_run(struct cache *c, const struct cache_ask *ask, unsigned n,
		  struct wait *w, uint64_t *mine, struct cache_entry **out);
/* The entry if it is there and ready, else NULL. Never waits, never loads. */
struct cache_entry *cache_peek(struct cache *c, const struct cache_key *key);
/* The same of n keys at once; NULL in out for each that is not. */
void cache_peek_run(struct cache *c, const struct cache_key *key, unsigned n,
		    struct cache_entry **out);
/*
 * served: bytes of the entry that this reader handed out; 0 is always right.
 * An entry all of whose bytes were served goes to the cold end of the LRU.
 */
void cache_put(struct cache *c, struct cache_entry *e, size_t served);
/* The same of n entries at once; of those that are NULL nothing. */
void cache_put_run(struct cache *c, struct cache_entry *const *e, unsigned n,
		   const size_t *served);

/*
 * Memory that a load needs beside its result: at least n bytes at *out. It is
 * kept for later loads, within a part of the size and charged. NULL: out of
 * memory. Give back what was taken; more: bytes that others keep from now on
 * for a load of this kind. False: it was not kept, they should let go too.
 */
struct cache_scratch;
struct cache_scratch *cache_scratch_take(struct cache *c, size_t n, void **out);
bool cache_scratch_give(struct cache *c, struct cache_scratch *s, size_t more);

/* Borrowed until cache_put. Immutable: read it without a lock. */
const void *cache_data(const struct cache_entry *e, size_t *size);

/* Whether absent; then a load may be offered to a worker. Only a hint. */
bool cache_wants(struct cache *c, const struct cache_key *key);

/*
 * Count bytes that are held elsewhere (directory tables, scratch) against the
 * size; negative gives them back. Units leave to make room; never fails.
 */
void cache_charge(struct cache *c, int64_t bytes);

/* Forget all unpinned entries and failures; for tests. */
void cache_drop(struct cache *c);
/* Assert every invariant; tests. */
void cache_check(struct cache *c);

#endif
