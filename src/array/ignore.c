/* SPDX-License-Identifier: MIT */

/*
 * The region that is to be ignored: what the data themselves say, in any of
 * their layers, and what the mask beside them says.
 */

#include <config.h>

#include "array/derived_impl.h"

/* The data say it at all. */
static bool is_in_band(const struct derived *d)
{
	return d->info.ignore_in_band && (d->info.encoding == LABELS_MAP ||
					  d->info.encoding == LABELS_LAYERS);
}

static void is_id(const void *arg, void *out, const void *in, uint64_t n)
{
	const struct piece *p = arg;

	voxels_equal(out, in, n, p->in_size, p->d->info.ignore_id);
}

static void is_true(const void *arg, void *out, const void *in, uint64_t n)
{
	const struct piece *p = arg;

	voxels_true(out, in, n, p->in_size);
}

static int add_data(struct piece *p)
{
	const struct array *a = p->d->source[SOURCE_DATA];
	bool has_planes = p->d->info.encoding == LABELS_LAYERS;
	uint64_t n = has_planes ? a->shape.dim[0] : 1;
	int err = 0;

	for (uint64_t plane = 0; plane < n && !err; plane++) {
		err = piece_load(p, a, has_planes ? &plane : NULL);
		if (!err)
			piece_rows(p, is_id, p);
	}
	return err;
}

static int ignore_piece(struct piece *p)
{
	const struct array *mask = p->d->source[SOURCE_IGNORE];
	int err = 0;

	piece_clear(p);
	if (is_in_band(p->d))
		err = add_data(p);
	if (!err && mask)
		err = piece_load(p, mask, NULL);
	if (!err && mask)
		piece_rows(p, is_true, p);
	return err;
}

static int ignore_read_box(const struct array *a, const struct region *item,
			   const struct region *box, void *out,
			   const uint64_t stride[NDIM_MAX], struct wait *w)
{
	const struct derived *d = (const struct derived *)a;

	return piece_each(d, item, box, out, stride, w, ignore_piece, NULL);
}

static uint64_t ignore_decode_bytes(const struct array *a,
				    const struct region *box)
{
	const struct derived *d = (const struct derived *)a;
	const struct array *data = d->source[SOURCE_DATA];
	const struct array *mask = d->source[SOURCE_IGNORE];
	uint64_t n = 0;

	if (is_in_band(d))
		n = d->info.encoding == LABELS_LAYERS
			    ? planes_cost(data, data->shape.dim[0], box)
			    : data->ops->decode_bytes(data, box);
	return mask ? add_cost(n, mask->ops->decode_bytes(mask, box)) : n;
}

static const char *ignore_check(const struct derived *d)
{
	const char *why = is_in_band(d) ? derived_check_voxels(d) : NULL;

	return why ? why : derived_check_mask(d, SOURCE_IGNORE);
}

const struct derived_kind_ops derived_ignore = {
	.ops = {.name = "ignore",
		.read_box = ignore_read_box,
		.decode_bytes = ignore_decode_bytes},
	.kind = 'b',
	.item_size = 1,
	.check = ignore_check,
};
