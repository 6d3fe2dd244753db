/* SPDX-License-Identifier: MIT */

/*
 * Items of a view as a mixed-radix number: each axis has so many starts, the
 * last axis runs fastest. A border rule is a pair of functions, how many
 * starts and which: a new one is a case in each of the three switches here.
 */

#include <config.h>

#include "sample/sample.h"

#include <assert.h>
#include <errno.h>

#include "util/checked.h"

static bool has_empty_axis(const struct sampling *s)
{
	for (unsigned a = 0; a < s->ndim; a++)
		if (!s->axis[a].length)
			return true;
	return false;
}

static bool is_padded(const struct sampling *s)
{
	return s->kind != SAMPLE_CORNER && s->border == SAMPLE_PAD;
}

bool sample_fits(const struct sampling *s)
{
	if (is_padded(s))
		return true;
	for (unsigned a = 0; a < s->ndim; a++) {
		const struct sample_axis *x = &s->axis[a];

		if (x->length && !x->all && x->extent > x->length)
			return false;
	}
	return true;
}

/* Of a grid: how many starts an axis that is not empty has. */
static uint64_t grid_count(const struct sampling *s,
			   const struct sample_axis *x)
{
	switch (s->border) {
	case SAMPLE_SNAP:
		break;
	case SAMPLE_PAD:
		return div_up(x->length, x->step);
	}
	return div_up(x->length - x->extent, x->step) + 1;
}

static uint64_t grid_start(const struct sampling *s,
			   const struct sample_axis *x, uint64_t i)
{
	switch (s->border) {
	case SAMPLE_SNAP:
		break;
	case SAMPLE_PAD:
		return i * x->step;
	}
	return i > (x->length - x->extent) / x->step ? x->length - x->extent
						     : i * x->step;
}

static int grid_item(const struct sampling *s, const struct sample_axis *x,
		     uint64_t start, uint64_t *i)
{
	const uint64_t count = grid_count(s, x);

	/* The last start need not be a multiple of the step. */
	*i = start / x->step + (start % x->step != 0);
	return *i < count && grid_start(s, x, *i) == start ? 0 : -ENOENT;
}

static uint64_t axis_count(const struct sampling *s,
			   const struct sample_axis *x)
{
	if (x->all)
		return 1;
	if (s->kind == SAMPLE_GRID)
		return grid_count(s, x);
	return x->length > x->extent ? x->length - x->extent + 1 : 1;
}

uint64_t sample_count(const struct sampling *s)
{
	uint64_t n = 1;

	if (has_empty_axis(s) || !sample_fits(s))
		return 0;
	if (s->kind == SAMPLE_UNIFORM)
		return SAMPLE_ITEMS_MAX;
	for (unsigned a = 0; a < s->ndim; a++)
		if (!checked_mul(n, axis_count(s, &s->axis[a]), &n))
			return UINT64_MAX;
	return n;
}

static void uniform_start(const struct sampling *s, uint64_t i,
			  int64_t start[NDIM_MAX])
{
	for (unsigned a = 0; a < s->ndim; a++) {
		const struct sample_axis *x = &s->axis[a];
		const uint64_t n = axis_count(s, x);

		start[a] = 0;
		if (x->extent > x->length)
			start[a] = -(int64_t)((x->extent - x->length) / 2);
		if (n > 1)
			start[a] = (int64_t)draw_below(
				draw_word(s->seed, i, DRAW_CORNER,
					  draw_axis_id(s, a)),
				n);
	}
}

void sample_start(const struct sampling *s, uint64_t i, int64_t start[NDIM_MAX])
{
	assert(i < sample_count(s));
	if (s->kind == SAMPLE_UNIFORM) {
		uniform_start(s, i, start);
		return;
	}
	for (unsigned a = s->ndim; a-- > 0;) {
		const struct sample_axis *x = &s->axis[a];
		const uint64_t n = axis_count(s, x);
		const uint64_t at = i % n;

		i /= n;
		start[a] = x->all ? 0
			   : s->kind == SAMPLE_GRID
				   ? (int64_t)grid_start(s, x, at)
				   : (int64_t)at;
	}
}

/* Place of a start on one axis. 0 or -ENOENT. */
static int axis_item(const struct sampling *s, const struct sample_axis *x,
		     uint64_t start, uint64_t *i)
{
	if (!x->all && s->kind == SAMPLE_GRID)
		return grid_item(s, x, start, i);
	*i = start;
	return start < axis_count(s, x) ? 0 : -ENOENT;
}

int sample_item(const struct sampling *s, const uint64_t start[NDIM_MAX],
		uint64_t *item)
{
	uint64_t sum = 0;

	if (s->kind == SAMPLE_UNIFORM || !sample_count(s))
		return -ENOENT;
	for (unsigned a = 0; a < s->ndim; a++) {
		uint64_t i;
		int r = axis_item(s, &s->axis[a], start[a], &i);

		if (r < 0)
			return r;
		if (!checked_mul(sum, axis_count(s, &s->axis[a]), &sum) ||
		    !checked_add(sum, i, &sum))
			return -ENOENT;
	}
	*item = sum;
	return 0;
}

void sample_shape(const struct sampling *s, struct shape *out)
{
	*out = (struct shape){0};
	for (unsigned a = 0; a < s->ndim; a++) {
		const struct sample_axis *x = &s->axis[a];

		if (x->keep)
			out->dim[out->ndim++] = x->all ? x->length : x->extent;
	}
}
