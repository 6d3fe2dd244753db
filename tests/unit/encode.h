/* SPDX-License-Identifier: MIT */

/*
 * Encoders for the tests and benchmarks: each filter as HDF5 stores it. All
 * return a malloc'ed buffer of just *n bytes, caller frees; they abort where
 * the library fails. Written for clearness, so that they may serve as models.
 */

#ifndef TESTS_ENCODE_H
#define TESTS_ENCODE_H

#include <libdeflate.h>
#include <lz4.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static inline uint8_t *encode_room(size_t n)
{
	uint8_t *p = malloc(n ? n : 1);

	if (!p)
		abort();
	return p;
}

/* Just n bytes, so that a sanitizer sees a read of one more. */
static inline uint8_t *encode_fit(uint8_t *p, size_t n)
{
	uint8_t *q = encode_room(n);

	memcpy(q, p, n);
	free(p);
	return q;
}

static inline uint8_t *encode_deflate(int level, const uint8_t *in, size_t nin,
				      size_t *n)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(level);
	const size_t room = libdeflate_zlib_compress_bound(c, nin);
	uint8_t *out = encode_room(room);

	*n = libdeflate_zlib_compress(c, in, nin, out, room);
	libdeflate_free_compressor(c);
	if (!*n)
		abort();
	return encode_fit(out, *n);
}

static inline uint8_t *encode_zstd(int level, const uint8_t *in, size_t nin,
				   size_t *n)
{
	const size_t room = ZSTD_compressBound(nin);
	uint8_t *out = encode_room(room);

	*n = ZSTD_compress(out, room, in, nin, level);
	if (ZSTD_isError(*n))
		abort();
	return encode_fit(out, *n);
}

static inline void encode_be32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

/* A block that does not shrink is stored raw, as the filter does it. */
static inline uint8_t *encode_lz4(size_t block, const uint8_t *in, size_t nin,
				  size_t *n)
{
	const size_t blocks = nin / block + 1;
	uint8_t *out, *p, *tmp;

	out = encode_room(12 + nin + 4 * blocks);
	tmp = encode_room((size_t)LZ4_compressBound((int)block));
	encode_be32(out, (uint32_t)((uint64_t)nin >> 32));
	encode_be32(out + 4, (uint32_t)nin);
	encode_be32(out + 8, (uint32_t)block);
	p = out + 12;
	for (size_t left = nin; left;) {
		const size_t now = block < left ? block : left;
		size_t got = (size_t)LZ4_compress_default(
			(const char *)in, (char *)tmp, (int)now,
			LZ4_compressBound((int)block));

		if (!got || got >= now) {
			got = now;
			memcpy(p + 4, in, now);
		} else {
			memcpy(p + 4, tmp, got);
		}
		encode_be32(p, (uint32_t)got);
		p += 4 + got;
		in += now;
		left -= now;
	}
	free(tmp);
	*n = (size_t)(p - out);
	return encode_fit(out, *n);
}

static inline uint8_t *encode_shuffle(size_t s, const uint8_t *in, size_t nin,
				      size_t *n)
{
	uint8_t *out = encode_room(nin);
	const size_t count = nin / s;

	memcpy(out, in, nin);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < s; j++)
			out[j * count + i] = in[i * s + j];
	*n = nin;
	return out;
}

/* The sum as HDF5 writes it down, word by word. */
static inline uint32_t encode_sum(const uint8_t *in, size_t nin)
{
	uint32_t one = 0, two = 0;

	for (size_t i = 0; i < nin; i += 2) {
		one += (uint32_t)in[i] << 8 | (i + 1 < nin ? in[i + 1] : 0);
		one = (one & 0xffff) + (one >> 16);
		two += one;
		two = (two & 0xffff) + (two >> 16);
	}
	one = (one & 0xffff) + (one >> 16);
	two = (two & 0xffff) + (two >> 16);
	return two << 16 | one;
}

static inline uint8_t *encode_fletcher32(const uint8_t *in, size_t nin,
					 size_t *n)
{
	const uint32_t sum = encode_sum(in, nin);
	uint8_t *out = encode_room(nin + 4);

	memcpy(out, in, nin);
	for (unsigned i = 0; i < 4; i++)
		out[nin + i] = (uint8_t)(sum >> 8 * i);
	*n = nin + 4;
	return out;
}

/* By HDF5 filter number; param is the element size, level or block size. */
static inline uint8_t *encode_step(unsigned filter, uint32_t param,
				   const uint8_t *in, size_t nin, size_t *n)
{
	switch (filter) {
	case 1:
		return encode_deflate((int)param, in, nin, n);
	case 2:
		return encode_shuffle(param, in, nin, n);
	case 3:
		return encode_fletcher32(in, nin, n);
	case 32004:
		return encode_lz4(param, in, nin, n);
	case 32015:
		return encode_zstd((int)param, in, nin, n);
	default:
		abort();
	}
}

#endif
