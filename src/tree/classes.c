/* SPDX-License-Identifier: MIT */

/*
 * Which classes label arrays have, how often and where: classes.json of one,
 * and .patchfs/classes.csv of all whose index is at hand or in a file. Nothing
 * is indexed for that.
 */

#include <config.h>

#include "tree/classes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tree/json_out.h"
#include "tree/label_stored.h"
#include "tree/text.h"
#include "tree/tree_impl.h"
#include "util/json.h"

/* One class of an index of either kind. */
struct class_row {
	int64_t id;
	uint64_t count;
	const uint64_t *start, *stop;
	char name[CLASS_NAME_MAX];
};

struct table {
	struct json_out *json; /* else: */
	FILE *csv;
	const char *path;  /* of csv */
	const char *index; /* which it is from */
	const struct pin *pin;
	const struct dir *label;
	unsigned ndim;
};

static void put_quoted(FILE *f, const char *s)
{
	fputc('"', f);
	text_doubled(s, f);
	fputc('"', f);
}

/* "2:5 10:12": start and stop of each axis. */
static void put_box(const struct table *t, const struct class_row *r)
{
	for (unsigned k = 0; k < t->ndim; k++)
		fprintf(t->csv, "%s%" PRIu64 ":%" PRIu64, k ? " " : "",
			r->start[k], r->stop[k]);
}

static void put_row(const struct table *t, struct class_row *r)
{
	struct json_out *o = t->json;

	if (r->count == 0)
		return;
	label_class_name(t->pin, t->label, r->id, r->name);
	if (!o) {
		put_quoted(t->csv, t->path);
		fprintf(t->csv, ",%" PRId64 ",", r->id);
		put_quoted(t->csv, r->name);
		fprintf(t->csv, ",%" PRIu64 ",", r->count);
		put_box(t, r);
		fprintf(t->csv, ",%s\n", t->index);
		return;
	}
	json_out_open(o, NULL, '{');
	json_out_value(o, "id", json_int_new(r->id));
	json_out_value(o, "name",
		       *r->name ? json_str_new(r->name) : json_null_new());
	json_out_value(o, "count", json_uint_new(r->count));
	json_out_value(o, "start", json_of_shape(t->ndim, r->start));
	json_out_value(o, "stop", json_of_shape(t->ndim, r->stop));
	json_out_close(o, '}');
}

static void put_exact(struct table *t, const struct label_index *x)
{
	struct label_class c;

	t->ndim = label_index_shape(x)->ndim;
	for (uint32_t i = 0; i < label_index_classes(x); i++) {
		label_index_class(x, i, &c);
		put_row(t, &(struct class_row){.id = c.id,
					       .count = c.count,
					       .start = c.start,
					       .stop = c.stop});
	}
}

static void put_stored(struct table *t, const struct stored_index *x)
{
	struct stored_class c;

	t->ndim = stored_shape(x)->ndim;
	for (uint32_t i = 0; i < stored_classes(x); i++) {
		stored_class(x, i, &c);
		put_row(t, &(struct class_row){.id = c.id,
					       .count = c.count,
					       .start = c.start,
					       .stop = c.stop});
	}
}

/* Which index the rows to come are from. */
static void begin(struct table *t, const char *index)
{
	t->index = index;
	if (!t->json)
		return;
	json_out_text(t->json, "index", index, strlen(index));
	json_out_open(t->json, "classes", '[');
}

static void end(const struct table *t)
{
	if (t->json)
		json_out_close(t->json, ']');
}

/* From the index that is at hand: the exact one, else that of the file. */
static int put_classes(struct tree *t, uint32_t dir, struct table *out,
		       struct wait *w)
{
	struct label_stored stored;
	struct index_look exact;
	int err;

	err = label_index_look(t, out->pin, dir, w, &exact);
	if (err == -EAGAIN || err == -ERESTART || err == -ENOMEM)
		return err;
	if (err == 0) {
		begin(out, "exact");
		put_exact(out, exact.index);
		end(out);
		label_index_unlook(t, &exact);
		return 0;
	}
	err = label_stored_look(t, out->pin, dir, w, &stored);
	if (err == -EAGAIN || err == -ERESTART || err == -ENOMEM)
		return err;
	if (err == 0) {
		begin(out, "stored");
		put_stored(out, stored.pin.index);
		end(out);
		label_stored_put(&stored);
	} else if (out->json) {
		json_out_value(out->json, "index", json_null_new());
		json_out_value(out->json, "classes", json_null_new());
	}
	return 0;
}

int classes_json(struct tree *t, uint32_t dir, struct wait *w, FILE *f)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	CLEANUP(cleanup_freep) char *path = NULL;
	CLEANUP(cleanup_freep) void *data = NULL;
	struct json_out o;
	struct pin pin;
	size_t size;
	int err = pin_get(t, d, w, &pin);

	if (err < 0)
		return err;
	path = tree_inner_path(t, dir);
	err = pin_check(&pin, d);
	if (err == 0)
		err = path ? json_out_init(&o) : -ENOMEM;
	if (err == 0) {
		struct table table = {.json = &o, .pin = &pin, .label = d};

		json_out_value(&o, "array", json_str_new(path));
		err = put_classes(t, dir, &table, w);
		if (err == 0)
			err = json_out_finish(&o, &data, &size);
		else
			json_out_fini(&o);
	}
	if (err == 0)
		fwrite(data, 1, size, f);
	pin_put(&pin);
	return err;
}

/* ------------------------------------------------------------------- csv */

static int add_array(struct tree *t, uint32_t dir, const struct dir *d,
		     struct wait *w, FILE *f)
{
	CLEANUP(cleanup_freep) char *path = NULL;
	const size_t n = dirs_path(t->dirs, DIR_ROOT, dir, NULL, 0) + 1;
	struct table table = {.csv = f, .label = d};
	struct pin pin;
	int err;

	path = malloc(n);
	err = path ? pin_get(t, d, w, &pin) : -ENOMEM;
	if (err == -EAGAIN || err == -ERESTART || err == -ENOMEM)
		return err;
	/* What cannot be read now is not of this list. */
	if (err < 0)
		return 0;
	dirs_path(t->dirs, DIR_ROOT, dir, path, n);
	table.path = path;
	table.pin = &pin;
	if (pin_check(&pin, d) == 0)
		err = put_classes(t, dir, &table, w);
	pin_put(&pin);
	return err;
}

int classes_csv(struct tree *t, struct wait *w, FILE *f)
{
	const uint32_t n = dirs_count(t->dirs);
	int err = 0;

	fputs("array,class,name,count,box,index\n", f);
	for (uint32_t i = 0; i < n && err == 0; i++) {
		const struct dir *d = dirs_at(t->dirs, i);

		if (label_accepts(t, d))
			err = add_array(t, i, d, w, f);
	}
	return err;
}
