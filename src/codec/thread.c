/* SPDX-License-Identifier: MIT */

/*
 * What each thread keeps for decoding: two scratch buffers and the contexts of
 * the libraries. All of it goes with the thread, through the destructor of one
 * pthread key. Nothing is shared, so there is no lock; the gauge of bytes held
 * is atomic.
 */

#include <config.h>

#include "codec/codec_impl.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "util/metric.h"

/* So many chains in a row needed less than half of it: the buffer shrinks. */
#define IDLE_MAX 64

struct scratch {
	void *data;
	size_t size;
	unsigned idle;
};

struct context {
	void *it;
	void (*drop)(void *it);
};

struct thread_state {
	struct scratch scratch[2];
	struct context context[CODEC_SLOT_COUNT];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_error;

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
	*s = (struct scratch){0};
}

static void state_free(void *p)
{
	struct thread_state *t = p;

	for (unsigned i = 0; i < 2; i++)
		scratch_free(&t->scratch[i]);
	for (unsigned i = 0; i < CODEC_SLOT_COUNT; i++)
		if (t->context[i].it)
			t->context[i].drop(t->context[i].it);
	free(t);
}

static void key_make(void)
{
	key_error = pthread_key_create(&key, state_free);
}

/* NULL: this thread has none, and none could be made or none was wanted. */
static struct thread_state *state_get(bool make)
{
	struct thread_state *t;

	pthread_once(&once, key_make);
	if (key_error)
		return NULL;
	t = pthread_getspecific(key);
	if (t || !make)
		return t;
	t = calloc(1, sizeof(*t));
	if (t && pthread_setspecific(key, t)) {
		free(t);
		return NULL;
	}
	return t;
}

void *codec_context(enum codec_slot slot, void *(*make)(void),
		    void (*drop)(void *context))
{
	struct thread_state *t = state_get(true);

	if (!t)
		return NULL;
	if (!t->context[slot].it)
		t->context[slot] = (struct context){make(), drop};
	return t->context[slot].it;
}

void *codec_scratch_get(unsigned which, size_t n)
{
	struct thread_state *t = state_get(true);
	struct scratch *s;

	if (!t)
		return NULL;
	s = &t->scratch[which];
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

void codec_scratch_done(const size_t need[2])
{
	struct thread_state *t = state_get(false);

	for (unsigned i = 0; t && i < 2; i++) {
		struct scratch *s = &t->scratch[i];

		if (need[i] >= s->size / 2)
			s->idle = 0;
		else if (++s->idle >= IDLE_MAX)
			scratch_free(s);
	}
}

void codec_trim(size_t keep)
{
	struct thread_state *t = state_get(false);

	for (unsigned i = 0; t && i < 2; i++)
		if (t->scratch[i].size > keep)
			scratch_free(&t->scratch[i]);
}

void codec_metrics(struct metrics *m)
{
	metric_register(m, &scratch_bytes);
}
