/* SPDX-License-Identifier: MIT */

/*
 * item.json: where an item lies. All records of a view have one size, that of
 * the longest rounded up, so that stat reads nothing. The longest is the one
 * with the largest numbers: that of the upper corner.
 */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tree/foreground.h"
#include "tree/json_out.h"
#include "tree/text.h"
#include "tree/tree_impl.h"
#include "util/json.h"

#define RECORD_ROUND 512

struct record {
	const char *array, *view; /* names */
	const struct view_geometry *g;
	uint64_t number;
	int64_t start[NDIM_MAX], stop[NDIM_MAX], center[NDIM_MAX];
	uint64_t pad[NDIM_MAX][2];
	/* Of a foreground view, else NULL: */
	const char *labels;
	struct drawn drawn; /* start and center are not used */
};

/* What follows from the start. */
static void set_ends(struct record *r)
{
	const struct sampling *s = &r->g->sampling;

	for (unsigned k = 0; k < s->ndim; k++) {
		const int64_t extent = (int64_t)s->axis[k].extent;
		const int64_t length = (int64_t)s->axis[k].length;

		r->stop[k] = r->start[k] + extent;
		r->center[k] = r->start[k] + extent / 2;
		r->pad[k][0] = r->start[k] < 0 ? (uint64_t)-r->start[k] : 0;
		r->pad[k][1] = r->stop[k] > length
				       ? (uint64_t)(r->stop[k] - length)
				       : 0;
	}
}

static struct json *numbers(const int64_t *v, unsigned n)
{
	struct json *j = json_array_new();

	for (unsigned k = 0; k < n; k++)
		json_append(j, json_int_new(v[k]));
	return j;
}

static void put_draw(struct json_out *o, const struct record *r)
{
	const struct drawn *d = &r->drawn;
	const bool is_class = r->labels && d->used != INDEX_NONE;

	json_out_value(o, "center", numbers(r->center, r->g->sampling.ndim));
	json_out_value(o, "class",
		       is_class ? json_int_new(d->class) : json_null_new());
	if (r->labels) {
		json_out_value(o, "class_name",
			       is_class && *d->name ? json_str_new(d->name)
						    : json_null_new());
		json_out_text(o, "labels", r->labels, strlen(r->labels));
	}
	json_out_value(o, "strategy",
		       json_str_new(is_class ? "foreground" : "uniform"));
	json_out_value(o, "used_index",
		       is_class ? json_bool_new(d->used == INDEX_STORED)
				: json_null_new());
}

static int write_record(const struct record *r, void **text, size_t *n)
{
	const struct sampling *s = &r->g->sampling;
	const struct item_type *item = &r->g->item;
	char dtype[DTYPE_MAX];
	struct json_out o;

	if (json_out_init(&o) < 0)
		return -ENOMEM;
	json_out_text(&o, "array", r->array, strlen(r->array));
	json_out_text(&o, "view", r->view, strlen(r->view));
	json_out_value(&o, "number", json_uint_new(r->number));
	json_out_value(&o, "start", numbers(r->start, s->ndim));
	json_out_value(&o, "stop", numbers(r->stop, s->ndim));
	json_out_value(&o, "shape",
		       json_of_shape(item->shape.ndim, item->shape.dim));
	json_out_value(
		&o, "dtype",
		json_str_new(dtype_text(item->kind, item->item_size, dtype)));
	json_out_pairs(&o, "pad", r->pad, s->ndim);
	if (s->kind == SAMPLE_UNIFORM)
		put_draw(&o, r);
	return json_out_finish(&o, text, n);
}

/* The record with the most digits. */
static void last_record(struct record *r)
{
	const struct sampling *s = &r->g->sampling;

	if (r->g->count == 0)
		return;
	r->number = r->g->count - 1;
	for (unsigned k = 0; k < s->ndim; k++) {
		const struct sample_axis *a = &s->axis[k];

		if (a->all)
			continue;
		if (s->kind == SAMPLE_GRID && s->border == SAMPLE_PAD)
			r->start[k] =
				(int64_t)((a->length - 1) / a->step * a->step);
		else if (a->length > a->extent)
			r->start[k] = (int64_t)(a->length - a->extent);
	}
	set_ends(r);
}

/* At least as long as any of a foreground view. */
static void longest_draw(struct record *r)
{
	const struct sampling *s = &r->g->sampling;

	memset(r->drawn.name, 'x', sizeof(r->drawn.name) - 1);
	r->drawn.used = INDEX_EXACT; /* false */
	r->drawn.class = INT64_MIN;
	for (unsigned k = 0; k < s->ndim; k++) {
		const struct sample_axis *a = &s->axis[k];
		/* A minus is as long as a digit more. */
		const int64_t far = (int64_t)(a->length + a->extent);

		r->start[k] = a->all ? 0 : -far;
		r->stop[k] = far;
		r->center[k] = far;
		r->pad[k][0] = r->pad[k][1] = a->all ? 0 : a->extent;
	}
}

int item_json_size(struct tree *t, uint32_t array, const struct view_spec *s,
		   const struct view_geometry *g, uint32_t label,
		   uint32_t *size)
{
	CLEANUP(cleanup_freep) char *path = tree_inner_path(t, array);
	CLEANUP(cleanup_freep) void *text = NULL;
	char name[NAME_BYTES_MAX + 1], labels[PATH_MAX];
	struct record r = {.array = path, .view = name, .g = g};
	size_t n;
	int err;

	if (!path)
		return -ENOMEM;
	err = view_print(s, name);
	if (err < 0)
		return err;
	last_record(&r);
	if (s->kind == VIEW_FOREGROUND) {
		err = label_path(t, array, label, labels, sizeof(labels));
		if (err < 0)
			return err;
		r.labels = labels;
		longest_draw(&r);
	}
	err = write_record(&r, &text, &n);
	if (err < 0)
		return err;
	if (n > UINT32_MAX - RECORD_ROUND)
		return -ENAMETOOLONG;
	*size = (uint32_t)((n + RECORD_ROUND - 1) / RECORD_ROUND *
			   RECORD_ROUND);
	return 0;
}

/* Where the item lies. */
static int fill_record(struct tree *t, const struct dir *view,
		       const struct view_spec *s, struct wait *w,
		       struct record *r)
{
	int err;

	if (s->kind != VIEW_FOREGROUND) {
		sample_start(&r->g->sampling, r->number, r->start);
		set_ends(r);
		return 0;
	}
	err = foreground_draw(t, view, s, r->g, r->number, w, &r->drawn);
	if (err < 0)
		return err;
	memcpy(r->start, r->drawn.start, sizeof(r->start));
	set_ends(r);
	memcpy(r->center, r->drawn.center, sizeof(r->center));
	return 0;
}

int item_json(struct tree *t, const struct dir *view, uint64_t item,
	      struct wait *w, char **text)
{
	CLEANUP(cleanup_freep) char *path = tree_inner_path(t, view->parent);
	CLEANUP(cleanup_freep) void *record = NULL;
	char name[NAME_BYTES_MAX + 1], labels[PATH_MAX];
	struct view_geometry g;
	struct view_spec s;
	struct record r = {
		.array = path, .view = name, .g = &g, .number = item};
	char *padded;
	size_t n;
	int err;

	if (!path)
		return -ENOMEM;
	memcpy(name, dirs_name(t->dirs, view), view->name_len);
	name[view->name_len] = '\0';
	view_spec_of(t, view, &s);
	view_geometry(t, view, &g);
	if (s.kind == VIEW_FOREGROUND) {
		err = label_path(t, view->parent, view->label, labels,
				 sizeof(labels));
		if (err < 0)
			return err;
		r.labels = labels;
	}
	err = fill_record(t, view, &s, w, &r);
	if (err == 0)
		err = write_record(&r, &record, &n);
	if (err < 0)
		return err;
	padded = malloc(view->json_size);
	if (!padded)
		return -ENOMEM;
	/* Spaces before the last newline, so that a record ends with one. */
	memset(padded, ' ', view->json_size);
	memcpy(padded, record, n - 1);
	padded[view->json_size - 1] = '\n';
	*text = padded;
	return 0;
}
