/* SPDX-License-Identifier: MIT */

/*
 * The arrays of a sampling index that a medh5 sample carries, for those above,
 * who do not see catalogs. Any thread.
 */

#ifndef ARRAY_CARRIED_H
#define ARRAY_CARRIED_H

#include "array/array.h"

/* Of an annotation; all is borrowed for the length of a call. */
struct carried_ask {
	const struct array_env *env;
	struct container *container;
	uint64_t source; /* as of stored_array_init */
	const struct catalog *k;
	uint32_t sample, annotation;
	const char *label; /* "path: annotations/ID", for messages */
};

/* What its annotation is cached under, and what reading it occupies. */
void carried_where(const struct carried_ask *ask, uint64_t *object,
		   uint64_t *device);
/*
 * What it is, never CARRIED_UNKNOWN: digests that the file does not have are
 * computed, which reads these arrays and blocks; then it is also told what is
 * wrong, which else the scan has done. 0; -ENOMEM; errors of array_read, but
 * those of broken data.
 */
int carried_read(const struct carried_ask *ask, struct carried_index *out);
/* One of its arrays. As stored_array_init; -ESTALE: it is gone. */
int carried_array(const struct carried_ask *ask, uint32_t object,
		  struct stored_array *out);
/*
 * The coordinates of a class, (rows, nspatial) of int32. The same; -ENOENT:
 * there are none of so many rows.
 */
int carried_coords(const struct carried_ask *ask, const struct carried_index *x,
		   uint32_t id, uint64_t rows, struct stored_array *out);
/*
 * Whether an error is in the data, and comes again wherever they are read. Not
 * -EFBIG, which is of a small cache: what is drawn may not depend on that.
 */
bool carried_is_broken(int err);
/* Tell that it cannot be used. */
void carried_tell(const struct carried_ask *ask, enum carried_state state,
		  const char *why);

#endif
