/* SPDX-License-Identifier: MIT */

/* Links of containers as symbolic links. Any thread. */

#ifndef TREE_LINK_H
#define TREE_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "tree/tree_impl.h"

/* A relative path under construction. */
struct target {
	char *text; /* TARGET_MAX bytes; NULL: only the length is asked for */
	size_t n;
	bool too_long;
};

void target_step(struct target *to, const char *name);
void target_up(struct target *to, unsigned levels);

/* Of soft link m in group directory dir. 0 or -ENOMEM. */
int soft_target(const struct tree *t, uint32_t dir, const struct member *m,
		struct target *to);
/*
 * Of external link m. 0; -ENOENT: the file is not in the mounted tree; errors
 * of reading directories.
 */
int external_target(struct tree *t, uint32_t dir, const struct member *m,
		    struct wait *w, struct target *to);

/*
 * Whether an external link of that source leads to a file of the mounted
 * tree: 0, -ENOENT; errors of reading directories.
 */
int external_check(struct tree *t, uint32_t source, struct bytes file,
		   struct wait *w);

#endif
