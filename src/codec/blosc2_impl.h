/* SPDX-License-Identifier: MIT */

/* What the files of Blosc2 share. */

#ifndef CODEC_BLOSC2_IMPL_H
#define CODEC_BLOSC2_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/codec.h"

#define BLOSC2_HEAD 32	   /* bytes of the header of a chunk */
#define BLOSC2_FILTERS 6   /* slots for filters in it */
#define BLOSC2_WINDOW 4096 /* as much of a frame is looked at in one go */

enum blosc2_kind {
	BLOSC2_ZERO,   /* nothing stored */
	BLOSC2_NAN,    /* nothing stored; type_size is 4 or 8 */
	BLOSC2_REPEAT, /* one value of width bytes behind the header */
	BLOSC2_RAW,    /* the bytes, behind the header */
	BLOSC2_CODED,  /* starts of blocks, and blocks */
};

/* As the flags of a chunk number them. */
enum blosc2_codec {
	BLOSC2_BLOSCLZ = 0,
	BLOSC2_LZ4 = 1,
	BLOSC2_ZLIB = 3,
	BLOSC2_ZSTD = 4,
	BLOSC2_USER = 6,
};

enum blosc2_undo {
	BLOSC2_SHUFFLE,
	BLOSC2_BITSHUFFLE,
};

struct blosc2_filter {
	uint8_t undo, size; /* size of an item, > 0 */
};

/* A chunk of Blosc2, of which an HDF5 chunk holds one, inside a frame. */
struct blosc2_chunk {
	enum blosc2_kind kind;
	unsigned codec, type_size;
	bool is_split; /* full blocks have a stream for each byte of an item */
	bool has_delta;
	unsigned nfilter; /* others, in the order in which they are undone */
	struct blosc2_filter filter[BLOSC2_FILTERS];
	uint32_t bytes, stored; /* decoded; with the header */
	uint32_t width;
	uint32_t block, nblock; /* bytes of a block but the last; > 0 */
};

/* All of a frame but the starts of its blocks. */
struct blosc2_head {
	struct codec_frame frame; /* but for size */
	struct blosc2_chunk chunk;
	uint64_t at;	/* of the chunk in the frame; 0: none is stored */
	uint64_t bytes; /* decoded, without padding */
	uint32_t extent[NDIM_MAX]; /* of the chunk, if frame.ndim */
	unsigned item_size;	   /* the same */
};

/*
 * The bytes of a frame: mem, or what fetch gives, in windows. A view is
 * borrowed until the next one; which window to lose for it is the caller's say.
 */
enum blosc2_window {
	BLOSC2_FRONT,
	BLOSC2_BACK,
	BLOSC2_WINDOWS,
};

struct blosc2_reader {
	const uint8_t *mem; /* or NULL */
	codec_fetch_fn *fetch;
	void *arg;
	uint64_t size;
	struct {
		uint64_t at;
		size_t n;
		uint8_t data[BLOSC2_WINDOW];
	} window[BLOSC2_WINDOWS];
};

void blosc2_reader_init(struct blosc2_reader *r, const uint8_t *mem,
			codec_fetch_fn *fetch, void *arg, uint64_t size);
/* 0, -EBADMSG beyond the end or n > BLOSC2_WINDOW, errors of fetch. */
int blosc2_view(struct blosc2_reader *r, enum blosc2_window which, uint64_t off,
		uint64_t n, const uint8_t **out);

/* Of the header of a frame, what matters of it; bytes > 0. */
struct blosc2_header {
	uint64_t size;		/* its own */
	uint64_t bytes, stored; /* of the chunk, decoded and in the frame */
	unsigned type_size;
	uint32_t block; /* a hint */
};

/* Extents as b2nd has them. */
struct blosc2_boxes {
	unsigned ndim; /* 0: there is no such metalayer */
	uint32_t chunk[NDIM_MAX], block[NDIM_MAX];
};

/* Errors as of codec_block_ops.open. Sizes are within the frame. */
int blosc2_header(struct blosc2_reader *r, struct blosc2_header *out,
		  const char **what);
int blosc2_metalayers(struct blosc2_reader *r, const struct blosc2_header *h,
		      struct blosc2_boxes *out, const char **what);

/*
 * Header, metalayers, index and trailer of a frame, and the header of its
 * chunk. Without c->item_size nothing is known but what room there is,
 * c->bytes, and perhaps the extents. Errors as of codec_block_ops.open,
 * -ENOSPC.
 */
int blosc2_head(struct blosc2_reader *r, const struct codec_chunk *c,
		struct blosc2_head *out, const char **what);

/* The header of a chunk that has room bytes from there on. */
int blosc2_chunk(const uint8_t head[BLOSC2_HEAD], uint64_t room,
		 struct blosc2_chunk *out, const char **what);

/* Where the starts of the blocks end: no block is before that. */
static inline uint64_t blosc2_starts_end(const struct blosc2_chunk *c)
{
	return BLOSC2_HEAD + (uint64_t)4 * c->nblock;
}

/* What stands for no number in a float of 4 or 8 bytes. */
void blosc2_nan(unsigned size, uint8_t *out);

/* Bytes that block i decodes to, and the most that are stored of it. */
uint32_t blosc2_block_bytes(const struct blosc2_chunk *c, uint32_t i);
uint64_t blosc2_block_most(const struct blosc2_chunk *c, uint32_t i);

/*
 * Block i, from what is stored of it or more. first is block 0 decoded, if the
 * chunk has_delta and i > 0. Takes BLOSC2's first scratch buffer.
 */
int blosc2_block(const struct blosc2_chunk *c, uint32_t i, const uint8_t *in,
		 size_t nin, uint8_t *out, const uint8_t *first);
/* The same, of a chunk in memory, all c->stored bytes of it. */
int blosc2_block_of(const struct blosc2_chunk *c, uint32_t i,
		    const uint8_t *chunk, uint8_t *out, const uint8_t *first);

static inline uint32_t blosc2_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static inline uint32_t blosc2_le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

static inline uint64_t blosc2_le64(const uint8_t *p)
{
	return blosc2_le32(p) | (uint64_t)blosc2_le32(p + 4) << 32;
}

#endif
