/* SPDX-License-Identifier: MIT */

/*
 * A container in memory with one array, for tests of the layer array: fake.c
 * has the functions of container.h that the layer calls, and takes their place
 * at link time. Each voxel is a function of its coordinates.
 */

#ifndef TESTS_FAKE_H
#define TESTS_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/codec.h"
#include "container/container.h"
#include "toy.h"
#include "util/shape.h"

struct fake_chunk {
	uint64_t off, n;
	uint32_t mask;
	bool hole, broken;
};

/* Fill in what is above the line, then fake_store. */
struct fake {
	struct shape shape, chunk;
	char kind, order;
	unsigned item_size;
	enum cat_layout layout;
	bool edge_unfiltered, fill_undefined, has_fill;
	uint8_t fill[8]; /* as stored */
	unsigned nfilter;
	uint32_t filter[CODEC_STEPS_MAX];
	/* chance in percent of a chunk to be missing, and of a masked step */
	unsigned holes, masks;
	struct toy_conf toy; /* of TOY_FILTER */
	/* Each other four layers are the same item: 0, and a number. */
	bool layers;
	const char *digest; /* attribute, or NULL; the path is "x" */
	bool fill_outside;  /* what lies beyond the array is fill, else 0xee */
	/* ----------------------------------------------------------- */
	struct array_info info;
	struct codec_chain chain;
	uint32_t param[CODEC_STEPS_MAX];
	uint8_t *file;
	size_t nfile, room;
	uint64_t nchunk;
	struct fake_chunk *chunk_at;
	int read_error, index_error; /* what such calls return, if not 0 */
	const char *index_note;	     /* what it says on success */
	_Atomic unsigned reads, indexes;
	_Atomic uint64_t bytes_read;
};

/* The catalog and the container are the fake itself. */
static inline const struct catalog *fake_catalog(const struct fake *f)
{
	return (const struct catalog *)f;
}
static inline struct container *fake_container(struct fake *f)
{
	return (struct container *)f;
}

/* Encode all chunks; decides about holes and masks by the numbers of next. */
void fake_store(struct fake *f, uint64_t (*next)(void *), void *arg);
void fake_fini(struct fake *f);
/* What a reader should see at these coordinates of the array, little endian. */
void fake_voxel(const struct fake *f, const uint64_t *at, uint8_t *out);

#endif
