/* SPDX-License-Identifier: MIT */

/*
 * What info.json tells of medh5 files: of a sample its label table, splits and
 * grids, of an array where it lies and what its values mean. Nothing here for
 * what is no medh5. Any thread.
 */

#ifndef TREE_MEDH5_INFO_H
#define TREE_MEDH5_INFO_H

#include "tree/json_out.h"

/* Members of the root of a medh5 file. 0 or -ENOMEM. */
int medh5_put_root(struct json_out *o, const struct catalog *k);
/* Members of the sample of that number. 0 or -ENOMEM. */
int medh5_put_sample(struct json_out *o, const struct catalog *k, uint32_t i);
/* Members of an array. 0 or -ENOMEM. */
int medh5_put_array(struct json_out *o, const struct catalog *k,
		    uint32_t object);

#endif
