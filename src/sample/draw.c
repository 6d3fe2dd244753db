/* SPDX-License-Identifier: MIT */

/*
 * Draws: which random word an axis gets, and what is made of it. What is here
 * is published in the manual and may never change.
 */

#include <config.h>

#include "sample/sample.h"

#include <assert.h>

#include "sample/philox.h"

#define DROPPED_ID 8 /* the first id of the dropped axes */

uint64_t draw_word(uint64_t seed, uint64_t draw, enum draw_purpose purpose,
		   unsigned k)
{
	uint64_t block[4] = {draw, k / 4, (uint64_t)purpose, 0};

	philox4x64(block, seed, 0);
	return block[k % 4];
}

uint64_t draw_below(uint64_t word, uint64_t n)
{
	return mul_high(word, n);
}

unsigned draw_axis_id(const struct sampling *s, unsigned a)
{
	unsigned id = 0;

	assert(a < s->ndim);
	if (s->axis[a].keep) {
		for (unsigned i = a + 1; i < s->ndim; i++)
			id += s->axis[i].keep;
		return id;
	}
	for (unsigned i = 0; i < a; i++)
		id += !s->axis[i].keep;
	return DROPPED_ID + id;
}
