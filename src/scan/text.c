/* SPDX-License-Identifier: MIT */

/*
 * Words for people: problems, types that are not served, reasons. Names that
 * come from the file end up in them, so every byte is made printable.
 */

#include <config.h>

#include "scan/scan_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_add(struct text *t, const char *fmt, ...)
{
	size_t room = sizeof(t->s) - t->n;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->s + t->n, room, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	size_t end = t->n + (size_t)n;
	if ((size_t)n >= room) {
		end = sizeof(t->s) - 1;
		memcpy(t->s + end - 3, "...", 3);
	}
	for (; t->n < end; t->n++) {
		unsigned char c = (unsigned char)t->s[t->n];

		if (c < ' ' || c == 0x7f)
			t->s[t->n] = '?';
	}
}

static herr_t first_record(unsigned n, const H5E_error2_t *e, void *arg)
{
	struct text *t = arg;

	if (n == 0 && e->desc && e->desc[0])
		text_add(t, ": %s", e->desc);
	return 0;
}

void text_add_why(struct text *t)
{
	H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_record, t);
}
