/* SPDX-License-Identifier: MIT */

/* What vasprintf leaves behind when it fails is not defined: here it is. */

#include <config.h>

#include "util/text.h"

#include <stdio.h>

char *text_vnew(const char *fmt, va_list ap)
{
	char *text;

	return vasprintf(&text, fmt, ap) < 0 ? NULL : text;
}

char *text_new(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = text_vnew(fmt, ap);
	va_end(ap);
	return text;
}
