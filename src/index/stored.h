/* SPDX-License-Identifier: MIT */

/*
 * The sampling index that a medh5 file carries for an annotation: of each class
 * the count, the tight box and some of its voxels, all if there are few. It is
 * used only if it was made of the annotation as it is, by the digests that the
 * file keeps, and if every number in it, each coordinate too, agrees with the
 * others and with the annotation's shape. Which it is, is a function of the
 * file alone.
 *
 * What is kept is one block without pointers, in the cache of the mount: the
 * table of the classes. The coordinates stay in the file, and are read a class
 * at a time through the array layer and its cache. Immutable; any thread.
 */

#ifndef INDEX_STORED_H
#define INDEX_STORED_H

#include <stddef.h>
#include <stdint.h>

#include "array/array.h"
#include "util/shape.h"
#include "util/wait.h"

struct cache_entry;
struct stored_index;

enum stored_state {
	STORED_ABSENT, /* the file has none for this annotation */
	STORED_FRESH,  /* the one that can be used */
	STORED_STALE,  /* made of other voxels, or not known to be of these */
	STORED_MALFORMED, /* it contradicts itself, the annotation or its format
			   */
};

/* Of an annotation; all is borrowed for the length of a call. */
struct stored_ask {
	const struct array_env *env;
	struct container *container;
	uint64_t source;	 /* as of stored_array_init */
	const struct catalog *k; /* pinned */
	uint32_t sample;	 /* of catalog_sample */
	uint32_t annotation;	 /* its group; both are in struct place_info */
	const char *label;	 /* "path: annotations/ID", for messages */
};

/* An index, pinned until put. */
struct stored_pin {
	struct cache_entry *entry; /* private */
	const struct stored_index *index;
};

/*
 * Look at it, once: what is wrong with it is told then. 0, also where there is
 * none or it cannot be used: stored_state says so. Errors of array_read;
 * -ENOMEM; -EAGAIN, -ERESTART: util/wait.h. May read all coordinates, and where
 * the annotation has arrays without digests, these.
 */
int stored_get(const struct stored_ask *ask, struct wait *w,
	       struct stored_pin *out);
void stored_put(const struct array_env *env, struct stored_pin *pin);

enum stored_state stored_state(const struct stored_index *x);
/* Why it is stale or malformed, a line; else "". */
const char *stored_why(const struct stored_index *x);

/* ------------------------------------------------- of STORED_FRESH alone */

struct stored_class {
	int64_t id;
	uint64_t count; /* voxels, exactly; may be 0 */
	uint64_t rows;	/* coordinates: min(count, what the builder chose) */
	uint64_t start[NDIM_MAX], stop[NDIM_MAX]; /* tight box; 0 if empty */
};

/* The spatial shape of the annotation, 2 or 3 axes. */
const struct shape *stored_shape(const struct stored_index *x);
/* Ids ascending, empty classes too; i < stored_classes. */
uint32_t stored_classes(const struct stored_index *x);
void stored_class(const struct stored_index *x, uint32_t i,
		  struct stored_class *out);
/* Number of the class of that id, or -ENOENT: the index lacks it. O(log n). */
int64_t stored_find(const struct stored_index *x, int64_t id);
/*
 * Coordinate row < rows of class i, rows in C order; ask as for stored_get.
 * Errors of array_read; -EAGAIN, -ERESTART: util/wait.h.
 */
int stored_row(const struct stored_ask *ask, const struct stored_index *x,
	       uint32_t i, uint64_t row, struct wait *w, uint64_t at[NDIM_MAX]);

#endif
