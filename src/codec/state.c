/* SPDX-License-Identifier: MIT */

/*
 * What decoding takes: scratch buffers and the contexts of the libraries.
 * A chain borrows a set of them while it runs. The set given back last is lent
 * first, as its pages are in the CPU's cache; there are as many as chains have
 * run at once, for as long as the process lives.
 */

#include <config.h>

#include "codec/codec_impl.h"

#include <pthread.h>
#include <stdlib.h>

#include "util/cleanup.h"
#include "util/metric.h"

/* So many chains in a row needed less than half of it: the buffer shrinks. */
#define IDLE_MAX 64

struct scratch {
	void *data;
	size_t size;
	size_t need; /* the most that this chain asked for */
	unsigned idle;
};

struct codec_state {
	struct codec_state *next;
	struct scratch scratch[CODEC_BUFFER_COUNT];
	void *context[CODEC_SLOT_COUNT];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct codec_state *idle; /* protected by lock */
static _Thread_local struct codec_state *mine;

static struct metric scratch_bytes = {
	.name = "codec_scratch_bytes",
	.help = "Scratch memory of the decoding threads",
	.kind = METRIC_GAUGE,
};

static void scratch_free(struct scratch *s)
{
	free(s->data);
	if (s->size)
		metric_add(&scratch_bytes, -(int64_t)s->size);
	*s = (struct scratch){.need = s->need};
}

/* The one of the chain that this thread runs. NULL: out of memory. */
static struct codec_state *state_get(void)
{
	if (mine)
		return mine;
	pthread_mutex_lock(&lock);
	mine = idle;
	if (mine)
		idle = mine->next;
	pthread_mutex_unlock(&lock);
	if (!mine)
		mine = calloc(1, sizeof(*mine));
	return mine;
}

void *codec_context(enum codec_slot slot, void *(*make)(void))
{
	struct codec_state *t = state_get();

	if (!t)
		return NULL;
	if (!t->context[slot])
		t->context[slot] = make();
	return t->context[slot];
}

void *codec_scratch_get(enum codec_buffer which, size_t n)
{
	struct codec_state *t = state_get();
	struct scratch *s;

	if (!t)
		return NULL;
	s = &t->scratch[which];
	if (n > s->need)
		s->need = n;
	if (n <= s->size && s->data)
		return s->data;
	scratch_free(s);
	s->data = malloc(n ? n : 1);
	if (s->data) {
		s->size = n ? n : 1;
		metric_add(&scratch_bytes, (int64_t)s->size);
	}
	return s->data;
}

void codec_scratch_done(void)
{
	struct codec_state *t = take_ptr(mine);

	if (!t)
		return;
	for (unsigned i = 0; i < CODEC_BUFFER_COUNT; i++) {
		struct scratch *s = &t->scratch[i];

		if (s->need >= s->size / 2)
			s->idle = 0;
		else if (++s->idle >= IDLE_MAX)
			scratch_free(s);
		s->need = 0;
	}
	LOCK_SCOPE(&lock);
	t->next = idle;
	idle = t;
}

void codec_trim(size_t keep)
{
	LOCK_SCOPE(&lock);
	for (struct codec_state *t = idle; t; t = t->next)
		for (unsigned i = 0; i < CODEC_BUFFER_COUNT; i++)
			if (t->scratch[i].size > keep)
				scratch_free(&t->scratch[i]);
}

void codec_metrics(struct metrics *m)
{
	metric_register(m, &scratch_bytes);
}
