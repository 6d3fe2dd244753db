/* SPDX-License-Identifier: MIT */

/*
 * Foreground draws of our own. What is here is published in the manual and may
 * never change; no product is added to anything, so that contraction to fused
 * operations cannot make two machines differ.
 */

#include <config.h>

#include "sample/foreground.h"

#include <assert.h>
#include <errno.h>
#include <math.h>

#include "sample/sample_impl.h"

static double weight_of(enum class_weights weights, const struct draw_class *c)
{
	if (!c->count)
		return 0;
	switch (weights) {
	case WEIGHTS_UNIFORM:
		break;
	case WEIGHTS_FREQUENCY:
		return (double)c->count;
	case WEIGHTS_INVERSE:
		return 1 / (double)c->count;
	case WEIGHTS_GIVEN:
		return c->weight;
	}
	return 1;
}

int weights_total(enum class_weights weights, const struct draw_class *c,
		  size_t n, double *total)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += weight_of(weights, &c[i]);
	if (!isfinite(sum))
		return -EINVAL;
	if (!(sum > 0))
		return -ENOENT;
	*total = sum;
	return 0;
}

size_t weights_pick(enum class_weights weights, const struct draw_class *c,
		    size_t n, double scale, double u)
{
	double all = 0, sum = 0;
	size_t last = 0;

	for (size_t i = 0; i < n; i++) {
		const double w = weight_of(weights, &c[i]) / scale;

		all += w;
		if (w > 0)
			last = i;
	}
	for (size_t i = 0; i < last; i++) {
		sum += weight_of(weights, &c[i]) / scale;
		if (u * all < sum)
			return i;
	}
	return last;
}

bool draw_is_foreground(uint64_t seed, uint64_t draw, double fraction)
{
	return word_unit(draw_word(seed, draw, DRAW_COIN, 0)) < fraction;
}

int draw_class(uint64_t seed, uint64_t draw, enum class_weights weights,
	       const struct draw_class *c, size_t n, size_t *out)
{
	double total;
	int r = weights_total(weights, c, n, &total);

	if (r < 0)
		return r;
	*out = weights_pick(weights, c, n, 1,
			    word_unit(draw_word(seed, draw, DRAW_CLASS, 0)));
	return 0;
}

uint64_t draw_voxel(uint64_t seed, uint64_t draw, uint64_t count)
{
	return draw_below(draw_word(seed, draw, DRAW_VOXEL, 0), count);
}

int64_t draw_window(enum draw_border border, uint64_t length, uint64_t extent,
		    uint64_t c)
{
	const uint64_t before = extent / 2;

	assert(c < length);
	if (border == DRAW_PAD)
		return (int64_t)c - (int64_t)before;
	assert(extent <= length);
	if (c < before)
		return 0;
	c -= before;
	return (int64_t)(c < length - extent ? c : length - extent);
}

void draw_inside(uint64_t length, uint64_t extent, uint64_t *lo, uint64_t *hi)
{
	assert(extent >= 1 && extent <= length);
	*lo = extent / 2;
	*hi = length - extent + extent / 2 + 1;
}
