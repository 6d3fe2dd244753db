/* SPDX-License-Identifier: MIT */

/*
 * The layout is that of util/json.c: two spaces, a final newline. Out of
 * memory is remembered and comes out at the end.
 */

#include <config.h>

#include "tree/json_out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tree/number.h"
#include "util/checked.h"
#include "util/json.h"

int json_out_init(struct json_out *o)
{
	memset(o, 0, sizeof(*o));
	o->f = open_memstream(&o->text, &o->n);
	if (!o->f)
		return -ENOMEM;
	fputc('{', o->f);
	o->depth = 1;
	o->first = true;
	return 0;
}

int json_out_finish(struct json_out *o, void **data, size_t *size)
{
	FILE *f = o->f;

	json_out_close(o, '}');
	fputc('\n', f);
	o->failed |= ferror(f) != 0;
	o->f = NULL;
	if (fclose(f) != 0 || o->failed) {
		free(o->text);
		o->text = NULL;
		return -ENOMEM;
	}
	*data = o->text;
	*size = o->n;
	o->text = NULL;
	return 0;
}

void json_out_fini(struct json_out *o)
{
	if (o->f)
		fclose(o->f);
	o->f = NULL;
	free(o->text);
	o->text = NULL;
}

static void indent(struct json_out *o)
{
	for (unsigned i = 0; i < o->depth; i++)
		fputs("  ", o->f);
}

/* A small value, its lines indented to where it stands. Takes j. */
static void put_value(struct json_out *o, struct json *j)
{
	char *text = NULL;
	size_t n = 0;

	if (!j || json_dump(j, &text, &n) < 0) {
		o->failed = true;
		json_free(j);
		return;
	}
	if (n > 0 && text[n - 1] == '\n')
		n--;
	for (size_t i = 0; i < n; i++) {
		fputc(text[i], o->f);
		if (text[i] == '\n')
			indent(o);
	}
	free(text);
	json_free(j);
}

static void begin(struct json_out *o, const char *key)
{
	fputs(o->first ? "\n" : ",\n", o->f);
	o->first = false;
	indent(o);
	if (key)
		fprintf(o->f, "\"%s\": ", key);
}

void json_out_value(struct json_out *o, const char *key, struct json *value)
{
	begin(o, key);
	put_value(o, value);
}

void json_out_member(struct json_out *o, const char *key, size_t n,
		     struct json *value)
{
	begin(o, NULL);
	put_value(o, json_text_new(key, n));
	fputs(": ", o->f);
	put_value(o, value);
}

void json_out_text(struct json_out *o, const char *key, const char *s, size_t n)
{
	json_out_value(o, key, json_text_new(s, n));
}

void json_out_line(void *o, const char *s, size_t n)
{
	json_out_text(o, NULL, s, n);
}

void json_out_open(struct json_out *o, const char *key, char bracket)
{
	begin(o, key);
	fputc(bracket, o->f);
	o->depth++;
	o->first = true;
}

void json_out_close(struct json_out *o, char bracket)
{
	o->depth--;
	if (!o->first) {
		fputc('\n', o->f);
		indent(o);
	}
	fputc(bracket, o->f);
	o->first = false;
}

void json_out_pairs(struct json_out *o, const char *key,
		    const uint64_t (*pair)[2], unsigned n)
{
	begin(o, key);
	fputc('[', o->f);
	for (unsigned i = 0; i < n; i++)
		fprintf(o->f, "%s[%" PRIu64 ", %" PRIu64 "]", i ? ", " : "",
			pair[i][0], pair[i][1]);
	fputc(']', o->f);
}

void json_out_row(struct json_out *o)
{
	begin(o, NULL);
	fputc('{', o->f);
	o->first = true;
}

static void field(struct json_out *o, const char *key)
{
	fprintf(o->f, "%s\"%s\": ", o->first ? "" : ", ", key);
	o->first = false;
}

void json_out_field_text(struct json_out *o, const char *key, const char *s,
			 size_t n)
{
	field(o, key);
	put_value(o, json_text_new(s, n));
}

void json_out_field_shape(struct json_out *o, const char *key, unsigned n,
			  const uint64_t *dim)
{
	field(o, key);
	put_value(o, json_of_shape(n, dim));
}

void json_out_field_number(struct json_out *o, const char *key, uint64_t v)
{
	field(o, key);
	put_value(o, json_uint_new(v));
}

void json_out_field_bool(struct json_out *o, const char *key, bool v)
{
	field(o, key);
	fputs(v ? "true" : "false", o->f);
}

void json_out_field_null(struct json_out *o, const char *key)
{
	field(o, key);
	fputs("null", o->f);
}

void json_out_row_end(struct json_out *o)
{
	fputc('}', o->f);
	o->first = false;
}

struct json *json_of_shape(unsigned n, const uint64_t *dim)
{
	struct json *j = json_array_new();

	for (unsigned k = 0; k < n; k++)
		json_append(j, json_uint_new(dim[k]));
	return j;
}

/* ------------------------------------------------------------ attributes */

/* Elements in C order, one after the other. */
struct elements {
	const struct attr *a;
	const char *p, *end;
};

static struct json *next_string(struct elements *e)
{
	const char *s;
	uint32_t n;

	if ((size_t)(e->end - e->p) < sizeof(n))
		return json_null_new();
	memcpy(&n, e->p, sizeof(n));
	e->p += sizeof(n);
	if (n > (size_t)(e->end - e->p))
		n = (uint32_t)(e->end - e->p);
	s = e->p;
	e->p += n;
	return json_text_new(s, n);
}

static struct json *next_element(struct elements *e)
{
	const char *v = e->p;

	if (e->a->class == CAT_STRINGS)
		return next_string(e);
	if ((size_t)(e->end - e->p) < e->a->item_size)
		return json_null_new();
	e->p += e->a->item_size;
	return number_json(v, e->a->kind, e->a->item_size, '<');
}

static struct json *nested(struct elements *e, unsigned axis)
{
	struct json *j;

	if (axis == e->a->rank)
		return next_element(e);
	j = json_array_new();
	/* The data bound this: an axis of 10^9 has its elements, or is cut. */
	for (uint64_t i = 0; i < e->a->dim[axis] && e->p < e->end; i++)
		json_append(j, nested(e, axis + 1));
	return j;
}

struct json *json_of_attr(const struct attr *a)
{
	struct elements e = {a, a->data.p, a->data.p + a->data.n};
	struct json *j;

	switch (a->class) {
	case CAT_NUMBERS:
	case CAT_STRINGS:
		if (a->item_size == 0 && a->class == CAT_NUMBERS)
			break;
		return nested(&e, 0);
	case CAT_UNSHOWN:
		j = json_object_new();
		json_set(j, "unshown", json_text_new(a->data.p, a->data.n));
		return j;
	case CAT_EMPTY:
	case CAT_PLACES: /* of no value that is handed out */
		break;
	}
	return json_null_new();
}

void json_out_attributes(struct json_out *o, const struct catalog *k,
			 uint32_t object)
{
	struct json *j = json_object_new();

	for (uint32_t i = 0; i < catalog_attrs(k, object); i++) {
		struct attr a;

		catalog_attr(k, object, i, &a);
		json_set_n(j, a.name.p, a.name.n, json_of_attr(&a));
	}
	json_out_value(o, "attributes", j);
}
