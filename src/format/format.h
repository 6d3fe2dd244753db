/* SPDX-License-Identifier: MIT */

/*
 * (shape, dtype) to a file: exact size, header bytes, where the values are.
 * Pure; reads no values; any thread.
 */

#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/shape.h"

#define FORMAT_HEADER_MAX 512

enum segment_kind {
	SEGMENT_MEM,	/* bytes held in the layout: headers */
	SEGMENT_VALUES, /* bytes of the item, straight from array_read */
};

struct segment {
	enum segment_kind kind;
	uint64_t len;
	const void *mem; /* SEGMENT_MEM; points into the layout */
};

/* A file is its segments end to end; its size is their sum. */
struct layout {
	unsigned n;
	struct segment seg[4];
	uint64_t size;
	char header[FORMAT_HEADER_MAX]; /* backs SEGMENT_MEM */
};

/* What an item is, whatever it was cut from. */
struct item_type {
	struct shape shape; /* of the item, axes in array order */
	char kind;	    /* 'i' 'u' 'f' 'b' */
	unsigned item_size; /* served little endian */
	/* Of an array: a patch of its last axes that its container states. */
	unsigned nhint;
	uint64_t hint[3];
};

struct format_ops {
	const char *ext;  /* "npy" */
	const char *help; /* one line for the manual */
	bool (*accepts)(const struct item_type *t);
	/* 0; -EOVERFLOW: the file would not fit 2^63 - 1 bytes. */
	int (*layout)(const struct item_type *t, struct layout *out);
};

/*
 * The formats, by number from 1 (0 is none) to format_count(); numbers are
 * part of node ids. By extension, without the dot: 0 if unknown.
 */
unsigned format_count(void);
const struct format_ops *format_at(unsigned number);
unsigned format_by_ext(const char *ext, size_t n);
#define FORMAT_NPY 1

#endif
