/* SPDX-License-Identifier: MIT */

/*
 * What a view is on a given array: the canonical spec, its sampling, and the
 * names of its items.
 */

#include <config.h>

#include "tree/view.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/parse.h"

struct view_spec view_slices(unsigned axis)
{
	return (struct view_spec){
		.kind = VIEW_SLICES,
		.format = FORMAT_NPY,
		.axis = axis,
	};
}

int view_bad(char why[VIEW_WHY_MAX], const char *fmt, ...)
{
	va_list ap;

	if (!why)
		return -EINVAL;
	va_start(ap, fmt);
	vsnprintf(why, VIEW_WHY_MAX, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static void take_whole(struct sample_axis *a)
{
	a->extent = a->length;
	a->step = a->length ? a->length : 1;
	a->keep = true;
	a->all = true;
}

static void take_one(struct sample_axis *a)
{
	a->extent = 1;
	a->step = 1;
	a->keep = false;
	a->all = false;
}

static int bind_slices(struct view_spec *s, struct sampling *g,
		       char why[VIEW_WHY_MAX])
{
	int64_t rank = (int64_t)g->ndim;

	if (s->axis < -rank || s->axis >= rank)
		return view_bad(why, "axis %" PRId64 " of an array of %u axes",
				s->axis, g->ndim);
	if (s->axis < 0)
		s->axis += rank;
	for (unsigned k = 0; k < g->ndim; k++) {
		if (k == (unsigned)s->axis)
			take_one(&g->axis[k]);
		else
			take_whole(&g->axis[k]);
	}
	g->kind = SAMPLE_GRID;
	return 0;
}

/* Only what differs from the size is a stride. */
static int canonical_stride(struct view_spec *s, char why[VIEW_WHY_MAX])
{
	bool differs = false;

	if (s->nstride == 0)
		return 0;
	if (s->nstride != s->nsize)
		return view_bad(why, "the stride has %u axes, the size %u",
				s->nstride, s->nsize);
	for (unsigned k = 0; k < s->nsize; k++) {
		if (s->size[k] == VIEW_WHOLE)
			s->stride[k] = VIEW_WHOLE;
		else if (s->stride[k] == VIEW_WHOLE)
			return view_bad(why,
					"stride all where the size is %" PRIu64,
					s->size[k]);
		if (s->stride[k] != s->size[k])
			differs = true;
	}
	if (!differs) {
		s->nstride = 0;
		memset(s->stride, 0, sizeof(s->stride));
	}
	return 0;
}

/* The size of what is taken, where the name leaves it out. */
static int default_size(struct view_spec *s, const struct item_type *array,
			char why[VIEW_WHY_MAX])
{
	if (s->nsize)
		return 0;
	if (!array->nhint)
		return view_bad(why,
				"no size: it is %s+size-S, with S as "
				"96x96x96 or allx64x64",
				s->kind == VIEW_PATCHES ? "patches"
							: "foreground");
	s->nsize = (uint8_t)array->nhint;
	memcpy(s->size, array->hint, array->nhint * sizeof(s->size[0]));
	return 0;
}

/* A name has no size that is what the array states. */
static void drop_size(struct view_spec *s, const struct item_type *array)
{
	if ((s->kind != VIEW_PATCHES && s->kind != VIEW_FOREGROUND) ||
	    s->nsize != array->nhint ||
	    memcmp(s->size, array->hint, s->nsize * sizeof(s->size[0])) != 0)
		return;
	s->nsize = 0;
	memset(s->size, 0, sizeof(s->size));
}

static int bind_sized(struct view_spec *s, const struct item_type *array,
		      struct sampling *g, char why[VIEW_WHY_MAX])
{
	unsigned lead;
	int err = default_size(s, array, why);

	if (err < 0)
		return err;
	if (s->nsize > g->ndim)
		return view_bad(why, "the size has %u axes, the array %u",
				s->nsize, g->ndim);
	err = canonical_stride(s, why);
	if (err < 0)
		return err;
	lead = g->ndim - s->nsize;
	for (unsigned k = 0; k < g->ndim; k++) {
		struct sample_axis *a = &g->axis[k];

		if (k < lead) {
			take_one(a);
		} else if (s->size[k - lead] == VIEW_WHOLE) {
			take_whole(a);
		} else {
			a->extent = s->size[k - lead];
			a->step = s->nstride ? s->stride[k - lead] : a->extent;
			a->keep = true;
			a->all = false;
		}
		if (a->extent > INT64_MAX || a->step > INT64_MAX)
			return view_bad(why, "too large");
	}
	if (s->kind == VIEW_PATCHES)
		g->kind = SAMPLE_GRID;
	else
		g->kind =
			s->kind == VIEW_CROPS ? SAMPLE_CORNER : SAMPLE_UNIFORM;
	drop_size(s, array);
	return 0;
}

/* Whether windows may overhang. */
static bool is_padded(const struct view_spec *s)
{
	if (s->kind == VIEW_FOREGROUND)
		return s->draw.border == DRAW_PAD || s->draw.is_medh5;
	return s->border == SAMPLE_PAD;
}

static int bind_draw(const struct view_spec *s, struct sampling *g,
		     char why[VIEW_WHY_MAX])
{
	const struct view_draw *d = &s->draw;
	double sum = 0;

	if (d->is_medh5 && d->border != DRAW_CLAMP)
		return view_bad(why, "rule-medh5.2 has a border of its own");
	if (d->epoch && !d->is_medh5)
		return view_bad(why, "epoch needs rule-medh5.2; epochs are "
				     "draws e * n + i");
	if (d->index == VIEW_INDEX_STORED && d->border == DRAW_INSIDE)
		return view_bad(why, "border-inside draws from all voxels, "
				     "not from a stored index");
	if (d->is_given && d->weights != WEIGHTS_UNIFORM)
		return view_bad(why, "weights beside classes that have their "
				     "own");
	for (unsigned i = 0; i < d->nclass; i++)
		sum += d->weight[i];
	if (!isfinite(sum))
		return view_bad(why, "the weights of the classes are too "
				     "large");
	g->border = is_padded(s) ? SAMPLE_PAD : SAMPLE_SNAP;
	return 0;
}

/* The pad value in the type of the array, and its canonical spelling. */
static int bind_pad(struct view_spec *s, const struct item_type *array,
		    uint8_t pad[8], char why[VIEW_WHY_MAX])
{
	static const uint8_t zero[8];

	memset(pad, 0, 8);
	if (!s->pad[0])
		return 0;
	if (number_pack(s->pad, strlen(s->pad), array->kind, array->item_size,
			pad) < 0)
		return view_bad(why,
				"pad-%s: the type of the array (%c%u) has no "
				"such value",
				s->pad, array->kind, array->item_size);
	/* The default may be written out anywhere. */
	if (!is_padded(s) && memcmp(pad, zero, 8) != 0)
		return view_bad(why, "pad-%s needs border-pad", s->pad);
	memset(s->pad, 0, sizeof(s->pad));
	if (memcmp(pad, zero, 8) != 0)
		number_print(pad, array->kind, array->item_size, s->pad);
	return 0;
}

static void describe_lack(const struct sampling *g, char why[VIEW_WHY_MAX])
{
	for (unsigned k = 0; k < g->ndim; k++) {
		const struct sample_axis *a = &g->axis[k];

		if (a->extent <= a->length)
			continue;
		view_bad(why,
			 "axis %u has %" PRIu64 " elements, a patch %" PRIu64
			 "; border-pad allows that",
			 k, a->length, a->extent);
		return;
	}
	view_bad(why, "does not fit the array");
}

int view_bind(struct view_spec *s, const struct item_type *array,
	      struct view_geometry *out, char why[VIEW_WHY_MAX])
{
	struct view_geometry g = {0};
	uint64_t elements;
	int err;

	if (array->shape.ndim == 0)
		return view_bad(why, "a scalar has no views");
	g.sampling.ndim = array->shape.ndim;
	g.sampling.border = (enum sample_border)s->border;
	g.sampling.seed = s->seed;
	for (unsigned k = 0; k < array->shape.ndim; k++)
		g.sampling.axis[k].length = array->shape.dim[k];
	if (s->kind == VIEW_SLICES)
		err = bind_slices(s, &g.sampling, why);
	else
		err = bind_sized(s, array, &g.sampling, why);
	if (err == 0 && s->kind == VIEW_FOREGROUND)
		err = bind_draw(s, &g.sampling, why);
	if (err == 0)
		err = bind_pad(s, array, g.pad, why);
	if (err < 0)
		return err;
	if (!sample_fits(&g.sampling)) {
		describe_lack(&g.sampling, why);
		return -EINVAL;
	}
	sample_shape(&g.sampling, &g.item.shape);
	g.item.kind = array->kind;
	g.item.item_size = array->item_size;
	if (shape_count(&g.item.shape, &elements) < 0 ||
	    elements > (uint64_t)INT64_MAX / 16)
		return view_bad(why, "the items are too large");
	g.count = sample_count(&g.sampling);
	if (g.count > SAMPLE_ITEMS_MAX)
		g.count = SAMPLE_ITEMS_MAX;
	switch ((enum view_kind)s->kind) {
	case VIEW_SLICES:
	case VIEW_PATCHES:
		g.listed = g.count;
		break;
	case VIEW_RANDOM:
	case VIEW_FOREGROUND:
		g.listed = s->count < g.count ? s->count : g.count;
		break;
	case VIEW_CROPS:
		g.listed = 0;
		break;
	}
	*out = g;
	return 0;
}

/* The corner as the sampling counts it; its item may have no number. */
static int corner_item(const struct view_geometry *g, const char *name,
		       size_t n, uint64_t *item)
{
	uint64_t start[NDIM_MAX];
	int err = corner_parse(name, n, g->sampling.ndim, start);

	if (err == 0)
		err = sample_item(&g->sampling, start, item);
	if (err == 0 && *item >= SAMPLE_ITEMS_MAX)
		err = -E2BIG;
	return err;
}

int view_item(const struct view_spec *s, const struct view_geometry *g,
	      const char *name, size_t n, uint64_t *item)
{
	if (s->kind == VIEW_CROPS)
		return corner_item(g, name, n, item);
	if (parse_decimal(name, n, item) < 0)
		return -ENOENT;
	if (*item < g->count)
		return 0;
	return *item < sample_count(&g->sampling) ? -E2BIG : -ENOENT;
}

size_t view_item_name(const struct view_spec *s, const struct view_geometry *g,
		      uint64_t item, char out[NAME_BYTES_MAX + 1])
{
	int64_t start[NDIM_MAX];
	char digits[24];
	size_t n;

	if (s->kind == VIEW_CROPS) {
		sample_start(&g->sampling, item, start);
		return corner_print(start, g->sampling.ndim, out);
	}
	n = item_print(item, item_digits(g->listed), digits);
	memcpy(out, digits, n + 1);
	return n;
}
