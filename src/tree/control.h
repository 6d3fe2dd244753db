/* SPDX-License-Identifier: MIT */

/*
 * .patchfs: small files about the mount, each a snapshot made at lookup, so
 * that who opened one reads one text to its end.
 * Threads: init and fini from one; the rest from any, in parallel.
 */

#ifndef TREE_CONTROL_H
#define TREE_CONTROL_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/wait.h"

struct snapshot;
struct tree;

#define CONTROL_DIR ".patchfs"
#define CONTROL_FILES 16 /* room for that many in a node id */
#define CONTROL_RING 256

struct control {
	pthread_mutex_t lock;
	/* protected by lock */
	struct snapshot *ring[CONTROL_RING]; /* by number */
	uint64_t next, oldest;		     /* numbers; 0 is none */
	size_t bytes;
};

void control_init(struct control *c);
void control_fini(struct control *c);

/* Name of file i, NULL at the end; number of the file of that name, or -1. */
const char *control_name(unsigned file);
int control_by_name(const char *name);

/* classes.json of an array, a snapshot as those of .patchfs are. */
#define CONTROL_CLASSES_JSON (CONTROL_FILES - 1)

/*
 * Make a snapshot; its item is what a node id carries. dir is the array of
 * classes.json. 0 or -errno.
 */
int control_snapshot(struct tree *t, uint32_t dir, unsigned file,
		     struct wait *w, uint64_t *item, uint64_t *size);
/* 0; -ENOENT: there never was one; -ESTALE: its time is over. */
int control_size(struct tree *t, uint64_t item, uint64_t *size);
ssize_t control_read(struct tree *t, uint64_t item, void *buf, size_t n,
		     uint64_t off);

#endif
