/* SPDX-License-Identifier: MIT */

/* Orders: shuffles and shares, see order.h. */

#include <config.h>

#include "sample/order.h"

#include <errno.h>

#include "sample/philox.h"
#include "util/checked.h"

void order_shuffle(uint64_t *v, uint64_t n, uint64_t first, uint64_t seed,
		   uint64_t draw, enum order_purpose purpose, uint64_t set)
{
	uint64_t word[4] = {0};

	for (uint64_t i = 0; i < n; i++)
		v[i] = i;
	for (uint64_t i = 0; i < first && i + 1 < n; i++) {
		uint64_t other, mine = v[i];

		if (i % 4 == 0) {
			word[0] = draw;
			word[1] = i / 4;
			word[2] = (uint64_t)purpose;
			word[3] = set;
			philox4x64(word, seed, 0);
		}
		other = i + mul_high(word[i % 4], n - i);
		v[i] = v[other];
		v[other] = mine;
	}
}

int order_shard(uint64_t total, uint64_t i, uint64_t n, enum order_rest rest,
		uint64_t *first, uint64_t *stop)
{
	uint64_t share = total / n, extra = total % n, at, end;

	if (rest == ORDER_REPEAT)
		share += extra != 0;
	if (!checked_mul(share, i, &at))
		return -EOVERFLOW;
	if (rest == ORDER_KEEP) {
		at += i < extra ? i : extra;
		share += i < extra;
	}
	if (!checked_add(at % total, share, &end))
		return -EOVERFLOW;
	*first = at % total;
	*stop = end;
	return 0;
}
