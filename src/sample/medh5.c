/* SPDX-License-Identifier: MIT */

/*
 * The draws of medh5 2.x, so that its very patches can be had as files. The
 * package states that they are a function of (seed, epoch, item), not which;
 * tests/data/medh5-draws.txt is what version 2.2.3 was seen to draw.
 *
 * Numbers of 128 bits are pairs of words: the layer uses no 128-bit type.
 */

#include <config.h>

#include "sample/foreground.h"

#include <assert.h>
#include <errno.h>

#include "sample/philox.h"
#include "sample/sample_impl.h"

/* One step of SplitMix64: what fills the state from a key. */
static uint64_t mix(uint64_t *s)
{
	uint64_t z = *s += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* a += b, low word first. */
static void add(uint64_t a[2], const uint64_t b[2])
{
	a[0] += b[0];
	a[1] += b[1] + (a[0] < b[0]);
}

static void step(struct medh5_rng *r)
{
	const uint64_t low = UINT64_C(4865540595714422341);
	const uint64_t high = UINT64_C(2549297995355413924);
	const uint64_t s = r->state[0];

	r->state[1] = mul_high(s, low) + s * high + r->state[1] * low;
	r->state[0] = s * low;
	add(r->state, r->inc);
}

void medh5_seed(struct medh5_rng *r, const uint64_t *key, unsigned n)
{
	uint64_t h = n, first[2];

	for (unsigned i = 0; i < n; i++) {
		h ^= key[i];
		h = mix(&h);
	}
	first[1] = mix(&h);
	first[0] = mix(&h);
	r->inc[1] = mix(&h);
	r->inc[0] = mix(&h) | 1;
	r->state[0] = r->state[1] = 0;
	step(r);
	add(r->state, first);
	step(r);
}

uint64_t medh5_next(struct medh5_rng *r)
{
	uint64_t x;
	unsigned by;

	step(r);
	x = r->state[1] ^ r->state[0];
	by = (unsigned)(r->state[1] >> 58);
	return x >> by | x << (-by & 63);
}

double medh5_float(struct medh5_rng *r)
{
	return word_unit(medh5_next(r));
}

uint64_t medh5_below(struct medh5_rng *r, uint64_t n)
{
	uint64_t x = medh5_next(r);

	assert(n);
	/* The low half of x * n tells which words would favour some answers. */
	if (x * n < n) {
		const uint64_t excess = -n % n; /* 2^64 mod n */

		while (x * n < excess)
			x = medh5_next(r);
	}
	return mul_high(x, n);
}

static bool is_foreground(struct medh5_rng *r, double fraction)
{
	/* Only the strategy "balanced" throws the coin. */
	if (fraction <= 0 || fraction >= 1)
		return fraction >= 1;
	return medh5_float(r) < fraction;
}

int medh5_draw(const struct medh5_draw *d, uint64_t item, unsigned ndim,
	       const uint64_t *length, const uint64_t *extent,
	       const struct draw_class *c, size_t n, const uint64_t *rows,
	       size_t *class, uint64_t *row, int64_t *start)
{
	const uint64_t key[] = {d->seed, d->epoch, item};
	struct medh5_rng r;
	double total;
	int e = -ENOENT;

	medh5_seed(&r, key, 3);
	if (is_foreground(&r, d->fraction))
		e = weights_total(d->weights, c, n, &total);
	if (!e) {
		/* Shares of the total, whose sum need not be 1 to the bit. */
		*class = weights_pick(d->weights, c, n, total, medh5_float(&r));
		*row = medh5_below(&r, rows ? rows[*class] : c[*class].count);
		return MEDH5_FOREGROUND;
	}
	if (e != -ENOENT)
		return e;
	for (unsigned a = 0; a < ndim; a++) {
		const uint64_t room =
			length[a] > extent[a] ? length[a] - extent[a] : 0;

		/* An axis with one window alone uses up no number. */
		start[a] = room ? (int64_t)medh5_below(&r, room + 1)
				: medh5_window(length[a], extent[a], 0);
	}
	return MEDH5_UNIFORM;
}

int64_t medh5_window(uint64_t length, uint64_t extent, uint64_t c)
{
	if (extent >= length)
		return -(int64_t)((extent - length) / 2);
	return draw_window(DRAW_CLAMP, length, extent, c);
}

uint64_t medh5_centre(uint64_t length, uint64_t extent, int64_t start)
{
	return extent >= length ? length / 2 : (uint64_t)start + extent / 2;
}
