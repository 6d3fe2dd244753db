/* SPDX-License-Identifier: MIT */

/*
 * Where replies are put together. A thread has one small buffer of its own;
 * large ones, which touch a lot of memory, are few and shared: the one given
 * back last is taken first.
 */

#include <config.h>

#include "fuse/front_impl.h"

#include <stdlib.h>

#include "util/cleanup.h"

static void *take_big(struct front *f)
{
	LOCK_SCOPE(&f->lock);
	return f->nbig ? f->big[--f->nbig] : NULL;
}

static bool keep_big(struct front *f, void *buf)
{
	LOCK_SCOPE(&f->lock);
	if (f->nbig == BIG_BUFS_KEPT)
		return false;
	f->big[f->nbig++] = buf;
	return true;
}

void *buffer_get(struct front *f, size_t n)
{
	struct thread *t = front_self;
	void *buf;

	if (n > BIG_BUF)
		return malloc(n);
	if (n > SMALL_BUF) {
		buf = take_big(f);
		return buf ? buf : malloc(BIG_BUF);
	}
	if (!t->buf)
		t->buf = malloc(SMALL_BUF);
	return t->buf;
}

void buffer_put(struct front *f, void *buf, size_t n)
{
	if (n <= SMALL_BUF || (n <= BIG_BUF && keep_big(f, buf)))
		return;
	free(buf);
}
