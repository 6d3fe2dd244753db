/* SPDX-License-Identifier: MIT */

/* The table of formats, and the layout that all linear ones have. */

#include <config.h>

#include "format/format.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "format/format_impl.h"
#include "util/checked.h"

/* Numbers are part of node ids: by place, from 1. */
static const struct format_ops *const table[] = {
	&format_npy,
	&format_raw,
};

#define COUNT (sizeof(table) / sizeof(table[0]))

unsigned format_count(void)
{
	return COUNT;
}

const struct format_ops *format_at(unsigned number)
{
	return number && number <= COUNT ? table[number - 1] : NULL;
}

unsigned format_by_ext(const char *ext, size_t n)
{
	for (unsigned i = 0; i < COUNT; i++)
		if (strlen(table[i]->ext) == n &&
		    !memcmp(table[i]->ext, ext, n))
			return i + 1;
	return 0;
}

int layout_linear(const struct item_type *t, size_t n, struct layout *out)
{
	uint64_t bytes, size;
	int r = shape_count(&t->shape, &bytes);

	if (r < 0)
		return r;
	if (!checked_mul(bytes, t->item_size, &bytes) ||
	    !checked_add(bytes, n, &size) || size > INT64_MAX)
		return -EOVERFLOW;
	assert(n <= sizeof(out->header));
	out->n = 0;
	if (n)
		out->seg[out->n++] = (struct segment){
			.kind = SEGMENT_MEM,
			.len = n,
			.mem = out->header,
		};
	out->seg[out->n++] = (struct segment){
		.kind = SEGMENT_VALUES,
		.len = bytes,
	};
	out->size = size;
	return 0;
}
