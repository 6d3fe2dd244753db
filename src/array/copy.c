/* SPDX-License-Identifier: MIT */

/*
 * Copies between strided boxes. The plan merges axes, so that a copy of whole
 * trailing axes is few long rows, and one that takes single elements (a slice
 * across the last axis) is one loop for each size of element.
 */

#include <config.h>

#include "array/array_impl.h"

#include <string.h>

void copy_plan(struct copy *p, unsigned ndim, unsigned item_size,
	       const uint64_t *extent, const uint64_t *dst_stride,
	       const uint64_t *src_stride)
{
	p->ndim = 0;
	p->row = item_size;
	for (unsigned k = ndim; k-- > 0;) {
		uint64_t dst = dst_stride[k] * item_size;
		uint64_t src = src_stride[k] * item_size;
		unsigned last = p->ndim - 1;

		if (extent[k] == 0) {
			p->row = 0;
			p->ndim = 0;
			return;
		}
		if (extent[k] == 1)
			continue;
		if (p->ndim == 0 && dst == p->row && src == p->row) {
			p->row *= extent[k];
		} else if (p->ndim > 0 && dst == p->dst[last] * p->n[last] &&
			   src == p->src[last] * p->n[last]) {
			p->n[last] *= extent[k];
		} else {
			p->n[p->ndim] = extent[k];
			p->dst[p->ndim] = dst;
			p->src[p->ndim] = src;
			p->ndim++;
		}
	}
}

uint64_t copy_one_run(unsigned ndim, unsigned item_size, const uint64_t *extent,
		      const uint64_t *stride)
{
	struct copy p;

	copy_plan(&p, ndim, item_size, extent, stride, stride);
	return p.ndim == 0 ? p.row : 0;
}

bool copy_next(const struct copy *p, struct copy_walk *k)
{
	if (!k->started) {
		k->started = true;
		k->n = p->ndim ? p->n[0] : 1;
		k->dst_step = p->ndim ? p->dst[0] : 0;
		k->src_step = p->ndim ? p->src[0] : 0;
		return p->row > 0;
	}
	for (unsigned i = 1; i < p->ndim; i++) {
		k->dst += p->dst[i];
		k->src += p->src[i];
		if (++k->at[i] < p->n[i])
			return true;
		k->at[i] = 0;
		k->dst -= p->dst[i] * p->n[i];
		k->src -= p->src[i] * p->n[i];
	}
	return false;
}

/* With a constant size memcpy is one load and one store, aligned or not. */
#define ROWS(size)                                                     \
	do {                                                           \
		for (uint64_t i = 0; i < n; i++)                       \
			memcpy(to + i * dst_step, from + i * src_step, \
			       (size));                                \
	} while (0)

void copy_rows(void *dst, uint64_t dst_step, const void *src, uint64_t src_step,
	       uint64_t n, uint64_t row)
{
	unsigned char *to = dst;
	const unsigned char *from = src;

	switch (row) {
	case 1:
		ROWS(1);
		break;
	case 2:
		ROWS(2);
		break;
	case 4:
		ROWS(4);
		break;
	case 8:
		ROWS(8);
		break;
	default:
		ROWS(row);
		break;
	}
}

void copy_run(const struct copy *p, void *dst, const void *src)
{
	struct copy_walk k = {0};

	while (copy_next(p, &k))
		copy_rows((unsigned char *)dst + k.dst, k.dst_step,
			  (const unsigned char *)src + k.src, k.src_step, k.n,
			  p->row);
}

/* row is a multiple of item_size. */
static void fill_row(unsigned char *to, uint64_t row, const void *item,
		     unsigned item_size)
{
	uint64_t done = item_size;

	memcpy(to, item, item_size);
	while (done < row) {
		uint64_t n = done < row - done ? done : row - done;

		memcpy(to + done, to, n);
		done += n;
	}
}

void copy_fill(const struct copy *p, void *dst, const void *item,
	       unsigned item_size)
{
	const unsigned char *b = item;
	/* All bytes are one, as of zero. */
	bool is_byte = memcmp(b, b + 1, item_size - 1) == 0;
	struct copy_walk k = {0};

	while (copy_next(p, &k)) {
		unsigned char *to = (unsigned char *)dst + k.dst;

		for (uint64_t i = 0; i < k.n; i++, to += k.dst_step) {
			if (is_byte)
				memset(to, b[0], p->row);
			else
				fill_row(to, p->row, item, item_size);
		}
	}
}
