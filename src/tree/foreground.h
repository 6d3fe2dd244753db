/* SPDX-License-Identifier: MIT */

/* Where the draws of foreground views lie. Any thread. */

#ifndef TREE_FOREGROUND_H
#define TREE_FOREGROUND_H

#include "tree/label.h"

enum index_use {
	INDEX_NONE,   /* a uniform draw */
	INDEX_EXACT,  /* of all voxels */
	INDEX_STORED, /* of the coordinates that the file keeps */
};

struct drawn {
	/* Over the full rank of the array. */
	int64_t start[NDIM_MAX], center[NDIM_MAX];
	enum index_use used; /* none: uniform, no class */
	int64_t class;
	char name[CLASS_NAME_MAX]; /* of the class; "": none */
};

/* draws_without_class. */
void foreground_metrics(struct metrics *m);

/*
 * Draw number item of a foreground view, whose spec and geometry are those
 * given. The index that it needs is built if it is not at hand. 0; errors of
 * label_index_get; util/wait.h.
 */
int foreground_draw(struct tree *t, const struct dir *view,
		    const struct view_spec *s, const struct view_geometry *g,
		    uint64_t item, struct wait *w, struct drawn *out);

#endif
