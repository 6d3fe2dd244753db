/* SPDX-License-Identifier: MIT */

/*
 * A codec that cuts chunks into blocks, for tests: it does not compress, but
 * blocks lie in any order, with gaps, and those of zeros take no bytes.
 */

#ifndef TESTS_TOY_H
#define TESTS_TOY_H

#include <stddef.h>
#include <stdint.h>

#include "codec/codec.h"
#include "util/shape.h"

#define TOY_FILTER 60000

extern const struct codec_ops codec_toy;

/* How chunks are cut; chosen by the number where it is 0. */
struct toy_conf {
	/*
	 * Say that there are two ways to read the chunk, and store it so that
	 * this one is right; it has no padding.
	 */
	enum { TOY_SURE, TOY_BOXES_RIGHT, TOY_PLAIN_RIGHT } ambiguous;
	uint32_t block[NDIM_MAX]; /* extents of boxes */
	unsigned gap;		  /* bytes before each of a few, at most */
};

/* Encode a chunk. malloc'ed, caller frees. */
uint8_t *toy_encode(const struct toy_conf *conf, const struct shape *chunk,
		    unsigned item_size, uint64_t number, const uint8_t *in,
		    size_t nin, size_t *n);
/* Of an encoded chunk, where block i is. */
void toy_stored(const uint8_t *chunk, uint32_t i, size_t *off, size_t *n);

/* What open is to say of any chunk, if not 0. */
extern int toy_open_error;
extern const char *toy_open_what;

#endif
