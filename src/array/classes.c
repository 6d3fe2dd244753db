/* SPDX-License-Identifier: MIT */

/*
 * Classes by the planes of the data that have their voxels: each plane is read
 * once, whatever it has.
 */

#include <config.h>

#include "array/derived_impl.h"

#include <stdlib.h>

#include "util/cleanup.h"

static int by_plane(const void *a, const void *b)
{
	const struct class_at *x = a, *y = b;

	return (x->plane > y->plane) - (x->plane < y->plane);
}

struct class_at *classes_by_plane(const struct derived *d)
{
	unsigned n = d->info.nclass;
	struct class_at *all = calloc(n + 1u, sizeof(*all));

	if (!all)
		return NULL;
	for (unsigned i = 0; i < n; i++)
		all[i] = (struct class_at){
			.plane = d->info.class[i].plane,
			.id = d->info.class[i].id,
		};
	if (d->info.encoding == LABELS_MAP)
		for (unsigned i = 0; i < n; i++)
			all[i].plane = 0;
	qsort(all, n, sizeof(*all), by_plane);
	return all;
}

uint32_t classes_plane(const struct derived *d, const struct class_at *c)
{
	return d->info.encoding == LABELS_BITMASK ? c->plane / 64 : c->plane;
}

unsigned classes_same(const struct derived *d, const struct class_at *c,
		      unsigned n)
{
	unsigned i = 0;

	while (i < n && classes_plane(d, c + i) == classes_plane(d, c))
		i++;
	return i;
}

uint64_t planes_cost(const struct array *a, uint64_t n,
		     const struct region *box)
{
	struct region r = {.ndim = box->ndim + 1, .extent = {n}};

	if (n == 0)
		return 0;
	for (unsigned k = 0; k < box->ndim; k++) {
		r.start[k + 1] = box->start[k];
		r.extent[k + 1] = box->extent[k];
	}
	return a->ops->decode_bytes(a, &r);
}

uint64_t classes_cost(const struct derived *d, const struct region *box)
{
	const struct array *a = d->source[SOURCE_DATA];
	CLEANUP(cleanup_freep) struct class_at *all = NULL;
	uint64_t sum = 0;

	if (d->info.encoding == LABELS_INSTANCES)
		return instances_cost(d);
	if (d->info.encoding == LABELS_MAP)
		return a->ops->decode_bytes(a, box);
	all = classes_by_plane(d);
	for (unsigned i = 0, same; all && i < d->info.nclass; i += same) {
		same = classes_same(d, all + i, d->info.nclass - i);
		/* Any plane is stored as the first is. */
		sum = add_cost(sum, planes_cost(a, 1, box));
	}
	return sum;
}
