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
/* Reverse the bytes of each of count items. */
void copy_swap(void *data, uint64_t count, unsigned item_size);

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

struct cache_key;
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
/* Tell what is wrong with a unit; returns err. */
int unit_tell(const struct stored_array *s, uint64_t unit, int err,
	      const struct stored *at);

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
void offer_end(struct offer_set *set);

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
