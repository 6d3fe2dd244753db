/* SPDX-License-Identifier: MIT */

/* Where an image holds data: the mask it names, as 0 and 1. */

#include <config.h>

#include "array/derived_impl.h"

static void is_true(const void *arg, void *out, const void *in, uint64_t n)
{
	const struct piece *p = arg;

	voxels_true(out, in, n, p->in_size);
}

static int valid_piece(struct piece *p)
{
	int err = piece_load(p, p->d->source[SOURCE_DATA], NULL);

	if (err)
		return err;
	piece_clear(p);
	piece_rows(p, is_true, p);
	return 0;
}

static int valid_read_box(const struct array *a, const struct region *item,
			  const struct region *box, void *out,
			  const uint64_t stride[NDIM_MAX], struct wait *w)
{
	const struct derived *d = (const struct derived *)a;

	return piece_each(d, item, box, out, stride, w, valid_piece, NULL);
}

static uint64_t valid_decode_bytes(const struct array *a,
				   const struct region *box)
{
	const struct derived *d = (const struct derived *)a;
	const struct array *data = d->source[SOURCE_DATA];

	return data->ops->decode_bytes(data, box);
}

static const char *valid_check(const struct derived *d)
{
	return d->source[SOURCE_DATA] ? derived_check_mask(d, SOURCE_DATA)
				      : "its mask cannot be read";
}

const struct derived_kind_ops derived_valid = {
	.ops = {.name = "valid",
		.read_box = valid_read_box,
		.decode_bytes = valid_decode_bytes},
	.kind = 'b',
	.item_size = 1,
	.check = valid_check,
};
