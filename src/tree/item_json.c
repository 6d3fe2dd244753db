/* SPDX-License-Identifier: MIT */

/*
 * item.json: where an item lies. All records of a view have one size, that of
 * the longest rounded up, so that stat reads nothing. The longest is the one
 * with the largest numbers: that of the upper corner.
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tree/json_out.h"
#include "tree/text.h"
#include "tree/tree_impl.h"
#include "util/json.h"

#define RECORD_ROUND 512

struct record {
	const char *array, *view; /* names */
	const struct view_geometry *g;
	uint64_t number;
	int64_t start[NDIM_MAX];
};

static int write_record(const struct record *r, void **text, size_t *n)
{
	const struct sampling *s = &r->g->sampling;
	const struct item_type *item = &r->g->item;
	struct json *start = json_array_new(), *stop = json_array_new();
	struct json *center = json_array_new();
	uint64_t pad[NDIM_MAX][2];
	char dtype[DTYPE_MAX];
	struct json_out o;

	for (unsigned k = 0; k < s->ndim; k++) {
		const struct sample_axis *a = &s->axis[k];
		int64_t from = r->start[k];
		int64_t to = from + (int64_t)a->extent;
		int64_t length = (int64_t)a->length;

		json_append(start, json_int_new(from));
		json_append(stop, json_int_new(to));
		json_append(center, json_int_new(from + (to - from) / 2));
		pad[k][0] = from < 0 ? (uint64_t)-from : 0;
		pad[k][1] = to > length ? (uint64_t)(to - length) : 0;
	}
	if (json_out_init(&o) < 0) {
		json_free(start);
		json_free(stop);
		json_free(center);
		return -ENOMEM;
	}
	json_out_text(&o, "array", r->array, strlen(r->array));
	json_out_text(&o, "view", r->view, strlen(r->view));
	json_out_value(&o, "number", json_uint_new(r->number));
	json_out_value(&o, "start", start);
	json_out_value(&o, "stop", stop);
	json_out_value(&o, "shape",
		       json_of_shape(item->shape.ndim, item->shape.dim));
	json_out_value(
		&o, "dtype",
		json_str_new(dtype_text(item->kind, item->item_size, dtype)));
	json_out_pairs(&o, "pad", (const uint64_t(*)[2])pad, s->ndim);
	if (s->kind == SAMPLE_UNIFORM) {
		json_out_value(&o, "center", center);
		json_out_value(&o, "class", json_null_new());
		json_out_value(&o, "strategy", json_str_new("uniform"));
		json_out_value(&o, "used_index", json_bool_new(false));
	} else {
		json_free(center);
	}
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
}

int item_json_size(struct tree *t, uint32_t array, const struct view_spec *s,
		   const struct view_geometry *g, uint32_t *size)
{
	CLEANUP(cleanup_freep) char *path = tree_inner_path(t, array);
	CLEANUP(cleanup_freep) void *text = NULL;
	char name[NAME_BYTES_MAX + 1];
	struct record r = {.array = path, .view = name, .g = g};
	size_t n;
	int err;

	if (!path)
		return -ENOMEM;
	err = view_print(s, name);
	if (err < 0)
		return err;
	last_record(&r);
	err = write_record(&r, &text, &n);
	if (err < 0)
		return err;
	if (n > UINT32_MAX - RECORD_ROUND)
		return -ENAMETOOLONG;
	*size = (uint32_t)((n + RECORD_ROUND - 1) / RECORD_ROUND *
			   RECORD_ROUND);
	return 0;
}

int item_json(struct tree *t, const struct dir *view, uint64_t item,
	      char **text)
{
	CLEANUP(cleanup_freep) char *path = tree_inner_path(t, view->parent);
	CLEANUP(cleanup_freep) void *record = NULL;
	char name[NAME_BYTES_MAX + 1];
	struct view_geometry g;
	struct record r = {.array = path, .view = name, .g = &g};
	char *padded;
	size_t n;
	int err;

	if (!path)
		return -ENOMEM;
	memcpy(name, dirs_name(t->dirs, view), view->name_len);
	name[view->name_len] = '\0';
	view_geometry(t, view, &g);
	r.number = item;
	sample_start(&g.sampling, item, r.start);
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
