/* SPDX-License-Identifier: MIT */

/*
 * Item number to region and back: grids, corners, draws. Pure arithmetic on
 * (number, shape, size, seed); any thread, no state.
 *
 * An item has the rank of its array: on every axis an extent p and a start.
 * Axes that are dropped have p = 1 and do not show in the item's shape. Axes
 * that are taken whole ("all") have p = L, start 0, and draw nothing.
 */

#ifndef SAMPLE_SAMPLE_H
#define SAMPLE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/shape.h"

/* Of a view: node ids end here. */
#define SAMPLE_ITEMS_MAX (UINT64_C(1) << 36)

enum sample_kind {
	SAMPLE_GRID,   /* slices, patches */
	SAMPLE_CORNER, /* crops: the item is its corner */
	SAMPLE_UNIFORM /* random */
};

enum sample_border {
	SAMPLE_SNAP, /* s_i = min(i * step, L - p) */
	SAMPLE_PAD,  /* s_i = i * step while s_i < L; the overhang is padded */
};
/* Of SAMPLE_UNIFORM SAMPLE_PAD allows p > L: start -((p - L) div 2). */

struct sample_axis {
	uint64_t length; /* L, of the array */
	uint64_t extent; /* p, >= 1 unless length is 0 */
	uint64_t step;	 /* of a grid, >= 1 */
	bool keep;	 /* in the item's shape */
	bool all;	 /* taken whole */
};

struct sampling {
	enum sample_kind kind;
	enum sample_border border; /* SAMPLE_GRID, SAMPLE_UNIFORM */
	uint64_t seed;		   /* SAMPLE_UNIFORM */
	unsigned ndim;
	struct sample_axis axis[NDIM_MAX];
};

/*
 * Whether the array has items of this size at all: p <= L on every axis, or
 * SAMPLE_PAD, which corners do not have. An axis of length 0 gives a view
 * without items.
 */
bool sample_fits(const struct sampling *s);

/*
 * Number of items: of a grid the product of its axes' counts, snap
 * ceil((L - p) / step) + 1 and pad ceil(L / step) (facts: "the four grid
 * rules"); of corners the product of L - p + 1; of draws SAMPLE_ITEMS_MAX.
 * Saturates at UINT64_MAX.
 */
uint64_t sample_count(const struct sampling *s);

/* Starts of item i < sample_count. May be negative or overhang with padding. */
void sample_start(const struct sampling *s, uint64_t i,
		  int64_t start[NDIM_MAX]);

/*
 * The item of a corner (0 on whole axes): its row-major index over the
 * starts. 0; -ENOENT if it is none (outside, or off the grid).
 */
int sample_item(const struct sampling *s, const uint64_t start[NDIM_MAX],
		uint64_t *item);

/* Shape of an item: the kept axes, in array order. */
void sample_shape(const struct sampling *s, struct shape *out);

/* Purposes of a draw's words (the design's pairing rule). */
enum draw_purpose { DRAW_CORNER, DRAW_COIN, DRAW_CLASS, DRAW_VOXEL };

/*
 * Word of axis id k of a draw: output k mod 4 of the Philox4x64-10 block with
 * key (seed, 0) and counter (draw, k / 4, purpose, 0), lowest word first.
 * Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (SC11).
 */
uint64_t draw_word(uint64_t seed, uint64_t draw, enum draw_purpose purpose,
		   unsigned k);

/* High 64 bits of word * n: uniform in [0, n), n >= 1. */
uint64_t draw_below(uint64_t word, uint64_t n);

/*
 * Axis id for the draw of array axis a: kept axes 0, 1, ... from the last
 * (whole axes count), dropped ones 8, 9, ... from the first.
 */
unsigned draw_axis_id(const struct sampling *s, unsigned a);

#endif
