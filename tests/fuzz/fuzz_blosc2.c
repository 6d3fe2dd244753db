/* SPDX-License-Identifier: MIT */

/*
 * A Blosc2 frame, whole and block by block, which must not contradict each
 * other (blosc2_both.h). The input is
 *
 *   1 byte    item size
 *   1 byte    rank in the lower four bits; 0x10: plain; 0x20: lengths of frame
 *             and trailer are made to fit what there is
 *   1 byte    each extent
 *   the rest  the frame
 */

#include "blosc2_both.h"

#define HEADER_MIN 87
#define FOOTER 23

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t be(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | *p++;
	return v;
}

static void set_be(uint8_t *p, unsigned n, uint64_t v)
{
	for (; n--; v >>= 8)
		p[n] = (uint8_t)v;
}

/* So that what the fuzzer inserts or drops is not refused for its length. */
static void mend(uint8_t *p, size_t n)
{
	uint64_t at;

	if (n < HEADER_MIN + FOOTER)
		return;
	set_be(p + 0x10, 8, n);
	at = be(p + 0x0b, 4) + be(p + 0x27, 8);
	if (at > n || n - at < 16 + FOOTER)
		return;
	/* The index says how long it is in little endian. */
	at += p[at + 12] | (uint64_t)p[at + 13] << 8;
	if (at < n)
		set_be(p + n - FOOTER + 1, 4, n - at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t dim[NDIM_MAX];
	struct both b = {0};
	size_t head;
	uint8_t *frame;

	if (size < 2 || size > 1 << 16)
		return 0;
	b.chunk.item_size = data[0] ? data[0] : 300;
	b.chunk.ndim = (data[1] & 15) % NDIM_MAX + 1;
	b.chunk.plain = data[1] & 0x10;
	b.chunk.dim = dim;
	b.chunk.bytes = b.chunk.item_size;
	head = 2 + b.chunk.ndim;
	if (size < head)
		return 0;
	for (unsigned i = 0; i < b.chunk.ndim; i++) {
		dim[i] = data[2 + i] ? data[2 + i] : 1000;
		b.chunk.bytes *= dim[i];
		if (b.chunk.bytes > 1 << 18)
			return 0;
	}
	b.chunk.stored = size - head;
	frame = encode_room(b.chunk.stored);
	memcpy(frame, data + head, b.chunk.stored);
	if (data[1] & 0x20)
		mend(frame, b.chunk.stored);
	b.frame = frame;
	both_decode(&b);
	free(b.out);
	free(frame);
	return 0;
}
