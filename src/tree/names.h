/* SPDX-License-Identifier: MIT */

/*
 * Names in the mount: of HDF5 members and of items. Pure; any thread.
 */

#ifndef TREE_NAMES_H
#define TREE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "container/container.h"

#define NAME_BYTES_MAX 255 /* NAME_MAX, spelled for us */

/* Where a member is shown: which names are the mount's own. */
enum name_place {
	NAME_INSIDE,	    /* info.json, though not every group has one */
	NAME_IN_MOUNT_ROOT, /* of a container mounted alone: .patchfs too */
};

/*
 * The name under which a member is shown. HDF5 allows any bytes; "%XX" stands
 * for what a file system cannot hold, for "%" itself and for the first byte
 * of a name that is ours; "%~" for the empty name; names that come out longer
 * than 255 bytes are cut and get 16 digits of their SHA-256.
 * 0 or -ENOMEM.
 */
int name_encode(struct bytes raw, enum name_place place,
		char out[NAME_BYTES_MAX + 1]);

/*
 * What a shown name stands for: raw bytes to look for, at most NAME_BYTES_MAX.
 * With *cut they are only the beginning, and each member with that beginning
 * has to be encoded to find out. -ENOENT: name_encode never gives this.
 * Whatever is found must be encoded and compared: a name has one spelling.
 */
int name_decode(const char *shown, char raw[NAME_BYTES_MAX + 1], size_t *n,
		bool *cut);

/* Bytes of the UTF-8 character that n bytes begin with; 0: they do not. */
size_t utf8_length(const char *s, size_t n);

/* Digits of item names: 6, or as many as the last of count items needs. */
unsigned item_digits(uint64_t count);
/* Decimal, padded with zeros. Returns the length. */
size_t item_print(uint64_t item, unsigned digits, char out[24]);

/* "17_128_64": the starts of ndim axes. 0 or -ENOENT. */
int corner_parse(const char *s, size_t n, unsigned ndim, uint64_t *start);
/* Returns the length. */
size_t corner_print(const int64_t *start, unsigned ndim,
		    char out[NAME_BYTES_MAX + 1]);

#endif
