/* SPDX-License-Identifier: MIT */

/*
 * Blocks of Blosc2. A block is one stream, or one for each byte of an item,
 * each with its length before it: nothing (zeros), one byte repeated, raw, or
 * a piece for the codec. The filters are undone on all of them together.
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#include "codec/blosc2_impl.h"
#include "codec/codec_impl.h"

#define RUN_MIN (-255)

uint32_t blosc2_block_bytes(const struct blosc2_chunk *c, uint32_t i)
{
	const uint32_t rest = c->bytes % c->block;

	return rest && i == c->nblock - 1 ? rest : c->block;
}

static uint32_t block_streams(const struct blosc2_chunk *c, uint32_t n)
{
	return c->is_split && n == c->block ? c->type_size : 1;
}

uint64_t blosc2_block_most(const struct blosc2_chunk *c, uint32_t i)
{
	const uint32_t n = blosc2_block_bytes(c, i);

	return n + (uint64_t)4 * block_streams(c, n);
}

/* What a value repeated from the start of the chunk gives from off on. */
static void repeat(const uint8_t *value, size_t width, uint64_t off,
		   uint8_t *out, size_t n)
{
	const size_t phase = (size_t)(off % width);
	size_t done = width - phase;

	if (done > n)
		done = n;
	memcpy(out, value + phase, done);
	if (done == n)
		return;
	if (phase) {
		size_t more = n - done < phase ? n - done : phase;

		memcpy(out + done, value, more);
		done += more;
	}
	/* A whole period is there: twice as much each time. */
	while (done < n) {
		const size_t now = n - done < done ? n - done : done;

		memcpy(out + done, out, now);
		done += now;
	}
}

void blosc2_nan(unsigned size, uint8_t *out)
{
	static const uint8_t single[4] = {0, 0, 0xc0, 0x7f};
	static const uint8_t twice[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};

	memcpy(out, size == 4 ? single : twice, size);
}

static void repeat_nan(const struct blosc2_chunk *c, uint64_t off, uint8_t *out,
		       size_t n)
{
	uint8_t value[8];

	blosc2_nan(c->type_size, value);
	repeat(value, c->type_size, off, out, n);
}

static int piece(unsigned codec, const uint8_t *in, size_t nin, uint8_t *out,
		 size_t n)
{
	switch (codec) {
	case BLOSC2_BLOSCLZ:
		return codec_blosclz(in, nin, out, n);
	case BLOSC2_LZ4:
		return codec_lz4_block(in, nin, out, n);
	case BLOSC2_ZLIB:
		return codec_zlib_stream(in, nin, out, n);
	default:
		return codec_zstd_frame(in, nin, out, n);
	}
}

/* One stream of n bytes from *in, which moves on. */
static int stream(unsigned codec, const uint8_t **in, const uint8_t *end,
		  uint8_t *out, size_t n)
{
	int32_t size;
	int r = 0;

	if (end - *in < 4)
		return -EBADMSG;
	size = (int32_t)blosc2_le32(*in);
	*in += 4;
	if (!size) {
		memset(out, 0, n);
		return 0;
	}
	if (size < 0) {
		if (size < RUN_MIN || *in == end || !(**in & 1))
			return -EBADMSG;
		memset(out, -size, n);
		(*in)++;
		return 0;
	}
	if (size > end - *in)
		return -EBADMSG;
	if ((size_t)size == n)
		memcpy(out, *in, n);
	else
		r = piece(codec, *in, (size_t)size, out, n);
	*in += size;
	return r;
}

/* XOR of words with what is before; the bytes behind the last stay. */
static void undelta(size_t u, uint8_t *out, size_t n, const uint8_t *first)
{
	size_t i = first ? 0 : u;

	if (!first)
		first = out;
	n -= n % u;
	for (; i < n; i++)
		out[i] ^= *first++;
}

static size_t delta_word(unsigned type_size)
{
	switch (type_size) {
	case 1:
	case 2:
	case 4:
	case 8:
		return type_size;
	default:
		return type_size % 8 ? 1 : 8;
	}
}

/* What stands for zeros is a length of zero for each stream. */
static bool is_zero(const struct blosc2_chunk *c, const uint8_t *in, size_t nin,
		    uint32_t streams)
{
	if (c->has_delta || nin / 4 < streams || in[0])
		return false;
	return !memcmp(in, in + 1, 4 * (size_t)streams - 1);
}

static int coded(const struct blosc2_chunk *c, uint32_t n, const uint8_t *in,
		 size_t nin, uint8_t *out, const uint8_t *first)
{
	const uint32_t streams = block_streams(c, n);
	const uint8_t *const end = in + nin;
	uint8_t *tmp = NULL, *to = out;
	int r;

	if (n % streams)
		return -EBADMSG;
	if (is_zero(c, in, nin, streams)) {
		memset(out, 0, n);
		return 0;
	}
	if (c->nfilter) {
		tmp = codec_scratch_get(CODEC_BUFFER_STEP_0, c->block);
		if (!tmp)
			return -ENOMEM;
	}
	/* From one to the other, so that the last filter gives the block. */
	if (c->nfilter % 2)
		to = tmp;
	for (uint32_t i = 0; i < streams; i++) {
		const size_t part = n / streams;

		r = stream(c->codec, &in, end, to + i * part, part);
		if (r < 0)
			return r;
	}
	for (unsigned i = 0; i < c->nfilter; i++) {
		uint8_t *next = to == out ? tmp : out;

		if (c->filter[i].undo == BLOSC2_SHUFFLE)
			codec_unshuffle(to, next, n, c->filter[i].size);
		else
			codec_bitunshuffle(to, next, n, c->filter[i].size);
		to = next;
	}
	if (c->has_delta)
		undelta(delta_word(c->type_size), out, n, first);
	return 0;
}

int blosc2_block(const struct blosc2_chunk *c, uint32_t i, const uint8_t *in,
		 size_t nin, uint8_t *out, const uint8_t *first)
{
	const uint32_t n = blosc2_block_bytes(c, i);
	const uint64_t off = (uint64_t)i * c->block;

	switch (c->kind) {
	case BLOSC2_ZERO:
		memset(out, 0, n);
		return 0;
	case BLOSC2_NAN:
		repeat_nan(c, off, out, n);
		return 0;
	case BLOSC2_REPEAT:
		if (nin < c->width)
			return -EBADMSG;
		repeat(in, c->width, off, out, n);
		return 0;
	case BLOSC2_RAW:
		if (nin < n)
			return -EBADMSG;
		memcpy(out, in, n);
		return 0;
	case BLOSC2_CODED:
		break;
	}
	return coded(c, n, in, nin, out, first);
}

int blosc2_block_of(const struct blosc2_chunk *c, uint32_t i,
		    const uint8_t *chunk, uint8_t *out, const uint8_t *first)
{
	uint64_t at = BLOSC2_HEAD, n = c->width;

	if (c->kind == BLOSC2_RAW) {
		at += (uint64_t)i * c->block;
		n = blosc2_block_bytes(c, i);
	} else if (c->kind == BLOSC2_CODED) {
		at = blosc2_le32(chunk + BLOSC2_HEAD + (size_t)i * 4);
		n = blosc2_block_most(c, i);
		if (at < blosc2_starts_end(c) || at >= c->stored)
			return -EBADMSG;
		if (n > c->stored - at)
			n = c->stored - at;
	}
	/* There is no chunk at all where nothing of it is stored. */
	return blosc2_block(c, i, chunk ? chunk + at : NULL, (size_t)n, out,
			    first);
}
