/* SPDX-License-Identifier: MIT */

/*
 * One codec, or with FUZZ_FILTER 0 a chain of up to four. The input is
 *
 *   2 bytes   size of the chunk, little endian
 *   1 byte    element size, block size or level
 *   1 byte    (chains) steps and mask, then one byte a step
 *   the rest  once as stored bytes, once as values to store and get back
 *
 * Besides staying within bounds: a decoder gives the same alone and in a chain,
 * and what was encoded comes back.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../must.h"
#include "codec/codec.h"
#include "encode.h"

#define STEPS_MAX 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const unsigned filters[] = {1, 2, 3, 32004, 32015};

struct test {
	struct codec_chain chain;
	uint32_t skip, param;
	size_t nout;
	const uint8_t *data; /* in a buffer that ends with it */
	size_t n;
};

static uint32_t encode_param(unsigned filter, uint32_t param)
{
	switch (filter) {
	case 1:
		return param % 13;
	case 32015:
		return param % 4;
	default:
		return param ? param : 1;
	}
}

static void check_stored(const struct test *t)
{
	uint8_t *out = encode_room(t->nout), *again = encode_room(t->nout);
	const struct codec_step *step = &t->chain.step[0];
	struct codec_note note = {NULL, false};
	size_t got = t->nout;
	int r, one;

	r = codec_decode(&t->chain, t->skip, t->data, t->n, out, t->nout);
	MUST(r == 0 || r == -EBADMSG);
	if (t->chain.n == 1 && !t->skip) {
		one = step->ops->decode(step, t->data, t->n, again, &got,
					&note);
		MUST(one == 0 || one == -EBADMSG || one == -ENOSPC);
		MUST((r == 0) == (one == 0 && got == t->nout));
		MUST(got <= t->nout);
	} else {
		one = codec_decode(&t->chain, t->skip, t->data, t->n, again,
				   t->nout);
		MUST(one == r);
	}
	MUST(r || !memcmp(out, again, t->nout));
	free(again);
	free(out);
}

static void check_round_trip(const struct test *t)
{
	uint8_t *in = encode_room(t->n), *out = encode_room(t->n), *next;
	size_t nin = t->n;

	memcpy(in, t->data, t->n);
	for (unsigned i = 0; i < t->chain.n; i++) {
		const unsigned filter = t->chain.step[i].h5_filter;

		if (t->skip >> i & 1)
			continue;
		next = encode_step(filter, encode_param(filter, t->param), in,
				   nin, &nin);
		free(in);
		in = next;
	}
	/* Element size 0 is refused, so it was encoded as another one. */
	if (t->param) {
		MUST(codec_decode(&t->chain, t->skip, in, nin, out, t->n) == 0);
		MUST(!memcmp(out, t->data, t->n));
	}
	free(out);
	free(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct test t = {.n = size};
	size_t head = FUZZ_FILTER ? 3 : 4 + STEPS_MAX;
	uint8_t *copy;

	if (size < head || size > 1 << 16)
		return 0;
	t.nout = data[0] | (size_t)data[1] << 8;
	t.param = data[2];
	t.chain.n = FUZZ_FILTER ? 1 : data[3] % (STEPS_MAX + 1);
	t.skip = FUZZ_FILTER ? 0 : data[3] >> 4;
	for (unsigned i = 0; i < t.chain.n; i++) {
		struct codec_step *step = &t.chain.step[i];

		step->h5_filter =
			FUZZ_FILTER ? FUZZ_FILTER : filters[data[4 + i] % 5];
		step->ops = codec_by_h5_filter(step->h5_filter);
		step->nparam = 1;
		step->param = &t.param;
	}
	t.n -= head;
	copy = encode_room(t.n);
	memcpy(copy, data + head, t.n);
	t.data = copy;
	check_stored(&t);
	check_round_trip(&t);
	free(copy);
	return 0;
}
