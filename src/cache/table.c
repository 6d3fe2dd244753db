/* SPDX-License-Identifier: MIT */

/*
 * The tables of the cache: entries by key, unpinned entries by age, failures
 * of the last second. No locks here: the cache's covers all.
 */

#include <config.h>

#include "cache/cache_impl.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "util/hash.h"

#define SLOTS_MIN 1024
#define REMEMBER_NS UINT64_C(1000000000)

int table_init(struct table *t)
{
	t->slot = calloc(SLOTS_MIN, sizeof(struct cache_entry *));
	if (!t->slot)
		return -ENOMEM;
	t->nslot = SLOTS_MIN;
	t->n = 0;
	return 0;
}

void table_fini(struct table *t)
{
	free(t->slot);
	t->slot = NULL;
}

uint64_t table_hash(const struct cache_key *key)
{
	uint64_t h = hash_mix(key->source, key->object);

	h = hash_mix(h, key->unit);
	return hash_mix(h, (uint64_t)key->band << 32 | key->kind);
}

bool key_equal(const struct cache_key *a, const struct cache_key *b)
{
	return a->source == b->source && a->object == b->object &&
	       a->unit == b->unit && a->band == b->band && a->kind == b->kind;
}

struct cache_entry *table_find(const struct table *t, uint64_t hash,
			       const struct cache_key *key)
{
	struct cache_entry *e = t->slot[hash & (t->nslot - 1)];

	while (e && !(e->hash == hash && key_equal(&e->key, key)))
		e = e->chain;
	return e;
}

static void grow(struct table *t)
{
	size_t n = 2 * t->nslot;
	struct cache_entry **slot = calloc(n, sizeof(struct cache_entry *));

	if (!slot)
		return;
	for (size_t i = 0; i < t->nslot; i++) {
		struct cache_entry *e = t->slot[i];

		while (e) {
			struct cache_entry *next = e->chain;

			e->chain = slot[e->hash & (n - 1)];
			slot[e->hash & (n - 1)] = e;
			e = next;
		}
	}
	free(t->slot);
	t->slot = slot;
	t->nslot = n;
}

void table_add(struct table *t, struct cache_entry *e)
{
	if (t->n >= t->nslot)
		grow(t);

	struct cache_entry **at = &t->slot[e->hash & (t->nslot - 1)];

	e->chain = *at;
	*at = e;
	t->n++;
}

void table_remove(struct table *t, struct cache_entry *e)
{
	struct cache_entry **at = &t->slot[e->hash & (t->nslot - 1)];

	while (*at != e)
		at = &(*at)->chain;
	*at = e->chain;
	e->chain = NULL;
	t->n--;
}

void lru_add_hot(struct lru *l, struct cache_entry *e)
{
	assert(!e->in_lru);
	e->in_lru = true;
	e->hotter = NULL;
	e->colder = l->hottest;
	if (l->hottest)
		l->hottest->hotter = e;
	else
		l->coldest = e;
	l->hottest = e;
}

void lru_add_cold(struct lru *l, struct cache_entry *e)
{
	assert(!e->in_lru);
	e->in_lru = true;
	e->colder = NULL;
	e->hotter = l->coldest;
	if (l->coldest)
		l->coldest->colder = e;
	else
		l->hottest = e;
	l->coldest = e;
}

void lru_remove(struct lru *l, struct cache_entry *e)
{
	assert(e->in_lru);
	if (e->hotter)
		e->hotter->colder = e->colder;
	else
		l->hottest = e->colder;
	if (e->colder)
		e->colder->hotter = e->hotter;
	else
		l->coldest = e->hotter;
	e->hotter = e->colder = NULL;
	e->in_lru = false;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) +
	       (uint64_t)ts.tv_nsec;
}

void failures_add(struct failures *f, uint64_t hash,
		  const struct cache_key *key, int error)
{
	f->slot[hash % FAILURES] = (struct failure){
		.key = *key,
		.error = error,
		.until = now_ns() + REMEMBER_NS,
	};
}

int failures_find(struct failures *f, uint64_t hash,
		  const struct cache_key *key)
{
	struct failure *one = &f->slot[hash % FAILURES];

	if (!one->error || !key_equal(&one->key, key))
		return 0;
	if (now_ns() < one->until)
		return one->error;
	one->error = 0;
	return 0;
}
