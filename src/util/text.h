/* SPDX-License-Identifier: MIT */

/* Texts in memory of their own. NULL: out of memory. Caller frees. Any thread.
 */

#ifndef UTIL_TEXT_H
#define UTIL_TEXT_H

#include <stdarg.h>

char *text_new(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *text_vnew(const char *fmt, va_list ap)
	__attribute__((format(printf, 1, 0)));

#endif
