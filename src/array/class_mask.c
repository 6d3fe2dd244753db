/* SPDX-License-Identifier: MIT */

/*
 * The mask of a class: where it is, or one that implies it. Voxels that are to
 * be ignored are as they are stored. And of objects the masks of all classes
 * as one array, for those who go through them all.
 */

#include <config.h>

#include "array/derived_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "util/cleanup.h"

/* The classes that a plane has. */
struct wanted {
	const struct derived *d;
	const struct class_at *class; /* by plane */
	unsigned n;
	unsigned size;	 /* of a value */
	uint64_t mask;	 /* BITMASK */
	uint8_t *is_one; /* several ids: of each whether it is wanted */
};

#define IDS (UINT16_MAX + 1u)

static void find_ids(const struct wanted *g, uint8_t *to, const uint8_t *in,
		     uint64_t n)
{
	if (g->n == 1) {
		voxels_equal(to, in, n, g->size, g->class->id);
		return;
	}
	if (g->size == 1)
		for (uint64_t i = 0; i < n; i++)
			to[i] |= g->is_one[in[i]];
	else
		for (uint64_t i = 0; i < n; i++)
			to[i] |= g->is_one[get16(in + 2 * i)];
}

static void find(const void *arg, void *out, const void *in, uint64_t n)
{
	const struct wanted *g = arg;

	switch (g->d->info.encoding) {
	case LABELS_BITMASK:
		voxels_bits(out, in, n, g->mask);
		break;
	case LABELS_PROBMAP:
		voxels_above(out, in, n, g->size, g->d->info.threshold);
		break;
	case LABELS_MAP:
	case LABELS_LAYERS:
	case LABELS_INSTANCES:
	case LABELS_MASK:
	default:
		find_ids(g, out, in, n);
		break;
	}
}

/* The ids of one plane are in the table while that is looked at. */
static void set_ids(const struct wanted *g, uint8_t is)
{
	for (unsigned i = 0; g->n > 1 && i < g->n; i++)
		g->is_one[g->class[i].id] = is;
}

static int add_plane(struct piece *p, struct wanted *g)
{
	const struct array *a = g->d->source[SOURCE_DATA];
	uint64_t plane = classes_plane(g->d, g->class);
	bool has_planes = g->d->info.encoding != LABELS_MAP;
	int err = piece_load(p, a, has_planes ? &plane : NULL);

	if (err)
		return err;
	g->size = a->item_size;
	g->mask = 0;
	for (unsigned i = 0; i < g->n; i++)
		g->mask |= (uint64_t)1 << g->class[i].plane % 64;
	set_ids(g, 1);
	piece_rows(p, find, g);
	set_ids(g, 0);
	return 0;
}

static int class_piece(struct piece *p)
{
	const struct wanted *all = p->arg;
	struct wanted g = *all;
	int err = 0;

	piece_clear(p);
	for (unsigned i = 0; i < all->n && !err; i += g.n) {
		g.class = all->class + i;
		g.n = classes_same(p->d, g.class, all->n - i);
		err = add_plane(p, &g);
	}
	return err;
}

/* Of objects of these classes. */
static int paint(const struct derived *d, const struct region *box, void *out,
		 const uint64_t stride[NDIM_MAX], struct wait *w)
{
	struct piece all = {.d = d, .box = *box, .out = out, .stride = stride};
	CLEANUP(cleanup_freep)
	uint16_t *rank = calloc(IDS, sizeof(*rank));

	if (!rank)
		return -ENOMEM;
	for (unsigned i = 0; i < d->info.nclass; i++)
		rank[d->info.class[i].id] = 1;
	piece_clear(&all);
	return instances_paint(d, box, out, stride, w, rank, IDS);
}

static int class_read_box(const struct array *a, const struct region *item,
			  const struct region *box, void *out,
			  const uint64_t stride[NDIM_MAX], struct wait *w)
{
	const struct derived *d = (const struct derived *)a;
	CLEANUP(cleanup_freep) struct class_at *class = NULL;
	CLEANUP(cleanup_freep) uint8_t *is_one = NULL;
	struct wanted all;
	unsigned n = d->info.nclass;

	if (d->info.encoding == LABELS_INSTANCES)
		return paint(d, box, out, stride, w);
	class = classes_by_plane(d);
	if (!class)
		return -ENOMEM;
	if (n > 1) {
		is_one = calloc(IDS, 1);
		if (!is_one)
			return -ENOMEM;
	}
	all = (struct wanted){.d = d, .class = class, .n = n, .is_one = is_one};
	return piece_each(d, item, box, out, stride, w, class_piece, &all);
}

static uint64_t class_decode_bytes(const struct array *a,
				   const struct region *box)
{
	return classes_cost((const struct derived *)a, box);
}

const struct derived_kind_ops derived_class = {
	.ops = {.name = "class",
		.read_box = class_read_box,
		.decode_bytes = class_decode_bytes},
	.kind = 'b',
	.item_size = 1,
	.check = derived_check_voxels,
};

/* ------------------------------------------------------------ all of them */

static int masks_read_box(const struct array *a, const struct region *item,
			  const struct region *box, void *out,
			  const uint64_t stride[NDIM_MAX], struct wait *w)
{
	const struct derived *d = (const struct derived *)a;
	struct piece all = {.d = d, .box = *box, .out = out, .stride = stride};
	CLEANUP(cleanup_freep)
	uint16_t *rank = calloc(IDS, sizeof(*rank));
	struct region one = {.ndim = box->ndim - 1};
	uint64_t step[NDIM_MAX] = {0};
	int err = 0;

	(void)item;
	if (!rank)
		return -ENOMEM;
	for (unsigned k = 0; k < one.ndim; k++) {
		one.start[k] = box->start[k + 1];
		one.extent[k] = box->extent[k + 1];
		step[k] = stride[k + 1];
	}
	piece_clear(&all);
	for (uint64_t i = 0; i < box->extent[0] && !err; i++) {
		uint16_t id = d->info.class[box->start[0] + i].id;

		rank[id] = 1;
		err = instances_paint(d, &one, (uint8_t *)out + i * stride[0],
				      step, w, rank, IDS);
		rank[id] = 0;
	}
	return err;
}

static uint64_t masks_decode_bytes(const struct array *a,
				   const struct region *box)
{
	(void)box;
	return instances_cost((const struct derived *)a);
}

static const struct array_ops masks_ops = {
	.name = "masks",
	.read_box = masks_read_box,
	.decode_bytes = masks_decode_bytes,
};

int class_masks_init(struct derived *d)
{
	struct shape *s = &d->base.shape;

	if (d->info.kind != DERIVED_LABELS ||
	    d->info.encoding != LABELS_INSTANCES || s->ndim == NDIM_MAX)
		return -EINVAL;
	memmove(s->dim + 1, s->dim, s->ndim * sizeof(*s->dim));
	s->dim[0] = d->info.nclass;
	s->ndim++;
	/* Objects are not stored by the voxel. */
	memset(d->base.unit, 0, sizeof(d->base.unit));
	d->base.kind = 'b';
	d->base.item_size = 1;
	/* What cannot be read stays so. */
	if (!d->error)
		d->base.ops = &masks_ops;
	return 0;
}

/* ---------------------------------------------------------------- bounds */

struct bounds {
	struct region *bound;
	const uint32_t *place; /* of each id its number, from 1 */
};

static void widen(void *arg, uint16_t id, const struct region *part)
{
	const struct bounds *b = arg;
	struct region *r;

	if (!b->place[id])
		return;
	r = &b->bound[b->place[id] - 1];
	if (!r->extent[0]) {
		*r = *part;
		return;
	}
	for (unsigned k = 0; k < part->ndim; k++) {
		uint64_t end = r->start[k] + r->extent[k];
		uint64_t stop = part->start[k] + part->extent[k];

		if (part->start[k] < r->start[k])
			r->start[k] = part->start[k];
		r->extent[k] = (stop > end ? stop : end) - r->start[k];
	}
}

int array_masks_bounds(const struct any_array *masks, struct region *bound)
{
	const struct derived *d = &masks->derived.derived;
	CLEANUP(cleanup_freep)
	uint32_t *place = calloc(IDS, sizeof(*place));
	struct bounds b = {bound, place};
	struct region all = {.ndim = d->base.shape.ndim - 1};

	if (!place)
		return -ENOMEM;
	/* Says why. */
	if (d->error)
		return d->base.ops->read_box(&d->base, &all, &all, NULL, NULL,
					     NULL);
	for (unsigned i = 0; i < d->info.nclass; i++) {
		place[d->info.class[i].id] = i + 1;
		bound[i] = (struct region){.ndim = all.ndim};
	}
	for (unsigned k = 0; k < all.ndim; k++) {
		all.extent[k] = d->base.shape.dim[k + 1];
		if (!all.extent[k])
			return 0;
	}
	return instances_each(d, &all, NULL, widen, &b);
}
