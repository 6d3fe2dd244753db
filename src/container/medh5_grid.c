/* SPDX-License-Identifier: MIT */

/* Grids of a medh5 sample, and masks on them. Pure. */

#include <config.h>

#include <string.h>

#include "container/medh5_impl.h"

/* Of the axes only the last two or three are spatial, all in a row. */
static bool read_kinds(const struct catalog *k, struct medh5_grid *g)
{
	struct bytes kind;
	struct attr a;

	if (!catalog_attr_find(k, g->object, "axis_kinds", &a) ||
	    a.count != g->rank)
		return false;
	for (unsigned i = 0; i < g->rank; i++) {
		if (!medh5_nth_text(&a, i, &kind))
			return false;
		if (medh5_text_is(kind, "spatial"))
			g->nspatial++;
		else if (g->nspatial)
			return false;
	}
	return g->nspatial == 2 || g->nspatial == 3;
}

static void read_hint(const struct catalog *k, struct medh5_grid *g)
{
	struct attr a;
	int64_t v;

	if (!catalog_attr_find(k, g->object, "patch_hint", &a) ||
	    a.count != g->nspatial)
		return;
	for (unsigned i = 0; i < g->nspatial; i++) {
		if (!medh5_nth_int(&a, i, &v) || v < 1)
			return;
		g->hint[i] = (uint64_t)v;
	}
	g->nhint = g->nspatial;
}

bool medh5_grid_of(const struct medh5 *x, uint32_t object,
		   struct medh5_grid *out)
{
	struct medh5_grid g = {.object = object};
	struct attr a;
	int64_t v;

	if (object == OBJECT_NONE || catalog_kind(x->k, object) != OBJECT_GROUP)
		return false;
	if (!catalog_attr_find(x->k, object, "shape", &a) || a.rank != 1 ||
	    a.count < 2 || a.count > NDIM_MAX)
		return false;
	g.rank = (unsigned)a.count;
	for (unsigned i = 0; i < g.rank; i++) {
		if (!medh5_nth_int(&a, i, &v) || v < 0)
			return false;
		g.shape[i] = (uint64_t)v;
	}
	if (!read_kinds(x->k, &g))
		return false;
	read_hint(x->k, &g);
	*out = g;
	return true;
}

bool medh5_grid_find(const struct medh5 *x, struct bytes name,
		     struct medh5_grid *out)
{
	uint32_t grids = medh5_named(x->k, x->root, "grids");

	if (grids == OBJECT_NONE || catalog_kind(x->k, grids) != OBJECT_GROUP)
		return false;
	if (!medh5_grid_of(x, medh5_member(x->k, grids, name), out))
		return false;
	out->name = name;
	return true;
}

/* Whether the last axes of an array are the spatial ones of a grid. */
static bool is_on(const struct array_info *a, const struct medh5_grid *g)
{
	return a->rank == g->nspatial && !a->is_null &&
	       !memcmp(a->dim, g->shape + g->rank - g->nspatial,
		       g->nspatial * sizeof(*a->dim));
}

uint32_t medh5_mask(const struct medh5 *x, struct bytes id,
		    const struct medh5_grid *g)
{
	uint32_t all = medh5_named(x->k, x->root, "annotations"), mask, data;
	const char *slash = id.n ? memrchr(id.p, '/', id.n) : NULL;
	struct bytes kind, grid;
	struct medh5_grid its;
	struct array_info a;

	if (slash)
		id = (struct bytes){slash + 1,
				    id.n - (size_t)(slash + 1 - id.p)};
	if (all == OBJECT_NONE || catalog_kind(x->k, all) != OBJECT_GROUP)
		return OBJECT_NONE;
	mask = medh5_member(x->k, all, id);
	if (mask == OBJECT_NONE || catalog_kind(x->k, mask) != OBJECT_GROUP ||
	    !catalog_text(x->k, mask, "kind", &kind) ||
	    !medh5_text_is(kind, "mask") ||
	    !catalog_text(x->k, mask, "grid", &grid) ||
	    !medh5_grid_find(x, grid, &its) || its.object != g->object)
		return OBJECT_NONE;
	data = medh5_named(x->k, mask, "data");
	if (data == OBJECT_NONE || catalog_kind(x->k, data) != OBJECT_ARRAY)
		return OBJECT_NONE;
	catalog_array(x->k, data, &a);
	if ((a.kind != 'b' && a.kind != 'u' && a.kind != 'i') ||
	    a.item_size != 1 || !is_on(&a, g))
		return OBJECT_NONE;
	return data;
}
