/* SPDX-License-Identifier: MIT */

/*
 * Orders by the generator of the draws: which case comes when, which items of
 * it, and which share of them is whose. Published in patchfs-list(1), and may
 * never change. Pure; any thread.
 */

#ifndef SAMPLE_ORDER_H
#define SAMPLE_ORDER_H

#include <stdint.h>

/* Purposes of the words, after those of a draw. */
enum order_purpose { ORDER_CASES = 4, ORDER_ITEMS };

/*
 * 0 ... n - 1 shuffled, of which the first are right: for i = 0, 1, ... below
 * first and n - 1, i changes places with i + (high 64 bits of word i *
 * (n - i)). Word i is output i mod 4 of the Philox4x64-10 block with key
 * (seed, 0) and counter (draw, i / 4, purpose, set).
 */
void order_shuffle(uint64_t *v, uint64_t n, uint64_t first, uint64_t seed,
		   uint64_t draw, enum order_purpose purpose, uint64_t set);

/* What becomes of lines that do not divide by the number of shards. */
enum order_rest {
	ORDER_REPEAT, /* the first come again: all have as many */
	ORDER_DROP,   /* the last are left out: all have as many */
	ORDER_KEEP,   /* each once: some have one more than others */
};

/*
 * Of total > 0 lines in a circle those of shard i < n: [first, stop), first <
 * total, where stop may be beyond the end. 0 or -EOVERFLOW.
 */
int order_shard(uint64_t total, uint64_t i, uint64_t n, enum order_rest rest,
		uint64_t *first, uint64_t *stop);

#endif
