/* SPDX-License-Identifier: MIT */

/* The sampling index that a medh5 file keeps of a label array. */

#ifndef TREE_LABEL_STORED_H
#define TREE_LABEL_STORED_H

#include <limits.h>

#include "index/stored.h"
#include "tree/label.h"

/* May not be moved; label_stored_put. */
struct label_stored {
	struct stored_ask ask; /* for stored_row */
	struct stored_pin pin; /* of one that is STORED_FRESH */
	char label[PATH_MAX];
	struct derived_info
		info; /* of the labels, as long as they are pinned */
};

/*
 * That of a label whose container is pinned, whatever classes it has. 0;
 * -ENOENT: there is none that is fresh; errors of stored_get; util/wait.h.
 */
int label_stored_look(struct tree *t, const struct pin *p, uint32_t label,
		      struct wait *w, struct label_stored *out);
/*
 * To draw n classes from (0: all that the label declares). The same; -ENOENT
 * also: it lacks one of them.
 */
int label_stored_get(struct tree *t, const struct pin *p, uint32_t label,
		     const int64_t *ids, unsigned n, struct wait *w,
		     struct label_stored *out);
void label_stored_put(struct label_stored *s);
/*
 * Of each class of the index whether the annotation's header has it. Caller
 * frees; NULL: out of memory.
 */
bool *label_stored_declared(const struct label_stored *s);

/*
 * Whether the file's index serves the classes of a view. 0; -EINVAL: it does
 * not, and why says so; errors of label_stored_get and label_class_id.
 */
int label_stored_check(struct tree *t, uint32_t label,
		       const struct view_draw *d, struct wait *w,
		       char why[VIEW_WHY_MAX]);

#endif
