/* SPDX-License-Identifier: MIT */

/*
 * Voxels of objects, each a box of the grid and perhaps a packed mask of it.
 * Arrays of a row an object are read a few KiB at a time through the cache; of
 * the masks only what lies under the box. To look at the boxes of 10^5 objects
 * takes about 1 ms for each box that is read.
 */

#include <config.h>

#include "array/derived_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "util/checked.h"
#include "util/cleanup.h"
#include "util/problem.h"

/* More would take too long to look at. */
#define OBJECTS_MAX (UINT64_C(1) << 24)
/* Of an axis: all places are whole numbers of a double. */
#define LENGTH_MAX (UINT64_C(1) << 52)

/* ---------------------------------------------------------------- objects */

struct reader {
	const struct derived *d;
	const struct region *box;
	unsigned char *out;
	const uint64_t *stride;
	const uint16_t *rank; /* of each id < nrank */
	uint32_t nrank;
	instances_fn *fn; /* is called instead of painting, or NULL */
	void *arg;
	/* Where a box begins that meets the one read, and where it ends. */
	double below[NDIM_MAX], from[NDIM_MAX];
	struct column boxes, class_ids, offsets, shapes, masks;
};

/* An object that meets the box. */
struct object {
	uint64_t number;
	uint16_t rank;
	uint64_t mask_at;
	struct region part; /* of the array; in the box */
	uint64_t skip[NDIM_MAX], extent[NDIM_MAX]; /* of part in its own box */
};

static int bad_object(const struct reader *r, uint64_t i, const char *why)
{
	return problem_tell(r->d->problems, -EIO, "%s: object %" PRIu64 " %s",
			    r->d->label, i, why);
}

static float float_at(const unsigned char *p, unsigned k)
{
	float v;

	memcpy(&v, p + k * sizeof(v), sizeof(v));
	return v;
}

/*
 * Whether the box of an object, low and high end of each axis, has voxels of
 * the box that is read: no more than a look, as most have none. What meets it
 * may still have no end.
 */
static bool meets(const struct reader *r, const unsigned char *p, bool *is_bad)
{
	unsigned n = r->box->ndim;
	unsigned yes = 1, good = 1;

	/* Without branches, which nobody could foresee. */
	for (unsigned k = 0; k < n; k++) {
		float low = float_at(p, 2 * k), high = float_at(p, 2 * k + 1);

		good &= low <= high;
		yes &= (double)low < r->below[k];
		yes &= (double)high >= r->from[k];
	}
	*is_bad = !good;
	return yes;
}

static bool is_finite(const unsigned char *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!isfinite(float_at(p, i)))
			return false;
	return true;
}

/* Its window, halves being rounded up. False: nothing of it is in the box. */
static bool place(const struct reader *r, const unsigned char *p,
		  struct object *o, double *length)
{
	const struct region *b = r->box;

	o->part.ndim = b->ndim;
	for (unsigned k = 0; k < b->ndim; k++) {
		double start = floor((double)float_at(p, 2 * k) + 0.5);
		double stop = floor((double)float_at(p, 2 * k + 1) + 0.5);
		uint64_t from = b->start[k], to = from + b->extent[k];

		length[k] = stop - start;
		if (start > (double)from)
			from = (uint64_t)start;
		if (stop < (double)to)
			to = (uint64_t)stop;
		if (from >= to)
			return false;
		o->part.start[k] = from;
		o->part.extent[k] = to - from;
		/* Only used where length is that of a mask: below 2^63. */
		if (start > -0x1p62)
			o->skip[k] = from - (uint64_t)(int64_t)start;
	}
	return true;
}

/* The mask of an object is where and what it should be. */
static int check_mask(struct reader *r, struct object *o, const double *length)
{
	const unsigned char *p;
	uint64_t voxels = 1, from, to;
	int err = column_at(&r->shapes, o->number, &p);

	if (err)
		return err;
	for (unsigned k = 0; k < o->part.ndim; k++) {
		if (!column_whole(&r->shapes, p, k, &o->extent[k]) ||
		    (double)o->extent[k] != length[k] ||
		    o->extent[k] > INT32_MAX ||
		    !checked_mul(voxels, o->extent[k], &voxels))
			return bad_object(r, o->number,
					  "has a mask of another shape");
	}
	err = column_at(&r->offsets, o->number, &p);
	if (err)
		return err;
	if (!column_whole(&r->offsets, p, 0, &from))
		from = UINT64_MAX;
	err = column_at(&r->offsets, o->number + 1, &p);
	if (err)
		return err;
	if (!column_whole(&r->offsets, p, 0, &to) || to < from ||
	    to - from != div_up(voxels, 8) || to > r->masks.a->shape.dim[0])
		return bad_object(r, o->number, "has a mask of another length");
	o->mask_at = from;
	return 0;
}

/* --------------------------------------------------------------- painting */

static void paint(const struct reader *r, unsigned char *to, uint16_t rank)
{
	if (r->d->base.item_size == 1)
		*to = 1;
	else if (get16(to) < rank)
		put16(to, rank);
}

/* n voxels at to, of which bits [bit, bit + n) say whether they are there. */
static int paint_bits(struct reader *r, const struct object *o,
		      unsigned char *to, uint64_t step, uint64_t bit,
		      uint64_t n)
{
	while (n > 0) {
		const unsigned char *p;
		uint64_t here, at = o->mask_at + bit / 8;
		int err = column_at(&r->masks, at, &p);

		if (err)
			return err;
		here = (r->masks.first + r->masks.n - at) * 8 - bit % 8;
		here = here < n ? here : n;
		n -= here;
		while (here > 0) {
			unsigned first = (unsigned)(bit % 8);
			unsigned some = 8 - first;

			if (some > here)
				some = (unsigned)here;
			for (unsigned k = 0; *p && k < some; k++)
				if (*p & 0x80u >> (first + k))
					paint(r, to + k * step, o->rank);
			p++;
			to += some * step;
			bit += some;
			here -= some;
		}
	}
	return 0;
}

static void paint_run(const struct reader *r, const struct object *o,
		      unsigned char *to, uint64_t step, uint64_t n)
{
	if (step == 1) {
		memset(to, 1, n);
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		paint(r, to + i * step, o->rank);
}

/* Row by row along the last axis. */
static int paint_object(struct reader *r, const struct object *o)
{
	unsigned last = o->part.ndim - 1, isz = r->d->base.item_size;
	uint64_t at[NDIM_MAX] = {0}, step = r->stride[last] * isz;
	unsigned k;

	do {
		uint64_t to = 0, bit = 0;
		int err = 0;

		for (unsigned i = 0; i <= last; i++) {
			to += (o->part.start[i] - r->box->start[i] + at[i]) *
			      r->stride[i];
			if (r->masks.a)
				bit = bit * o->extent[i] + o->skip[i] + at[i];
		}
		if (r->masks.a)
			err = paint_bits(r, o, r->out + to * isz, step, bit,
					 o->part.extent[last]);
		else
			paint_run(r, o, r->out + to * isz, step,
				  o->part.extent[last]);
		if (err)
			return err;
		for (k = last; k-- > 0;) {
			if (++at[k] < o->part.extent[k])
				break;
			at[k] = 0;
		}
	} while (k < last);
	return 0;
}

/* An object whose box meets what is read. */
static int add_object(struct reader *r, uint64_t i, const unsigned char *box)
{
	struct object o = {.number = i};
	double length[NDIM_MAX];
	const unsigned char *p;
	uint64_t id;
	int err = column_at(&r->class_ids, i, &p);

	if (err)
		return err;
	if (!column_whole(&r->class_ids, p, 0, &id) || id > UINT16_MAX ||
	    (!r->fn && (id >= r->nrank || !r->rank[id])))
		return 0;
	if (!place(r, box, &o, length))
		return 0;
	if (r->fn) {
		r->fn(r->arg, (uint16_t)id, &o.part);
		return 0;
	}
	o.rank = r->rank[id];
	err = r->masks.a ? check_mask(r, &o, length) : 0;
	return err ? err : paint_object(r, &o);
}

/* Object *i, and those after it whose boxes are here. */
static int add_some(struct reader *r, uint64_t *i)
{
	const unsigned char *p;
	int err = column_at(&r->boxes, *i, &p);
	uint64_t end = r->boxes.first + r->boxes.n;

	for (; !err && *i < end; ++*i, p += r->boxes.row) {
		bool is_bad, in = meets(r, p, &is_bad);

		if (is_bad || (in && !is_finite(p, 2 * r->box->ndim)))
			return bad_object(r, *i, "has a box that is none");
		if (in)
			err = add_object(r, *i, p);
	}
	return err;
}

static struct reader *reader_new(const struct derived *d,
				 const struct region *box, struct wait *w)
{
	struct reader *r = malloc(sizeof(*r));

	if (!r)
		return NULL;
	r->d = d;
	r->box = box;
	r->fn = NULL;
	column_init(&r->boxes, d->source[SOURCE_BOXES], w);
	column_init(&r->class_ids, d->source[SOURCE_CLASS_IDS], w);
	column_init(&r->offsets, d->source[SOURCE_OFFSETS], w);
	column_init(&r->shapes, d->source[SOURCE_SHAPES], w);
	column_init(&r->masks, d->source[SOURCE_DATA], w);
	for (unsigned k = 0; k < box->ndim; k++) {
		r->below[k] = (double)(box->start[k] + box->extent[k]) - 0.5;
		r->from[k] = (double)box->start[k] + 0.5;
	}
	return r;
}

static int add_all(struct reader *r)
{
	uint64_t objects = r->d->source[SOURCE_BOXES]->shape.dim[0], i = 0;
	int err = 0;

	while (i < objects && !err)
		err = add_some(r, &i);
	return err;
}

int instances_paint(const struct derived *d, const struct region *box,
		    void *out, const uint64_t stride[NDIM_MAX], struct wait *w,
		    const uint16_t *rank, uint32_t n)
{
	CLEANUP(cleanup_freep) struct reader *r = reader_new(d, box, w);

	if (!r)
		return -ENOMEM;
	r->out = out;
	r->stride = stride;
	r->rank = rank;
	r->nrank = n;
	return add_all(r);
}

int instances_each(const struct derived *d, const struct region *box,
		   struct wait *w, instances_fn *fn, void *arg)
{
	CLEANUP(cleanup_freep) struct reader *r = reader_new(d, box, w);

	if (!r)
		return -ENOMEM;
	r->fn = fn;
	r->arg = arg;
	return add_all(r);
}

/* ----------------------------------------------------------------- checks */

static bool has_shape(const struct array *a, unsigned ndim, uint64_t n0,
		      uint64_t n1, uint64_t n2)
{
	const uint64_t n[] = {n0, n1, n2};

	if (!a || a->shape.ndim != ndim)
		return false;
	for (unsigned k = 0; k < ndim; k++)
		if (a->shape.dim[k] != n[k])
			return false;
	return true;
}

static bool is_whole(const struct array *a)
{
	return a->kind == 'u' || a->kind == 'i';
}

const char *instances_check(const struct derived *d)
{
	const struct array *boxes = d->source[SOURCE_BOXES];
	const struct array *ids = d->source[SOURCE_CLASS_IDS];
	const struct array *offsets = d->source[SOURCE_OFFSETS];
	const struct array *shapes = d->source[SOURCE_SHAPES];
	const struct array *masks = d->source[SOURCE_DATA];
	unsigned ndim = d->base.shape.ndim;
	uint64_t n;

	if (!boxes || boxes->shape.ndim != 3 || ndim == 0)
		return "it has no boxes";
	n = boxes->shape.dim[0];
	if (n > OBJECTS_MAX)
		return "it has too many objects";
	for (unsigned k = 0; k < ndim; k++)
		if (d->base.shape.dim[k] > LENGTH_MAX)
			return "its grid is too large";
	if (!has_shape(boxes, 3, n, ndim, 2) || boxes->kind != 'f' ||
	    boxes->item_size != 4)
		return "its boxes are no float32 for each axis";
	if (!has_shape(ids, 1, n, 0, 0) || !is_whole(ids))
		return "it has no class_ids for each object";
	if (!masks)
		return NULL;
	if (masks->shape.ndim != 1 || masks->kind != 'u' ||
	    masks->item_size != 1)
		return "its mask_data are no bytes";
	if (!has_shape(offsets, 1, n + 1, 0, 0) || !is_whole(offsets))
		return "it has no mask_offsets for each object";
	if (!has_shape(shapes, 2, n, ndim, 0) || !is_whole(shapes))
		return "it has no mask_shapes for each object";
	return NULL;
}

uint64_t instances_cost(const struct derived *d)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < SOURCES; i++) {
		const struct array *a = d->source[i];
		struct region all;

		if (!a || i == SOURCE_IGNORE)
			continue;
		all = (struct region){.ndim = a->shape.ndim};
		for (unsigned k = 0; k < all.ndim; k++)
			all.extent[k] = a->shape.dim[k];
		sum = add_cost(sum, a->ops->decode_bytes(a, &all));
	}
	return sum;
}
