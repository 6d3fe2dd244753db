/* SPDX-License-Identifier: MIT */

/*
 * Indices kept as files, one each, in a directory of the user's: named after
 * what they were made of, so that a changed source finds nothing. What is read
 * is believed no further than it can be checked. Any thread, any process.
 */

#ifndef INDEX_SIDECAR_H
#define INDEX_SIDECAR_H

#include <stddef.h>
#include <stdint.h>

#include "util/shape.h"

/* What an index was made of; equal keys, equal content. */
struct sidecar_key {
	uint8_t digest[32]; /* SHA-256 over what identifies the label array */
};

/*
 * The directory, made with mode 0700 where it is missing, its parents too; what
 * killed writers left there a day ago is removed. An fd the caller closes;
 * -EPERM: it is not the user's own or others may write to it; -errno.
 */
int sidecar_dir(const char *path);

/*
 * Read the index of that key and shape. *out is malloc'ed, caller frees. 0;
 * -ENOENT: none; -EBADMSG: damaged, of another version or not of that shape:
 * to be made anew; -EFBIG: above max bytes; -ENOMEM; -errno of reading.
 */
int sidecar_load(int dir, const struct sidecar_key *key,
		 const struct shape *shape, size_t max, void **out,
		 size_t *size);
/* How many files there are. */
uint64_t sidecar_count(int dir);
/* Write it, whole or not at all, over what was there. 0 or -errno. */
int sidecar_store(int dir, const struct sidecar_key *key, const void *index,
		  size_t size);

#endif
