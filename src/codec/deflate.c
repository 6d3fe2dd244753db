/* SPDX-License-Identifier: MIT */

/*
 * HDF5 filter 1: one zlib stream (RFC 1950), its Adler-32 verified. HDF5
 * ignores what follows the stream, so do we. No parameter matters.
 */

#include <config.h>

#include <errno.h>
#include <libdeflate.h>

#include "codec/codec_impl.h"

static void *context_make(void)
{
	return libdeflate_alloc_decompressor();
}

static int deflate_decode(const struct codec_step *step, const void *in,
			  size_t nin, void *out, size_t *nout,
			  struct codec_note *note)
{
	struct libdeflate_decompressor *d =
		codec_context(CODEC_SLOT_DEFLATE, context_make);
	size_t used, got;

	(void)step;
	(void)note;
	if (!d)
		return -ENOMEM;
	switch (libdeflate_zlib_decompress_ex(d, in, nin, out, *nout, &used,
					      &got)) {
	case LIBDEFLATE_SUCCESS:
		*nout = got;
		return 0;
	case LIBDEFLATE_INSUFFICIENT_SPACE:
		return -ENOSPC;
	case LIBDEFLATE_BAD_DATA:
	case LIBDEFLATE_SHORT_OUTPUT:
		break;
	}
	return -EBADMSG;
}

int codec_zlib_stream(const uint8_t *in, size_t nin, uint8_t *out, size_t nout)
{
	size_t got = nout;
	int r = deflate_decode(NULL, in, nin, out, &got, NULL);

	if (r == -ENOSPC || (!r && got != nout))
		return -EBADMSG;
	return r;
}

/* zlib at its worst (small memory levels) adds an eighth. */
static size_t deflate_bound(size_t nout)
{
	return size_add(size_mul(nout, 2), 64 << 10);
}

const struct codec_ops codec_deflate = {
	.name = "deflate",
	.h5_filter = 1,
	.decode = deflate_decode,
	.bound = deflate_bound,
};
