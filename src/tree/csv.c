/* SPDX-License-Identifier: MIT */

/*
 * index.csv of a grid: a row for each item, all of one width, so that any
 * byte of it can be had without the rows before. Numbers are filled up with
 * spaces on the left, items with zeros, as their files are called.
 */

#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tree/tree_impl.h"

#define LINE_MAX_BYTES 512 /* of 1 + 2 * NDIM_MAX numbers or names */

struct columns {
	unsigned digits;	  /* of the item */
	unsigned width[NDIM_MAX]; /* of a start or a stop on an axis */
	size_t row, header;	  /* bytes of a line */
	char text[LINE_MAX_BYTES];
};

bool view_has_csv(const struct view_spec *s)
{
	return s->kind == VIEW_SLICES || s->kind == VIEW_PATCHES;
}

static unsigned digits_of(uint64_t v)
{
	unsigned n = 1;

	for (; v >= 10; v /= 10)
		n++;
	return n;
}

static void set_columns(const struct view_geometry *g, struct columns *c)
{
	const struct sampling *s = &g->sampling;
	size_t n = (size_t)sprintf(c->text, "item");

	c->digits = item_digits(g->count);
	c->row = c->digits + 1;
	for (unsigned k = 0; k < s->ndim; k++) {
		const struct sample_axis *a = &s->axis[k];

		c->width[k] = digits_of(a->length + a->extent);
		c->row += 2 * (c->width[k] + 1);
		n += (size_t)sprintf(c->text + n, ",start_%u", k);
	}
	for (unsigned k = 0; k < s->ndim; k++)
		n += (size_t)sprintf(c->text + n, ",stop_%u", k);
	c->text[n++] = '\n';
	c->header = n;
}

static void set_row(const struct view_geometry *g, struct columns *c,
		    uint64_t item)
{
	const struct sampling *s = &g->sampling;
	int64_t start[NDIM_MAX];
	size_t n = item_print(item, c->digits, c->text);

	sample_start(s, item, start);
	for (unsigned k = 0; k < s->ndim; k++)
		n += (size_t)sprintf(c->text + n, ",%*" PRId64,
				     (int)c->width[k], start[k]);
	for (unsigned k = 0; k < s->ndim; k++)
		n += (size_t)sprintf(c->text + n, ",%*" PRId64,
				     (int)c->width[k],
				     start[k] + (int64_t)s->axis[k].extent);
	c->text[n] = '\n';
}

uint64_t csv_size(const struct view_geometry *g)
{
	struct columns c;

	set_columns(g, &c);
	/* 2^36 rows of less than 2^9 bytes. */
	return c.header + g->count * c.row;
}

void csv_read(const struct view_geometry *g, uint64_t off, size_t n, char *out)
{
	struct columns c;
	uint64_t item = 0;
	size_t len;

	set_columns(g, &c);
	len = c.header;
	if (off >= len) {
		item = (off - len) / c.row;
		off = (off - len) % c.row;
		if (n)
			set_row(g, &c, item++);
		len = c.row;
	}
	while (n > 0) {
		size_t part = n < len - off ? n : len - (size_t)off;

		memcpy(out, c.text + off, part);
		out += part;
		n -= part;
		off = 0;
		if (n > 0)
			set_row(g, &c, item++);
		len = c.row;
	}
}
