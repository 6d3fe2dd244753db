/* SPDX-License-Identifier: MIT */

/* Glue to libcrypto; the sole includer of its headers. */

#include <config.h>

#include "util/hash.h"

#include <errno.h>
#include <openssl/evp.h>
#include <string.h>

static void put_hex(const unsigned char *md, unsigned n, char *out)
{
	static const char hex[] = "0123456789abcdef";

	for (unsigned i = 0; i < n; i++) {
		out[2 * i] = hex[md[i] >> 4];
		out[2 * i + 1] = hex[md[i] & 15];
	}
	out[2 * n] = '\0';
}

int hash_sha256_hex(const void *data, size_t n, char out[65])
{
	unsigned char md[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	if (!EVP_Digest(data, n, md, &len, EVP_sha256(), NULL) || len != 32)
		return -ENOMEM;
	put_hex(md, len, out);
	return 0;
}

/* It is libcrypto's own; the name is for those who do not see that. */
static EVP_MD_CTX *context_of(struct hash *h)
{
	return (EVP_MD_CTX *)h;
}

static const struct algorithm {
	char name[HASH_NAME_MAX];
	size_t digits; /* in hex */
	const EVP_MD *(*md)(void);
} algorithms[] = {
	{"sha256", 64, EVP_sha256},
	{"sha512", 128, EVP_sha512},
	{"blake2b", 128, EVP_blake2b512},
};

/* The one whose name is these n bytes, or NULL. */
static const struct algorithm *find(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(*algorithms); i++)
		if (strlen(algorithms[i].name) == n &&
		    memcmp(algorithms[i].name, name, n) == 0)
			return &algorithms[i];
	return NULL;
}

bool hash_split(const char *text, size_t n, char algorithm[HASH_NAME_MAX],
		const char **hex, size_t *digits)
{
	const char *colon = n ? memchr(text, ':', n) : NULL;
	const struct algorithm *a;
	size_t left;

	if (!colon)
		return false;
	a = find(text, (size_t)(colon - text));
	left = n - (size_t)(colon - text) - 1;
	if (!a || left != a->digits)
		return false;
	for (size_t i = 1; i <= left; i++)
		if (!memchr("0123456789abcdef", colon[i], 16))
			return false;
	strcpy(algorithm, a->name);
	*hex = colon + 1;
	*digits = left;
	return true;
}

int hash_new(const char *algorithm, struct hash **out)
{
	const struct algorithm *a = find(algorithm, strlen(algorithm));
	EVP_MD_CTX *c;

	if (!a)
		return -EINVAL;
	c = EVP_MD_CTX_new();
	if (!c || !EVP_DigestInit_ex(c, a->md(), NULL)) {
		EVP_MD_CTX_free(c);
		return -ENOMEM;
	}
	*out = (struct hash *)c;
	return 0;
}

int hash_add(struct hash *h, const void *data, size_t n)
{
	return EVP_DigestUpdate(context_of(h), data, n) ? 0 : -ENOMEM;
}

int hash_hex(struct hash *h, char out[HASH_HEX_MAX])
{
	unsigned char md[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	if (!EVP_DigestFinal_ex(context_of(h), md, &len) ||
	    2 * len >= HASH_HEX_MAX)
		return -ENOMEM;
	put_hex(md, len, out);
	return 0;
}

void hash_free(struct hash *h)
{
	EVP_MD_CTX_free(context_of(h));
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
