/* SPDX-License-Identifier: MIT */

/* info.json of a container: what its catalog says, or why there is none. */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "tree/json_out.h"
#include "tree/medh5_info.h"
#include "tree/text.h"
#include "tree/tree_impl.h"
#include "util/json.h"

static void put_array_row(struct json_out *o, const struct catalog *k,
			  uint32_t object, const char *path)
{
	struct array_info a;
	char dtype[DTYPE_MAX];

	catalog_array(k, object, &a);
	json_out_row(o);
	json_out_field_text(o, "path", path, strlen(path));
	if (a.is_null)
		json_out_field_null(o, "shape");
	else
		json_out_field_shape(o, "shape", a.rank, a.dim);
	if (a.kind) {
		dtype_text(a.kind, a.item_size, dtype);
		json_out_field_text(o, "dtype", dtype, strlen(dtype));
	} else {
		json_out_field_text(o, "dtype", a.type_text.p, a.type_text.n);
	}
	if (a.refused.n)
		json_out_field_text(o, "refused", a.refused.p, a.refused.n);
	json_out_row_end(o);
}

static int put_arrays(struct json_out *o, const struct catalog *k,
		      enum name_place root)
{
	CLEANUP(cleanup_freep) char *buf = NULL;
	size_t room = 0;

	json_out_open(o, "arrays", '[');
	for (uint32_t i = 0; i < catalog_arrays(k); i++) {
		uint32_t object = catalog_nth_array(k, i);
		const char *path = object_path(k, object, root, &buf, &room);

		if (!path)
			return -ENOMEM;
		put_array_row(o, k, object, path);
	}
	json_out_close(o, ']');
	return 0;
}

static int put_values(struct json_out *o, const struct catalog *k,
		      enum name_place root)
{
	CLEANUP(cleanup_freep) char *buf = NULL;
	size_t room = 0;

	json_out_open(o, "values", '{');
	for (uint32_t i = 0; i < catalog_arrays(k); i++) {
		uint32_t object = catalog_nth_array(k, i);
		const char *path;
		struct attr value;

		if (!catalog_value(k, object, &value))
			continue;
		path = object_path(k, object, root, &buf, &room);
		if (!path)
			return -ENOMEM;
		json_out_member(o, path, strlen(path), json_of_attr(&value));
	}
	json_out_close(o, '}');
	return 0;
}

static void put_source(struct json_out *o, struct tree *t, uint32_t number,
		       const char *format)
{
	const struct source *s = source_at(t, number);
	char path[PATH_MAX], time[40];

	if (format)
		json_out_text(o, "format", format, strlen(format));
	else
		json_out_value(o, "format", json_null_new());
	if (source_path(t, number, path, sizeof(path)) < 0)
		path[0] = '\0';
	json_out_text(o, "source", path, strlen(path));
	json_out_value(o, "size", json_uint_new((uint64_t)s->st.st_size));
	time_text(&s->st.st_mtim, time);
	json_out_text(o, "mtime", time, strlen(time));
}

/* A container that cannot be looked into: why. */
static int make_failed(struct tree *t, uint32_t number, void **data,
		       size_t *size)
{
	const struct source *s = source_at(t, number);
	struct json_out o;

	if (json_out_init(&o) < 0)
		return -ENOMEM;
	put_source(&o, t, number, NULL);
	json_out_value(&o, "arrays", json_array_new());
	json_out_value(&o, "values", json_object_new());
	json_out_value(&o, "attributes", json_object_new());
	json_out_open(&o, "problems", '[');
	json_out_text(&o, NULL, s->why, strlen(s->why));
	json_out_close(&o, ']');
	return json_out_finish(&o, data, size);
}

int make_container_info(struct tree *t, uint32_t dir, struct wait *w,
			void **data, size_t *size)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	enum name_place root = member_place(t, d);
	struct json_out o;
	struct pin pin;
	int err = pin_get(t, d, w, &pin);

	if (err < 0 && source_is_failed(t, d->source)) {
		err = source_know(t, d->source, w);
		return err < 0 ? err : make_failed(t, d->source, data, size);
	}
	if (err < 0)
		return err;
	err = json_out_init(&o);
	if (err < 0)
		goto out;
	put_source(&o, t, d->source, format_text(&pin));
	err = medh5_put_root(&o, pin.k);
	if (err == 0)
		err = put_arrays(&o, pin.k, root);
	if (err == 0)
		err = put_values(&o, pin.k, root);
	if (err == 0) {
		json_out_attributes(&o, pin.k, 0);
		json_out_open(&o, "problems", '[');
		err = problems_of_container(t, &pin, d->source, root,
					    json_out_line, &o, w);
		json_out_close(&o, ']');
	}
	if (err == 0)
		err = json_out_finish(&o, data, size);
	json_out_fini(&o);
out:
	pin_put(&pin);
	return err;
}

const char *format_text(const struct pin *p)
{
	const char *own = catalog_format(p->k);

	return own ? own : container_format(p->container);
}

/* Of a member of a collection. */
int make_sample_info(struct tree *t, uint32_t dir, struct wait *w, void **data,
		     size_t *size)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	CLEANUP(cleanup_freep) char *path = tree_inner_path(t, dir);
	struct json_out o;
	struct pin pin;
	int64_t i;
	int err;

	if (!path)
		return -ENOMEM;
	err = pin_get(t, d, w, &pin);
	if (err < 0)
		return err;
	err = pin_check(&pin, d);
	i = err < 0 ? 0 : catalog_sample_at(pin.k, d->object);
	if (err == 0 && i < 0)
		err = -ESTALE;
	if (err == 0)
		err = json_out_init(&o);
	if (err == 0) {
		json_out_text(&o, "path", path, strlen(path));
		json_out_value(&o, "format", json_str_new(format_text(&pin)));
		err = medh5_put_sample(&o, pin.k, (uint32_t)i);
		json_out_attributes(&o, pin.k, d->object);
		if (err == 0)
			err = json_out_finish(&o, data, size);
		json_out_fini(&o);
	}
	pin_put(&pin);
	return err;
}
