/* SPDX-License-Identifier: MIT */

/*
 * Allocations that fail when they are told to, for programs that are linked
 * with --wrap=malloc,--wrap=calloc,--wrap=realloc. Included once. Any thread.
 */

#ifndef FAULT_FAILING_H
#define FAULT_FAILING_H

#include <stdbool.h>
#include <stddef.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

/* Allocations until one fails; less than 0: none does. */
static _Atomic long left = -1;

static bool fails(void)
{
	return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

#endif
