/* SPDX-License-Identifier: MIT */

/*
 * A Blosc2 frame decoded whole and block by block, as far as either goes, in
 * buffers of just the size, so that a sanitizer sees a byte too many. What the
 * two say must not contradict. For the unit test and the fuzzer.
 */

#ifndef TESTS_BLOSC2_BOTH_H
#define TESTS_BLOSC2_BOTH_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../must.h"
#include "codec/codec.h"
#include "encode.h"

struct both {
	struct codec_chunk chunk;
	const uint8_t *frame; /* chunk.stored bytes */
	unsigned fetches;
	int whole, opened, blocks; /* errors */
	const char *what;
	bool is_whole, is_ambiguous, is_constant;
	uint8_t *out;	     /* chunk.bytes, caller frees; of the blocks if
				plain, else of the whole chunk */
	unsigned fail_fetch; /* that one gives -EIO; 0: none */
};

static inline int both_fetch(void *arg, uint64_t off, size_t n, void *out)
{
	struct both *b = arg;

	MUST(n && off <= b->chunk.stored && n <= b->chunk.stored - off);
	MUST(++b->fetches <= 4);
	if (b->fetches == b->fail_fetch)
		return -EIO;
	memcpy(out, b->frame + off, n);
	return 0;
}

/* Block i to its place; index is that of the block's own elements. */
static inline void both_place(const struct both *b, const struct codec_frame *f,
			      uint32_t i, const uint8_t *block, uint8_t *out)
{
	const unsigned size = b->chunk.item_size;
	uint64_t at[NDIM_MAX], items = f->block_bytes / size;

	if (!f->ndim) {
		memcpy(out + (size_t)i * f->block_bytes, block,
		       i == f->nblock - 1 ? f->last_bytes : f->block_bytes);
		return;
	}
	for (unsigned k = f->ndim; k-- > 0; i /= f->grid[k])
		at[k] = (uint64_t)(i % f->grid[k]) * f->block[k];
	for (uint64_t e = 0; e < items; e++) {
		uint64_t rest = e, to = 0, step = 1;
		bool is_inside = true;

		for (unsigned k = f->ndim; k-- > 0; rest /= f->block[k]) {
			const uint64_t x = at[k] + rest % f->block[k];

			is_inside = is_inside && x < b->chunk.dim[k];
			to += x * step;
			step *= b->chunk.dim[k];
			if (!f->block[k])
				abort();
		}
		if (is_inside)
			memcpy(out + to * size, block + e * size, size);
	}
}

static inline void both_check_frame(const struct both *b,
				    const struct codec_frame *f)
{
	uint64_t block = b->chunk.item_size, blocks = 1;

	MUST(f->nblock && f->block_bytes && f->last_bytes);
	MUST(f->last_bytes <= f->block_bytes);
	if (!f->ndim) {
		MUST((uint64_t)(f->nblock - 1) * f->block_bytes +
			     f->last_bytes ==
		     b->chunk.bytes);
		return;
	}
	MUST(f->ndim == b->chunk.ndim && f->last_bytes == f->block_bytes);
	for (unsigned k = 0; k < f->ndim; k++) {
		MUST(f->block[k] && f->block[k] <= b->chunk.dim[k]);
		MUST((b->chunk.dim[k] - 1) / f->block[k] + 1 == f->grid[k]);
		block *= f->block[k];
		blocks *= f->grid[k];
	}
	MUST(block == f->block_bytes && blocks == f->nblock);
}

static inline void both_blocks(struct both *b, const struct codec_block_ops *o,
			       const struct codec_frame *f, uint8_t *out)
{
	for (uint32_t i = 0; i < f->nblock && !b->blocks; i++) {
		const size_t n =
			i == f->nblock - 1 ? f->last_bytes : f->block_bytes;
		uint8_t *in, *block = encode_room(n);
		uint64_t off = 0;
		size_t nin = 0;

		o->stored(f, i, &off, &nin);
		MUST(!nin ||
		     (off <= b->chunk.stored && nin <= b->chunk.stored - off));
		in = encode_room(nin);
		if (nin)
			memcpy(in, b->frame + off, nin);
		b->blocks = o->decode(f, i, in, nin, block);
		MUST(b->blocks == 0 || b->blocks == -EBADMSG);
		if (!b->blocks)
			both_place(b, f, i, block, out);
		free(in);
		free(block);
	}
}

/* Sets all behind out but fail_fetch; frees nothing. */
static inline void both_decode(struct both *b)
{
	const struct codec_chain chain = {
		.n = 1,
		.step = {{.ops = codec_by_h5_filter(32026),
			  .h5_filter = 32026}},
	};
	const struct codec_block_ops *o = codec_blocks(&chain, 0);
	uint8_t *whole = encode_room(b->chunk.bytes);
	uint8_t *out = encode_room(b->chunk.bytes);
	struct codec_frame *f = NULL;

	b->fetches = 0;
	b->blocks = 0;
	b->whole = codec_decode(&chain, 0, b->frame, b->chunk.stored, whole,
				b->chunk.bytes);
	MUST(b->whole == 0 || b->whole == -EBADMSG || b->whole == -EOPNOTSUPP);
	b->opened = o->open(&b->chunk, both_fetch, b, &f, &b->what);
	MUST((b->opened == -EOPNOTSUPP) == !!b->what);
	MUST(!b->opened == !!f);
	if (f) {
		MUST(b->whole != -EOPNOTSUPP);
		MUST(!f->is_constant || (!b->whole && b->chunk.item_size <= 8));
		both_check_frame(b, f);
		b->is_whole = f->is_whole;
		b->is_ambiguous = f->is_ambiguous;
		if (!f->is_whole)
			both_blocks(b, o, f, out);
		for (uint64_t i = 0; f->is_constant && i < b->chunk.bytes; i++)
			MUST(whole[i] == f->value[i % b->chunk.item_size]);
		b->is_constant = f->is_constant;
	}
	b->out = whole;
	if (f && !f->is_whole && !b->blocks) {
		MUST(!b->whole);
		if (b->chunk.plain && b->is_ambiguous) {
			b->out = out;
			out = whole;
		} else {
			MUST(!memcmp(whole, out, b->chunk.bytes));
		}
	}
	free(out);
	free(f);
}

#endif
