/* SPDX-License-Identifier: MIT */

/*
 * Of an array: info.json, what the catalog says of it and what views cost;
 * chunks.json, what its index adds; array.json, its strings.
 */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tree/cost.h"
#include "tree/json_out.h"
#include "tree/medh5_info.h"
#include "tree/number.h"
#include "tree/text.h"
#include "tree/tree_impl.h"
#include "util/json.h"

static int put_filters(struct json_out *o, const struct catalog *k,
		       const struct array_info *a)
{
	json_out_open(o, "filters", '[');
	for (unsigned i = 0; i < a->nfilter; i++) {
		CLEANUP(cleanup_freep) uint64_t *params = NULL;
		struct filter_info f;

		catalog_filter(k, a, i, &f);
		params = calloc(f.nparam + 1u, sizeof(*params));
		if (!params)
			return -ENOMEM;
		for (uint32_t p = 0; p < f.nparam; p++)
			params[p] = f.param[p];
		json_out_row(o);
		json_out_field_number(o, "id", f.id);
		json_out_field_text(o, "name", f.name.p, f.name.n);
		json_out_field_shape(o, "params", f.nparam, params);
		json_out_row_end(o);
	}
	json_out_close(o, ']');
	return 0;
}

static void put_fill(struct json_out *o, const struct array_info *a)
{
	static const uint8_t zero[8];
	struct json *j;

	if (a->kind == 0 || a->fill_undefined)
		j = json_null_new();
	else if (a->fill.n == a->item_size)
		j = number_json(a->fill.p, a->kind, a->item_size, a->order);
	else
		j = number_json(zero, a->kind, a->item_size, '<');
	json_out_value(o, "fill", j);
}

/* What put_view needs of the array; base is NULL if it cannot be read. */
struct viewed {
	const struct array *base;
	const uint64_t *chunk;
};

static void put_view(struct json_out *o, const struct viewed *v,
		     const struct view_spec *s, const struct view_geometry *g)
{
	char name[NAME_BYTES_MAX + 1];
	uint64_t n = 0;

	if (view_print(s, name) < 0)
		return;
	(void)shape_count(&g->item.shape, &n);
	json_out_row(o);
	json_out_field_text(o, "name", name, strlen(name));
	json_out_field_number(o, "items", g->count);
	json_out_field_shape(o, "item_shape", g->item.shape.ndim,
			     g->item.shape.dim);
	json_out_field_number(o, "item_bytes", n * g->item.item_size);
	if (v->base)
		json_out_field_number(o, "decode_bytes",
				      view_cost(v->base, v->chunk, g));
	else
		json_out_field_null(o, "decode_bytes");
	json_out_row_end(o);
}

/*
 * Slices along each axis, and patches where the container states their size.
 * Not what --view lists: a file has the same bytes in every mount.
 */
static void put_views(struct tree *t, struct json_out *o, uint32_t dir,
		      const struct viewed *v)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	const struct item_type *type;
	struct view_geometry g;
	struct view_spec s;
	char why[VIEW_WHY_MAX];
	uint32_t label;

	json_out_open(o, "views", '[');
	if (d->type != ROW_NONE) {
		type = dirs_type_at(t->dirs, d->type);
		for (unsigned k = 0; k < type->shape.ndim; k++) {
			s = view_slices(k);
			if (type->shape.ndim > 1 &&
			    view_bind(&s, type, &g, why) == 0)
				put_view(o, v, &s, &g);
		}
		if (view_listed(t, dir, 1, &s, &g, NULL, &label) == 0)
			put_view(o, v, &s, &g);
	}
	json_out_close(o, ']');
}

static void put_shape(struct json_out *o, const struct array_info *a)
{
	char dtype[DTYPE_MAX];

	json_out_value(o, "shape",
		       a->is_null ? json_null_new()
				  : json_of_shape(a->rank, a->dim));
	if (a->kind)
		json_out_value(
			o, "dtype",
			json_str_new(dtype_text(a->kind, a->item_size, dtype)));
	else
		json_out_text(o, "dtype", a->type_text.p, a->type_text.n);
	if (a->order)
		json_out_text(o, "order", &a->order, 1);
	else
		json_out_value(o, "order", json_null_new());
	json_out_value(o, "layout", json_str_new(layout_text(a->layout)));
	json_out_value(o, "chunks",
		       a->chunk ? json_of_shape(a->rank, a->chunk)
				: json_null_new());
}

static int write_array_info(struct tree *t, const struct pin *p, uint32_t dir,
			    struct wait *w, struct json_out *o)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	CLEANUP(cleanup_freep) char *path = tree_inner_path(t, dir);
	struct viewed v = {.base = NULL};
	struct any_array array;
	char label[PATH_MAX];
	struct array_info a;
	int err;

	(void)w;
	if (!path)
		return -ENOMEM;
	catalog_array(p->k, d->object, &a);
	tree_label(t, dir, label, sizeof(label));
	if (pin_try_array(p, d, label, &array))
		v = (struct viewed){array.base, array.base->unit};
	json_out_text(o, "path", path, strlen(path));
	put_shape(o, &a);
	err = put_filters(o, p->k, &a);
	if (err < 0)
		return err;
	put_fill(o, &a);
	err = medh5_put_array(o, p->k, d->object);
	if (err < 0)
		return err;
	json_out_attributes(o, p->k, d->object);
	put_views(t, o, dir, &v);
	json_out_open(o, "problems", '[');
	problems_of_array(p->k, d->object, json_out_line, o);
	json_out_close(o, ']');
	return 0;
}

static int write_chunks(struct tree *t, const struct pin *p, uint32_t dir,
			struct wait *w, struct json_out *o)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	CLEANUP(cleanup_freep) char *path = tree_inner_path(t, dir);
	struct chunk_counts n = {0};
	const struct stored_array *s;
	struct any_array array;
	char label[PATH_MAX];
	uint64_t all = 0;
	int err;

	if (!path)
		return -ENOMEM;
	tree_label(t, dir, label, sizeof(label));
	err = pin_array(p, d, label, &array);
	s = array.is_derived ? NULL : &array.stored;
	if (err == 0 && s)
		err = stored_array_counts(s, &n, w);
	if (err < 0)
		return err;
	json_out_text(o, "path", path, strlen(path));
	if (s && s->info.chunk) {
		(void)shape_count(&s->grid, &all);
		json_out_value(o, "grid",
			       json_of_shape(s->grid.ndim, s->grid.dim));
	} else {
		json_out_value(o, "grid", json_null_new());
	}
	json_out_value(o, "chunks", json_uint_new(all));
	json_out_value(o, "stored", json_uint_new(n.stored));
	json_out_value(o, "missing", json_uint_new(n.missing));
	json_out_value(o, "broken", json_uint_new(n.broken));
	json_out_value(o, "masked", json_uint_new(n.masked));
	return 0;
}

typedef int write_fn(struct tree *t, const struct pin *p, uint32_t dir,
		     struct wait *w, struct json_out *o);

static int make_of_array(struct tree *t, uint32_t dir, struct wait *w,
			 write_fn *write, void **data, size_t *size)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	struct json_out o;
	struct pin pin;
	int err = pin_get(t, d, w, &pin);

	if (err < 0)
		return err;
	err = pin_check(&pin, d);
	if (err == 0)
		err = json_out_init(&o);
	if (err == 0) {
		err = write(t, &pin, dir, w, &o);
		if (err == 0)
			err = json_out_finish(&o, data, size);
		json_out_fini(&o);
	}
	pin_put(&pin);
	return err;
}

int make_array_info(struct tree *t, uint32_t dir, struct wait *w, void **data,
		    size_t *size)
{
	return make_of_array(t, dir, w, write_array_info, data, size);
}

int make_chunks(struct tree *t, uint32_t dir, struct wait *w, void **data,
		size_t *size)
{
	return make_of_array(t, dir, w, write_chunks, data, size);
}

int make_strings(struct tree *t, uint32_t dir, struct wait *w, void **data,
		 size_t *size)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	struct attr value;
	struct json *j;
	struct pin pin;
	char *text;
	int err = pin_get(t, d, w, &pin);

	if (err < 0)
		return err;
	err = pin_check(&pin, d);
	if (err == 0 && !catalog_value(pin.k, d->object, &value))
		err = -ESTALE;
	if (err == 0) {
		j = json_of_attr(&value);
		err = json_dump(j, &text, size);
		json_free(j);
		if (err == 0)
			*data = text;
	}
	pin_put(&pin);
	return err;
}
