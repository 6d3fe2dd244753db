/* SPDX-License-Identifier: MIT */

/* What the files of the layer share. */

#ifndef ARRAY_ARRAY_IMPL_H
#define ARRAY_ARRAY_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "array/array.h"
#include "container/container.h"
#include "util/shape.h"
#include "util/wait.h"

struct cache_ask;
struct cache_entry;
struct cache_key;

/* --------------------------------------------------------------- copy.c */

/*
 * A copy between two strided boxes, as rows of bytes that are contiguous on
 * both sides. Axes that can be walked as one are one.
 */
struct copy {
	unsigned ndim; /* axes outside of the row; 0: all is one row */
	uint64_t row;  /* bytes; 0: nothing to copy */
	/* innermost first; steps in bytes */
	uint64_t n[NDIM_MAX], dst[NDIM_MAX], src[NDIM_MAX];
};

/* Strides in elements. */
void copy_plan(struct copy *p, unsigned ndim, unsigned item_size,
	       const uint64_t *extent, const uint64_t *dst_stride,
	       const uint64_t *src_stride);
void copy_run(const struct copy *p, void *dst, const void *src);
/* n rows of row bytes, a step apart. */
void copy_rows(void *dst, uint64_t dst_step, const void *src, uint64_t src_step,
	       uint64_t n, uint64_t row);
/* To every element of dst the item; the plan's src side is ignored. */
void copy_fill(const struct copy *p, void *dst, const void *item,
	       unsigned item_size);

/*
 * The rows of a plan in groups along its innermost axis: offsets of the first
 * row of a group on both sides, how many rows it has, and how far these are
 * apart. Start with a zeroed walk; false at the end.
 */
struct copy_walk {
	uint64_t dst, src;
	uint64_t n, dst_step, src_step;
	/* private */
	uint64_t at[NDIM_MAX];
	bool started;
};
bool copy_next(const struct copy *p, struct copy_walk *k);

/* Bytes of a box if they lie in one run at the given strides, else 0. */
uint64_t copy_one_run(unsigned ndim, unsigned item_size, const uint64_t *extent,
		      const uint64_t *stride);

/* --------------------------------------------------------------- band.c */

/*
 * A part of a chunk that is cached by itself: along one axis, pieces of width
 * elements. bits == 0: chunks are cached whole.
 */
struct band {
	unsigned axis;
	unsigned bits; /* the axis of the chunk is cut into 2^bits pieces */
	uint64_t width;
};

/* Chunks under a region along axis k, whose extent is not 0. */
static inline uint64_t chunks_along(const struct shape *chunk,
				    const struct region *r, unsigned k)
{
	return (r->start[k] + r->extent[k] - 1) / chunk->dim[k] -
	       r->start[k] / chunk->dim[k] + 1;
}
/* How to cache the chunks under an item. */
void band_choose(const struct stored_array *s, const struct region *item,
		 struct band *out);
/* The band number of piece i, for keys. */
uint32_t band_number(const struct band *b, uint64_t i);

/* --------------------------------------------------------------- load.c */

/* What to load: whole units, or a piece of one. */
struct unit_job {
	const struct stored_array *s;
	uint64_t unit;
	struct stored at;
	bool raw;		 /* the stored bytes are the values */
	uint64_t bytes;		 /* of the unit, decoded */
	const struct band *band; /* NULL: the whole unit */
	uint64_t piece;
};

void unit_key(const struct stored_array *s, uint64_t unit, uint32_t band,
	      struct cache_key *out);
/* How to ask the cache for it. -EBADMSG, -EFBIG: told. */
int unit_ask(const struct unit_job *j, struct cache_ask *out);
/* Pin a unit, loading it if need be. All errors were told. */
int unit_get(const struct unit_job *j, struct wait *w,
	     struct cache_entry **out);
/* Pin a page of the chunk index. All errors were told. */
int index_get(const struct stored_array *s, uint64_t page, struct wait *w,
	      struct cache_entry **out);
/* So many bytes of values were made of what is stored. */
void unit_count(uint64_t bytes);

/* ------------------------------------------------------------ chunked.c */

/* A box of a chunked array being read. */
struct chunk_walk {
	const struct stored_array *s;
	const struct region *item, *box;
	struct wait *w;
	struct band band;
	struct cache_entry *index; /* pinned page, or NULL */
	uint64_t page;
	unsigned char *out;
	const uint64_t *stride; /* of out */
	bool offered;
};

/* A chunk of it, and what of it lies under the box. */
struct chunk_part {
	uint64_t slot;
	uint64_t at[NDIM_MAX];	/* of the chunk in the grid */
	uint64_t rel[NDIM_MAX]; /* start within the chunk */
	uint64_t extent[NDIM_MAX];
	unsigned char *dst;
	bool located, hole;
	struct unit_job job; /* if located and no hole */
};

/* Where it is stored, once. Errors were told; util/wait.h. */
int chunk_locate(struct chunk_walk *k, struct chunk_part *p);
/* To the next chunk under the box, row-major. False: that was the last. */
bool chunk_next(const struct chunk_walk *k, struct chunk_part *p);

/* --------------------------------------------------------------- tell.c */

/* Tell what is wrong with a unit; returns err. */
int unit_tell(const struct stored_array *s, uint64_t unit, int err,
	      const struct stored *at);
/* The same of a block of a chunk. */
int block_tell(const struct stored_array *s, uint64_t unit, uint32_t block,
	       int err, const struct stored *at);
/* A chunk uses what its codec does not serve; -EOPNOTSUPP. */
int frame_tell(const struct stored_array *s, uint64_t unit, const char *what);
/*
 * The cache is too small for chunks of so many bytes, or for blocks of them if
 * a frame is given; -EFBIG.
 */
int size_tell(const struct stored_array *s, const struct codec_frame *frame,
	      uint64_t bytes, uint64_t scratch);

/* -------------------------------------------------------------- frame.c */

/*
 * The way to the blocks of a located chunk; NULL: it is decoded whole.
 */
const struct codec_block_ops *frame_ops(const struct unit_job *j);
/* plain: its blocks are read one after the other, if it is ambiguous. */
void frame_key(const struct stored_array *s, uint64_t slot, bool plain,
	       struct cache_key *out);
/* Pin what is known of the blocks of such a chunk. All errors were told. */
int frame_get(const struct unit_job *j, bool plain, struct wait *w,
	      struct cache_entry **out);
/* Whether it is that the chunk is decoded at once. */
bool frame_is_whole(const struct cache_entry *frame);
/* Whether there are two ways to read it; see ambiguous.c. */
bool frame_is_ambiguous(const struct cache_entry *frame);

/* -------------------------------------------------------------- block.c */

void block_key(const struct stored_array *s, uint64_t slot, uint32_t block,
	       struct cache_key *out);
/* Put blocks in the order in which they are stored. */
void block_sort(const struct unit_job *j, const struct codec_frame *f,
		uint32_t *block, unsigned n);
/* How many of them, from the first on, lie so near that they are read at once.
 */
unsigned block_near(const struct unit_job *j, const struct codec_frame *f,
		    const uint32_t *block, unsigned n);
/*
 * Pin the first block, loading it if need be; then the others are loaded too
 * if nobody else does. out[i] is pinned or NULL. All errors were told.
 */
int block_get(const struct unit_job *j, const struct codec_frame *f,
	      const uint32_t *block, unsigned n, struct wait *w,
	      struct cache_entry **out);

/* ---------------------------------------------------------- ambiguous.c */

enum verdict {
	VERDICT_NONE, /* not looked into yet */
	VERDICT_BOXES,
	VERDICT_PLAIN,
	VERDICT_DAMAGED, /* neither can be right */
};

/* What was found out of the arrays of a mount, kept until its end. */
struct verdicts *verdicts_new(void);
void verdicts_free(struct verdicts *v);
/* What is known; reads nothing. */
enum verdict verdict_known(const struct stored_array *s);
/*
 * How the ambiguous chunks of an array are to be read: found out once. Errors
 * were told; -EBADMSG: neither way is right; util/wait.h.
 */
int verdict_get(const struct stored_array *s, struct wait *w,
		enum verdict *out);

/* An ambiguous chunk was believed: tell, once an array. */
void ambiguous_tell(const struct stored_array *s);

/* ------------------------------------------------------------- digest.c */

/*
 * Which reading of the array agrees with its attribute `digest`.
 * VERDICT_NONE: it has none that says so. Errors were told.
 */
int digest_verdict(const struct stored_array *s, void *buffer, size_t room,
		   enum verdict *out);

/* -------------------------------------------------------------- cover.c */

/* The blocks of a chunk that lie under a part of it, in row-major order. */
struct cover {
	const struct stored_array *s;
	const struct codec_frame *frame;
	const struct chunk_part *part;
	uint64_t count;
	/* private: on the grid of blocks */
	uint64_t first[NDIM_MAX], n[NDIM_MAX];
};
/* All are borrowed. */
void cover_init(struct cover *c, const struct stored_array *s,
		const struct codec_frame *f, const struct chunk_part *p);
/* The number of block i < count; false: nothing of it is needed after all. */
bool cover_nth(const struct cover *c, uint64_t i, uint32_t *block);
/* What the part needs of a decoded block, to the reply. Bytes copied. */
uint64_t cover_copy(const struct cover *c, uint32_t block, const void *data,
		    const uint64_t *stride);

/* ------------------------------------------------------------ blocked.c */

/*
 * Read a part block by block. *is_read: else nothing was, it has none. Errors
 * were told; util/wait.h.
 */
int blocked_read(struct chunk_walk *k, struct chunk_part *p, bool *is_read);
/*
 * Load the blocks under a located part ahead of its turn: n windows from that
 * one on, or as many as there are.
 */
int blocked_load(const struct stored_array *s, const struct chunk_part *p,
		 uint64_t first, uint64_t n, struct wait *w);
/* Bytes of values that this would make, about; 0: nothing is missing. */
uint64_t blocked_missing(const struct stored_array *s,
			 const struct chunk_part *p);

/* -------------------------------------------------------------- offer.c */

/*
 * Units that idle workers may load ahead of their turn, all of one array. They
 * outlive the request, so a set has copies of what its loads need.
 */
struct offer_set;
/* NULL: out of memory. */
struct offer_set *offer_begin(const struct stored_array *s,
			      const struct band *band);
/* False: this one and further ones are not wanted. */
bool offer_unit(struct offer_set *set, const struct unit_job *j,
		struct wait *w);
/* The same for blocks of so many bytes; see blocked_load. */
bool offer_part(struct offer_set *set, const struct chunk_part *p,
		uint64_t first, uint64_t n, uint64_t bytes, struct wait *w);
void offer_end(struct offer_set *set);
/* Offer what is missing of the chunks that come after this one, if located. */
void chunk_offer_next(struct chunk_walk *k, const struct chunk_part *now,
		      struct offer_set *set);

/* ------------------------------------------------------------- direct.c */

/* From so many bytes on a run is read past the cache. */
#define DIRECT_RUN (UINT64_C(4) << 10)	/* of a whole item in a unit */
#define DIRECT_ROW (UINT64_C(64) << 10) /* of one row of many */

/*
 * Copy from the stored bytes at off of the file straight to the reader; the
 * thread is asked for first. unit: of a chunked array, for messages. Errors
 * were told; util/wait.h.
 */
int direct_copy(const struct stored_array *s, uint64_t unit, uint64_t off,
		const struct copy *plan, unsigned char *out, struct wait *w);

/*
 * Read a located part past the cache if its rows are long and lie in the file
 * as they are served, src bytes into the values of the chunk. *is_read: else
 * nothing was. Errors were told; util/wait.h.
 */
int chunk_read_direct(const struct chunk_walk *k, const struct chunk_part *p,
		      const struct copy *plan, uint64_t src, bool *is_read);

/* --------------------------------------------- chunked.c, contiguous.c */

int chunked_read_box(const struct array *a, const struct region *item,
		     const struct region *box, void *out,
		     const uint64_t stride[NDIM_MAX], struct wait *w);
uint64_t chunked_decode_bytes(const struct array *a, const struct region *box);
int contiguous_read_box(const struct array *a, const struct region *item,
			const struct region *box, void *out,
			const uint64_t stride[NDIM_MAX], struct wait *w);
uint64_t contiguous_decode_bytes(const struct array *a,
				 const struct region *box);

/* Bytes handed out that count for the age of an entry. */
static inline size_t served_bytes(const struct stored_array *s, uint64_t n)
{
	return s->env->direct_io ? 0 : (size_t)n;
}

#endif
