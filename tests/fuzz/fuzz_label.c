/* SPDX-License-Identifier: MIT */

/*
 * The input: a block that says it is an index, of the shape that it names. Of
 * what is accepted each class is asked for, and all of it, trimmed to all of
 * it, has to be the same block again.
 */

#include <config.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "index/index_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct label_index *x, uint32_t i, int64_t *id)
{
	const struct shape *s = label_index_shape(x);
	struct label_class c;

	label_index_class(x, i, &c);
	*id = c.id;
	if (label_index_find(x, c.id) != i || c.count == 0)
		abort();
	for (unsigned k = 0; k < 3; k++) {
		const uint64_t nth = k == 0   ? 0
				     : k == 1 ? c.count / 2
					      : c.count - 1;
		uint64_t at[NDIM_MAX];

		label_index_voxel(x, i, nth, at);
		for (unsigned a = 0; a < s->ndim; a++)
			if (at[a] < c.start[a] || at[a] >= c.stop[a] ||
			    at[a] >= s->dim[a])
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t none[NDIM_MAX] = {0};
	struct label_index head;
	struct shape shape;
	void *x, *again;
	int64_t *id;
	size_t n;

	if (size < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	shape = head.shape;
	/* As malloc places it, which is how blocks are read. */
	x = malloc(size);
	if (!x)
		return 0;
	memcpy(x, data, size);
	if (label_index_check(x, size, &shape) == 0) {
		const uint32_t classes = label_index_classes(x);

		id = malloc((classes + 1) * sizeof(*id));
		for (uint32_t i = 0; id && i < classes; i++)
			ask(x, i, &id[i]);
		if (id && label_index_trim(x, id, classes, none, shape.dim,
					   SIZE_MAX, &again, &n) == 0) {
			if (n != size || memcmp(again, x, n) != 0)
				abort();
			free(again);
		}
		free(id);
	}
	free(x);
	return 0;
}
