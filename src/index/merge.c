/* SPDX-License-Identifier: MIT */

/*
 * The spans of all threads become the runs of the classes: of each class the
 * rising sequences that hold its voxels, or those of a class it is closed
 * over, are walked side by side. One thread.
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "index/build_impl.h"
#include "index/index_impl.h"
#include "util/cleanup.h"

/* A place in a rising sequence, and the span there. */
struct cursor {
	uint64_t first, stop;
	const struct span_block *block;
	uint32_t i;
};

struct merge {
	unsigned width;
	/* All ids that occur in lanes and closure, ascending. */
	int64_t *id;
	size_t nid;
	/* Spans of id i: part[from[i]] up to part[from[i + 1]]. */
	const struct span_block **part;
	size_t *from;
	/* Ids whose voxels are id i's too: below[edge[i]]... */
	size_t *below, *edge;
	/* Ids found to be part of the one at work, in `found` order. */
	size_t *found, *mark;
	struct cursor *heap;
	size_t nheap, room;
};

static void merge_fini(struct merge *m)
{
	free(m->id);
	free(m->part);
	free(m->from);
	free(m->below);
	free(m->edge);
	free(m->found);
	free(m->mark);
	free(m->heap);
}

static int compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static size_t id_place(const struct merge *m, int64_t id)
{
	const int64_t *p = bsearch(&id, m->id, m->nid, sizeof(id), compare);

	return (size_t)(p - m->id);
}

static int init_ids(struct merge *m, const struct lane *lanes, unsigned n,
		    const struct label_source *s)
{
	size_t most = 2 * (size_t)s->nclosure, kept = 0;

	for (unsigned i = 0; i < n; i++)
		most += lanes[i].nslot;
	m->id = malloc((most + 1) * sizeof(*m->id));
	if (!m->id)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++)
		for (uint32_t k = 0; k < lanes[i].nslot; k++)
			m->id[m->nid++] = lanes[i].slot[k].id;
	for (unsigned i = 0; i < s->nclosure; i++) {
		m->id[m->nid++] = s->closure[i][0];
		m->id[m->nid++] = s->closure[i][1];
	}
	qsort(m->id, m->nid, sizeof(*m->id), compare);
	for (size_t i = 0; i < m->nid; i++)
		if (i == 0 || m->id[i] != m->id[kept - 1])
			m->id[kept++] = m->id[i];
	m->nid = kept;
	return 0;
}

/* Where the lists of each id begin, out of how many each has. */
static void sum_up(size_t *begin, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i <= n; i++) {
		size_t one = begin[i];

		begin[i] = sum;
		sum += one;
	}
}

static int init_lists(struct merge *m, const struct lane *lanes, unsigned n,
		      const struct label_source *s)
{
	size_t nlist = 0;

	for (unsigned i = 0; i < n; i++)
		nlist += lanes[i].nslot;
	m->part = calloc(nlist + 1, sizeof(*m->part));
	m->from = calloc(m->nid + 1, sizeof(*m->from));
	m->below = calloc((size_t)s->nclosure + 1, sizeof(*m->below));
	m->edge = calloc(m->nid + 1, sizeof(*m->edge));
	m->found = calloc(m->nid + 1, sizeof(*m->found));
	m->mark = calloc(m->nid + 1, sizeof(*m->mark));
	if (!m->part || !m->from || !m->below || !m->edge || !m->found ||
	    !m->mark)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++)
		for (uint32_t k = 0; k < lanes[i].nslot; k++)
			m->from[id_place(m, lanes[i].slot[k].id)]++;
	for (unsigned i = 0; i < s->nclosure; i++)
		m->edge[id_place(m, s->closure[i][1])]++;
	sum_up(m->from, m->nid);
	sum_up(m->edge, m->nid);
	/* found counts how many of each list are filled in. */
	for (unsigned i = 0; i < n; i++)
		for (uint32_t k = 0; k < lanes[i].nslot; k++) {
			size_t at = id_place(m, lanes[i].slot[k].id);

			m->part[m->from[at] + m->found[at]++] =
				lanes[i].slot[k].head;
		}
	memset(m->found, 0, m->nid * sizeof(*m->found));
	for (unsigned i = 0; i < s->nclosure; i++) {
		size_t at = id_place(m, s->closure[i][1]);

		m->below[m->edge[at] + m->found[at]++] =
			id_place(m, s->closure[i][0]);
	}
	return 0;
}

/* Id i, those below it, those below them: found[0] ... Returns how many. */
static size_t find_all(struct merge *m, size_t i)
{
	size_t n = 0;

	/* A mark is the number of the class it was made for, from 1. */
	m->found[n++] = i;
	m->mark[i] = i + 1;
	for (size_t k = 0; k < n; k++)
		for (size_t e = m->edge[m->found[k]];
		     e < m->edge[m->found[k] + 1]; e++)
			if (m->mark[m->below[e]] != i + 1) {
				m->mark[m->below[e]] = i + 1;
				m->found[n++] = m->below[e];
			}
	return n;
}

static bool has_voxels(struct merge *m, size_t i)
{
	size_t n = find_all(m, i);

	for (size_t k = 0; k < n; k++)
		for (size_t p = m->from[m->found[k]];
		     p < m->from[m->found[k] + 1]; p++)
			if (m->part[p])
				return true;
	return false;
}

/* ----------------------------------------------------------------- heap */

static void fetch(const struct merge *m, struct cursor *c)
{
	const void *p = c->block + 1;

	c->first = run_number(p, m->width, 2 * (uint64_t)c->i);
	c->stop =
		c->first + 1 + run_number(p, m->width, 2 * (uint64_t)c->i + 1);
}

/* To the next span of the list; false: there is none. */
static bool advance(const struct merge *m, struct cursor *c)
{
	if (++c->i == c->block->n) {
		if (!c->block->next)
			return false;
		c->block = c->block->next;
		c->i = 0;
	}
	fetch(m, c);
	return true;
}

/* Cursor i may be too large for its place. */
static void sift_down(struct merge *m, size_t i)
{
	const struct cursor c = m->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= m->nheap)
			break;
		if (child + 1 < m->nheap &&
		    m->heap[child + 1].first < m->heap[child].first)
			child++;
		if (m->heap[child].first >= c.first)
			break;
		m->heap[i] = m->heap[child];
		i = child;
	}
	m->heap[i] = c;
}

static int add_cursor(struct merge *m, const struct cursor *c)
{
	if (m->nheap == m->room) {
		size_t room = m->room ? 2 * m->room : 64;
		void *heap = realloc(m->heap, room * sizeof(*m->heap));

		if (!heap)
			return -ENOMEM;
		m->heap = heap;
		m->room = room;
	}
	m->heap[m->nheap++] = *c;
	return 0;
}

/* A cursor to each place of a list where spans do not rise. */
static int add_sequences(struct merge *m, const struct span_block *b)
{
	struct cursor c = {.block = b};
	uint64_t last;
	int err;

	if (!b)
		return 0;
	fetch(m, &c);
	err = add_cursor(m, &c);
	last = c.first;
	while (!err && advance(m, &c)) {
		if (c.first < last)
			err = add_cursor(m, &c);
		last = c.first;
	}
	return err;
}

static int merge_class(struct merge *m, size_t i, struct label_writer *w)
{
	size_t n = find_all(m, i);
	int err = 0;

	m->nheap = 0;
	for (size_t k = 0; k < n && !err; k++)
		for (size_t p = m->from[m->found[k]];
		     p < m->from[m->found[k] + 1] && !err; p++)
			err = add_sequences(m, m->part[p]);
	for (size_t k = m->nheap / 2; k-- > 0;)
		sift_down(m, k);
	writer_class(w, m->id[i]);
	while (m->nheap > 0 && !err) {
		const uint64_t first = m->heap[0].first;

		err = writer_span(w, first, m->heap[0].stop);
		if (!advance(m, &m->heap[0]) || m->heap[0].first < first)
			m->heap[0] = m->heap[--m->nheap];
		if (m->nheap > 1)
			sift_down(m, 0);
	}
	return err ? err : writer_class_end(w);
}

static int merge_all(struct merge *m, const struct label_source *s,
		     const struct index_conf *conf, void **out, size_t *size)
{
	struct label_writer w;
	uint64_t classes = 0;
	int err;

	for (size_t i = 0; i < m->nid; i++)
		classes += has_voxels(m, i);
	if (classes > conf->max_classes)
		return -E2BIG;
	err = writer_init(&w, &s->shape, classes, conf->max);
	for (size_t i = 0; i < m->nid && !err; i++) {
		if (conf->stop && conf->stop(conf->arg))
			err = -ECANCELED;
		else
			err = merge_class(m, i, &w);
	}
	if (err)
		writer_fini(&w);
	else
		writer_finish(&w, out, size);
	return err;
}

int merge_lanes(struct lane *lanes, unsigned n, const struct label_source *s,
		const struct index_conf *conf, void **out, size_t *size)
{
	struct merge m = {.width = n ? lanes[0].width : 8};
	int err = 0;

	for (unsigned i = 0; i < n && !err; i++) {
		for (uint32_t k = 0; k < lanes[i].nslot; k++)
			lane_push(&lanes[i], &lanes[i].slot[k]);
		err = lanes[i].err;
	}
	if (!err)
		err = init_ids(&m, lanes, n, s);
	if (!err)
		err = init_lists(&m, lanes, n, s);
	if (!err)
		err = merge_all(&m, s, conf, out, size);
	merge_fini(&m);
	return err;
}
