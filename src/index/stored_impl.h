/* SPDX-License-Identifier: MIT */

/* The block of a sampling index that a file carries, and what is checked. */

#ifndef INDEX_STORED_IMPL_H
#define INDEX_STORED_IMPL_H

#include <stdint.h>

#include "index/stored.h"
#include "util/shape.h"

/* Then come the records, ids ascending. */
struct stored_index {
	enum stored_state state;
	uint32_t nclass;
	struct shape shape;
	char why[160];
};

/* Spatial axes are at most 3; coordinates are below 2^31. */
struct stored_record {
	uint32_t id;
	uint32_t object;  /* of the coordinates, in the catalog */
	uint64_t address; /* of the same in the file */
	uint64_t count, rows;
	uint32_t start[3], stop[3]; /* 0 if empty */
};

static inline struct stored_record *stored_records(struct stored_index *x)
{
	return (struct stored_record *)(x + 1);
}

/* --------------------------------------------------------- stored_load.c */

struct carried_ask;
/* *data is malloc'ed, on failure too. As stored_get. */
int stored_load(const struct carried_ask *ask, struct wait *w, void **data,
		size_t *size);

/* -------------------------------------------------------- stored_check.c */

/*
 * A row of the tables: box has two numbers an axis, the edges of the outermost
 * voxels, all NaN where there are none. Makes the record, without its object.
 * 0 or -EBADMSG.
 */
int stored_entry_check(const struct shape *shape, uint64_t max_coords,
		       uint32_t id, int64_t count, const float *box,
		       struct stored_record *out);

/* Coordinates of a class as they come; the record is borrowed. */
struct stored_rows {
	const struct stored_record *r;
	unsigned ndim;
	uint64_t seen;
	uint64_t next;	       /* place in the box that a row may have */
	uint32_t lo[3], hi[3]; /* of all, where they are all there is */
};

void stored_rows_begin(struct stored_rows *k, const struct shape *shape,
		       const struct stored_record *r);
/* n > 0 further rows. 0; -EBADMSG: outside the box, or not ascending. */
int stored_rows_check(struct stored_rows *k, const int32_t *at, size_t n);
/* 0; -EBADMSG: they are all voxels there are, and do not fill the box. */
int stored_rows_end(const struct stored_rows *k);

#endif
