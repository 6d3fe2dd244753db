/* SPDX-License-Identifier: MIT */

/*
 * What arrays that are computed from others have in common: whether their
 * sources are what they should be, and what is told where they are not. All
 * that a file may have got wrong is found before a value is read.
 */

#include <config.h>

#include "array/derived_impl.h"

#include <errno.h>

#include "util/problem.h"

/* An axis of planes, or bits of them; ids are below it too. */
#define PLANES_MAX 65536

/* ----------------------------------------------------------------- broken */

static int broken_read_box(const struct array *a, const struct region *item,
			   const struct region *box, void *out,
			   const uint64_t stride[NDIM_MAX], struct wait *w)
{
	const struct derived *d = (const struct derived *)a;
	int n = d->why.n < 512 ? (int)d->why.n : 512;

	(void)item;
	(void)box;
	(void)out;
	(void)stride;
	(void)w;
	return problem_tell(d->problems, d->error, "%s: %.*s", d->label, n,
			    d->why.p);
}

static uint64_t broken_decode_bytes(const struct array *a,
				    const struct region *box)
{
	(void)a;
	(void)box;
	return 0;
}

static const struct array_ops array_broken = {
	.name = "broken",
	.read_box = broken_read_box,
	.decode_bytes = broken_decode_bytes,
};

/* ----------------------------------------------------------------- checks */

/* Whether the last axes of a are those of d, after so many others. */
static bool is_below(const struct derived *d, const struct array *a,
		     unsigned before)
{
	const struct shape *s = &d->base.shape;

	if (a->shape.ndim != s->ndim + before)
		return false;
	for (unsigned k = 0; k < s->ndim; k++)
		if (a->shape.dim[k + before] != s->dim[k])
			return false;
	return true;
}

static bool is_whole_number(const struct array *a)
{
	return a->kind == 'u' || a->kind == 'i' || a->kind == 'b';
}

const char *derived_check_mask(const struct derived *d, enum derived_source i)
{
	const struct array *a = d->source[i];

	if (!a)
		return NULL;
	if (!is_below(d, a, 0))
		return "its mask is not of its shape";
	return is_whole_number(a) ? NULL : "its mask is no mask";
}

static const char *check_ids(const struct array *a)
{
	return a->kind == 'u' && a->item_size <= 2
		       ? NULL
		       : "its data are no uint8 or uint16";
}

/* What has an axis of planes, n of which are needed. */
static const char *check_planes(const struct derived *d)
{
	const struct array *a = d->source[SOURCE_DATA];
	uint64_t n = a->shape.dim[0];

	if (!is_below(d, a, 1))
		return "its data are not of its shape";
	if (n > PLANES_MAX)
		return "its data have too many planes";
	for (unsigned i = 0; i < d->info.nclass; i++)
		if (classes_plane(d, &(struct class_at){
					     .plane = d->info.class[i].plane,
				     }) >= n)
			return "its data have no plane for each class";
	return NULL;
}

const char *derived_check_voxels(const struct derived *d)
{
	const struct array *a = d->source[SOURCE_DATA];
	const char *why;

	if (d->info.nclass > UINT16_MAX)
		return "it has too many classes";
	if (d->info.encoding == LABELS_INSTANCES)
		return instances_check(d);
	if (!a)
		return "it has no data";
	switch (d->info.encoding) {
	case LABELS_MAP:
		why = check_ids(a);
		return !why && !is_below(d, a, 0)
			       ? "its data are not of its shape"
			       : why;
	case LABELS_LAYERS:
		why = check_ids(a);
		return why ? why : check_planes(d);
	case LABELS_BITMASK:
		return a->kind == 'u' && a->item_size == 8
			       ? check_planes(d)
			       : "its data are no uint64";
	case LABELS_PROBMAP:
		return a->kind == 'f' ? check_planes(d)
				      : "its data are no floats";
	case LABELS_MASK:
		return derived_check_mask(d, SOURCE_DATA);
	case LABELS_INSTANCES:
	default:
		return "its encoding is not known";
	}
}

/* ------------------------------------------------------------------- init */

static const struct derived_kind_ops *kind_ops(enum derived_kind kind)
{
	switch (kind) {
	case DERIVED_LABELS:
		return &derived_labels;
	case DERIVED_CLASS:
		return &derived_class;
	case DERIVED_IGNORE:
		return &derived_ignore;
	case DERIVED_PHYSICAL:
		return &derived_physical;
	case DERIVED_VALID:
		return &derived_valid;
	default:
		return NULL;
	}
}

/* It is read best in the pieces in which its voxels are stored. */
static void init_unit(struct derived *d)
{
	const struct array *a = d->source[SOURCE_DATA];
	unsigned before;

	if (!a || d->info.encoding == LABELS_INSTANCES)
		a = d->source[SOURCE_IGNORE];
	if (!a)
		return;
	d->base.in_blocks = a->in_blocks;
	before = a->shape.ndim - d->base.shape.ndim;
	for (unsigned k = 0; k < d->base.shape.ndim; k++)
		d->base.unit[k] = a->unit[k + before];
}

void derived_init(struct derived *d, const struct shape *shape,
		  struct problems *problems, const char *label)
{
	const struct derived_kind_ops *k = kind_ops(d->info.kind);
	const char *why = NULL;

	d->problems = problems;
	d->label = label;
	d->base.shape = *shape;
	d->base.kind = k ? k->kind : 'b';
	d->base.item_size = k ? k->item_size : 1;
	if (d->info.broken.n > 0) {
		d->error = -EIO;
		d->why = d->info.broken;
	} else if (!d->error) {
		why = k ? k->check(d) : "what it is is not known";
	}
	if (why) {
		d->error = -EIO;
		d->why = (struct bytes){why, strlen(why)};
	}
	d->base.ops = d->error ? &array_broken : &k->ops;
	if (!d->error)
		init_unit(d);
}
