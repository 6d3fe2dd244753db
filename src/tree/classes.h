/* SPDX-License-Identifier: MIT */

/*
 * Texts about the classes of label arrays, from the indices that are at hand.
 * Any thread; 0; -ENOMEM; util/wait.h.
 */

#ifndef TREE_CLASSES_H
#define TREE_CLASSES_H

#include <stdint.h>
#include <stdio.h>

struct tree;
struct wait;

/* classes.json of a label array, which label_accepts. */
int classes_json(struct tree *t, uint32_t dir, struct wait *w, FILE *f);
/* .patchfs/classes.csv. */
int classes_csv(struct tree *t, struct wait *w, FILE *f);

#endif
