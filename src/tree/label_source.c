/* SPDX-License-Identifier: MIT */

/*
 * What the sampling index of a label array is made of: the array itself, or
 * the planes of a medh5 annotation.
 */

#include <config.h>

#include "tree/label_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int label_source_fail(struct label_origin *o, int err, const char *why)
{
	if (o->is_quiet)
		return err;
	return problem_tell(o->t->conf.problems, err,
			    "%s: no sampling index: %s", o->label, why);
}

void label_source_init(struct label_origin *o, struct tree *t,
		       const struct pin *p, uint32_t label)
{
	memset(o, 0, sizeof(*o));
	o->t = t;
	o->pin = p;
	o->dir = dirs_at(t->dirs, label);
	tree_label(t, label, o->label, sizeof(o->label));
}

void label_source_fini(struct label_origin *o)
{
	free(o->array);
	free(o->plane);
	free(o->id);
	free(o->closure);
	free(o->bound);
}

void label_source_progress(void *arg, uint64_t done, uint64_t all)
{
	const struct label_origin *o = arg;

	o->watch->progress(o->watch->arg, done, all);
}

/* ----------------------------------------------------------------- planes */

static int by_id(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int by_plane(const void *a, const void *b)
{
	const struct derived_class *x = a, *y = b;

	if (x->plane != y->plane)
		return x->plane < y->plane ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* A plane of the data, with the classes [from, to) of c, by rising id. */
static void add_plane(struct label_origin *o, enum label_rule rule,
		      uint64_t lead, const struct derived_class *c,
		      unsigned from, unsigned to)
{
	struct label_plane *p = &o->plane[o->nplane++];

	*p = (struct label_plane){
		.array = o->array[0].base,
		.has_lead = o->array[0].base->shape.ndim > o->shape.ndim,
		.lead = lead,
		.rule = rule,
		.threshold = o->threshold,
		.id = o->id + from,
		.nid = to - from,
	};
	for (unsigned i = from; i < to; i++)
		o->id[i] = c[i].id;
	if (rule == LABEL_VALUES)
		qsort(o->id + from, to - from, sizeof(*o->id), by_id);
}

/* Classes in the order of their planes, as many at once as lie together. */
static int add_planes(struct label_origin *o, const struct derived_info *d,
		      const struct derived_class *c)
{
	const unsigned n = d->nclass;
	unsigned to;

	for (unsigned from = 0; from < n; from = to) {
		uint32_t plane = c[from].plane;

		for (to = from + 1; to < n; to++)
			if (d->encoding == LABELS_BITMASK
				    ? c[to].plane / 64 != plane / 64
				    : c[to].plane != plane)
				break;
		switch (d->encoding) {
		case LABELS_MAP:
			add_plane(o, LABEL_VALUES, 0, c, from, to);
			break;
		case LABELS_LAYERS:
			add_plane(o, LABEL_VALUES, plane, c, from, to);
			break;
		case LABELS_BITMASK:
			/* Positions without gaps, as the format has them. */
			if (c[from].plane % 64 != 0 ||
			    c[to - 1].plane - plane != to - 1 - from)
				return label_source_fail(
					o, -EBADMSG,
					"its classes do not fill its bits");
			add_plane(o, LABEL_BITS, plane / 64, c, from, to);
			break;
		case LABELS_PROBMAP:
			add_plane(o, LABEL_ABOVE, plane, c, from, from + 1);
			to = from + 1;
			break;
		case LABELS_INSTANCES:
		case LABELS_MASK:
			return -EINVAL;
		}
	}
	return 0;
}

/* ---------------------------------------------------------------- closure */

/* The group of the masks of the classes of an annotation, or OBJECT_NONE. */
static uint32_t classes_group(const struct catalog *k, uint32_t annotation)
{
	int64_t i = catalog_find(k, annotation, "classes", 7);
	struct member m;

	if (i < 0)
		return OBJECT_NONE;
	catalog_member(k, annotation, (uint32_t)i, &m);
	return m.kind == CAT_HARD && catalog_kind(k, m.target) == OBJECT_GROUP
		       ? m.target
		       : OBJECT_NONE;
}

/* Number i of the masks of the classes; false: it is none. */
static bool nth_class(const struct catalog *k, uint32_t group, uint32_t i,
		      uint32_t *object, struct derived_info *out)
{
	struct array_info a;
	struct member m;

	catalog_member(k, group, i, &m);
	if (m.kind != CAT_HARD || catalog_kind(k, m.target) != OBJECT_ARRAY)
		return false;
	catalog_array(k, m.target, &a);
	if (a.layout != CAT_DERIVED)
		return false;
	catalog_derived(k, m.target, out);
	*object = m.target;
	return out->kind == DERIVED_CLASS && out->nclass > 0;
}

/* Of what the mask of a class is the union, is in the class. */
static int add_closure(struct label_origin *o, uint32_t annotation,
		       unsigned nclass)
{
	const struct catalog *k = o->pin->k;
	uint32_t group = classes_group(k, annotation), object;
	uint32_t members = group == OBJECT_NONE ? 0 : catalog_members(k, group);
	struct derived_info d;
	struct bytes closure;
	unsigned found = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < members; i++) {
		if (!nth_class(k, group, i, &object, &d))
			continue;
		n += d.nclass - 1;
		found++;
	}
	/* The file has other members of that name, or is short of memory. */
	if (found < nclass &&
	    catalog_text(k, annotation, "closure", &closure) &&
	    closure.n == 8 && memcmp(closure.p, "implicit", 8) == 0)
		return label_source_fail(o, -EOPNOTSUPP,
					 "masks of its classes are missing, "
					 "which tell what they imply");
	if (n == 0)
		return 0;
	o->closure = calloc(n, sizeof(*o->closure));
	if (!o->closure)
		return -ENOMEM;
	for (uint32_t i = 0; i < members; i++) {
		if (!nth_class(k, group, i, &object, &d))
			continue;
		for (unsigned c = 1; c < d.nclass; c++) {
			o->closure[o->nclosure][0] = d.class[c].id;
			o->closure[o->nclosure++][1] = d.class[0].id;
		}
	}
	return 0;
}

/* ---------------------------------------------------------------- sources */

/* The array that all planes are of. */
static int open_object(struct label_origin *o, uint32_t object)
{
	return array_open(o->pin->env, o->pin->container, o->pin->key,
			  o->pin->k, object, o->label, o->array);
}

/*
 * Objects lie anywhere, and classes over each other: the mask of each class,
 * which is looked at where its objects are.
 */
static int make_instances(struct label_origin *o, const struct derived_info *d)
{
	struct place_info place;
	int err;

	o->array = calloc(1, sizeof(*o->array));
	o->plane = calloc(d->nclass + 1u, sizeof(*o->plane));
	o->id = calloc(d->nclass + 1u, sizeof(*o->id));
	o->bound = calloc(d->nclass + 1u, sizeof(*o->bound));
	if (!o->array || !o->plane || !o->id || !o->bound)
		return -ENOMEM;
	err = array_open_masks(o->pin->env, o->pin->container, o->pin->key,
			       o->pin->k, o->dir->object, o->label, o->array);
	if (err == 0)
		err = array_masks_bounds(o->array, o->bound);
	if (err < 0)
		return err;
	for (unsigned i = 0; i < d->nclass; i++) {
		o->id[i] = d->class[i].id;
		o->plane[i] = (struct label_plane){
			.array = o->array->base,
			.has_lead = true,
			.lead = i,
			.rule = LABEL_ABOVE,
			.id = &o->id[i],
			.nid = 1,
			.bound = &o->bound[i],
		};
	}
	o->nplane = d->nclass;
	return catalog_place(o->pin->k, o->dir->object, &place)
		       ? add_closure(o, place.annotation, d->nclass)
		       : 0;
}

static int make_annotation(struct label_origin *o, const struct derived_info *d)
{
	CLEANUP(cleanup_freep) struct derived_class *sorted = NULL;
	struct place_info place;
	int err;

	if (d->broken.n) {
		char why[256];

		snprintf(why, sizeof(why), "%.*s",
			 (int)(d->broken.n < 255 ? d->broken.n : 255),
			 d->broken.p);
		return label_source_fail(o, -EBADMSG, why);
	}
	if (d->encoding == LABELS_INSTANCES)
		return make_instances(o, d);
	sorted = calloc(d->nclass + 1u, sizeof(*sorted));
	o->plane = calloc(d->nclass + 1u, sizeof(*o->plane));
	o->id = calloc(d->nclass + 1u, sizeof(*o->id));
	o->array = calloc(1, sizeof(*o->array));
	if (!sorted || !o->plane || !o->id || !o->array)
		return -ENOMEM;
	err = open_object(o, d->data);
	if (err < 0)
		return err;
	if (d->nclass)
		memcpy(sorted, d->class, d->nclass * sizeof(*sorted));
	if (d->encoding != LABELS_MAP)
		qsort(sorted, d->nclass, sizeof(*sorted), by_plane);
	else
		for (unsigned i = 0; i < d->nclass; i++)
			sorted[i].plane = 0;
	if (d->encoding == LABELS_PROBMAP)
		o->threshold = derived_threshold(d->threshold,
						 o->array->base->item_size);
	err = add_planes(o, d, sorted);
	if (err == 0 && catalog_place(o->pin->k, o->dir->object, &place))
		err = add_closure(o, place.annotation, d->nclass);
	return err;
}

static int make_plain(struct label_origin *o)
{
	int err;

	o->array = calloc(1, sizeof(*o->array));
	o->plane = calloc(1, sizeof(*o->plane));
	if (!o->array || !o->plane)
		return -ENOMEM;
	err = open_object(o, o->dir->object);
	if (err < 0)
		return err;
	o->plane[0] = (struct label_plane){
		.array = o->array->base,
		.rule = LABEL_VALUES,
	};
	o->nplane = 1;
	return 0;
}

int label_source_make(void *arg, struct wait *w, struct index_origin *out)
{
	struct label_origin *o = arg;
	struct derived_info d;
	struct array_info a;
	int err;

	(void)w;
	o->shape = dirs_type_at(o->t->dirs, o->dir->type)->shape;
	catalog_array(o->pin->k, o->dir->object, &a);
	if (a.layout == CAT_DERIVED) {
		catalog_derived(o->pin->k, o->dir->object, &d);
		o->is_annotation = d.kind == DERIVED_LABELS;
	}
	err = o->is_annotation ? make_annotation(o, &d) : make_plain(o);
	if (err == 0)
		err = label_source_key(o, &out->key);
	if (err < 0)
		return err;
	out->has_key = true;
	out->label = (struct label_source){
		.shape = o->shape,
		.nplane = o->nplane,
		.plane = o->plane,
		.closure = (const int64_t(*)[2])o->closure,
		.nclosure = o->nclosure,
	};
	return 0;
}
