/* SPDX-License-Identifier: MIT */

/* What the files of the layer share: the block, and how it is written. */

#ifndef INDEX_INDEX_IMPL_H
#define INDEX_INDEX_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "index/index.h"
#include "util/shape.h"

/* ------------------------------------------------------------ the block */

#define LABEL_MAGIC UINT64_C(0x786c62616c736670)
#define LABEL_VERSION 1

/*
 * Then come the records, ids ascending, and the runs of each class in the same
 * order, with nothing between. No byte is undefined.
 */
struct label_index {
	uint64_t magic;
	uint32_t version;
	uint32_t width;	    /* bytes of each number of a run, 4 or 8 */
	struct shape shape; /* 0 beyond ndim and where it is padded */
	uint64_t size;	    /* bytes of the block */
	uint64_t nclass;
};

struct label_record {
	int64_t id;
	uint64_t count, runs;
	uint64_t offset; /* of the runs, from the begin of the block */
	uint64_t start[NDIM_MAX], stop[NDIM_MAX]; /* 0 beyond ndim */
};

/*
 * A run is two numbers: where it begins in C order of the array, and how many
 * voxels of the class lie in the runs before it.
 */
static inline uint64_t run_number(const void *runs, unsigned width, uint64_t i)
{
	const unsigned char *p = runs;
	uint64_t v = 0;
	uint32_t w;

	if (width == 8) {
		memcpy(&v, p + 8 * i, 8);
		return v;
	}
	memcpy(&w, p + 4 * i, 4);
	return w;
}

static inline uint64_t run_first(const void *runs, unsigned width, uint64_t i)
{
	return run_number(runs, width, 2 * i);
}

static inline uint64_t run_before(const void *runs, unsigned width, uint64_t i)
{
	return run_number(runs, width, 2 * i + 1);
}

static inline const struct label_record *
label_records(const struct label_index *x)
{
	return (const struct label_record *)(x + 1);
}

static inline const void *label_runs(const struct label_index *x,
				     const struct label_record *r)
{
	return (const unsigned char *)x + r->offset;
}

/* Bytes of each number of a run in an array of so many elements. */
static inline unsigned label_width(uint64_t elements)
{
	return elements <= (uint64_t)UINT32_MAX + 1 ? 4 : 8;
}

/* Coordinates of element pos of the shape. */
static inline void unravel(const struct shape *s, uint64_t pos, uint64_t *at)
{
	for (unsigned k = s->ndim; k-- > 1;) {
		if (pos <= UINT32_MAX && s->dim[k] <= UINT32_MAX) {
			at[k] = (uint32_t)pos % (uint32_t)s->dim[k];
			pos = (uint32_t)pos / (uint32_t)s->dim[k];
		} else {
			at[k] = pos % s->dim[k];
			pos /= s->dim[k];
		}
	}
	if (s->ndim)
		at[0] = pos;
}

/* The tight box of elements [first, stop), stop > first, added to a box. */
void box_add(const struct shape *s, uint64_t first, uint64_t stop,
	     uint64_t lo[NDIM_MAX], uint64_t hi[NDIM_MAX]);

/* -------------------------------------------------------------- write.c */

/* A block that grows. */
struct label_writer {
	struct shape shape;
	unsigned width;
	size_t max;	       /* -EFBIG beyond */
	uint32_t nclass, room; /* records written, and for how many is room */
	unsigned char *data;
	size_t size, capacity;
	/* of the class being written */
	struct label_record now;
	uint64_t first, stop; /* the last run, not written yet; equal: none */
	/* Of the row in which the last run in the box ended; equal: none. */
	uint64_t row, row_end;
};

/* For at most so many classes. 0, -EFBIG, -ENOMEM; fini whatever it is. */
int writer_init(struct label_writer *w, const struct shape *s, uint64_t classes,
		size_t max);
void writer_fini(struct label_writer *w);
/* Ids ascending. */
void writer_class(struct label_writer *w, int64_t id);
/*
 * Voxels [first, stop) in C order, not empty; first never falls. What overlaps
 * or touches becomes one run. 0, -EFBIG, -ENOMEM.
 */
int writer_span(struct label_writer *w, uint64_t first, uint64_t stop);
/* A class without voxels is none. */
int writer_class_end(struct label_writer *w);
/* *out is malloc'ed, caller frees. */
void writer_finish(struct label_writer *w, void **out, size_t *size);

#endif
