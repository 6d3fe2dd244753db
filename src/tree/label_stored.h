/* SPDX-License-Identifier: MIT */

/* The sampling index that a medh5 file keeps of a label array. */

#ifndef TREE_LABEL_STORED_H
#define TREE_LABEL_STORED_H

#include <limits.h>

#include "index/stored.h"
#include "tree/label.h"

struct label_stored {
	struct stored_ask ask; /* for stored_row */
	struct stored_pin pin;
	char label[PATH_MAX];
};

/*
 * Of a label whose container is pinned, to draw n classes from (0: all that it
 * declares). May not be moved; label_stored_put. 0; -ENOENT: there is none, or
 * it cannot serve; errors of stored_get; util/wait.h.
 */
int label_stored_get(struct tree *t, const struct pin *p, uint32_t label,
		     const int64_t *ids, unsigned n, struct wait *w,
		     struct label_stored *out);
void label_stored_put(struct label_stored *s);

/*
 * Whether the file's index serves the classes of a view. 0; -EINVAL: it does
 * not, and why says so; errors of label_stored_get and label_class_id.
 */
int label_stored_check(struct tree *t, uint32_t label,
		       const struct view_draw *d, struct wait *w,
		       char why[VIEW_WHY_MAX]);

/* Whether an annotation's header has that class; true of other labels. */
bool label_declares(const struct pin *p, const struct dir *label, int64_t id);

#endif
