/* SPDX-License-Identifier: MIT */

/*
 * Who waits. A request thread serves a miss itself while at least two others
 * are kept free; beyond that the request goes into one FIFO with workers of
 * its own. What a worker's load occupies is counted (grant.c), and a job that
 * needs more than there is waits for that, not on a thread. So whatever is
 * stuck, some request threads answer from memory and some workers serve other
 * sources.
 *
 * One lock, q->lock, under which nothing is called but malloc. A job in a list
 * is the queue's; one that is parked (util/wait.h) is the parker's until wake.
 */

#include <config.h>

#include "fuse/front_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "util/cleanup.h"
#include "util/log.h"
#include "util/metric.h"

static struct metric parked = {"requests_parked",
			       "requests that waited for the work of another",
			       METRIC_COUNTER, 0, NULL};
static struct metric queued = {"requests_queued", "requests handed to a worker",
			       METRIC_COUNTER, 0, NULL};

void queue_metrics(struct metrics *m)
{
	metric_register(m, &parked);
	metric_register(m, &queued);
}

void queue_push_woken(struct queue *q, struct job *j)
{
	job_list_push(&q->woken, j);
	q->nqueued++;
	pthread_cond_signal(&q->work);
}

/* ----------------------------------------------------- the struct wait */

static int admit_request_thread(struct thread *t, const struct wait_need *need)
{
	struct front *f = t->front;

	/* Scanners are few: they are counted, by workers. */
	if (need->device == WAIT_DEVICE_SCAN)
		return -ERESTART;
	if (t->is_loading)
		return 0;
	if (atomic_fetch_add(&f->loading, 1) < f->loading_max) {
		t->is_loading = true;
		return 0;
	}
	atomic_fetch_sub(&f->loading, 1);
	return -ERESTART;
}

static int on_admit(struct wait *w, const struct wait_need *need)
{
	struct job *j = (struct job *)w;
	struct thread *t = front_self;
	struct queue *q = &t->front->queue;

	if (job_watch(j))
		return -EINTR;
	if (!t->is_worker)
		return admit_request_thread(t, need);

	LOCK_SCOPE(&q->lock);
	if (t->grant.is_held && t->grant.need.source == need->source &&
	    t->grant.need.device == need->device)
		return 0;
	grant_drop(q, &t->grant);
	return grant_or_defer(q, &t->grant, need, j) ? 0 : -EAGAIN;
}

static void on_wake(struct wait *w)
{
	struct job *j = (struct job *)w;
	struct queue *q = &j->front->queue;

	LOCK_SCOPE(&q->lock);
	queue_push_woken(q, j);
}

static bool offer_take(struct queue *q, const struct wait_offer *o)
{
	struct offered *slot;

	LOCK_SCOPE(&q->lock);
	if (q->noffers == OFFERS_MAX || q->is_ending ||
	    q->idle <= q->nqueued + q->noffers)
		return false;
	slot = &q->offer[q->noffers];
	*slot = (struct offered){.offer = *o};
	if (!grant_take(q, &slot->grant, &o->need))
		return false;
	q->noffers++;
	pthread_cond_signal(&q->work);
	return true;
}

static void on_offer(struct wait *w, const struct wait_offer *o)
{
	struct job *j = (struct job *)w;

	if (!offer_take(&j->front->queue, o))
		o->drop(o->arg);
}

/* ------------------------------------------------------ request threads */

struct job *job_new(fuse_req_t req, enum job_kind kind, uint64_t ino)
{
	struct thread *t = front_self;
	struct job *j = t->spare;

	if (!j)
		j = malloc(sizeof(*j));
	t->spare = NULL;
	if (!j) {
		fuse_reply_err(req, ENOMEM);
		return NULL;
	}
	j->wait = (struct wait){
		.admit = on_admit, .wake = on_wake, .offer = on_offer};
	j->front = t->front;
	j->req = req;
	j->kind = kind;
	atomic_store_explicit(&j->state, JOB_PLAIN, memory_order_relaxed);
	j->ino = ino;
	j->off = 0;
	j->size = 0;
	j->grant.is_held = false;
	j->is_listed = j->was_listed = false;
	return j;
}

void job_start(struct job *j)
{
	struct thread *t = front_self;
	struct queue *q = &t->front->queue;
	int r = job_run(j);

	if (t->is_loading) {
		t->is_loading = false;
		atomic_fetch_sub(&t->front->loading, 1);
	}
	if (r == 0) {
		t->spare = j;
		return;
	}
	metric_add(r == -EAGAIN ? &parked : &queued, 1);
	LOCK_SCOPE(&q->lock);
	/* A parked one may be done by now: the count is then -1 for a moment.
	 */
	q->njobs++;
	if (r == -EAGAIN)
		return;
	job_list_push(&q->fresh, j);
	q->nqueued++;
	pthread_cond_signal(&q->work);
}

/* -------------------------------------------------------------- workers */

static void work_job(struct thread *t, struct job *j)
{
	struct queue *q = &t->front->queue;
	int r = 0;

	t->grant = j->grant;
	j->grant.is_held = false;
	if (atomic_load(&t->front->is_gone))
		job_fail(j, -ENODEV);
	else if (atomic_load(&j->state) != JOB_ANSWERED)
		r = job_run(j);
	if (r == -ERESTART) {
		log_err(r, "a request was refused by a worker");
		job_fail(j, -EIO);
		r = 0;
	}
	if (r == -EAGAIN)
		metric_add(&parked, 1);
	else
		free(j);

	LOCK_SCOPE(&q->lock);
	grant_drop(q, &t->grant);
	q->njobs -= r == 0;
}

static void work_offer(struct thread *t, struct offered *o)
{
	struct queue *q = &t->front->queue;

	if (atomic_load(&t->front->is_gone))
		o->offer.drop(o->offer.arg);
	else
		o->offer.run(o->offer.arg);
	LOCK_SCOPE(&q->lock);
	grant_drop(q, &o->grant);
}

/* True with a job, or *o filled in; false: the end. */
static bool next_work(struct queue *q, struct job **j, struct offered *o)
{
	LOCK_SCOPE(&q->lock);
	for (;;) {
		*j = job_list_pop(&q->woken);
		if (!*j)
			*j = job_list_pop(&q->fresh);
		if (*j) {
			q->nqueued--;
			return true;
		}
		if (q->noffers) {
			*o = q->offer[--q->noffers];
			return true;
		}
		if (q->is_ending && q->njobs == 0)
			break;
		q->idle++;
		pthread_cond_wait(&q->work, &q->lock);
		q->idle--;
	}
	/* The last job may have ended without anyone else noticing. */
	pthread_cond_broadcast(&q->work);
	return false;
}

void queue_work(struct front *f)
{
	struct job *j;
	struct offered o;

	while (next_work(&f->queue, &j, &o)) {
		if (j)
			work_job(front_self, j);
		else
			work_offer(front_self, &o);
	}
}

/* --------------------------------------------------------------- itself */

int queue_init(struct queue *q, unsigned workers, unsigned cpus)
{
	int r = pthread_mutex_init(&q->lock, NULL);

	if (r)
		return -r;
	r = pthread_cond_init(&q->work, NULL);
	if (r) {
		pthread_mutex_destroy(&q->lock);
		return -r;
	}
	job_list_init(&q->woken);
	job_list_init(&q->fresh);
	q->workers = workers;
	q->cpus = cpus;
	return 0;
}

void queue_end(struct queue *q)
{
	LOCK_SCOPE(&q->lock);
	q->is_ending = true;
	pthread_cond_broadcast(&q->work);
}

void queue_fini(struct queue *q)
{
	grants_fini(q);
	pthread_cond_destroy(&q->work);
	pthread_mutex_destroy(&q->lock);
}
