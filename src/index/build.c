/* SPDX-License-Identifier: MIT */

/*
 * Making an index. Threads take jobs from a counter, each job a box of whole
 * units of one array, and read the planes of that array there, so that a unit
 * is read once though it has parts of several planes. Each thread has its own
 * buffer and its own lane; the counter, the first error and the sums are all
 * they share.
 */

#include <config.h>

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "index/build_impl.h"
#include "index/index_impl.h"
#include "util/checked.h"
#include "util/cleanup.h"

#define THREADS_MAX 64
#define ROOM_MIN ((size_t)64 << 10) /* of a buffer; else fewer threads */
#define SLACK 8			    /* that scan_row may read behind it */

/*
 * A few bytes of a file can declare any shape, and none of it need be stored.
 * So much is gone through in minutes where nothing is.
 */
#define ELEMENTS_MAX (UINT64_C(1) << 40)
#define UNITS_MAX (UINT64_C(1) << 28)

/* Planes that follow each other in one array. */
struct group {
	unsigned first, n;
	uint64_t job; /* number of its first job, of all */
	struct tiling tiling;
};

struct build {
	const struct label_source *s;
	const struct index_conf *conf;
	uint64_t stride[NDIM_MAX];
	uint64_t elements, jobs;
	struct group *group;
	unsigned ngroup, threads;
	size_t room;
	_Atomic uint64_t next, done, held;
	_Atomic int err; /* the first */
};

/* One thread. */
struct worker {
	struct build *b;
	pthread_t thread;
	struct lane *lane;
	unsigned char *buf;
};

static void fail(struct build *b, int err)
{
	int none = 0;

	atomic_compare_exchange_strong(&b->err, &none, err);
}

static void progress(struct build *b, uint64_t n)
{
	const struct index_conf *conf = b->conf;
	uint64_t done = atomic_fetch_add(&b->done, n) + n;

	if (conf->progress)
		conf->progress(conf->arg, done, b->elements * b->s->nplane);
}

/* The tile in the buffer, as few rows as its bounds allow. */
static void scan_tile(struct worker *w, const struct label_plane *p,
		      const struct region *tile)
{
	const struct build *b = w->b;
	const struct shape *s = &b->s->shape;
	const unsigned isz = p->array->item_size;
	uint64_t row = 1, at[NDIM_MAX] = {0}, base = 0;
	const unsigned char *data = w->buf;
	unsigned outer = s->ndim;
	bool more = true;

	/* Axes that are whole, and the one outside of them, are one row. */
	while (outer > 0) {
		outer--;
		row *= tile->extent[outer];
		if (tile->extent[outer] != s->dim[outer])
			break;
	}
	for (unsigned k = 0; k < s->ndim; k++)
		base += tile->start[k] * b->stride[k];
	scan_plane(w->lane, p);
	while (more && !w->lane->err) {
		scan_row(w->lane, p, data, row, base);
		data += row * isz;
		more = false;
		for (unsigned k = outer; k-- > 0 && !more;) {
			base += b->stride[k];
			more = ++at[k] < tile->extent[k];
			if (!more) {
				base -= at[k] * b->stride[k];
				at[k] = 0;
			}
		}
	}
}

/* What is to be looked at of a tile; false: nothing. And its elements, all. */
static bool clip(struct region *tile, const struct region *bound,
		 uint64_t *count)
{
	bool is_there = true;

	*count = 1;
	for (unsigned k = 0; k < tile->ndim; k++) {
		uint64_t from = tile->start[k], to = from + tile->extent[k];

		*count *= tile->extent[k];
		if (!bound)
			continue;
		if (from < bound->start[k])
			from = bound->start[k];
		if (to > bound->start[k] + bound->extent[k])
			to = bound->start[k] + bound->extent[k];
		is_there = is_there && from < to;
		tile->start[k] = from;
		tile->extent[k] = from < to ? to - from : 0;
	}
	return is_there;
}

static int read_tile(struct worker *w, const struct label_plane *p,
		     const struct region *tile)
{
	struct view v = {.array = p->array};
	unsigned lead = p->has_lead;
	uint64_t n;
	int err;

	if (lead) {
		v.start[0] = (int64_t)p->lead;
		v.extent[0] = 1;
	}
	for (unsigned k = 0; k < tile->ndim; k++) {
		v.start[k + lead] = (int64_t)tile->start[k];
		v.extent[k + lead] = tile->extent[k];
	}
	err = view_bytes(&v, &n);
	if (err)
		return err;
	assert(n <= w->b->room);
	memset(w->buf + n, 0, SLACK);
	return array_read(&v, 0, n, w->buf, NULL);
}

static int do_job(struct worker *w, const struct group *g, uint64_t job)
{
	struct build *b = w->b;
	const struct index_conf *conf = b->conf;

	for (unsigned i = g->first; i < g->first + g->n; i++) {
		const struct label_plane *p = &b->s->plane[i];
		struct region tile;
		uint64_t count;

		tiling_first(&g->tiling, job, &tile);
		do {
			struct region part = tile;
			int err = 0;

			if (atomic_load(&b->err))
				return 0;
			if (conf->stop && conf->stop(conf->arg))
				return -ECANCELED;
			if (clip(&part, p->bound, &count)) {
				err = read_tile(w, p, &part);
				if (err)
					return err;
				scan_tile(w, p, &part);
			}
			if (w->lane->err)
				return w->lane->err;
			progress(b, count);
		} while (tiling_next(&g->tiling, job, &tile));
	}
	return 0;
}

/* The last group that begins at the job or before. */
static const struct group *group_of(const struct build *b, uint64_t job)
{
	unsigned lo = 0, hi = b->ngroup;

	while (hi - lo > 1) {
		unsigned mid = lo + (hi - lo) / 2;

		if (b->group[mid].job <= job)
			lo = mid;
		else
			hi = mid;
	}
	return &b->group[lo];
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct build *b = w->b;
	uint64_t job;

	while (!atomic_load(&b->err) &&
	       (job = atomic_fetch_add(&b->next, 1)) < b->jobs) {
		const struct group *g = group_of(b, job);
		int err = do_job(w, g, job - g->job);

		if (err)
			fail(b, err);
	}
	return NULL;
}

/* Is the plane of the label's shape and of a type for its rule? */
static bool plane_is_right(const struct label_plane *p, const struct shape *s)
{
	const struct shape *a = &p->array->shape;
	const unsigned lead = p->has_lead;

	if (a->ndim != s->ndim + lead || (lead && p->lead >= a->dim[0]) ||
	    p->array->item_size > 8)
		return false;
	for (unsigned k = 0; k < s->ndim; k++)
		if (a->dim[k + lead] != s->dim[k])
			return false;
	return scan_accepts(p);
}

static bool is_too_large(const struct build *b, const struct label_plane *p)
{
	const struct shape *s = &b->s->shape;
	uint64_t units = 1;

	for (unsigned k = 0; k < s->ndim; k++) {
		const uint64_t unit = p->array->unit[k + p->has_lead];

		if (unit &&
		    !checked_mul(units, div_up(s->dim[k], unit), &units))
			return true;
	}
	return b->elements > ELEMENTS_MAX || units > UNITS_MAX;
}

/* Jobs of all groups, and the largest tile. */
static int build_plan(struct build *b)
{
	const struct label_source *s = b->s;
	const size_t memory = b->conf->memory;
	size_t room;

	b->threads = b->conf->threads < 1	      ? 1
		     : b->conf->threads > THREADS_MAX ? THREADS_MAX
						      : b->conf->threads;
	if (memory / ROOM_MIN < b->threads)
		b->threads =
			memory < ROOM_MIN ? 1 : (unsigned)(memory / ROOM_MIN);
	room = memory / b->threads;
	room = room > 8 + SLACK ? room - SLACK : 8;
	b->group = calloc((size_t)s->nplane + 1, sizeof(*b->group));
	if (!b->group)
		return -ENOMEM;
	for (unsigned i = 0; i < s->nplane; i++) {
		const struct label_plane *p = &s->plane[i];
		struct group *g = &b->group[b->ngroup];

		if (!plane_is_right(p, &s->shape))
			return -EINVAL;
		if (is_too_large(b, p))
			return -EOVERFLOW;
		if (i > 0 && p->array == p[-1].array &&
		    p->has_lead == p[-1].has_lead) {
			g[-1].n++;
			continue;
		}
		*g = (struct group){.first = i, .n = 1, .job = b->jobs};
		b->ngroup++;
		if (b->elements == 0)
			continue;
		tiling_make(&g->tiling, &s->shape, p->array->unit + p->has_lead,
			    p->array->item_size, room);
		if (g->tiling.bytes > b->room)
			b->room = (size_t)g->tiling.bytes;
		if (!checked_add(b->jobs, g->tiling.jobs, &b->jobs))
			return -EOVERFLOW;
	}
	if (b->threads > b->jobs)
		b->threads = b->jobs ? (unsigned)b->jobs : 1;
	return 0;
}

/* The caller is one of the threads, and all of them if there are no others. */
static void build_run(struct build *b, struct worker *w)
{
	unsigned started = 1;

	while (started < b->threads &&
	       pthread_create(&w[started].thread, NULL, work, &w[started]) == 0)
		started++;
	work(&w[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(w[i].thread, NULL);
}

static int build_all(struct build *b, void **out, size_t *size)
{
	struct worker *w = calloc(b->threads, sizeof(*w));
	struct lane *lanes = calloc(b->threads, sizeof(*lanes));
	int err = w && lanes ? 0 : -ENOMEM;

	for (unsigned i = 0; i < b->threads && !err; i++) {
		lane_init(&lanes[i], b->conf, &b->held,
			  label_width(b->elements));
		w[i].b = b;
		w[i].lane = &lanes[i];
		w[i].buf = malloc(b->room + SLACK);
		err = w[i].buf ? 0 : -ENOMEM;
	}
	if (!err) {
		build_run(b, w);
		err = atomic_load(&b->err);
	}
	for (unsigned i = 0; w && i < b->threads; i++)
		free(w[i].buf);
	if (!err)
		err = merge_lanes(lanes, b->threads, b->s, b->conf, out, size);
	for (unsigned i = 0; lanes && i < b->threads; i++)
		lane_fini(&lanes[i]);
	if (b->conf->charge)
		b->conf->charge(b->conf->arg, -(int64_t)atomic_load(&b->held));
	free(lanes);
	free(w);
	return err;
}

int label_index_build(const struct label_source *s,
		      const struct index_conf *conf, void **out, size_t *size)
{
	struct build b = {.s = s, .conf = conf};
	int err;

	if (s->shape.ndim > NDIM_MAX)
		return -EINVAL;
	err = shape_count(&s->shape, &b.elements);
	if (err)
		return err;
	shape_strides(&s->shape, b.stride);
	err = build_plan(&b);
	if (!err)
		err = build_all(&b, out, size);
	free(b.group);
	return err;
}
