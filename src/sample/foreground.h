/* SPDX-License-Identifier: MIT */

/*
 * Foreground draws: from counts of classes and a draw's number to a class, a
 * voxel's number and, from the voxel, a window. Pure arithmetic; any thread.
 * patchfs-views(7) documents it so that any language can repeat it.
 */

#ifndef SAMPLE_FOREGROUND_H
#define SAMPLE_FOREGROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample/sample.h"

enum class_weights {
	WEIGHTS_UNIFORM,   /* each class with voxels the same */
	WEIGHTS_FREQUENCY, /* by its voxels */
	WEIGHTS_INVERSE,   /* by one over its voxels */
	WEIGHTS_GIVEN,
};

struct draw_class {
	int64_t id;
	uint64_t count; /* voxels; 0: never drawn */
	double weight;	/* WEIGHTS_GIVEN: >= 0, finite */
};

/*
 * Is draw n foreground? u < fraction, u = (word >> 11) * 2^-53 of DRAW_COIN,
 * id 0. fraction 1 is always, 0 never.
 */
bool draw_is_foreground(uint64_t seed, uint64_t draw, double fraction);

/*
 * Class of a foreground draw among n, ids ascending: u as above of DRAW_CLASS,
 * w_i the weight (0 where count is 0), t = u * (w_0 + w_1 + ...), the first i
 * with t < w_0 + ... + w_i, sums in that order in double. (If rounding leaves
 * none, which takes subnormal weights: the last i with w_i > 0.) -ENOENT: all
 * weights are 0, the draw is uniform instead. -EINVAL: their sum overflows.
 */
int draw_class(uint64_t seed, uint64_t draw, enum class_weights weights,
	       const struct draw_class *c, size_t n, size_t *out);

/* Number of the voxel: draw_below(DRAW_VOXEL word, count). */
uint64_t draw_voxel(uint64_t seed, uint64_t draw, uint64_t count);

enum draw_border {
	DRAW_CLAMP,  /* start = clamp(c - p / 2, 0, L - p) */
	DRAW_INSIDE, /* the same; only centres that draw_inside has are drawn */
	DRAW_PAD,    /* start = c - p / 2; what overhangs is padded */
};

/*
 * Start on an axis of length L of a window of p <= L (any p with DRAW_PAD)
 * around centre c < L.
 */
int64_t draw_window(enum draw_border border, uint64_t length, uint64_t extent,
		    uint64_t c);
/* Centres [*lo, *hi) whose window of p <= L lies inside: p / 2 to L - p + p / 2
 * inclusive. */
void draw_inside(uint64_t length, uint64_t extent, uint64_t *lo, uint64_t *hi);

/* --------------------------------------------------- medh5 2.x's own draws */

/*
 * The generator of medh5 2.x: PCG-64 (XSL RR 128/64) with its own seeding, as
 * measured against the package (2.2.3), which does not specify it. One thread.
 */
struct medh5_rng {
	uint64_t state[2], inc[2]; /* low word first */
};

void medh5_seed(struct medh5_rng *r, const uint64_t *key, unsigned n);
uint64_t medh5_next(struct medh5_rng *r);
double medh5_float(struct medh5_rng *r);	       /* [0, 1) */
uint64_t medh5_below(struct medh5_rng *r, uint64_t n); /* n >= 1 */

/* What the package calls strategy, foreground_prob, class_weights, and seed. */
struct medh5_draw {
	/* 1: "foreground"; 0: "uniform"; between: "balanced", this its prob */
	double fraction;
	enum class_weights weights; /* GIVEN: a mapping, missing ones 0 */
	uint64_t seed, epoch;
};

enum medh5_outcome { MEDH5_UNIFORM, MEDH5_FOREGROUND };

/*
 * Draw number `item` from n classes, ids ascending, none twice: those asked for
 * that the annotation declares. Counts come from the stored index when it is
 * fresh and has all of them, else from a scan; rows[i] >= 1 (where count > 0)
 * is how many coordinates of class i there are to draw from: all of them (rows
 * NULL), or as many as the stored index keeps.
 *
 * MEDH5_FOREGROUND: c[*class] was drawn, and the centre is its coordinate *row,
 * in C order. MEDH5_UNIFORM: start[a] is filled in for ndim axes of length L
 * and patch extent p, 1 <= L, 1 <= p, as medh5_window has it. That is also the
 * outcome where no class has voxels and weight. -EINVAL: the sum of weights
 * overflows, which the package refuses too.
 */
int medh5_draw(const struct medh5_draw *d, uint64_t item, unsigned ndim,
	       const uint64_t *length, const uint64_t *extent,
	       const struct draw_class *c, size_t n, const uint64_t *rows,
	       size_t *class, uint64_t *row, int64_t *start);

/*
 * Start of the window around centre c: clamp(c - p / 2, 0, L - p), and where
 * p >= L the whole axis with (p - L) / 2 padded before it: minus that.
 */
int64_t medh5_window(uint64_t length, uint64_t extent, uint64_t c);

/* What the package calls centre of a uniform window: start + p / 2, and L / 2
 * where p >= L. */
uint64_t medh5_centre(uint64_t length, uint64_t extent, int64_t start);

#endif
