/* SPDX-License-Identifier: MIT */

/*
 * Whether a block from a file is an index. There is one block for a set of
 * voxels, so every byte of it follows from others and is compared.
 */

#include <config.h>

#include <errno.h>

#include "index/index_impl.h"
#include "util/checked.h"

static bool head_is_right(const struct label_index *x, size_t n,
			  const struct shape *shape, uint64_t elements)
{
	struct shape want;

	memset(&want, 0, sizeof(want));
	want.ndim = shape->ndim;
	for (unsigned k = 0; k < shape->ndim; k++)
		want.dim[k] = shape->dim[k];
	return x->magic == LABEL_MAGIC && x->version == LABEL_VERSION &&
	       x->width == label_width(elements) && x->size == n &&
	       memcmp(&x->shape, &want, sizeof(want)) == 0 &&
	       x->nclass <= UINT32_MAX &&
	       x->nclass <= (n - sizeof(*x)) / sizeof(struct label_record);
}

/* Runs ascend and never touch; what their sums and bounds come to. */
static bool runs_are_right(const struct label_index *x,
			   const struct label_record *r, uint64_t elements)
{
	const void *runs = label_runs(x, r);
	uint64_t lo[NDIM_MAX] = {0}, hi[NDIM_MAX] = {0};
	uint64_t end = 0; /* of the run before, and one more */
	uint64_t before = 0;

	for (unsigned k = 0; k < x->shape.ndim; k++)
		lo[k] = UINT64_MAX;
	for (uint64_t i = 0; i < r->runs; i++) {
		uint64_t first = run_first(runs, x->width, i);
		uint64_t next = i + 1 < r->runs
					? run_before(runs, x->width, i + 1)
					: r->count;

		if (run_before(runs, x->width, i) != before || next <= before ||
		    (i > 0 && first < end) || first >= elements ||
		    next - before > elements - first)
			return false;
		end = first + (next - before) + 1;
		before = next;
		box_add(&x->shape, first, end - 1, lo, hi);
	}
	return memcmp(lo, r->start, sizeof(lo)) == 0 &&
	       memcmp(hi, r->stop, sizeof(hi)) == 0;
}

int label_index_check(const void *data, size_t n, const struct shape *shape)
{
	const struct label_index *x = data;
	const struct label_record *r;
	uint64_t elements, at;

	if (n < sizeof(*x) || (uintptr_t)data % _Alignof(struct label_index) ||
	    shape->ndim > NDIM_MAX || shape_count(shape, &elements) < 0 ||
	    !head_is_right(x, n, shape, elements))
		return -EBADMSG;
	r = label_records(x);
	at = sizeof(*x) + x->nclass * sizeof(*r);
	for (uint64_t i = 0; i < x->nclass; i++) {
		uint64_t bytes;

		if ((i > 0 && r[i].id <= r[i - 1].id) || r[i].offset != at ||
		    r[i].runs == 0 || r[i].count > elements ||
		    !checked_mul(r[i].runs, 2 * (uint64_t)x->width, &bytes) ||
		    !checked_add(at, bytes, &at) || at > n)
			return -EBADMSG;
		if (!runs_are_right(x, &r[i], elements))
			return -EBADMSG;
	}
	return at == n ? 0 : -EBADMSG;
}
