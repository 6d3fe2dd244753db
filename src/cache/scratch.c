/* SPDX-License-Identifier: MIT */

/*
 * Memory for loads: where stored bytes are read to. It is kept for the next
 * load, as fresh pages cost about as much as a fast codec. There are as many
 * as loads have run at once; what is kept is charged to the cache, together
 * with what the codecs keep for the same loads.
 */

#include <config.h>

#include "cache/cache_impl.h"

#include <stdlib.h>

#include "util/cleanup.h"

/* At most this part of the cache's size is kept. */
#define KEEP_PART 16

struct cache_scratch {
	struct cache_scratch *next;
	void *buf;
	size_t size;
	size_t more; /* others keep for it */
};

static void scratch_free(struct cache_scratch *s)
{
	if (s)
		free(s->buf);
	free(s);
}

void scratch_init(struct scratch_pool *p)
{
	pthread_mutex_init(&p->lock, NULL);
}

void scratch_fini(struct scratch_pool *p)
{
	while (p->idle) {
		struct cache_scratch *s = p->idle;

		p->idle = s->next;
		scratch_free(s);
	}
	pthread_mutex_destroy(&p->lock);
}

struct cache_scratch *cache_scratch_take(struct cache *c, size_t n, void **out)
{
	struct scratch_pool *p = &c->scratch;
	struct cache_scratch *s;

	pthread_mutex_lock(&p->lock);
	s = p->idle;
	if (s) {
		p->idle = s->next;
		p->kept -= s->size + s->more;
	}
	pthread_mutex_unlock(&p->lock);
	if (!s)
		s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	if (n > s->size) {
		free(s->buf);
		s->buf = malloc(n);
		s->size = s->buf ? n : 0;
	}
	*out = s->buf;
	if (s->buf)
		return s;
	scratch_free(s);
	return NULL;
}

bool cache_scratch_give(struct cache *c, struct cache_scratch *s, size_t more)
{
	struct scratch_pool *p = &c->scratch;
	bool is_kept;
	size_t bytes;

	s->more = more > s->more ? more : s->more;
	bytes = s->size + s->more;
	pthread_mutex_lock(&p->lock);
	is_kept = bytes <= c->size / KEEP_PART &&
		  p->kept <= c->size / KEEP_PART - bytes;
	if (is_kept) {
		s->next = p->idle;
		p->idle = s;
		p->kept += bytes;
	}
	/* What is out is charged by whoever loads. */
	if (p->kept > p->charged || !is_kept) {
		cache_charge(c, (int64_t)p->kept - (int64_t)p->charged);
		p->charged = p->kept;
	}
	pthread_mutex_unlock(&p->lock);
	if (!is_kept)
		scratch_free(s);
	return is_kept;
}
