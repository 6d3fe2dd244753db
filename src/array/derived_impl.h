/* SPDX-License-Identifier: MIT */

/*
 * What the files of derived arrays share. A box is worked through in pieces:
 * the values of a source that lie under a piece are read into scratch memory
 * and turned into values of the box, row by row.
 */

#ifndef ARRAY_DERIVED_IMPL_H
#define ARRAY_DERIVED_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "array/array.h"

/* ------------------------------------------------------------ derived.c */

/*
 * Of sources of the caller's: what computes, and whether it can. The sources
 * and info are set; the rest is filled in. What is wrong with them is
 * what reading gives.
 */
void derived_init(struct derived *d, const struct shape *shape,
		  struct problems *problems, const char *label);

struct derived_kind_ops {
	struct array_ops ops;
	char kind;
	unsigned item_size;
	/* NULL, or what is wrong with the sources. */
	const char *(*check)(const struct derived *d);
};
extern const struct derived_kind_ops derived_labels, derived_class,
	derived_ignore, derived_physical, derived_valid;

/* What is wrong with the sources that the encoding needs, or NULL. */
const char *derived_check_voxels(const struct derived *d);
/* The same of a mask on the same grid; NULL if there is none. */
const char *derived_check_mask(const struct derived *d, enum derived_source i);

/* --------------------------------------------------------------- piece.c */

/* A part of a box. */
struct piece {
	const struct derived *d;
	const void *arg;
	const struct region *item;
	struct region box;
	unsigned char *out;
	const uint64_t *stride; /* of out */
	struct wait *w;
	unsigned char *scratch;
	unsigned in_size; /* of the values that were loaded last */
};

/*
 * Call fn for pieces that are the box together, with room for the values of
 * any source of voxels. 0, -ENOMEM, or what fn returned.
 */
int piece_each(const struct derived *d, const struct region *item,
	       const struct region *box, void *out,
	       const uint64_t stride[NDIM_MAX], struct wait *w,
	       int (*fn)(struct piece *p), const void *arg);
/*
 * The values of a source under the piece, to its scratch: of one plane of it,
 * or of all there is (plane NULL). Errors of read_box.
 */
int piece_load(struct piece *p, const struct array *a, const uint64_t *plane);
/* Call fn for runs of n elements of the box and what was loaded of them. */
typedef void piece_row_fn(const void *arg, void *out, const void *in,
			  uint64_t n);
void piece_rows(const struct piece *p, piece_row_fn *fn, const void *arg);
/* Zeros everywhere. */
void piece_clear(const struct piece *p);

/* ------------------------------------------------------------- classes.c */

/* A class, and in which plane its voxels are. */
struct class_at {
	uint32_t plane; /* BITMASK: position */
	uint16_t id;
	uint16_t rank; /* LABELS: it is painted over lower ones; not 0 */
};

/* The classes by rising plane; caller frees. NULL: out of memory. */
struct class_at *classes_by_plane(const struct derived *d);
/* The plane of the data that has it; and those after it that it has too. */
uint32_t classes_plane(const struct derived *d, const struct class_at *c);
unsigned classes_same(const struct derived *d, const struct class_at *c,
		      unsigned n);
/* What reading a box of the planes of all classes decodes. */
uint64_t classes_cost(const struct derived *d, const struct region *box);
/* The same of planes [0, n) of an array. */
uint64_t planes_cost(const struct array *a, uint64_t n,
		     const struct region *box);

/* ---------------------------------------------------------- class_mask.c */

/* Of the labels of instances the masks of array_open_masks. 0; -EINVAL. */
int class_masks_init(struct derived *d);

/* -------------------------------------------------------------- column.c */

/* Less than what would be read past the cache (DIRECT_RUN). */
#define COLUMN_BYTES 4095

/* Rows of an array, along its first axis, that lie together. */
struct column {
	const struct array *a;
	struct wait *w;
	uint64_t row; /* bytes of one */
	uint64_t first, n;
	unsigned char buf[COLUMN_BYTES];
};

/* a may be NULL: nothing is asked of it then. */
void column_init(struct column *c, const struct array *a, struct wait *w);
/*
 * Row i of those there are, borrowed until the next call; and, up to the end of
 * what is here, those after it. Errors of read_box.
 */
int column_at(struct column *c, uint64_t i, const unsigned char **out);
/* Whole number k of a row; false: it is negative. */
bool column_whole(const struct column *c, const unsigned char *row, unsigned k,
		  uint64_t *out);

/* ----------------------------------------------------------- instances.c */

const char *instances_check(const struct derived *d);
/*
 * The objects that meet the box, to out: wherever a voxel is of an object, out
 * becomes rank[class id], if that is more; class ids from n on have none. Of
 * arrays of one byte it becomes 1. 0 or -errno, which was told.
 */
int instances_paint(const struct derived *d, const struct region *box,
		    void *out, const uint64_t stride[NDIM_MAX], struct wait *w,
		    const uint16_t *rank, uint32_t n);
/* Call fn for each object in the box, with what of it is there. 0 or -errno. */
typedef void instances_fn(void *arg, uint16_t id, const struct region *part);
int instances_each(const struct derived *d, const struct region *box,
		   struct wait *w, instances_fn *fn, void *arg);
uint64_t instances_cost(const struct derived *d);

/* --------------------------------------------------------------- voxel.c */

/* Each of n bytes of out becomes 1 where the value of size bytes ... */
/* ... is id; size is 1 or 2. */
void voxels_equal(uint8_t *out, const void *in, uint64_t n, unsigned size,
		  uint16_t id);
/* ... is not 0. */
void voxels_true(uint8_t *out, const void *in, uint64_t n, unsigned size);
/* ... of 8 bytes has a bit of the mask. */
void voxels_bits(uint8_t *out, const void *in, uint64_t n, uint64_t mask);
/* ... a float, is at least the threshold rounded to its type. */
void voxels_above(uint8_t *out, const void *in, uint64_t n, unsigned size,
		  double threshold);

/* The reader's buffer may be aligned to nothing. */
static inline uint16_t get16(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void put16(void *p, uint16_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline uint64_t get64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Sums that stop at the end. */
static inline uint64_t add_cost(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

#endif
