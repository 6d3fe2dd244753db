/* SPDX-License-Identifier: MIT */

/* Glue to libcrypto; the sole includer of its headers. */

#include <config.h>

#include "util/hash.h"

#include <errno.h>
#include <openssl/evp.h>
#include <string.h>

int hash_sha256_hex(const void *data, size_t n, char out[65])
{
	static const char hex[] = "0123456789abcdef";
	unsigned char md[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	if (!EVP_Digest(data, n, md, &len, EVP_sha256(), NULL) || len != 32)
		return -ENOMEM;
	for (unsigned i = 0; i < 32; i++) {
		out[2 * i] = hex[md[i] >> 4];
		out[2 * i + 1] = hex[md[i] & 15];
	}
	out[64] = '\0';
	return 0;
}

uint64_t hash_bytes(const void *data, size_t n)
{
	const unsigned char *p = data;
	uint64_t h = n;

	for (; n >= 8; n -= 8, p += 8) {
		uint64_t v;

		memcpy(&v, p, 8);
		h = hash_mix(h, v);
	}
	if (n) {
		uint64_t v = 0;

		memcpy(&v, p, n);
		h = hash_mix(h, v);
	}
	return hash_mix(h, 0);
}
