/* SPDX-License-Identifier: MIT */

/*
 * An array in memory, for tests of what reads arrays: it counts how often each
 * element is read, and fails or waits where it is told to.
 */

#ifndef TESTS_MEMORY_ARRAY_H
#define TESTS_MEMORY_ARRAY_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"

struct memory_array {
	struct array base; /* first */
	unsigned char *data;
	_Atomic unsigned char *times; /* of each element; may be NULL */
	_Atomic uint64_t largest;     /* bytes of one read */
	_Atomic uint64_t reads;
	uint64_t bad_read; /* number of the read that fails, from 1; 0: none */
	int error;	   /* what it returns */
};

static inline int memory_array_read(const struct array *a,
				    const struct region *item,
				    const struct region *box, void *out,
				    const uint64_t stride[NDIM_MAX],
				    struct wait *w)
{
	/* Only what counts is written to. */
	struct memory_array *m = (struct memory_array *)(uintptr_t)a;
	uint64_t at[NDIM_MAX] = {0}, step[NDIM_MAX], bytes = a->item_size, most;
	uint64_t nth = atomic_fetch_add(&m->reads, 1) + 1;
	unsigned k = 0;

	(void)item;
	(void)w;
	if (m->bad_read == nth)
		return m->error;
	shape_strides(&a->shape, step);
	for (unsigned i = 0; i < box->ndim; i++)
		bytes *= box->extent[i];
	most = atomic_load(&m->largest);
	while (bytes > most &&
	       !atomic_compare_exchange_weak(&m->largest, &most, bytes))
		;
	do {
		uint64_t from = 0, to = 0;

		for (unsigned i = 0; i < box->ndim; i++) {
			from += (box->start[i] + at[i]) * step[i];
			to += at[i] * stride[i];
		}
		memcpy((unsigned char *)out + to * a->item_size,
		       m->data + from * a->item_size, a->item_size);
		if (m->times)
			atomic_fetch_add(&m->times[from], 1);
		for (k = box->ndim; k-- > 0;) {
			if (++at[k] < box->extent[k])
				break;
			at[k] = 0;
		}
	} while (k < box->ndim);
	return 0;
}

static inline uint64_t memory_array_cost(const struct array *a,
					 const struct region *box)
{
	(void)a;
	(void)box;
	return 0;
}

static const struct array_ops memory_array_ops = {
	.name = "memory",
	.read_box = memory_array_read,
	.decode_bytes = memory_array_cost,
};

/* Zeros. */
static inline void memory_array_init(struct memory_array *m,
				     const struct shape *s, char kind,
				     unsigned item_size)
{
	uint64_t n;

	memset(m, 0, sizeof(*m));
	if (shape_count(s, &n) < 0)
		abort();
	m->base.ops = &memory_array_ops;
	m->base.shape = *s;
	m->base.kind = kind;
	m->base.item_size = item_size;
	m->data = calloc(n + 1, item_size);
	m->times = calloc(n + 1, 1);
	if (!m->data || !m->times)
		abort();
}

static inline void memory_array_fini(struct memory_array *m)
{
	free(m->data);
	free((void *)m->times);
}

#endif
