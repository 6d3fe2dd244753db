/* SPDX-License-Identifier: MIT */

/*
 * The sampling index of a label array: of each class the exact count, the
 * tight box and all voxels, as runs with prefix sums, so that voxel k of a
 * class is found in O(log runs) and no label is decoded. A run is as many
 * voxels as follow each other in C order, beyond the end of a row too: equal
 * sets of voxels are equal runs. It takes 8 bytes in arrays of up to 2^32
 * elements, else 16.
 *
 * An index is one malloc'ed block without pointers in it, so that a cache can
 * hold it and a file can keep it: 104 bytes, 160 a class, and the runs. Equal
 * labels give equal blocks. Immutable; any thread.
 */

#ifndef INDEX_INDEX_H
#define INDEX_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "array/array.h"
#include "util/shape.h"
#include "util/wait.h"

struct label_index;

/* Of a class: its voxels are those k < count, in C order of the shape. */
struct label_class {
	int64_t id;
	uint64_t count; /* > 0 */
	uint64_t runs;
	uint64_t start[NDIM_MAX], stop[NDIM_MAX]; /* tight box */
};

const struct shape *label_index_shape(const struct label_index *x);
/* Classes that occur, ids ascending; i < label_index_classes. */
uint32_t label_index_classes(const struct label_index *x);
void label_index_class(const struct label_index *x, uint32_t i,
		       struct label_class *out);
/* Number of the class of that id, or -ENOENT: it has no voxel. O(log n). */
int64_t label_index_find(const struct label_index *x, int64_t id);
/* Voxel k < count of class i. O(log runs). */
void label_index_voxel(const struct label_index *x, uint32_t i, uint64_t k,
		       uint64_t at[NDIM_MAX]);
/*
 * Only the voxels of the classes ids[0..n) inside [lo, hi): what a draw that
 * keeps away from borders draws from. A run is cut at every row, so there may
 * be many more of them. *out is malloc'ed, caller frees. 0; -EFBIG: above max
 * bytes; -ENOMEM. O(runs), of both.
 */
int label_index_trim(const struct label_index *x, const int64_t *ids,
		     unsigned n, const uint64_t lo[NDIM_MAX],
		     const uint64_t hi[NDIM_MAX], size_t max, void **out,
		     size_t *size);
/*
 * Whether n bytes from a file are an index of that shape: every field, every
 * order, every coordinate. 0 or -EBADMSG. O(n).
 */
int label_index_check(const void *data, size_t n, const struct shape *shape);

/* -------------------------------------------------------------- making */

/* How the elements of a plane say what class a voxel is of. */
enum label_rule {
	LABEL_VALUES, /* integer: the value is the id, 0 is none; bool: 1 */
	LABEL_BITS,   /* uint64: bit b < nid set is class id[b] */
	LABEL_ABOVE,  /* float: value >= threshold, or true, is class id[0] */
};

/* Voxels of the label's shape, all or a part of what there is. */
struct label_plane {
	const struct array *array;
	bool has_lead; /* the plane is array[lead], else all of it */
	uint64_t lead;
	enum label_rule rule;
	double threshold; /* of LABEL_ABOVE, already of the stored type */
	/*
	 * LABEL_VALUES: the only ids that count, ascending, nid 0: all.
	 * Several planes (or bits) may have the same class; a voxel counts
	 * once.
	 */
	const int64_t *id;
	unsigned nid;
	/* The rest is not looked at; NULL: all of it is. Of shape.ndim axes. */
	const struct region *bound;
};

struct label_source {
	struct shape shape;
	unsigned nplane;
	const struct label_plane *plane;
	/*
	 * {from, to}: wherever class from is, class to is too, and what that
	 * is the from of. May be NULL; cycles do no harm.
	 */
	const int64_t (*closure)[2];
	unsigned nclosure;
};

struct index_conf {
	unsigned threads; /* that build together, >= 1 */
	size_t memory;	  /* bytes of the buffers of all threads together */
	/*
	 * Bytes of a result; more: -EFBIG. While it is made its runs are held
	 * in pieces too, at most twice as many bytes; charge, if not NULL, is
	 * told of them, in any thread, and in the end of all as given back.
	 */
	size_t max;
	void (*charge)(void *arg, int64_t bytes);
	unsigned max_classes; /* more: -E2BIG; the array is no label */
	/* Asked between tiles: true ends with -ECANCELED; may be NULL. */
	bool (*stop)(void *arg);
	/* done of all elements, in any thread; may be NULL. */
	void (*progress)(void *arg, uint64_t done, uint64_t all);
	void *arg;
};

/*
 * Stream over the planes once, tile by tile as they are stored, and make the
 * index. Blocks. *out is malloc'ed, caller frees. 0; -EINVAL: not a label's
 * type or shape, or an id beyond 2^63 - 1; -EOVERFLOW: more elements or units
 * than anyone waits for; -E2BIG, -EFBIG, -ECANCELED as above; -ENOMEM; errors
 * of array_read.
 */
int label_index_build(const struct label_source *s,
		      const struct index_conf *conf, void **out, size_t *size);

#endif
