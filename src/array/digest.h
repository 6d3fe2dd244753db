/* SPDX-License-Identifier: MIT */

/*
 * The digest that medh5 keeps of an array, as its attribute `digest`: a hash
 * over its path, type, shape and values, however they are stored.
 */

#ifndef ARRAY_DIGEST_H
#define ARRAY_DIGEST_H

#include "array/array.h"
#include "util/hash.h"

/*
 * Its hex digits; path: from the root of the sample, "images/ct". Reads all of
 * the array, with 1 MiB of memory beside the cache; blocks. 0; -EINVAL: no such
 * algorithm; -ENOMEM; errors of array_read.
 */
int array_digest(const struct array *a, const char *path, const char *algorithm,
		 char hex[HASH_HEX_MAX]);

#endif
