/* SPDX-License-Identifier: MIT */

/*
 * HDF5 filter 32004. The frame is the filter's own: total size (64 bits, big
 * endian), block size (32), then each block as its stored length (32) and its
 * bytes: raw if the length is that of the block, else an LZ4 block. The last
 * block is shorter. The filter's decoder trusts all of it; we check that
 * nothing points outside, that no block is empty and that each gives exactly
 * its size. What follows the last block is ignored, as there.
 */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <lz4.h>
#include <string.h>

#include "codec/codec_impl.h"

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

int codec_lz4_block(const uint8_t *in, size_t nin, uint8_t *out, size_t nout)
{
	if (nin > INT_MAX || nout > INT_MAX)
		return -EBADMSG;
	return LZ4_decompress_safe((const char *)in, (char *)out, (int)nin,
				   (int)nout) == (int)nout
		       ? 0
		       : -EBADMSG;
}

static int block_decode(const uint8_t *in, size_t nin, uint8_t *out,
			size_t nout)
{
	if (nin != nout)
		return codec_lz4_block(in, nin, out, nout);
	memcpy(out, in, nout);
	return 0;
}

static int lz4_decode(const struct codec_step *step, const void *in, size_t nin,
		      void *out, size_t *nout, struct codec_note *note)
{
	const uint8_t *p = in, *const end = p + nin;
	uint8_t *to = out;
	size_t left, block;
	uint64_t total;

	(void)step;
	(void)note;
	if (nin < 12)
		return -EBADMSG;
	total = (uint64_t)be32(p) << 32 | be32(p + 4);
	block = be32(p + 8);
	if (total > *nout)
		return -ENOSPC;
	if (!block && total)
		return -EBADMSG;
	p += 12;
	for (left = (size_t)total; left;) {
		const size_t now = block < left ? block : left;
		size_t stored;
		int r;

		if ((size_t)(end - p) < 4)
			return -EBADMSG;
		stored = be32(p);
		p += 4;
		if (!stored || stored > (size_t)(end - p))
			return -EBADMSG;
		r = block_decode(p, stored, to, now);
		if (r < 0)
			return r;
		p += stored;
		to += now;
		left -= now;
	}
	*nout = (size_t)total;
	return 0;
}

/* One block, as long as what it holds. */
static bool lz4_plain(const void *head, size_t nin, size_t nout, size_t *at)
{
	const uint8_t *p = head;

	if (nin < CODEC_HEAD || nin - CODEC_HEAD != nout ||
	    ((uint64_t)be32(p) << 32 | be32(p + 4)) != nout ||
	    be32(p + 8) < nout || be32(p + 12) != nout)
		return false;
	*at = CODEC_HEAD;
	return true;
}

/* Blocks of one byte are legal: five bytes stored for each. */
static size_t lz4_bound(size_t nout)
{
	return size_add(size_mul(nout, 5), 64 << 10);
}

const struct codec_ops codec_lz4 = {
	.name = "lz4",
	.h5_filter = 32004,
	.decode = lz4_decode,
	.bound = lz4_bound,
	.plain = lz4_plain,
};
