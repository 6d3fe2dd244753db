/* SPDX-License-Identifier: MIT */

/*
 * Decodes Blosc2 chunks from standard input, whole and block by block, for a
 * test that knows what is in them. All numbers are 32 bits, little endian.
 *
 *   request  item size, rank, extents, plain, number of parameters of the
 *            filter, parameters, length, bytes of the chunk
 *   answer   error of the whole chunk, its bytes if none; error of open;
 *            length of what is not served, text; if none: rank, extents of a
 *            block, blocks along each axis, number of blocks, bytes of one and
 *            of the last, is_whole, is_ambiguous; unless is_whole: error of
 *            the blocks, all of them if none
 */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../must.h"
#include "codec/codec.h"

#define PARAM_MAX 32
#define FETCH_MAX 4

struct stored {
	const uint8_t *data;
	uint64_t n;
	unsigned calls;
};

/* A buffer of just n bytes, so that a sanitizer sees the next one. */
static uint8_t *room(size_t n)
{
	uint8_t *p = malloc(n ? n : 1);

	MUST(p);
	return p;
}

static uint32_t get(void)
{
	uint32_t v;

	MUST(fread(&v, sizeof(v), 1, stdin) == 1);
	return v;
}

static void put(uint32_t v)
{
	MUST(fwrite(&v, sizeof(v), 1, stdout) == 1);
}

static void put_bytes(const void *p, size_t n)
{
	MUST(fwrite(p, 1, n, stdout) == n);
}

static int fetch(void *arg, uint64_t off, size_t n, void *out)
{
	struct stored *s = arg;

	MUST(off <= s->n && n <= s->n - off);
	MUST(++s->calls <= FETCH_MAX);
	memcpy(out, s->data + off, n);
	return 0;
}

static int block(const struct codec_block_ops *ops, const struct codec_frame *f,
		 uint32_t i, const struct stored *s, uint8_t *out)
{
	const size_t n = i == f->nblock - 1 ? f->last_bytes : f->block_bytes;
	uint8_t *in, *fit = room(n);
	uint64_t off = 0;
	size_t nin = 0;
	int err;

	ops->stored(f, i, &off, &nin);
	MUST(!nin || (off <= s->n && nin <= s->n - off));
	in = room(nin);
	memcpy(in, s->data + (nin ? off : 0), nin);
	err = ops->decode(f, i, in, nin, fit);
	MUST(err == 0 || err == -EBADMSG);
	memcpy(out, fit, n);
	free(fit);
	free(in);
	return err;
}

static void put_blocks(const struct codec_block_ops *ops,
		       const struct codec_frame *f, const struct stored *s)
{
	const size_t n =
		(size_t)(f->nblock - 1) * f->block_bytes + f->last_bytes;
	uint8_t *out = room(n);
	int err = 0;

	for (uint32_t i = 0; i < f->nblock && !err; i++)
		err = block(ops, f, i, s, out + (size_t)i * f->block_bytes);
	put((uint32_t)err);
	if (!err)
		put_bytes(out, n);
	free(out);
}

static void put_frame(const struct codec_frame *f)
{
	put(f->ndim);
	for (unsigned i = 0; i < f->ndim; i++)
		put(f->block[i]);
	for (unsigned i = 0; i < f->ndim; i++)
		put(f->grid[i]);
	put(f->nblock);
	put(f->block_bytes);
	put(f->last_bytes);
	put(f->is_whole);
	put(f->is_ambiguous);
}

static void one(uint32_t item_size)
{
	struct codec_chunk c = {.item_size = item_size, .bytes = item_size};
	uint32_t param[PARAM_MAX];
	struct codec_chain chain = {
		.n = 1,
		.step = {{
			.ops = codec_by_h5_filter(32026),
			.h5_filter = 32026,
			.param = param,
		}},
	};
	const struct codec_block_ops *ops;
	uint64_t dim[NDIM_MAX];
	struct codec_frame *f = NULL;
	const char *what = NULL;
	struct stored s = {0};
	uint8_t *data, *out;
	int err;

	c.ndim = get();
	MUST(c.ndim <= NDIM_MAX);
	for (unsigned i = 0; i < c.ndim; i++) {
		dim[i] = get();
		c.bytes *= dim[i];
	}
	c.dim = dim;
	c.plain = get();
	chain.step[0].nparam = get();
	MUST(chain.step[0].nparam <= PARAM_MAX);
	for (unsigned i = 0; i < chain.step[0].nparam; i++)
		param[i] = get();
	c.stored = s.n = get();
	data = room(s.n);
	MUST(fread(data, 1, s.n, stdin) == s.n);
	s.data = data;

	out = room(c.bytes);
	err = codec_decode(&chain, 0, data, s.n, out, c.bytes);
	put((uint32_t)err);
	if (!err)
		put_bytes(out, c.bytes);
	free(out);
	ops = codec_blocks(&chain, 0);
	MUST(ops && !codec_blocks(&chain, 1));
	err = ops->open(&c, fetch, &s, &f, &what);
	MUST((err == -EOPNOTSUPP) == (what != NULL));
	put((uint32_t)err);
	put(what ? (uint32_t)strlen(what) : 0);
	put_bytes(what ? what : "", what ? strlen(what) : 0);
	if (!err) {
		put_frame(f);
		if (!f->is_whole)
			put_blocks(ops, f, &s);
	}
	fflush(stdout);
	free(f);
	free(data);
}

int main(void)
{
	uint32_t item_size;

	while (fread(&item_size, sizeof(item_size), 1, stdin) == 1)
		one(item_size);
	return 0;
}
