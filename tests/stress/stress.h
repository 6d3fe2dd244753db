/* SPDX-License-Identifier: MIT */

/* Threads, requests that are parked and run again, random numbers. */

#ifndef TESTS_STRESS_H
#define TESTS_STRESS_H

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/hash.h"
#include "util/wait.h"

#define STRESS_SECONDS_MAX 120 /* a hang ends here */

struct stress_request {
	struct wait wait; /* first */
	sem_t woken;
	uint64_t state; /* of rnd */
	uint64_t parked, restarted;
};

static inline uint64_t stress_rnd(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return hash_mix(*state, 1);
}

/* Sometimes the thread may not load, sometimes it is parked by the queue. */
static inline int stress_admit(struct wait *w, const struct wait_need *need)
{
	struct stress_request *r = (struct stress_request *)w;
	uint64_t x = stress_rnd(&r->state) % 16;

	(void)need;
	if (x == 0)
		return -ERESTART;
	if (x == 1) {
		sem_post(&r->woken); /* at once */
		return -EAGAIN;
	}
	return 0;
}

static inline void stress_wake(struct wait *w)
{
	sem_post(&((struct stress_request *)w)->woken);
}

static inline void stress_request_init(struct stress_request *r, uint64_t seed)
{
	*r = (struct stress_request){
		.wait = {.admit = stress_admit, .wake = stress_wake},
		.state = seed,
	};
	sem_init(&r->woken, 0, 0);
}

/* After -EAGAIN or -ERESTART: when to run again. */
static inline void stress_again(struct stress_request *r, int err)
{
	if (err == -ERESTART) {
		r->restarted++;
		return;
	}
	r->parked++;
	while (sem_wait(&r->woken) < 0)
		;
}

static inline uint64_t stress_seed(void)
{
	const char *s = getenv("PATCHFS_SEED");

	return s ? strtoull(s, NULL, 0) : hash_mix((uint64_t)getpid(), 2) >> 1;
}

static inline void stress_run(unsigned n, void *(*fn)(void *), void *args,
			      size_t size)
{
	pthread_t t[64];

	alarm(STRESS_SECONDS_MAX);
	for (unsigned i = 0; i < n; i++) {
		if (pthread_create(&t[i], NULL, fn, (char *)args + i * size))
			abort();
	}
	for (unsigned i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	alarm(0);
}

#endif
