/* SPDX-License-Identifier: MIT */

/*
 * Scratch memory of a thread that loads: where stored bytes are read to. It is
 * kept for the next load, as fresh pages cost about as much as a fast codec;
 * what is kept, and what the codecs keep, is charged to the cache.
 */

#include <config.h>

#include "array/array_impl.h"

#include <pthread.h>
#include <stdlib.h>

#include "cache/cache.h"
#include "codec/codec.h"

/* A thread keeps at most this part of the cache's size. */
#define KEEP_PART 128

struct scratch {
	void *buf;
	size_t size;
	size_t codec; /* what the codecs may have kept since the last trim */
	struct cache *cache;
	uint64_t cache_id;
	size_t charged;
};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void thread_ends(void *arg)
{
	struct scratch *t = arg;

	if (t->charged)
		cache_charge(t->cache, -(int64_t)t->charged);
	free(t->buf);
	free(t);
}

static void make_key(void)
{
	if (pthread_key_create(&key, thread_ends) != 0)
		abort();
}

static struct scratch *mine(void)
{
	struct scratch *t;

	pthread_once(&once, make_key);
	t = pthread_getspecific(key);
	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (t && pthread_setspecific(key, t) != 0) {
		free(t);
		return NULL;
	}
	return t;
}

void *scratch_get(size_t n)
{
	struct scratch *t = mine();

	if (!t)
		return NULL;
	if (n > t->size) {
		free(t->buf);
		t->buf = malloc(n);
		t->size = t->buf ? n : 0;
	}
	return t->buf;
}

void scratch_settle(struct cache *c, size_t codec)
{
	struct scratch *t = mine();
	size_t keep;

	if (!t)
		return;
	if (t->cache_id != cache_id(c)) {
		t->cache = c;
		t->cache_id = cache_id(c);
		t->charged = 0;
	}
	if (codec > t->codec)
		t->codec = codec;
	keep = t->size + t->codec;
	if (keep > cache_size(c) / KEEP_PART) {
		free(t->buf);
		t->buf = NULL;
		t->size = 0;
		codec_trim(0);
		t->codec = 0;
		keep = 0;
	}
	if (keep != t->charged)
		cache_charge(c, (int64_t)keep - (int64_t)t->charged);
	t->charged = keep;
}
