/* SPDX-License-Identifier: MIT */

/*
 * What loads of workers occupy: the workers as such, a file, a device or the
 * scanners. Each has a limit, so that one sick source or disk never has all of
 * them; jobs that need more than there is wait in the list of what they lack.
 *
 * Everything is called with q->lock held.
 */

#include <config.h>

#include "fuse/front_impl.h"

#include <assert.h>
#include <stdlib.h>

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
		job_list_init(&r->deferred);
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

/*
 * The last of a device is for a file that has none yet: two sick files do not
 * take it from all others that lie there.
 */
static bool is_last(const struct res *device, const struct res *source)
{
	return device && source && device->limit > 1 &&
	       device->held + 1 == device->limit && source->held > 0;
}

/* NULL: *g is held now; else what there is not enough of. */
static struct res *grant_try(struct queue *q, struct grant *g,
			     const struct wait_need *need)
{
	struct want w[3];
	struct res *r[3];

	need_wants(need, w);
	for (unsigned i = 0; i < 3; i++) {
		r[i] = res_find(q, w[i].kind, w[i].key);
		if (r[i] && r[i]->held >= r[i]->limit)
			return r[i];
	}
	if (w[2].kind == RES_DEVICE && is_last(r[2], r[1]))
		return r[2];
	g->need = *need;
	for (unsigned i = 0; i < 3; i++)
		g->res[i] = res_hold(q, w[i].kind, w[i].key);
	g->is_held = true;
	return NULL;
}

bool grant_take(struct queue *q, struct grant *g, const struct wait_need *need)
{
	return !grant_try(q, g, need);
}

bool grant_or_defer(struct queue *q, struct grant *g,
		    const struct wait_need *need, struct job *j)
{
	struct res *lacking = grant_try(q, g, need);

	if (!lacking)
		return true;
	j->need = *need;
	job_list_push(&lacking->deferred, j);
	return false;
}

/* Whoever waits for r goes on with a grant of its own, or waits elsewhere. */
static void res_pass_on(struct queue *q, struct res *r)
{
	struct job_list waiting = r->deferred;

	job_list_init(&r->deferred);
	while (r->held < r->limit && waiting.head) {
		struct job *j = job_list_pop(&waiting);

		if (grant_or_defer(q, &j->grant, &j->need, j))
			queue_push_woken(q, j);
	}
	/* Those that wait here again have done so longest. */
	while (waiting.head)
		job_list_push(&r->deferred, job_list_pop(&waiting));
}

void grant_drop(struct queue *q, struct grant *g)
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

void grants_fini(struct queue *q)
{
	assert(!q->res);
	while (q->free) {
		struct res *r = q->free;

		q->free = r->next;
		free(r);
	}
}
