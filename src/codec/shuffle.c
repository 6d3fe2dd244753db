/* SPDX-License-Identifier: MIT */

/*
 * HDF5 filter 2. Of n elements of s bytes the stored form has s planes of n
 * bytes, plane j being byte j of every element; what is left over at the end
 * is as it was. Elements of 2, 4 and 8 bytes are woven 16 at a time with SSE2,
 * which every x86-64 has; this is as fast as memory, so there is no AVX twin.
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#include "codec/codec_impl.h"
#include "codec/weave.h"

/* Elements [first, n), any size; in tiles, so that the output stays near. */
static void weave_any(const uint8_t *in, size_t apart, uint8_t *out,
		      size_t first, size_t n, size_t s)
{
	const size_t tile = s < 64 ? 256 : 16;

	while (first < n) {
		const size_t end = n - first < tile ? n : first + tile;

		for (size_t j = 0; j < s; j++) {
			const uint8_t *plane = in + j * apart;
			uint8_t *to = out + j;

			for (size_t i = first; i < end; i++)
				to[i * s] = plane[i];
		}
		first = end;
	}
}

#if defined(__SSE2__)

/* As many rounds as s has bits leave the elements in order. */
static size_t elements2(const uint8_t *in, size_t apart, uint8_t *out, size_t n)
{
	size_t i = 0;

	for (; n - i >= 16; i += 16, out += 32) {
		__m128i v[2] = {load16(in + i), load16(in + apart + i)};

		weave2(v);
		store16(out, v[0]);
		store16(out + 16, v[1]);
	}
	return i;
}

static size_t elements4(const uint8_t *in, size_t apart, uint8_t *out, size_t n)
{
	size_t i = 0;

	for (; n - i >= 16; i += 16, out += 64) {
		__m128i v[4] = {load16(in + i), load16(in + apart + i),
				load16(in + 2 * apart + i),
				load16(in + 3 * apart + i)};

		weave4(v);
		weave4(v);
		store16(out, v[0]);
		store16(out + 16, v[1]);
		store16(out + 32, v[2]);
		store16(out + 48, v[3]);
	}
	return i;
}

static size_t elements8(const uint8_t *in, size_t apart, uint8_t *out, size_t n)
{
	size_t i = 0;

	for (; n - i >= 16; i += 16, out += 128) {
		__m128i v[8];

		load_planes8(in + i, apart, v);
		weave8(v);
		weave8(v);
		weave8(v);
		store_rows8(out, v);
	}
	return i;
}

static size_t weave_fast(const uint8_t *in, size_t apart, uint8_t *out,
			 size_t n, size_t s)
{
	switch (s) {
	case 2:
		return elements2(in, apart, out, n);
	case 4:
		return elements4(in, apart, out, n);
	case 8:
		return elements8(in, apart, out, n);
	default:
		return 0;
	}
}

#else

static size_t weave_fast(const uint8_t *in, size_t apart, uint8_t *out,
			 size_t n, size_t s)
{
	(void)in;
	(void)apart;
	(void)out;
	(void)n;
	(void)s;
	return 0;
}

#endif

void codec_weave(const uint8_t *in, size_t apart, uint8_t *out, size_t n,
		 size_t s)
{
	weave_any(in, apart, out, weave_fast(in, apart, out, n, s), n, s);
}

void codec_unshuffle(const uint8_t *in, uint8_t *out, size_t n, size_t s)
{
	const size_t count = n / s;
	size_t whole = count * s;

	if (s == 1 || count <= 1)
		whole = 0;
	else
		codec_weave(in, count, out, count, s);
	if (n > whole)
		memcpy(out + whole, in + whole, n - whole);
}

static int shuffle_decode(const struct codec_step *step, const void *in,
			  size_t nin, void *out, size_t *nout,
			  struct codec_note *note)
{
	(void)note;
	if (step->nparam < 1 || !step->param[0])
		return -EBADMSG;
	if (nin > *nout)
		return -ENOSPC;
	codec_unshuffle(in, out, nin, step->param[0]);
	*nout = nin;
	return 0;
}

static size_t shuffle_bound(size_t nout)
{
	return nout;
}

const struct codec_ops codec_shuffle = {
	.name = "shuffle",
	.h5_filter = 2,
	.decode = shuffle_decode,
	.bound = shuffle_bound,
};
