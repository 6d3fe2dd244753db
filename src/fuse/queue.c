/* SPDX-License-Identifier: MIT */

/*
 * Who waits. A request thread serves a miss itself while at least two others
 * are kept free; beyond that the request goes into one FIFO with workers of
 * its own. What a worker's load occupies (its file, its device, the workers
 * as such) is counted, and a job that needs more than there is waits in the
 * list of what it lacks, not on a thread. So whatever is stuck, some request
 * threads answer from memory and some workers serve other sources.
 *
 * One lock, q->lock, under which nothing is called but malloc. A job in a list
 * is the queue's; one that is parked (util/wait.h) is the parker's until wake.
 */

#include <config.h>

#include "fuse/front_impl.h"

#include <assert.h>
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

enum res_kind {
	RES_WORKERS, /* all that load: one stays free for what is in memory */
	RES_SOURCE,
	RES_DEVICE,
	RES_SCAN_SOURCE,
	RES_SCAN,
};

struct res {
	enum res_kind kind;
	uint64_t key;
	unsigned held, limit;
	struct job_list deferred; /* jobs that wait for this one */
	struct res *next;
};

void queue_metrics(struct metrics *m)
{
	metric_register(m, &parked);
	metric_register(m, &queued);
}

/* ---------------------------------------------------------------- lists */

static void list_init(struct job_list *l)
{
	l->head = NULL;
	l->tail = &l->head;
}

static void list_push(struct job_list *l, struct job *j)
{
	j->next = NULL;
	*l->tail = j;
	l->tail = &j->next;
}

static struct job *list_pop(struct job_list *l)
{
	struct job *j = l->head;

	if (j) {
		l->head = j->next;
		if (!l->head)
			l->tail = &l->head;
	}
	return j;
}

/* --------------------------------------------------------------- grants */

static unsigned at_least(unsigned n, unsigned least)
{
	return n > least ? n : least;
}

static unsigned res_limit(const struct queue *q, enum res_kind kind)
{
	/* Two scans at least: the first may be one that never ends. */
	unsigned scans = at_least(q->cpus, 2);

	if (scans > at_least(q->workers / 2, 1))
		scans = at_least(q->workers / 2, 1);
	switch (kind) {
	case RES_WORKERS:
		return at_least(q->workers - 1, 1);
	case RES_SOURCE:
		return at_least(q->workers / 4, 1);
	case RES_DEVICE:
		return at_least(q->workers / 2, 1);
	case RES_SCAN_SOURCE:
		return at_least(scans - 1, 1);
	case RES_SCAN:
		return scans;
	}
	return 1;
}

static struct res *res_find(const struct queue *q, enum res_kind kind,
			    uint64_t key)
{
	struct res *r = q->res;

	while (r && (r->kind != kind || r->key != key))
		r = r->next;
	return r;
}

/* Held once more; NULL, not counted, if there is no memory. */
static struct res *res_hold(struct queue *q, enum res_kind kind, uint64_t key)
{
	struct res *r = res_find(q, kind, key);

	if (!r) {
		r = q->free;
		if (r)
			q->free = r->next;
		else
			r = malloc(sizeof(*r));
		if (!r)
			return NULL;
		*r = (struct res){.kind = kind,
				  .key = key,
				  .limit = res_limit(q, kind),
				  .next = q->res};
		list_init(&r->deferred);
		q->res = r;
	}
	r->held++;
	return r;
}

struct want {
	enum res_kind kind;
	uint64_t key;
};

static void need_wants(const struct wait_need *need, struct want w[3])
{
	bool is_scan = need->device == WAIT_DEVICE_SCAN;

	w[0] = (struct want){RES_WORKERS, 0};
	w[1] = (struct want){is_scan ? RES_SCAN_SOURCE : RES_SOURCE,
			     need->source};
	w[2] = (struct want){is_scan ? RES_SCAN : RES_DEVICE, need->device};
}

/* NULL: *g is held now; else what there is not enough of. */
static struct res *grant_try(struct queue *q, struct grant *g,
			     const struct wait_need *need)
{
	struct want w[3];

	need_wants(need, w);
	for (unsigned i = 0; i < 3; i++) {
		struct res *r = res_find(q, w[i].kind, w[i].key);

		if (r && r->held >= r->limit)
			return r;
	}
	g->need = *need;
	for (unsigned i = 0; i < 3; i++)
		g->res[i] = res_hold(q, w[i].kind, w[i].key);
	g->is_held = true;
	return NULL;
}

static void push_woken(struct queue *q, struct job *j)
{
	list_push(&q->woken, j);
	q->nqueued++;
	pthread_cond_signal(&q->work);
}

/* Whoever waits for r goes on with a grant of its own, or waits elsewhere. */
static void res_pass_on(struct queue *q, struct res *r)
{
	while (r->held < r->limit && r->deferred.head) {
		struct job *j = list_pop(&r->deferred);
		struct res *lacking = grant_try(q, &j->grant, &j->need);

		if (lacking)
			list_push(&lacking->deferred, j);
		else
			push_woken(q, j);
	}
}

static void grant_drop(struct queue *q, struct grant *g)
{
	struct res *res[3] = {g->res[0], g->res[1], g->res[2]};

	if (!g->is_held)
		return;
	*g = (struct grant){.is_held = false};
	for (unsigned i = 0; i < 3; i++) {
		if (res[i])
			res[i]->held--;
	}
	for (unsigned i = 0; i < 3; i++) {
		if (res[i])
			res_pass_on(q, res[i]);
	}
	for (struct res **at = &q->res; *at;) {
		struct res *r = *at;

		if (r->held || r->deferred.head) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		r->next = q->free;
		q->free = r;
	}
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
	struct res *lacking;

	if (job_watch(j))
		return -EINTR;
	if (!t->is_worker)
		return admit_request_thread(t, need);

	LOCK_SCOPE(&q->lock);
	if (t->grant.is_held && t->grant.need.source == need->source &&
	    t->grant.need.device == need->device)
		return 0;
	grant_drop(q, &t->grant);
	lacking = grant_try(q, &t->grant, need);
	if (!lacking)
		return 0;
	j->need = *need;
	list_push(&lacking->deferred, j);
	return -EAGAIN;
}

static void on_wake(struct wait *w)
{
	struct job *j = (struct job *)w;
	struct queue *q = &j->front->queue;

	LOCK_SCOPE(&q->lock);
	push_woken(q, j);
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
	if (grant_try(q, &slot->grant, &o->need))
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
	list_push(&q->fresh, j);
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
		*j = list_pop(&q->woken);
		if (!*j)
			*j = list_pop(&q->fresh);
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
	list_init(&q->woken);
	list_init(&q->fresh);
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
	assert(!q->res);
	while (q->free) {
		struct res *r = q->free;

		q->free = r->next;
		free(r);
	}
	pthread_cond_destroy(&q->work);
	pthread_mutex_destroy(&q->lock);
}
