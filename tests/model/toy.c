/* SPDX-License-Identifier: MIT */

#include <config.h>

#include "toy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

#define MAGIC 0x746f7921u

enum mode { TOY_BOXES, TOY_RANGES, TOY_WHOLE };

/* At the front of a chunk; then the table; then the blocks. */
struct head {
	uint32_t magic, mode, nblock, block_bytes, last_bytes;
	uint32_t ndim, item_size, is_constant, is_ambiguous;
	uint8_t value[8];
	uint32_t dim[NDIM_MAX], block[NDIM_MAX], grid[NDIM_MAX];
};

struct place {
	uint32_t off, n;
};

struct toy_frame {
	struct codec_frame frame; /* first */
	struct place at[];
};

int toy_open_error;
const char *toy_open_what;

static void *room(size_t n)
{
	void *p = calloc(1, n ? n : 1);

	if (!p)
		abort();
	return p;
}

/* ------------------------------------------------------------- geometry */

/* Byte of the chunk for byte i of a block, or -1 where it reaches beyond. */
static int64_t byte_of(const struct head *h, uint32_t block, uint32_t i)
{
	uint32_t item = i / h->item_size, size = 1;
	uint64_t at = 0, stride = 1;

	if (h->mode == TOY_RANGES)
		return (int64_t)block * h->block_bytes + i;
	for (unsigned k = h->ndim; k-- > 0;) {
		uint32_t x = block % h->grid[k] * h->block[k] +
			     item / size % h->block[k];

		if (x >= h->dim[k])
			return -1;
		at += x * stride;
		stride *= h->dim[k];
		block /= h->grid[k];
		size *= h->block[k];
	}
	return (int64_t)(at * h->item_size + i % h->item_size);
}

static uint32_t length(const struct head *h, uint32_t block)
{
	return block == h->nblock - 1 ? h->last_bytes : h->block_bytes;
}

static void cut(struct head *h, const struct toy_conf *conf, uint64_t rnd,
		size_t bytes)
{
	h->mode = conf->block[0] ? TOY_BOXES
		  : rnd % 8 == 0 ? TOY_WHOLE
		  : rnd % 4 == 0 ? TOY_RANGES
				 : TOY_BOXES;
	h->nblock = 1;
	h->block_bytes = h->item_size;
	if (h->mode == TOY_RANGES) {
		rnd = hash_mix(rnd, 1);
		h->block_bytes *= 1 + (uint32_t)(rnd % (bytes / h->item_size));
		if (rnd >> 32 & 1 && h->block_bytes > 600)
			h->block_bytes = 600 / h->item_size * h->item_size;
		h->nblock = (uint32_t)((bytes - 1) / h->block_bytes) + 1;
		h->last_bytes =
			(uint32_t)(bytes - (h->nblock - 1) * h->block_bytes);
		return;
	}
	for (unsigned k = 0; k < h->ndim; k++) {
		rnd = hash_mix(rnd, k);
		h->block[k] = conf->block[0] ? conf->block[k]
					     : 1 + (uint32_t)(rnd % h->dim[k]);
		if (!conf->block[0] && rnd >> 32 & 1)
			h->block[k] = (h->dim[k] + 1) / 2;
		h->grid[k] = (h->dim[k] - 1) / h->block[k] + 1;
		h->nblock *= h->grid[k];
		h->block_bytes *= h->block[k];
	}
	h->last_bytes = h->block_bytes;
}

/* ------------------------------------------------------------- encoding */

/* Any order: steps of a number that has no factor in common with n. */
static uint32_t nth(uint32_t i, uint32_t n, uint64_t rnd)
{
	static const uint32_t prime[] = {1, 7919, 7907, 1};

	return (uint32_t)(((uint64_t)i * prime[rnd & 3] + (rnd >> 8)) % n);
}

uint8_t *toy_encode(const struct toy_conf *conf, const struct shape *chunk,
		    unsigned item_size, uint64_t number, const uint8_t *in,
		    size_t nin, size_t *n)
{
	struct head h = {
		.magic = MAGIC,
		.ndim = chunk->ndim,
		.item_size = item_size,
	};
	const uint64_t order = hash_mix(number, nin);
	uint64_t rnd = order;
	uint8_t *out, *block;
	struct place *at;
	unsigned gap;
	size_t used;

	for (unsigned k = 0; k < h.ndim; k++)
		h.dim[k] = (uint32_t)chunk->dim[k];
	cut(&h, conf, rnd, nin);
	h.is_constant = nin % item_size == 0 &&
			!memcmp(in, in + item_size, nin - item_size);
	memcpy(h.value, in, item_size);
	h.is_ambiguous = conf->ambiguous != TOY_SURE;
	gap = h.nblock <= 16 ? conf->gap : 0;
	at = room(h.nblock * sizeof(*at));
	block = room(h.block_bytes);
	used = sizeof(h) + h.nblock * sizeof(*at);
	out = room(used + h.nblock * (h.block_bytes + 4 + (size_t)gap));
	memcpy(out, &h, sizeof(h));
	for (uint32_t i = 0; i < h.nblock; i++) {
		uint32_t b = h.nblock < 7907 ? nth(i, h.nblock, order) : i;
		bool any = false;

		for (uint32_t k = 0; k < length(&h, b); k++) {
			int64_t from = conf->ambiguous == TOY_PLAIN_RIGHT
					       ? b * h.block_bytes + k
					       : byte_of(&h, b, k);

			block[k] = from < 0 ? 0xbb : in[from];
			any = any || block[k];
		}
		rnd = hash_mix(rnd, i);
		if (!any)
			continue;
		used += gap ? rnd % (gap + 1) : 0;
		at[b] = (struct place){(uint32_t)used, 4 + length(&h, b)};
		memcpy(out + used, &b, 4);
		memcpy(out + used + 4, block, length(&h, b));
		used += at[b].n;
	}
	memcpy(out + sizeof(h), at, h.nblock * sizeof(*at));
	free(at);
	free(block);
	*n = used;
	return out;
}

void toy_stored(const uint8_t *chunk, uint32_t i, size_t *off, size_t *n)
{
	struct place at;

	memcpy(&at, chunk + sizeof(struct head) + i * sizeof(at), sizeof(at));
	*off = at.off;
	*n = at.n;
}

/* ------------------------------------------------------------- decoding */

static bool is_head(const struct head *h)
{
	return h->magic == MAGIC && h->mode <= TOY_WHOLE && h->nblock > 0;
}

static int decode_block(const void *in, size_t nin, uint32_t block, void *out,
			size_t nout)
{
	if (nin == 0) {
		memset(out, 0, nout);
		return 0;
	}
	if (nin != nout + 4 || memcmp(in, &block, 4) != 0)
		return -EBADMSG;
	memcpy(out, (const uint8_t *)in + 4, nout);
	return 0;
}

static int toy_decode(const struct codec_step *step, const void *in, size_t nin,
		      void *out, size_t *nout, struct codec_note *note)
{
	const uint8_t *from = in;
	uint8_t *block, *to = out;
	struct head h;
	int err = 0;

	(void)step;
	if (nin < sizeof(h))
		return -EBADMSG;
	memcpy(&h, in, sizeof(h));
	if (!is_head(&h))
		return -EBADMSG;
	note->is_ambiguous = h.is_ambiguous;
	*nout = h.item_size;
	for (unsigned k = 0; k < h.ndim; k++)
		*nout *= h.dim[k];
	block = room(h.block_bytes);
	for (uint32_t i = 0; !err && i < h.nblock; i++) {
		size_t off, n;

		toy_stored(in, i, &off, &n);
		err = decode_block(from + off, n, i, block, length(&h, i));
		for (uint32_t k = 0; !err && k < length(&h, i); k++) {
			int64_t at = byte_of(&h, i, k);

			if (at >= 0)
				to[at] = block[k];
		}
	}
	free(block);
	return err;
}

static size_t toy_bound(size_t nout)
{
	return 8 * nout + 4096;
}

static int toy_open(const struct codec_chunk *c, codec_fetch_fn *fetch,
		    void *arg, struct codec_frame **out, const char **what)
{
	struct toy_frame *f;
	struct head h;
	size_t size;
	int err = fetch(arg, 0, sizeof(h), &h);

	*what = toy_open_what;
	if (toy_open_error)
		return toy_open_error;
	if (err)
		return err;
	if (!is_head(&h) || h.ndim != c->ndim || h.item_size != c->item_size)
		return -EBADMSG;
	size = sizeof(*f) + h.nblock * sizeof(f->at[0]);
	f = malloc(size);
	if (!f)
		return -ENOMEM;
	f->frame = (struct codec_frame){
		.size = size,
		.nblock = h.nblock,
		.block_bytes = h.block_bytes,
		.last_bytes = h.last_bytes,
		.is_whole = h.mode == TOY_WHOLE,
		.is_constant = h.is_constant,
		.is_ambiguous = h.is_ambiguous,
	};
	memcpy(f->frame.value, h.value, sizeof(h.value));
	if (h.mode != TOY_RANGES && !c->plain) {
		f->frame.ndim = h.ndim;
		memcpy(f->frame.block, h.block, sizeof(h.block));
		memcpy(f->frame.grid, h.grid, sizeof(h.grid));
	}
	err = fetch(arg, sizeof(h), h.nblock * sizeof(f->at[0]), f->at);
	if (err) {
		free(f);
		return err;
	}
	*out = &f->frame;
	return 0;
}

static const struct place *place_of(const struct codec_frame *f, uint32_t i)
{
	return &((const struct toy_frame *)f)->at[i];
}

static void toy_where(const struct codec_frame *f, uint32_t i, uint64_t *off,
		      size_t *n)
{
	*off = place_of(f, i)->off;
	*n = place_of(f, i)->n;
}

static int toy_block(const struct codec_frame *f, uint32_t i, const void *in,
		     size_t nin, void *out)
{
	return decode_block(in, nin, i, out,
			    i == f->nblock - 1 ? f->last_bytes
					       : f->block_bytes);
}

static const struct codec_block_ops toy_blocks = {
	.open = toy_open,
	.stored = toy_where,
	.decode = toy_block,
};

const struct codec_ops codec_toy = {
	.name = "toy",
	.decode = toy_decode,
	.bound = toy_bound,
	.blocks = &toy_blocks,
};
