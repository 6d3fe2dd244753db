/* SPDX-License-Identifier: MIT */

/* The search for the label array of one foreground view. One request's. */

#ifndef TREE_LABEL_FIND_H
#define TREE_LABEL_FIND_H

#include "tree/label.h"

/* What is looked for, and what was found. All is borrowed. */
struct label_search {
	struct tree *t;
	uint32_t array, group; /* the group that the array is in */
	const struct view_geometry *g;
	struct wait *w;
	const struct pin *pin; /* of the array's container */
	bool has_place;
	struct place_info place;
	uint32_t sample; /* directory of its sample, or ROW_NONE */
	char *why;	 /* VIEW_WHY_MAX; or NULL: nobody asks */
	/* What label_find found. */
	unsigned n; /* candidates; the first is found, all are named */
	uint32_t found;
	char names[VIEW_WHY_MAX / 2];
	/* What is called as labels are and is none, and why, if why is wanted.
	 */
	char passed[VIEW_WHY_MAX / 2];
};

/*
 * Look for it from the start; labels as the view says it, "": nothing. 0, also
 * where there is none or several; -ENOMEM, errors of lookups; util/wait.h.
 */
int label_find(struct label_search *s, const char *labels);
/*
 * Whether a directory is a label array that pairs with the array. 0, or -EINVAL
 * and why not (NULL: quietly).
 */
int label_check(const struct label_search *s, uint32_t dir, char *why);
/* The directory at a path; ROW_NONE: there is none. util/wait.h. */
int label_walk(struct label_search *s, uint32_t from, const char *path,
	       uint32_t *dir);
/*
 * The label array of an annotation's group: its dense labels, or of a mask its
 * values. ROW_NONE: none.
 */
int label_of_annotation(struct label_search *s, uint32_t group, uint32_t *dir);
/*
 * label.c: the name of that label for the key labels, a path where no name
 * leads to it. -ENAMETOOLONG. Searches: what was found before is lost.
 */
int label_named(struct label_search *s, uint32_t label, char *out, size_t size);
/*
 * label_list.c: "there are A, B" of labels in the container that pair with the
 * array, the one whose name is near to wanted first; "": none. The same.
 */
int label_list(struct label_search *s, const char *wanted, char *out,
	       size_t size);

#endif
