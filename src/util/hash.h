/* SPDX-License-Identifier: MIT */

/* Glue to libcrypto, and a fast hash for tables. */

#ifndef UTIL_HASH_H
#define UTIL_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lower-case hex of SHA-256, 64 digits and a NUL. 0, or -ENOMEM. */
int hash_sha256_hex(const void *data, size_t n, char out[65]);

/*
 * A digest of what is added piece by piece: "sha256", "sha512" or "blake2b" (of
 * 64 bytes). One thread at a time. *out: hash_free. 0, -EINVAL: no such
 * algorithm, -ENOMEM.
 */
struct hash;
int hash_new(const char *algorithm, struct hash **out);
int hash_add(struct hash *h, const void *data, size_t n);
/* Ends it: lower-case hex. */
#define HASH_HEX_MAX 129
int hash_hex(struct hash *h, char out[HASH_HEX_MAX]);
void hash_free(struct hash *h);

/*
 * "ALGORITHM:HEX", n bytes, as medh5 writes digests: the name of an algorithm
 * that hash_new has, with a NUL, and its hex digits in the text, in lower case
 * and as many as it has. False: it is no digest.
 */
#define HASH_NAME_MAX 16
bool hash_split(const char *text, size_t n, char algorithm[HASH_NAME_MAX],
		const char **hex, size_t *digits);

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
