/* SPDX-License-Identifier: MIT */

/*
 * The digest that medh5 keeps of an array. Both readings of an ambiguous array
 * are hashed in one pass; their blocks are the same, so each is decoded once.
 */

#include <config.h>

#include "array/digest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/array_impl.h"

#include "util/cleanup.h"

#define READINGS 2

static const enum array_reading reading[READINGS] = {ARRAY_BOXES, ARRAY_PLAIN};
static const enum verdict verdict[READINGS] = {VERDICT_BOXES, VERDICT_PLAIN};

static void cleanup_hash(struct hash **h)
{
	hash_free(*h);
}

static bool is_name(const struct bytes *b, const char *name)
{
	return b->n == strlen(name) && memcmp(b->p, name, b->n) == 0;
}

/* -------------------------------------------------------------- hashing */

static int add(struct hash *h[READINGS], const void *data, size_t n)
{
	int err = 0;

	for (unsigned i = 0; i < READINGS && !err; i++)
		err = hash_add(h[i], data, n);
	return err;
}

/* The path from the root of the sample: in a collection that is two below. */
static int add_path(struct hash *h[READINGS], const struct catalog *k,
		    uint32_t object)
{
	struct path_step step[64];
	unsigned depth = catalog_path(k, object, step, 64), first = 0;
	struct bytes kind;
	int err = 0;

	if (depth == 0 || depth > 64)
		return -EOPNOTSUPP;
	if (depth > 2 && catalog_text(k, step[0].group, "medh5_kind", &kind) &&
	    is_name(&kind, "collection"))
		first = 2;
	for (unsigned i = first; i < depth && !err; i++) {
		struct member m;

		catalog_member(k, step[i].group, step[i].member, &m);
		if (i > first)
			err = add(h, "/", 1);
		if (!err)
			err = add(h, m.name.p, m.name.n);
	}
	return err ? err : add(h, "", 1);
}

/* Type and shape. */
static int add_type(struct hash *h, const struct array *a)
{
	char text[8 + NDIM_MAX * 24];
	int n = snprintf(text, sizeof(text), "%c%c%u",
			 a->item_size == 1 ? '|' : '<', a->kind, a->item_size);
	int err = hash_add(h, text, (size_t)n + 1);

	text[n = 0] = '\0';
	for (unsigned k = 0; k < a->shape.ndim; k++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%" PRIu64,
			      k ? "," : "", a->shape.dim[k]);
	return err ? err : hash_add(h, text, (size_t)n + 1);
}

static int add_values(struct hash *h[READINGS], const struct stored_array *s,
		      void *buffer, size_t room)
{
	struct stored_array as = *s;
	struct view v = {.array = &as.base};

	memcpy(v.extent, s->base.shape.dim, sizeof(v.extent));
	for (uint64_t off = 0; off < s->bytes; off += room) {
		size_t n =
			s->bytes - off < room ? (size_t)(s->bytes - off) : room;

		for (unsigned i = 0; i < READINGS; i++) {
			int err;

			as.reading = reading[i];
			err = array_read(&v, off, n, buffer, NULL);
			if (!err)
				err = hash_add(h[i], buffer, n);
			if (err)
				return err;
		}
	}
	return 0;
}

static int compare(struct hash *h[READINGS], const struct bytes *hex,
		   enum verdict *out)
{
	*out = VERDICT_DAMAGED;
	for (unsigned i = 0; i < READINGS; i++) {
		char got[HASH_HEX_MAX];
		int err = hash_hex(h[i], got);

		if (err)
			return err;
		if (is_name(hex, got))
			*out = verdict[i];
	}
	return 0;
}

int digest_verdict(const struct stored_array *s, void *buffer, size_t room,
		   enum verdict *out)
{
	CLEANUP(cleanup_hash) struct hash *boxes = NULL;
	CLEANUP(cleanup_hash) struct hash *plain = NULL;
	struct hash *h[READINGS];
	struct bytes digest, hex;
	char algorithm[HASH_NAME_MAX];
	int err;

	if (!catalog_text(s->catalog, s->object, "digest", &digest) ||
	    !hash_split(digest.p, digest.n, algorithm, &hex.p, &hex.n))
		return 0;
	err = hash_new(algorithm, &boxes);
	if (!err)
		err = hash_new(algorithm, &plain);
	if (err)
		return err;
	h[0] = boxes;
	h[1] = plain;
	err = add_path(h, s->catalog, s->object);
	if (err == -EOPNOTSUPP)
		return 0;
	for (unsigned i = 0; i < READINGS && !err; i++)
		err = add_type(h[i], &s->base);
	if (!err)
		err = add_values(h, s, buffer, room);
	return err ? err : compare(h, &hex, out);
}

/* ------------------------------------------------------- of any array */

#define BUFFER ((size_t)1 << 20)

int array_digest(const struct array *a, const char *path, const char *algorithm,
		 char hex[HASH_HEX_MAX])
{
	CLEANUP(cleanup_hash) struct hash *h = NULL;
	CLEANUP(cleanup_freep) unsigned char *buffer = NULL;
	struct view v = {.array = a};
	uint64_t bytes;
	int err;

	memcpy(v.extent, a->shape.dim, sizeof(v.extent));
	err = view_bytes(&v, &bytes);
	if (!err)
		err = hash_new(algorithm, &h);
	if (!err)
		err = hash_add(h, path, strlen(path) + 1);
	if (!err)
		err = add_type(h, a);
	if (err)
		return err;
	buffer = malloc(BUFFER);
	if (!buffer)
		return -ENOMEM;
	for (uint64_t off = 0; off < bytes && !err; off += BUFFER) {
		size_t n =
			bytes - off < BUFFER ? (size_t)(bytes - off) : BUFFER;

		err = array_read(&v, off, n, buffer, NULL);
		if (!err)
			err = hash_add(h, buffer, n);
	}
	return err ? err : hash_hex(h, hex);
}
