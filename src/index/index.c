/* SPDX-License-Identifier: MIT */

/* Asking an index. It does not change: no locks. */

#include <config.h>

#include "index/index.h"

#include <assert.h>
#include <errno.h>

#include "index/index_impl.h"

const struct shape *label_index_shape(const struct label_index *x)
{
	return &x->shape;
}

uint32_t label_index_classes(const struct label_index *x)
{
	return (uint32_t)x->nclass;
}

void label_index_class(const struct label_index *x, uint32_t i,
		       struct label_class *out)
{
	const struct label_record *r = &label_records(x)[i];

	assert(i < x->nclass);
	*out = (struct label_class){
		.id = r->id,
		.count = r->count,
		.runs = r->runs,
	};
	for (unsigned k = 0; k < x->shape.ndim; k++) {
		out->start[k] = r->start[k];
		out->stop[k] = r->stop[k];
	}
}

int64_t label_index_find(const struct label_index *x, int64_t id)
{
	const struct label_record *r = label_records(x);
	uint32_t lo = 0, hi = (uint32_t)x->nclass;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (r[mid].id == id)
			return mid;
		if (r[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return -ENOENT;
}

void label_index_voxel(const struct label_index *x, uint32_t i, uint64_t k,
		       uint64_t at[NDIM_MAX])
{
	const struct label_record *r = &label_records(x)[i];
	const void *runs = label_runs(x, r);
	uint64_t at_run = 0;

	assert(i < x->nclass && k < r->count);
	/* The last run with no more than k voxels before it; no branches. */
	for (uint64_t n = r->runs; n > 1; n -= n / 2)
		at_run += run_before(runs, x->width, at_run + n / 2) <= k
				  ? n / 2
				  : 0;
	unravel(&x->shape,
		run_first(runs, x->width, at_run) +
			(k - run_before(runs, x->width, at_run)),
		at);
}

void box_add(const struct shape *s, uint64_t first, uint64_t stop,
	     uint64_t lo[NDIM_MAX], uint64_t hi[NDIM_MAX])
{
	uint64_t a[NDIM_MAX] = {0}, b[NDIM_MAX] = {0};
	const unsigned last = s->ndim - 1;
	bool apart = false;

	if (s->ndim == 0)
		return;
	unravel(s, first, a);
	if (stop - first <= s->dim[last] - a[last]) {
		/* Most runs end in the row where they began. */
		memcpy(b, a, sizeof(b));
		b[last] += stop - first - 1;
	} else {
		unravel(s, stop - 1, b);
	}
	for (unsigned k = 0; k < s->ndim; k++) {
		/* Inside of where they part, all of the axis lies between. */
		uint64_t from = apart ? 0 : a[k];
		uint64_t to = apart ? s->dim[k] : b[k] + 1;

		lo[k] = from < lo[k] ? from : lo[k];
		hi[k] = to > hi[k] ? to : hi[k];
		apart = apart || a[k] != b[k];
	}
}
