/* SPDX-License-Identifier: MIT */

/*
 * HDF5 filter 32026: a Blosc2 frame with one chunk in it, which is the HDF5
 * chunk cut into blocks: boxes if the frame says so (b2nd), else ranges. Boxes
 * at the ends of an axis are padded; what is there is nobody's business.
 */

#include <config.h>

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec/blosc2_impl.h"
#include "codec/codec_impl.h"
#include "util/checked.h"
#include "util/cleanup.h"

struct where {
	uint32_t at, n; /* in the chunk of Blosc2 */
};

/* The record; starts of blocks only if the chunk is BLOSC2_CODED. */
struct frame {
	struct blosc2_head head;
	struct where where[];
};

static const struct frame *frame_of(const struct codec_frame *f)
{
	return (const struct frame *)(const void *)f;
}

/* --------------------------------------------------------- single blocks */

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * A block ends where the next one begins, whichever that is: writers with
 * several threads store them as they come.
 */
static uint32_t block_end(const struct blosc2_chunk *c, const uint32_t *sorted,
			  uint32_t start)
{
	uint32_t low = 0, high = c->nblock;

	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;

		if (sorted[mid] > start)
			high = mid;
		else
			low = mid + 1;
	}
	return low < c->nblock ? sorted[low] : c->stored;
}

static int set_where(struct frame *f, uint32_t *start)
{
	const struct blosc2_chunk *c = &f->head.chunk;
	bool is_sorted = true;

	for (uint32_t i = 0; i < c->nblock; i++) {
		if (start[i] < blosc2_starts_end(c) || start[i] >= c->stored)
			return -EBADMSG;
		f->where[i].at = start[i];
		is_sorted = is_sorted && (!i || start[i] > start[i - 1]);
	}
	if (!is_sorted)
		qsort(start, c->nblock, sizeof(*start), compare);
	for (uint32_t i = 0; i < c->nblock; i++) {
		const uint64_t most = blosc2_block_most(c, i);
		uint32_t n = block_end(c, start, f->where[i].at);

		n -= f->where[i].at;
		f->where[i].n = n < most ? n : (uint32_t)most;
	}
	return 0;
}

static int read_starts(struct blosc2_reader *r, struct frame *f)
{
	const uint32_t n = f->head.chunk.nblock;
	const uint64_t at = f->head.at + BLOSC2_HEAD;
	CLEANUP(cleanup_freep) uint32_t *start = NULL;
	const uint8_t *p;
	int err;

	start = malloc((size_t)n * 4);
	if (!start)
		return -ENOMEM;
	if (n > BLOSC2_WINDOW / 4) {
		err = r->fetch(r->arg, at, (size_t)n * 4, start);
		p = (const uint8_t *)start;
	} else {
		err = blosc2_view(r, BLOSC2_FRONT, at, (uint64_t)n * 4, &p);
	}
	if (err < 0)
		return err;
	for (uint32_t i = 0; i < n; i++)
		start[i] = blosc2_le32(p + (size_t)i * 4);
	return set_where(f, start);
}

static int open_head(struct blosc2_reader *r, const struct codec_chunk *c,
		     struct codec_frame **out, const char **what)
{
	CLEANUP(cleanup_freep) struct frame *f = NULL;
	struct blosc2_head head;
	size_t n = 0;
	int err;

	err = blosc2_head(r, c, &head, what);
	if (err < 0)
		return err == -ENOSPC ? -EBADMSG : err;
	/* One that is decoded at once has no need of the starts. */
	if (head.chunk.kind == BLOSC2_CODED && !head.frame.is_whole)
		n = head.chunk.nblock;
	head.frame.size = sizeof(*f) + n * sizeof(f->where[0]);
	f = malloc(head.frame.size);
	if (!f)
		return -ENOMEM;
	f->head = head;
	err = n ? read_starts(r, f) : 0;
	if (err < 0)
		return err;
	*out = &take_ptr(f)->head.frame;
	return 0;
}

static int blosc2_open(const struct codec_chunk *c, codec_fetch_fn *fetch,
		       void *arg, struct codec_frame **out, const char **what)
{
	struct blosc2_reader r;
	int err;

	*what = NULL;
	blosc2_reader_init(&r, NULL, fetch, arg, c->stored);
	err = open_head(&r, c, out, what);
	codec_scratch_done();
	return err;
}

static void blosc2_stored(const struct codec_frame *frame, uint32_t i,
			  uint64_t *off, size_t *n)
{
	const struct frame *f = frame_of(frame);
	const struct blosc2_chunk *c = &f->head.chunk;

	assert(i < frame->nblock && !frame->is_whole);
	*off = f->head.at + BLOSC2_HEAD;
	*n = c->width;
	switch (c->kind) {
	case BLOSC2_ZERO:
	case BLOSC2_NAN:
	case BLOSC2_REPEAT:
		break;
	case BLOSC2_RAW:
		*off += (uint64_t)i * c->block;
		*n = blosc2_block_bytes(c, i);
		break;
	case BLOSC2_CODED:
		*off = f->head.at + f->where[i].at;
		*n = f->where[i].n;
		break;
	}
}

static int blosc2_block_decode(const struct codec_frame *frame, uint32_t i,
			       const void *in, size_t nin, void *out)
{
	int r;

	assert(i < frame->nblock && !frame->is_whole);
	r = blosc2_block(&frame_of(frame)->head.chunk, i, in, nin, out, NULL);
	codec_scratch_done();
	return r;
}

/* ---------------------------------------------------------- whole chunks */

/* Block i to its place in the chunk, without its padding. */
static void place(const struct blosc2_head *h, uint32_t i, const uint8_t *block,
		  uint8_t *out)
{
	const struct codec_frame *f = &h->frame;
	const unsigned last = f->ndim - 1;
	size_t take[NDIM_MAX], at[NDIM_MAX] = {0}; /* both in the block */
	size_t from_step[NDIM_MAX], to_step[NDIM_MAX];
	size_t from = 0, to = 0, from_size = h->item_size;
	size_t to_size = h->item_size;
	unsigned k;

	for (k = f->ndim; k-- > 0;) {
		const size_t begin = (size_t)(i % f->grid[k]) * f->block[k];

		i /= f->grid[k];
		take[k] = h->extent[k] - begin;
		if (take[k] > f->block[k])
			take[k] = f->block[k];
		from_step[k] = from_size;
		to_step[k] = to_size;
		to += begin * to_size;
		from_size *= f->block[k];
		to_size *= h->extent[k];
	}
	do {
		memcpy(out + to, block + from, take[last] * h->item_size);
		for (k = last; k-- > 0;) {
			from += from_step[k];
			to += to_step[k];
			if (++at[k] < take[k])
				break;
			from -= take[k] * from_step[k];
			to -= take[k] * to_step[k];
			at[k] = 0;
		}
	} while (k < last);
}

static int decode_boxes(const struct blosc2_head *h, const uint8_t *chunk,
			uint8_t *out)
{
	const struct blosc2_chunk *c = &h->chunk;
	uint8_t *block, *first = NULL;
	int r;

	block = codec_scratch_get(CODEC_BUFFER_STEP_1, c->block);
	if (!block)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->nblock; i++) {
		r = blosc2_block_of(c, i, chunk, block, first);
		if (r < 0)
			return r;
		place(h, i, block, out);
		/* Delta has no other use for the first buffer. */
		if (c->has_delta && !first) {
			first = codec_scratch_get(CODEC_BUFFER_STEP_0,
						  c->block);
			if (!first)
				return -ENOMEM;
			memcpy(first, block, c->block);
		}
	}
	return 0;
}

static int decode_ranges(const struct blosc2_chunk *c, const uint8_t *chunk,
			 uint8_t *out)
{
	for (uint32_t i = 0; i < c->nblock; i++) {
		int r = blosc2_block_of(c, i, chunk, out + (size_t)i * c->block,
					i ? out : NULL);

		if (r < 0)
			return r;
	}
	return 0;
}

static int decode_head(const struct blosc2_head *h, const uint8_t *in,
		       uint8_t *out)
{
	const uint8_t *chunk = h->at ? in + h->at : NULL;
	const struct blosc2_chunk *c = &h->chunk;

	/* One block without padding is the chunk. */
	if (h->frame.ndim && (c->nblock > 1 || c->bytes != h->bytes))
		return decode_boxes(h, chunk, out);
	return decode_ranges(c, chunk, out);
}

/* Parameters 7 and on are rank and extents, if there are so many. */
static int known_shape(const struct codec_step *step, struct codec_chunk *c,
		       uint64_t dim[NDIM_MAX])
{
	const unsigned ndim = step->nparam > 7 ? step->param[7] : 0;

	if (!ndim)
		return 0;
	if (ndim > step->nparam - 8)
		return -EBADMSG;
	for (unsigned i = 0; i < ndim && i < NDIM_MAX; i++)
		dim[i] = step->param[8 + i];
	c->ndim = ndim;
	c->dim = dim;
	return 0;
}

static int blosc2_decode(const struct codec_step *step, const void *in,
			 size_t nin, void *out, size_t *nout,
			 struct codec_note *note)
{
	struct codec_chunk c = {.stored = nin, .bytes = *nout};
	struct blosc2_reader r;
	struct blosc2_head head;
	uint64_t dim[NDIM_MAX];
	int err;

	err = known_shape(step, &c, dim);
	if (err < 0)
		return err;
	blosc2_reader_init(&r, in, NULL, NULL, nin);
	err = blosc2_head(&r, &c, &head, &note->what);
	if (err < 0)
		return err;
	/* The others are one value all over, in whatever order. */
	note->is_ambiguous |=
		head.frame.is_ambiguous && (head.chunk.kind == BLOSC2_RAW ||
					    head.chunk.kind == BLOSC2_CODED);
	err = decode_head(&head, in, out);
	if (err < 0)
		return err;
	*nout = (size_t)head.bytes;
	return 0;
}

/* Padding may double every axis; it is there even where nothing shrinks. */
static size_t blosc2_bound(size_t nout)
{
	return size_add(size_mul(nout, 8), 64 << 10);
}

static const struct codec_block_ops blosc2_blocks = {
	.open = blosc2_open,
	.stored = blosc2_stored,
	.decode = blosc2_block_decode,
};

const struct codec_ops codec_blosc2 = {
	.name = "blosc2",
	.h5_filter = 32026,
	.decode = blosc2_decode,
	.bound = blosc2_bound,
	.scratch = 2,
	.blocks = &blosc2_blocks,
};
