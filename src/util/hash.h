/* SPDX-License-Identifier: MIT */

/* Glue to libcrypto, and a fast hash for tables. */

#ifndef UTIL_HASH_H
#define UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Lower-case hex of SHA-256, 64 digits and a NUL. 0, or -ENOMEM. */
int hash_sha256_hex(const void *data, size_t n, char out[65]);

/* A well mixed 64-bit value of two; for hash tables, not for digests. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15) ^ (b + (a >> 32));

	h ^= h >> 30;
	h *= UINT64_C(0xbf58476d1ce4e5b9);
	h ^= h >> 27;
	h *= UINT64_C(0x94d049bb133111eb);
	return h ^ (h >> 31);
}
/* Of n bytes; not keyed. */
uint64_t hash_bytes(const void *data, size_t n);

#endif
