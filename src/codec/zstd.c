/* SPDX-License-Identifier: MIT */

/*
 * HDF5 filter 32015: zstd frames end to end, skippable ones among them. The
 * content size of a frame may be missing and decides nothing: what counts is
 * the room. Frames of the formats before zstd 0.8, which some builds of the
 * library still read, are refused; HDF5 has never had them.
 */

#include <config.h>

#include <errno.h>
#include <stdbool.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "codec/codec_impl.h"

static void *context_make(void)
{
	return ZSTD_createDCtx();
}

static int error_of(size_t result)
{
	switch ((int)ZSTD_getErrorCode(result)) {
	case ZSTD_error_dstSize_tooSmall:
		return -ENOSPC;
	case ZSTD_error_memory_allocation:
		return -ENOMEM;
	default:
		return -EBADMSG;
	}
}

static bool is_frame(const uint8_t *p, size_t n)
{
	uint32_t magic;

	if (n < 4)
		return false;
	magic = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
		(uint32_t)p[3] << 24;
	return magic == ZSTD_MAGICNUMBER ||
	       (magic & ZSTD_MAGIC_SKIPPABLE_MASK) ==
		       ZSTD_MAGIC_SKIPPABLE_START;
}

int codec_zstd_frame(const uint8_t *in, size_t nin, uint8_t *out, size_t nout)
{
	ZSTD_DCtx *d = codec_context(CODEC_SLOT_ZSTD, context_make);
	size_t got;

	if (!d)
		return -ENOMEM;
	if (!is_frame(in, nin))
		return -EBADMSG;
	got = ZSTD_decompressDCtx(d, out, nout, in, nin);
	if (ZSTD_isError(got))
		return error_of(got) == -ENOMEM ? -ENOMEM : -EBADMSG;
	return got == nout ? 0 : -EBADMSG;
}

static int zstd_decode(const struct codec_step *step, const void *in,
		       size_t nin, void *out, size_t *nout,
		       struct codec_note *note)
{
	ZSTD_DCtx *d = codec_context(CODEC_SLOT_ZSTD, context_make);
	const uint8_t *p = in;
	size_t done = 0;

	(void)step;
	(void)note;
	if (!d)
		return -ENOMEM;
	while (nin) {
		size_t frame, got;

		if (!is_frame(p, nin))
			return -EBADMSG;
		frame = ZSTD_findFrameCompressedSize(p, nin);
		if (ZSTD_isError(frame))
			return error_of(frame);
		got = ZSTD_decompressDCtx(d, (uint8_t *)out + done,
					  *nout - done, p, frame);
		if (ZSTD_isError(got))
			return error_of(got);
		done += got;
		p += frame;
		nin -= frame;
	}
	*nout = done;
	return 0;
}

static size_t zstd_bound(size_t nout)
{
	return size_add(size_mul(nout, 2), 64 << 10);
}

const struct codec_ops codec_zstd = {
	.name = "zstd",
	.h5_filter = 32015,
	.decode = zstd_decode,
	.bound = zstd_bound,
};
