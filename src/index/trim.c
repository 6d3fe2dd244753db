/* SPDX-License-Identifier: MIT */

/* The part of an index that lies in a box. */

#include <config.h>

#include <errno.h>
#include <stdlib.h>

#include "index/index_impl.h"
#include "util/cleanup.h"

struct box {
	const struct shape *shape;
	const uint64_t *lo, *hi;
	uint64_t stride[NDIM_MAX];
	uint64_t end; /* behind its last element, in C order */
};

/*
 * The first element at or behind pos that lies in the box, and its distance
 * from the end of the box on the last axis. False: none.
 */
static bool next_inside(const struct box *b, uint64_t pos, uint64_t *first,
			uint64_t *left)
{
	const unsigned n = b->shape->ndim;
	uint64_t at[NDIM_MAX];
	unsigned k;

	if (pos >= b->end)
		return false;
	unravel(b->shape, pos, at);
	/* The outermost axis on which it lies outside, if any. */
	for (k = 0; k < n; k++)
		if (at[k] < b->lo[k] || at[k] >= b->hi[k])
			break;
	if (k < n && at[k] >= b->hi[k]) {
		/* On to the next place on an axis further out; there is one. */
		while (k > 0 && at[k - 1] + 1 >= b->hi[k - 1])
			k--;
		if (k == 0)
			return false;
		at[k - 1]++;
	}
	for (; k < n; k++)
		at[k] = b->lo[k];
	*first = 0;
	for (k = 0; k < n; k++)
		*first += at[k] * b->stride[k];
	*left = n ? b->hi[n - 1] - at[n - 1] : 1;
	return true;
}

static int trim_class(const struct label_index *x, const struct label_record *r,
		      const struct box *b, struct label_writer *w)
{
	const void *runs = label_runs(x, r);
	int err;

	writer_class(w, r->id);
	for (uint64_t i = 0; i < r->runs; i++) {
		uint64_t first = run_first(runs, x->width, i), left;
		uint64_t stop =
			(i + 1 < r->runs ? run_before(runs, x->width, i + 1)
					 : r->count) -
			run_before(runs, x->width, i) + first;

		while (first < stop && next_inside(b, first, &first, &left)) {
			if (first >= stop)
				break;
			if (left > stop - first)
				left = stop - first;
			err = writer_span(w, first, first + left);
			if (err)
				return err;
			first += left;
		}
	}
	return writer_class_end(w);
}

/* An empty box has no last element. */
static bool box_init(struct box *b, const struct shape *s, const uint64_t *lo,
		     const uint64_t *hi)
{
	*b = (struct box){.shape = s, .lo = lo, .hi = hi, .end = 1};
	shape_strides(s, b->stride);
	for (unsigned k = 0; k < s->ndim; k++) {
		if (lo[k] >= hi[k])
			return false;
		b->end += (hi[k] - 1) * b->stride[k];
	}
	return true;
}

int label_index_trim(const struct label_index *x, const int64_t *ids,
		     unsigned n, const uint64_t lo[NDIM_MAX],
		     const uint64_t hi[NDIM_MAX], size_t max, void **out,
		     size_t *size)
{
	const struct label_record *r = label_records(x);
	CLEANUP(cleanup_freep)
	unsigned char *wanted = calloc(x->nclass + 1, 1);
	uint64_t stop[NDIM_MAX] = {0}, count = 0;
	struct label_writer w;
	bool any;
	struct box b;
	int err;

	if (!wanted)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		int64_t found = label_index_find(x, ids[i]);

		count += found >= 0 && !wanted[found];
		if (found >= 0)
			wanted[found] = 1;
	}
	for (unsigned k = 0; k < x->shape.ndim; k++)
		stop[k] = hi[k] < x->shape.dim[k] ? hi[k] : x->shape.dim[k];
	any = box_init(&b, &x->shape, lo, stop);
	err = writer_init(&w, &x->shape, count, max);
	for (uint64_t i = 0; !err && any && i < x->nclass; i++)
		if (wanted[i])
			err = trim_class(x, &r[i], &b, &w);
	if (err) {
		writer_fini(&w);
		return err;
	}
	writer_finish(&w, out, size);
	return 0;
}
