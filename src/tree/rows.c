/* SPDX-License-Identifier: MIT */

/* Rows in segments; a segment is published before any row in it. */

#include <config.h>

#include "tree/rows.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SEGMENT_BITS 9
#define SEGMENT_ROWS (1u << SEGMENT_BITS)

int rows_init(struct rows *r, size_t size, uint32_t max)
{
	r->size = size;
	r->max = max;
	r->segment = calloc((max >> SEGMENT_BITS) + 1, sizeof(*r->segment));
	return r->segment ? 0 : -ENOMEM;
}

void rows_fini(struct rows *r)
{
	if (!r->segment)
		return;
	for (uint32_t i = 0; i <= r->max >> SEGMENT_BITS; i++)
		free(r->segment[i]);
	free(r->segment);
}

uint32_t rows_count(const struct rows *r)
{
	return atomic_load_explicit(&r->n, memory_order_acquire);
}

void *rows_at(const struct rows *r, uint32_t i)
{
	char *segment = atomic_load_explicit(&r->segment[i >> SEGMENT_BITS],
					     memory_order_acquire);

	return segment + (i & (SEGMENT_ROWS - 1)) * r->size;
}

int rows_next(struct rows *r, void **row)
{
	uint32_t i = r->n;
	char *segment;

	if (i == r->max)
		return -ENOSPC;
	if (!r->segment[i >> SEGMENT_BITS]) {
		segment = calloc(SEGMENT_ROWS, r->size);
		if (!segment)
			return -ENOMEM;
		atomic_store_explicit(&r->segment[i >> SEGMENT_BITS], segment,
				      memory_order_release);
	}
	*row = rows_at(r, i);
	return 0;
}

uint32_t rows_publish(struct rows *r)
{
	uint32_t i = r->n;

	atomic_store_explicit(&r->n, i + 1, memory_order_release);
	return i;
}

_Atomic uint32_t *heads_new(uint32_t n)
{
	_Atomic uint32_t *heads = malloc(n * sizeof(*heads));

	for (uint32_t i = 0; heads && i < n; i++)
		atomic_init(&heads[i], ROW_NONE);
	return heads;
}

uint32_t heads_get(const _Atomic uint32_t *head)
{
	return atomic_load_explicit(head, memory_order_acquire);
}

void heads_set(_Atomic uint32_t *head, uint32_t row)
{
	atomic_store_explicit(head, row, memory_order_release);
}
