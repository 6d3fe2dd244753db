/* SPDX-License-Identifier: MIT */

/*
 * How a call that may have to wait is told what it may do. A NULL struct wait
 * means: block. With one, a call never blocks on another caller's work; it
 * returns
 *
 *   -EAGAIN    parked: w->wake will be called exactly once, from any thread,
 *              perhaps before the call has returned. The caller must not touch
 *              w or what holds it any more; whoever is woken runs the request
 *              again from its start.
 *   -ERESTART  the work needs a thread that may load (a worker): nothing is
 *              parked, the caller hands the request on.
 *
 * Both numbers travel all the way up and mean nothing else inside patchfs.
 */

#ifndef UTIL_WAIT_H
#define UTIL_WAIT_H

#include <stddef.h>
#include <stdint.h>

/* What a load would occupy; filled in by the caller of cache_get. */
struct wait_need {
	uint64_t source; /* which file: limits loads of one sick source */
	uint64_t device; /* which st_dev, or WAIT_DEVICE_SCAN */
};
#define WAIT_DEVICE_SCAN UINT64_MAX /* a scanner process; few at a time */

/* Work that may be done ahead of its turn by an idle worker. Only advice. */
struct wait_offer {
	void (*run)(void *arg);	 /* consumes arg */
	void (*drop)(void *arg); /* consumes arg, without the work */
	void *arg;
	struct wait_need need; /* what run occupies; it does not ask admit */
};

struct wait {
	/*
	 * May this thread load now? 0, -ERESTART or -EAGAIN as above. Asked
	 * before every load with no lock held by the caller; a grant lasts
	 * until the request ends or asks for another need.
	 */
	int (*admit)(struct wait *w, const struct wait_need *need);
	void (*wake)(struct wait *w);
	/* Takes the offer, or calls drop at once. NULL: no offers wanted. */
	void (*offer)(struct wait *w, const struct wait_offer *o);
	struct wait *next; /* for whoever has it parked */
};

/* A list of parked requests. Protected by the lock of what owns it. */
struct waitq {
	struct wait *head;
};

static inline void waitq_park(struct waitq *q, struct wait *w)
{
	w->next = q->head;
	q->head = w;
}

/* Detach under the lock, wake outside of it. */
static inline struct wait *waitq_take(struct waitq *q)
{
	struct wait *w = q->head;

	q->head = NULL;
	return w;
}

static inline void wait_wake_all(struct wait *w)
{
	while (w) {
		struct wait *next = w->next;

		w->wake(w);
		w = next;
	}
}

#endif
