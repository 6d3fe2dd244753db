/* SPDX-License-Identifier: MIT */

/* What reading an item of a view costs at worst. Pure; any thread. */

#ifndef TREE_COST_H
#define TREE_COST_H

#include <stdint.h>

#include "array/array.h"
#include "tree/view.h"

/*
 * Bytes that a cold read of one item decodes, of the item where that is most.
 * chunk: extents of chunks, or NULL.
 */
uint64_t view_cost(const struct array *a, const uint64_t *chunk,
		   const struct view_geometry *g);

#endif
