/* SPDX-License-Identifier: MIT */

/*
 * A frame of Blosc2: header and metalayers, the chunk, a small chunk that says
 * where it is, a trailer. All that a frame tells is compared with what HDF5
 * tells and with its own length before anything is allocated.
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#include "codec/blosc2_impl.h"
#include "util/checked.h"

#define FOOTER 23 /* bytes at the end of a trailer */
#define TRAILER_MIN 25
#define BLOCKS_MAX 65536 /* of one chunk that are decoded alone */

/* -------------------------------------------------------------- geometry */

/* Boxes that do not lie one after the other though nothing pads them. */
static bool is_ambiguous(const struct blosc2_boxes *b)
{
	unsigned k = 0;

	if (b->ndim < 3 || b->block[b->ndim - 1] != b->chunk[b->ndim - 1])
		return false;
	for (unsigned i = 0; i < b->ndim; i++)
		if (b->chunk[i] % b->block[i])
			return false;
	while (k < b->ndim && b->block[k] == 1)
		k++;
	for (k++; k < b->ndim; k++)
		if (b->block[k] != b->chunk[k])
			return true;
	return false;
}

/* The frame's boxes as those of our chunk, h->bytes with their padding. */
static int set_boxes(const struct codec_chunk *c, const struct blosc2_header *h,
		     const struct blosc2_boxes *b, struct blosc2_head *out)
{
	uint64_t block = 1, blocks = 1, items = 1, item;

	if (c->ndim && c->ndim != b->ndim)
		return -EBADMSG;
	for (unsigned i = 0; i < b->ndim; i++) {
		const uint64_t grid = div_up(b->chunk[i], b->block[i]);

		if (c->ndim && c->dim[i] != b->chunk[i])
			return -EBADMSG;
		if (!checked_mul(block, b->block[i], &block) ||
		    !checked_mul(blocks, grid, &blocks) ||
		    !checked_mul(items, b->chunk[i], &items))
			return -EBADMSG;
		out->frame.block[i] = b->block[i];
		out->frame.grid[i] = (uint32_t)grid;
		out->extent[i] = b->chunk[i];
	}
	/* Divided, not multiplied: h->bytes is what bounds them all. */
	if (h->bytes / block < blocks)
		return -EBADMSG;
	item = h->bytes / block / blocks;
	if (item * blocks * block != h->bytes ||
	    (c->item_size && item != c->item_size))
		return -EBADMSG;
	out->frame.ndim = b->ndim;
	out->frame.nblock = (uint32_t)blocks;
	out->frame.block_bytes = (uint32_t)(block * item);
	out->frame.is_ambiguous = is_ambiguous(b);
	out->item_size = (unsigned)item;
	out->bytes = items * item;
	return 0;
}

static int set_geometry(const struct codec_chunk *c,
			const struct blosc2_header *h,
			const struct blosc2_boxes *b, struct blosc2_head *out)
{
	int err = 0;

	out->bytes = h->bytes;
	if (b->ndim)
		err = set_boxes(c, h, b, out);
	if (err < 0)
		return err;
	if (!c->item_size)
		return out->bytes > c->bytes ? -ENOSPC : 0;
	return out->bytes != c->bytes ? -EBADMSG : 0;
}

/* ------------------------------------------- index, trailer and the chunk */

/* The one number of the index, from a chunk of eight bytes. */
static int read_index(struct blosc2_reader *r, const struct blosc2_header *h,
		      uint64_t *stored, uint64_t *value, const char **what)
{
	const uint64_t at = h->size + h->stored;
	struct blosc2_chunk c;
	uint8_t number[8];
	const uint8_t *p;
	int err;

	err = blosc2_view(r, BLOSC2_BACK, at, BLOSC2_HEAD, &p);
	if (err < 0)
		return err;
	err = blosc2_chunk(p, r->size - at, &c, what);
	if (err < 0)
		return err;
	if (c.bytes != sizeof(number))
		return -EBADMSG;
	err = blosc2_view(r, BLOSC2_BACK, at, c.stored, &p);
	for (uint32_t i = 0; i < c.nblock && !err; i++)
		err = blosc2_block_of(&c, i, p, number + i * c.block,
				      i ? number : NULL);
	if (err < 0)
		return err;
	*stored = c.stored;
	*value = blosc2_le64(number);
	return 0;
}

static int read_trailer(struct blosc2_reader *r, uint64_t *size)
{
	const uint8_t *p;
	int err;

	if (r->size < FOOTER)
		return -EBADMSG;
	err = blosc2_view(r, BLOSC2_BACK, r->size - FOOTER, FOOTER, &p);
	if (err < 0)
		return err;
	if (p[0] != 0xce || p[5] != 0xd8 || blosc2_be32(p + 1) < TRAILER_MIN)
		return -EBADMSG;
	*size = blosc2_be32(p + 1);
	return 0;
}

/* A chunk that is not stored: bits of the index say what it is. */
static int set_special(const struct blosc2_header *h, uint64_t index,
		       struct blosc2_chunk *out)
{
	struct blosc2_chunk c = {
		.type_size = h->type_size,
		.bytes = (uint32_t)h->bytes,
		.block = h->block,
	};

	switch (index >> 56 & 7) {
	case 1: /* zeros */
	case 4: /* undefined */
		c.kind = BLOSC2_ZERO;
		break;
	case 2:
		c.kind = BLOSC2_NAN;
		if ((c.type_size != 4 && c.type_size != 8) ||
		    c.bytes % c.type_size)
			return -EBADMSG;
		break;
	default:
		return -EBADMSG;
	}
	if (!c.block || c.block > c.bytes)
		c.block = c.bytes;
	c.nblock = (uint32_t)div_up(c.bytes, c.block);
	*out = c;
	return 0;
}

static int read_chunk(struct blosc2_reader *r, const struct blosc2_header *h,
		      uint64_t index, struct blosc2_head *out,
		      const char **what)
{
	const uint8_t *p;
	int err;

	if (index >> 63)
		return set_special(h, index, &out->chunk);
	if (index > h->stored || h->stored - index < BLOSC2_HEAD)
		return -EBADMSG;
	out->at = h->size + index;
	err = blosc2_view(r, BLOSC2_FRONT, out->at, BLOSC2_HEAD, &p);
	if (err < 0)
		return err;
	err = blosc2_chunk(p, h->stored - index, &out->chunk, what);
	if (err < 0)
		return err;
	return out->chunk.bytes != h->bytes ? -EBADMSG : 0;
}

/*
 * Whether the chunk is one item all over; such are the empty parts of labels.
 * What is stored of that lies in the window that has the head of the chunk.
 */
static int set_constant(struct blosc2_reader *r, const struct codec_chunk *c,
			struct blosc2_head *out)
{
	const struct blosc2_chunk *k = &out->chunk;
	struct codec_frame *f = &out->frame;
	const uint8_t *p;
	int err;

	if (!c->item_size || c->item_size > sizeof(f->value))
		return 0;
	switch (k->kind) {
	case BLOSC2_ZERO:
		f->is_constant = true;
		break;
	case BLOSC2_NAN:
		f->is_constant = k->type_size == c->item_size;
		blosc2_nan(k->type_size, f->value);
		break;
	case BLOSC2_REPEAT:
		if (k->width != c->item_size)
			break;
		err = blosc2_view(r, BLOSC2_FRONT, out->at + BLOSC2_HEAD,
				  k->width, &p);
		if (err < 0)
			return err;
		f->is_constant = true;
		memcpy(f->value, p, k->width);
		break;
	case BLOSC2_RAW:
	case BLOSC2_CODED:
		break;
	}
	return 0;
}

/* Blocks as the frame has them and as the chunk has them: one and the same. */
static int join(const struct codec_chunk *c, struct blosc2_head *out)
{
	struct codec_frame *f = &out->frame;
	struct blosc2_chunk *k = &out->chunk;

	if (!f->ndim) {
		f->nblock = k->nblock;
		f->block_bytes = k->block;
	} else if (k->kind == BLOSC2_RAW || k->kind == BLOSC2_CODED) {
		if (k->block != f->block_bytes)
			return -EBADMSG;
	} else {
		k->block = f->block_bytes;
		k->nblock = f->nblock;
	}
	f->last_bytes = blosc2_block_bytes(k, k->nblock - 1);
	f->is_whole = k->has_delta || k->nblock > BLOCKS_MAX;
	if (f->is_ambiguous && c->plain)
		f->ndim = 0;
	return 0;
}

int blosc2_head(struct blosc2_reader *r, const struct codec_chunk *c,
		struct blosc2_head *out, const char **what)
{
	struct blosc2_head head = {0};
	uint64_t index, stored, trailer;
	struct blosc2_header h;
	struct blosc2_boxes b;
	int err;

	err = blosc2_header(r, &h, what);
	if (!err)
		err = blosc2_metalayers(r, &h, &b, what);
	if (!err)
		err = set_geometry(c, &h, &b, &head);
	if (!err)
		err = read_index(r, &h, &stored, &index, what);
	if (!err)
		err = read_trailer(r, &trailer);
	if (!err && r->size - h.size - h.stored - stored != trailer)
		err = -EBADMSG;
	if (!err)
		err = read_chunk(r, &h, index, &head, what);
	if (!err)
		err = join(c, &head);
	if (!err)
		err = set_constant(r, c, &head);
	if (err < 0)
		return err;
	*out = head;
	return 0;
}
