/* SPDX-License-Identifier: MIT */

/* What the files of this layer share. */

#ifndef CODEC_CODEC_IMPL_H
#define CODEC_CODEC_IMPL_H

#include <stddef.h>
#include <stdint.h>

#include "codec/codec.h"

extern const struct codec_ops codec_blosc2;
extern const struct codec_ops codec_deflate;
extern const struct codec_ops codec_fletcher32;
extern const struct codec_ops codec_lz4;
extern const struct codec_ops codec_shuffle;
extern const struct codec_ops codec_zstd;

/* Library contexts, one of each for a chain that runs. */
enum codec_slot {
	CODEC_SLOT_DEFLATE,
	CODEC_SLOT_ZSTD,
	CODEC_SLOT_COUNT,
};

/*
 * The context, made on first use, kept for later chains. NULL: no memory.
 * Borrowed until codec_scratch_done.
 */
void *codec_context(enum codec_slot slot, void *(*make)(void));

/* The first two are for what is between steps, the others for a step's own. */
enum codec_buffer {
	CODEC_BUFFER_CHAIN_0,
	CODEC_BUFFER_CHAIN_1,
	CODEC_BUFFER_STEP_0,
	CODEC_BUFFER_STEP_1,
	CODEC_BUFFER_COUNT,
};

/*
 * A scratch buffer of at least n bytes, not initialised. NULL: no memory.
 * Borrowed until the next call for the same buffer, or codec_scratch_done.
 */
void *codec_scratch_get(enum codec_buffer which, size_t n);
/* A chain is done. Lets buffers go that have been too large for long. */
void codec_scratch_done(void);

/* One piece of data, of exactly nout bytes. 0, -EBADMSG, -ENOMEM. */
int codec_lz4_block(const uint8_t *in, size_t nin, uint8_t *out, size_t nout);
int codec_zlib_stream(const uint8_t *in, size_t nin, uint8_t *out, size_t nout);
int codec_zstd_frame(const uint8_t *in, size_t nin, uint8_t *out, size_t nout);
int codec_blosclz(const uint8_t *in, size_t nin, uint8_t *out, size_t nout);

/*
 * n elements of s bytes from s planes that are apart bytes from each other;
 * of n bytes that are shuffled, what is left over behind the last element as
 * it is; the same for bits, element sizes to 255. Input and output are apart.
 */
void codec_weave(const uint8_t *in, size_t apart, uint8_t *out, size_t n,
		 size_t s);
void codec_unshuffle(const uint8_t *in, uint8_t *out, size_t n, size_t s);
void codec_bitunshuffle(const uint8_t *in, uint8_t *out, size_t n, size_t s);

/* Sum that stays at SIZE_MAX. */
static inline size_t size_add(size_t a, size_t b)
{
	return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

static inline size_t size_mul(size_t a, size_t b)
{
	return b && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

#endif
