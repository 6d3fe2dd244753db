/* SPDX-License-Identifier: MIT */

/*
 * The grammar of view directories, and what a view is on a given array.
 *
 * A name is parsed to a spec without knowing the array, bound to the array,
 * which also makes the spec canonical, and printed. Name and array determine
 * everything: a view keeps nothing else. Pure; any thread.
 */

#ifndef TREE_VIEW_H
#define TREE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"
#include "sample/sample.h"
#include "tree/names.h"
#include "tree/number.h"

enum view_kind { VIEW_SLICES, VIEW_PATCHES, VIEW_CROPS, VIEW_RANDOM };

#define VIEW_WHOLE 0 /* an axis of a size or stride: "all" */

/* Plain data without pointers. */
struct view_spec {
	uint8_t kind;		/* enum view_kind */
	uint8_t border;		/* enum sample_border */
	uint8_t format;		/* of listed items */
	uint8_t nsize, nstride; /* nsize 0, of patches: what the array states */
	int64_t axis;		/* of slices */
	uint64_t size[NDIM_MAX], stride[NDIM_MAX];
	uint64_t seed, count;
	char pad[NUMBER_TEXT_MAX]; /* as written; "": not given */
};

/* A view of an array. */
struct view_geometry {
	struct sampling sampling;
	struct item_type item;
	uint64_t count;	 /* items that have a name, <= SAMPLE_ITEMS_MAX */
	uint64_t listed; /* items that a listing shows, from 0 */
	uint8_t pad[8];	 /* one element, little endian */
};

/* Slices along an axis; canonical on every array that has it. */
struct view_spec view_slices(unsigned axis);

#define VIEW_WHY_MAX 160

/* Says in why what is wrong with a view; -EINVAL. */
int view_bad(char why[VIEW_WHY_MAX], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * 0; -ENOENT: not the name of a view of any kind; -EINVAL: meant to be one,
 * and why says what is wrong with it.
 */
int view_parse(const char *name, struct view_spec *out, char why[VIEW_WHY_MAX]);

/*
 * The view on an array of that shape and type. Makes s canonical. 0; -EINVAL:
 * the array has no such view, and why says why.
 */
int view_bind(struct view_spec *s, const struct item_type *array,
	      struct view_geometry *out, char why[VIEW_WHY_MAX]);

/* The canonical name. 0; -ENAMETOOLONG. */
int view_print(const struct view_spec *s, char out[NAME_BYTES_MAX + 1]);

/*
 * Item named by n bytes (without extension). 0; -ENOENT; -E2BIG: there is such
 * an item, but its number is beyond SAMPLE_ITEMS_MAX.
 */
int view_item(const struct view_spec *s, const struct view_geometry *g,
	      const char *name, size_t n, uint64_t *item);
/* Name of item < count, without extension. Returns the length. */
size_t view_item_name(const struct view_spec *s, const struct view_geometry *g,
		      uint64_t item, char out[NAME_BYTES_MAX + 1]);

#endif
