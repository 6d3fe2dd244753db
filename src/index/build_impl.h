/* SPDX-License-Identifier: MIT */

/*
 * What building is made of: tiles are read (tile.c, build.c), their rows
 * become spans of classes (scan.c), which each thread collects (collect.c),
 * and those of all threads become the runs of the index (merge.c).
 */

#ifndef INDEX_BUILD_IMPL_H
#define INDEX_BUILD_IMPL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/index.h"
#include "util/shape.h"

/* --------------------------------------------------------------- tile.c */

/*
 * How a plane is cut into jobs of whole units, and those into tiles that a
 * buffer holds.
 */
struct tiling {
	unsigned ndim;
	uint64_t dim[NDIM_MAX];
	uint64_t job[NDIM_MAX], tile[NDIM_MAX]; /* extents, not 0 */
	uint64_t grid[NDIM_MAX], jobs;		/* of jobs; row-major */
	uint64_t bytes;				/* of a tile */
};

/*
 * Of a shape with elements; unit as in struct array, for the same axes; room:
 * bytes of a buffer, at least of one element.
 */
void tiling_make(struct tiling *t, const struct shape *s, const uint64_t *unit,
		 unsigned item_size, uint64_t room);
/* The first tile of a job, and the next one of it; false: that was the last. */
void tiling_first(const struct tiling *t, uint64_t job, struct region *tile);
bool tiling_next(const struct tiling *t, uint64_t job, struct region *tile);

/* ------------------------------------------------------------ collect.c */

/* Spans in the order in which they were found; numbers of lane.width. */
struct span_block {
	struct span_block *next;
	uint32_t n, room; /* spans */
	/* 2 * room numbers: where a span begins, its elements - 1 */
};

/* Of one class. */
struct spans {
	int64_t id;
	uint64_t first, stop; /* the last, still growing; equal: none */
	struct span_block *head, *tail;
};

#define NO_SLOT UINT32_MAX

/* What one thread collects. */
struct lane {
	const struct index_conf *conf;
	_Atomic uint64_t *held; /* bytes of the blocks of all lanes */
	unsigned width;
	int err; /* the first that occurred */
	struct spans *slot;
	uint32_t nslot, room;
	uint32_t *table; /* by id: slot + 1, or 0; twice the room */
	/* Of one plane: which slot a value means, by its low bits. */
	const struct label_plane *known_of;
	struct {
		uint64_t value;
		uint32_t slot;
		bool known;
	} known[256];
};

void lane_init(struct lane *l, const struct index_conf *conf,
	       _Atomic uint64_t *held, unsigned width);
void lane_fini(struct lane *l);
/* The slot of a class, made if need be. NO_SLOT: see err. */
uint32_t lane_slot(struct lane *l, int64_t id);
/* Keep the span that grew; a new one begins at first. */
void lane_push(struct lane *l, struct spans *s);

static inline void lane_add(struct lane *l, uint32_t slot, uint64_t first,
			    uint64_t stop)
{
	struct spans *s = &l->slot[slot];

	if (s->stop == first) {
		s->stop = stop;
		return;
	}
	lane_push(l, s);
	s->first = first;
	s->stop = stop;
}

/* --------------------------------------------------------------- scan.c */

/* Whether the rule takes arrays of that type. */
bool scan_accepts(const struct label_plane *p);
/* To begin with a plane; then rows of it. Both may leave an error in l. */
void scan_plane(struct lane *l, const struct label_plane *p);
/* n elements at data, and 8 bytes behind them to be read; the first is base. */
void scan_row(struct lane *l, const struct label_plane *p,
	      const unsigned char *data, uint64_t n, uint64_t base);

/* -------------------------------------------------------------- merge.c */

int merge_lanes(struct lane *lanes, unsigned n, const struct label_source *s,
		const struct index_conf *conf, void **out, size_t *size);

#endif
