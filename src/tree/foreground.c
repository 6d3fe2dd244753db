/* SPDX-License-Identifier: MIT */

/*
 * One draw of a foreground view: from its number to a box of the array. What
 * is drawn is a voxel of the label; its coordinates, as far as they are those
 * of the array too, are the centre. What the label says nothing about is drawn
 * as by random views.
 */

#include <config.h>

#include "tree/foreground.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tree/label_stored.h"
#include "util/metric.h"

static struct metric without_class = {
	.name = "draws_without_class",
	.help = "Foreground draws that were uniform, as no class asked for has "
		"voxels.",
	.kind = METRIC_COUNTER,
};

void foreground_metrics(struct metrics *m)
{
	metric_register(m, &without_class);
}

/* What is drawn from. */
struct urn {
	struct tree *t;
	const struct view_draw *d;
	const struct sampling *s;
	const struct dir *label_dir;
	uint32_t label;
	struct shape shape; /* of the label */
	int8_t axis[NDIM_MAX];
	struct pin pin;
	struct index_pin index;	    /* the exact one, or */
	struct label_stored stored; /* what the file keeps */
	bool is_stored;
	int64_t ids[VIEW_CLASSES_MAX];
	struct draw_class *c;
	uint64_t *rows; /* of each class, to draw from */
	size_t n;
};

static int urn_open(struct urn *u, struct wait *w)
{
	int err = pin_get(u->t, u->label_dir, w, &u->pin);

	if (err < 0)
		return err;
	err = pin_check(&u->pin, u->label_dir);
	for (unsigned i = 0; i < u->d->nclass && err == 0; i++)
		if (label_class_id(&u->pin, u->label_dir, view_class(u->d, i),
				   &u->ids[i]) < 0)
			err = -ESTALE;
	if (err < 0)
		pin_put(&u->pin);
	return err;
}

static void urn_close(struct urn *u)
{
	indices_put(u->t->indices, &u->index);
	label_stored_put(&u->stored);
	pin_put(&u->pin);
	free(u->c);
	free(u->rows);
}

/* Length of the window on an axis of the label: of what does not show, 1. */
static uint64_t window_on(const struct urn *u, unsigned k)
{
	if (u->axis[k] < 0)
		return 1;
	return u->s->axis[u->axis[k]].extent;
}

static bool is_free(const struct urn *u, unsigned k)
{
	return u->axis[k] < 0 || u->s->axis[u->axis[k]].all;
}

/* Where centres of ours may be, for border-inside; false: anywhere. */
static bool limits(const struct urn *u, uint64_t lo[NDIM_MAX],
		   uint64_t hi[NDIM_MAX])
{
	bool any = false;

	for (unsigned k = 0; k < u->shape.ndim; k++) {
		const uint64_t length = u->shape.dim[k];

		lo[k] = 0;
		hi[k] = length;
		if (u->d->border != DRAW_INSIDE || is_free(u, k) || !length)
			continue;
		draw_inside(length, window_on(u, k), &lo[k], &hi[k]);
		any = any || lo[k] > 0 || hi[k] < length;
	}
	return any;
}

static int get_index(struct urn *u, struct wait *w)
{
	uint64_t lo[NDIM_MAX], hi[NDIM_MAX];
	int err = -ENOENT;

	if (u->d->index != VIEW_INDEX_EXACT && u->d->border != DRAW_INSIDE)
		err = label_stored_get(u->t, &u->pin, u->label, u->ids,
				       u->d->nclass, w, &u->stored);
	u->is_stored = err == 0;
	if (err != -ENOENT)
		return err;
	/* It had one when the view was looked up. */
	if (u->d->index == VIEW_INDEX_STORED)
		return -ESTALE;
	if (limits(u, lo, hi))
		return label_index_inside(u->t, &u->pin, u->label, u->ids,
					  u->d->nclass, lo, hi, w, &u->index);
	return label_index_get(u->t, &u->pin, u->label, NULL, w, &u->index);
}

/* Classes of the index that is had, by id; and one of an id, or -ENOENT. */
static uint32_t index_classes(const struct urn *u)
{
	return u->is_stored ? stored_classes(u->stored.pin.index)
			    : label_index_classes(u->index.index);
}

static int64_t index_find(const struct urn *u, int64_t id)
{
	return u->is_stored ? stored_find(u->stored.pin.index, id)
			    : label_index_find(u->index.index, id);
}

static void index_class(const struct urn *u, uint32_t i, struct draw_class *c,
			uint64_t *rows)
{
	struct stored_class stored;
	struct label_class exact;

	if (u->is_stored) {
		stored_class(u->stored.pin.index, i, &stored);
		c->id = stored.id;
		c->count = stored.count;
		*rows = stored.rows;
		return;
	}
	label_index_class(u->index.index, i, &exact);
	c->id = exact.id;
	c->count = *rows = exact.count;
}

/* The classes that can be drawn, by id. */
static int fill_classes(struct urn *u)
{
	CLEANUP(cleanup_freep) bool *declared = NULL;

	u->n = u->d->nclass ? u->d->nclass : index_classes(u);
	u->c = calloc(u->n + 1, sizeof(*u->c));
	u->rows = calloc(u->n + 1, sizeof(*u->rows));
	if (u->is_stored)
		declared = label_stored_declared(&u->stored);
	if (!u->c || !u->rows || (u->is_stored && !declared))
		return -ENOMEM;
	for (size_t i = 0; i < u->n; i++) {
		int64_t at = (int64_t)i;

		if (u->d->nclass) {
			u->c[i].id = u->ids[i];
			u->c[i].weight = u->d->weight[i];
			at = index_find(u, u->ids[i]);
			if (at < 0)
				continue;
		}
		index_class(u, (uint32_t)at, &u->c[i], &u->rows[i]);
		/* An index may keep more than the annotation declares. */
		if (u->is_stored && !declared[at])
			u->c[i].count = 0;
	}
	return 0;
}

static enum class_weights weights_of(const struct view_draw *d)
{
	return d->is_given ? WEIGHTS_GIVEN : (enum class_weights)d->weights;
}

static bool has_voxels(const struct urn *u)
{
	for (size_t i = 0; i < u->n; i++)
		if (u->rows[i] > 0 && u->c[i].count > 0)
			return true;
	return false;
}

/* Voxel k < rows of class i. */
static int get_voxel(const struct urn *u, size_t i, uint64_t k, struct wait *w,
		     uint64_t at[NDIM_MAX])
{
	int64_t class = index_find(u, u->c[i].id);

	if (u->is_stored)
		return stored_row(&u->stored.ask, u->stored.pin.index,
				  (uint32_t) class, k, w, at);
	label_index_voxel(u->index.index, (uint32_t) class, k, at);
	return 0;
}

static void set_class(const struct urn *u, size_t i, struct drawn *out)
{
	out->used = u->is_stored ? INDEX_STORED : INDEX_EXACT;
	out->class = u->c[i].id;
	label_class_name(&u->pin, u->label_dir, out->class, out->name);
}

/* ------------------------------------------------------------- our draws */

/* The window around a voxel of the label. */
static void set_window(const struct urn *u, const uint64_t at[NDIM_MAX],
		       struct drawn *out)
{
	for (unsigned k = 0; k < u->shape.ndim; k++) {
		const struct sample_axis *a;

		if (u->axis[k] < 0)
			continue;
		a = &u->s->axis[u->axis[k]];
		out->center[u->axis[k]] = (int64_t)at[k];
		if (a->all)
			continue;
		out->start[u->axis[k]] =
			u->d->is_medh5
				? medh5_window(a->length, a->extent, at[k])
				: draw_window((enum draw_border)u->d->border,
					      a->length, a->extent, at[k]);
	}
}

/* What is in out already is the uniform draw. */
static int draw_ours(struct urn *u, uint64_t item, struct wait *w,
		     struct drawn *out)
{
	uint64_t at[NDIM_MAX];
	size_t i;
	int err = get_index(u, w);

	if (err == 0)
		err = fill_classes(u);
	if (err < 0)
		return err;
	err = draw_class(u->s->seed, item, weights_of(u->d), u->c, u->n, &i);
	/* No class has voxels and weight: the uniform draw it is. */
	if (err < 0)
		return err == -ENOENT ? 0 : err;
	err = get_voxel(u, i, draw_voxel(u->s->seed, item, u->rows[i]), w, at);
	if (err < 0)
		return err;
	set_window(u, at, out);
	set_class(u, i, out);
	return 0;
}

/* --------------------------------------------------------------- medh5's */

static int draw_medh5(struct urn *u, uint64_t item, struct wait *w,
		      struct drawn *out)
{
	const struct medh5_draw d = {
		.fraction = u->d->fraction,
		.weights = weights_of(u->d),
		.seed = u->s->seed,
		.epoch = u->d->epoch,
	};
	uint64_t length[NDIM_MAX], extent[NDIM_MAX], at[NDIM_MAX], row;
	int64_t start[NDIM_MAX];
	size_t i;
	int err = 0;

	/* Its strategy "uniform" needs no index. */
	if (d.fraction > 0)
		err = get_index(u, w);
	if (err == 0 && d.fraction > 0)
		err = fill_classes(u);
	if (err < 0)
		return err;
	for (unsigned k = 0; k < u->shape.ndim; k++) {
		length[k] = u->shape.dim[k];
		extent[k] = is_free(u, k) ? length[k] : window_on(u, k);
	}
	err = medh5_draw(&d, item, u->shape.ndim, length, extent, u->c, u->n,
			 u->rows, &i, &row, start);
	if (err < 0)
		return err;
	if (err == MEDH5_FOREGROUND) {
		err = get_voxel(u, i, row, w, at);
		if (err < 0)
			return err;
		set_window(u, at, out);
		set_class(u, i, out);
		return 0;
	}
	for (unsigned k = 0; k < u->shape.ndim; k++) {
		int a = u->axis[k];

		if (a < 0)
			continue;
		out->start[a] = start[k];
		out->center[a] =
			(int64_t)medh5_centre(length[k], extent[k], start[k]);
	}
	return 0;
}

/* ------------------------------------------------------------------------ */

int foreground_draw(struct tree *t, const struct dir *view,
		    const struct view_spec *s, const struct view_geometry *g,
		    uint64_t item, struct wait *w, struct drawn *out)
{
	struct urn u = {.t = t, .d = &s->draw, .s = &g->sampling};
	int err;

	memset(out, 0, sizeof(*out));
	sample_start(u.s, item, out->start);
	for (unsigned k = 0; k < u.s->ndim; k++)
		out->center[k] =
			out->start[k] + (int64_t)(u.s->axis[k].extent / 2);
	if (!s->draw.is_medh5 &&
	    !draw_is_foreground(s->seed, item, s->draw.fraction))
		return 0;
	u.label = view->label;
	u.label_dir = dirs_at(t->dirs, u.label);
	u.shape = dirs_type_at(t->dirs, u.label_dir->type)->shape;
	if (!label_pair(u.s, &u.shape, u.axis))
		return -ESTALE;
	err = urn_open(&u, w);
	if (err < 0)
		return err;
	err = s->draw.is_medh5 ? draw_medh5(&u, item, w, out)
			       : draw_ours(&u, item, w, out);
	if (err == 0 && u.c && !has_voxels(&u))
		metric_add(&without_class, 1);
	urn_close(&u);
	return err;
}
