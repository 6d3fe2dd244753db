/* SPDX-License-Identifier: MIT */

/*
 * NumPy's format, version 1.0, spelled as NumPy spells it: readers in other
 * languages look for the very characters. The header has 128 bytes, as NumPy's
 * has for all shapes there can be: eight axes of at most 2^63 - 1 elements
 * together have at most 26 digits.
 */

#include <config.h>

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "format/format_impl.h"

#define PREAMBLE 10 /* magic, version, length */
#define HEADER 128

static bool npy_accepts(const struct item_type *t)
{
	switch (t->kind) {
	case 'i':
	case 'u':
		return t->item_size == 1 || t->item_size == 2 ||
		       t->item_size == 4 || t->item_size == 8;
	case 'f':
		return t->item_size == 2 || t->item_size == 4 ||
		       t->item_size == 8;
	case 'b':
		return t->item_size == 1;
	default:
		return false;
	}
}

/* Appends at *n. */
static void __attribute__((format(printf, 3, 4)))
append(struct layout *l, size_t *n, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = vsnprintf(l->header + *n, HEADER - *n, fmt, ap);
	va_end(ap);
	assert(r >= 0 && (size_t)r < HEADER - *n);
	*n += (size_t)r;
}

static int npy_layout(const struct item_type *t, struct layout *out)
{
	size_t n = PREAMBLE;
	int r = layout_linear(t, HEADER, out);

	if (r < 0)
		return r;
	memcpy(out->header, "\x93NUMPY\x01\x00", 8);
	out->header[8] = HEADER - PREAMBLE;
	out->header[9] = 0;
	append(out, &n,
	       "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
	       t->item_size == 1 ? '|' : '<', t->kind, t->item_size);
	for (unsigned a = 0; a < t->shape.ndim; a++)
		append(out, &n, "%s%" PRIu64, a ? ", " : "", t->shape.dim[a]);
	append(out, &n, "%s), }", t->shape.ndim == 1 ? "," : "");
	memset(out->header + n, ' ', HEADER - n - 1);
	out->header[HEADER - 1] = '\n';
	return 0;
}

const struct format_ops format_npy = {
	.ext = "npy",
	.help = "NumPy array, version 1.0, little endian, C order",
	.accepts = npy_accepts,
	.layout = npy_layout,
};
