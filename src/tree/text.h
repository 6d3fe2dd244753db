/* SPDX-License-Identifier: MIT */

/* Small texts that several files of the tree need. Pure; any thread. */

#ifndef TREE_TEXT_H
#define TREE_TEXT_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "container/container.h"
#include "tree/names.h"

#define DTYPE_MAX 8
#define SHAPE_TEXT_MAX 192

/* The two arguments of "%.*s" for a struct bytes, cut to so many. */
#define TEXT_CUT(b, most) \
	(int)((b).n > (most) ? (most) : (b).n), (b).n ? (b).p : ""

/* NumPy's string of a served type: "<f4". */
const char *dtype_text(char kind, unsigned item_size, char buf[DTYPE_MAX]);
/* "780x512x512"; "scalar" for rank 0. Ends in "..." beyond 8 axes. */
const char *shape_text(unsigned rank, const uint64_t *dim,
		       char buf[SHAPE_TEXT_MAX]);
const char *layout_text(enum cat_layout l);
/* What stands between the quotes of a field of a CSV file. */
void text_doubled(const char *s, FILE *f);
/* "2026-11-29T20:55:26.123456789Z". */
const char *time_text(const struct timespec *ts, char buf[40]);

/*
 * The first path of an object in its container, names as shown, without a
 * slash in front. *buf is grown on need (caller frees). NULL: out of memory.
 */
const char *object_path(const struct catalog *k, uint32_t object,
			enum name_place root, char **buf, size_t *room);

#endif
