/* SPDX-License-Identifier: MIT */

/*
 * The derived arrays of images: values in physical units, and where an image
 * holds data at all. They lie below the image's own array, which each level of
 * a pyramid is one of.
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "container/medh5_impl.h"

struct image {
	uint32_t object; /* array, or group of levels */
	double slope, intercept;
	bool rescale_broken;
	bool has_valid, valid_is_text;
	struct bytes valid;
};

static void read_image(const struct catalog *k, uint32_t object,
		       struct image *im)
{
	struct attr a;

	*im = (struct image){.object = object, .slope = 1};
	im->rescale_broken =
		medh5_real(k, object, "rescale_slope", &im->slope) == -EINVAL;
	im->rescale_broken |= medh5_real(k, object, "rescale_intercept",
					 &im->intercept) == -EINVAL;
	im->has_valid = catalog_attr_find(k, object, "valid_mask", &a) &&
			a.class != CAT_EMPTY;
	im->valid_is_text = catalog_text(k, object, "valid_mask", &im->valid);
}

static int add_physical(struct medh5 *x, const struct image *im, uint32_t array,
			const struct array_info *a, const struct medh5_grid *g)
{
	struct derived_info info = {
		.kind = DERIVED_PHYSICAL,
		MEDH5_NO_SOURCES,
		.slope = im->slope,
		.intercept = im->intercept,
	};
	static const char broken[] = "its rescale is no number";
	uint32_t object;
	int err = 0;

	info.data = array;
	if (im->slope == 1 && im->intercept == 0 && !im->rescale_broken)
		return 0;
	if (im->rescale_broken) {
		info.broken = (struct bytes){broken, strlen(broken)};
		err = medh5_say(x, array, "%s", broken);
	}
	if (!err)
		err = medh5_derive(x, array, (struct bytes){"physical", 8},
				   a->rank, a->dim, &info, &object);
	return err || !g ? err
			 : medh5_place(x, object, g, OBJECT_NONE, im->object);
}

/* Only on the grid of the mask is it known: not on each level of a pyramid. */
static int add_valid(struct medh5 *x, const struct image *im, uint32_t array,
		     const struct medh5_grid *g, bool is_first)
{
	struct derived_info info = {
		.kind = DERIVED_VALID,
		.encoding = LABELS_MASK,
		MEDH5_NO_SOURCES,
	};
	static const char broken[] =
		"its valid_mask is no mask on the same grid";
	uint32_t object;
	int err = 0;

	if (!im->has_valid)
		return 0;
	if (im->valid_is_text)
		info.data = medh5_mask(x, im->valid, g);
	if (info.data == OBJECT_NONE) {
		if (!is_first)
			return 0;
		info.broken = (struct bytes){broken, strlen(broken)};
		err = medh5_say(x, array, "%s", broken);
	}
	if (!err)
		err = medh5_derive(
			x, array, (struct bytes){"valid", 5}, g->nspatial,
			g->shape + g->rank - g->nspatial, &info, &object);
	return err ? err : medh5_place(x, object, g, OBJECT_NONE, im->object);
}

/* An image without levels, or one level. */
static int add_level(struct medh5 *x, const struct image *im, uint32_t array,
		     struct bytes grid, bool is_first)
{
	struct medh5_grid g;
	struct array_info a;
	bool has_grid = grid.n && medh5_grid_find(x, grid, &g);
	int err = 0;

	if (x->done[array])
		return 0;
	x->done[array] = 1;
	catalog_array(x->k, array, &a);
	if (!a.kind || a.is_null || a.rank > NDIM_MAX)
		return 0;
	if (has_grid && (a.rank != g.rank ||
			 memcmp(a.dim, g.shape, g.rank * sizeof(*a.dim)))) {
		has_grid = false;
		err = medh5_say(x, array,
				"its shape is not that of its grid, which is "
				"therefore not told");
	} else if (!has_grid) {
		err = medh5_say(x, array, "its grid is not there or not sound");
	}
	if (!err && has_grid)
		err = medh5_place(x, array, &g, OBJECT_NONE, im->object);
	if (!err)
		err = add_physical(x, im, array, &a, has_grid ? &g : NULL);
	if (!err && has_grid)
		err = add_valid(x, im, array, &g, is_first);
	return err;
}

static int add_pyramid(struct medh5 *x, const struct image *im)
{
	uint32_t group = im->object;
	struct attr grids;
	bool has_grids = catalog_attr_find(x->k, group, "grid_levels", &grids);
	int err = 0;

	/* Levels are named by their numbers, without gaps. */
	for (uint64_t i = 0; !err; i++) {
		struct bytes grid = {"", 0};
		char name[24];
		uint32_t array;

		snprintf(name, sizeof(name), "%llu", (unsigned long long)i);
		array = medh5_named(x->k, group, name);
		if (array == OBJECT_NONE || x->hidden[array] ||
		    catalog_kind(x->k, array) != OBJECT_ARRAY)
			break;
		if (has_grids)
			medh5_nth_text(&grids, i, &grid);
		err = add_level(x, im, array, grid, i == 0);
	}
	return err;
}

static int add_image(struct medh5 *x, uint32_t object)
{
	struct bytes grid = {"", 0};
	struct image im;

	read_image(x->k, object, &im);
	if (catalog_kind(x->k, object) == OBJECT_GROUP)
		return add_pyramid(x, &im);
	catalog_text(x->k, object, "grid", &grid);
	return add_level(x, &im, object, grid, true);
}

int medh5_images(struct medh5 *x)
{
	uint32_t all = medh5_named(x->k, x->root, "images");
	int err = 0;

	if (all == OBJECT_NONE || catalog_kind(x->k, all) != OBJECT_GROUP)
		return 0;
	for (uint32_t i = 0; i < catalog_members(x->k, all) && !err; i++) {
		struct member m;

		catalog_member(x->k, all, i, &m);
		if (m.kind == CAT_HARD && !x->hidden[m.target] &&
		    catalog_kind(x->k, m.target) != OBJECT_OTHER)
			err = add_image(x, m.target);
	}
	return err;
}
