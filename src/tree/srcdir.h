/* SPDX-License-Identifier: MIT */

/*
 * The source's directories: what is listed of each, found out once, when it
 * is first looked into.
 *
 * Threads: init and fini from one; the rest from any, in parallel.
 */

#ifndef TREE_SRCDIR_H
#define TREE_SRCDIR_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "tree/rows.h"
#include "util/wait.h"

struct dir;
struct node;
struct tree;

enum entry_kind {
	ENTRY_FILE,	 /* a regular file, passed through */
	ENTRY_DIR,	 /* a directory */
	ENTRY_CONTAINER, /* the directory of a file with a known extension */
};

struct entry {
	const char *name; /* in the listing's text */
	uint8_t kind;	  /* enum entry_kind */
	/* Entry of a container's file; of a file that of its container, or
	 * ROW_NONE. */
	uint32_t other;
	_Atomic uint32_t source; /* of a file: its number, or ROW_NONE */
};

/* Sorted by name. Immutable, but for entry.source. */
struct listing {
	uint32_t n;
	struct entry *entry;
	char *text;
	size_t bytes;
};

/* What was read from a directory. */
struct found {
	const char *name;
	bool is_dir;
};

/*
 * The names that a directory of n found ones has. Sorts found. ext: further
 * extensions, NULL-terminated, or NULL. NULL: out of memory. Pure.
 */
struct listing *listing_make(struct found *found, size_t n,
			     const char *const *ext);
void listing_free(struct listing *l);
/* Number of the entry of that name (n bytes), or ROW_NONE. */
uint32_t listing_find(const struct listing *l, const char *name, size_t n);
/* Bytes of the name before the extension of a container; 0: it has none. */
size_t container_stem(const char *name, const char *const *ext);

struct srcdir {
	_Atomic(struct listing *) listing;
	_Atomic bool known; /* st is filled in */
	struct stat st;	    /* constant once known */
};

struct srcdirs {
	struct rows rows;
	pthread_mutex_t lock; /* adding; setting the fields above */
};

int srcdirs_init(struct srcdirs *s);
void srcdirs_fini(struct srcdirs *s);
/* What is known of a DIR_SOURCE. Borrowed for the life of the tree. */
struct srcdir *srcdir_of(const struct tree *t, const struct dir *d);
/* A new one, for dir.srcdir. 0; -ENOSPC; -ENOMEM. */
int srcdir_add(struct tree *t, uint32_t *number);

/* Below, dir is the number of a DIR_SOURCE in the table of directories. */

/*
 * Its attributes, and what is listed of it, asked of the file system once;
 * borrowed for the life of the tree. 0; -ENOENT: no directory any more; other
 * errors of reading it; util/wait.h.
 */
int srcdir_know(struct tree *t, uint32_t dir, struct wait *w,
		const struct stat **st);
int srcdir_listing(struct tree *t, uint32_t dir, struct wait *w,
		   const struct listing **out);
/* Path relative to SRC, "." for SRC itself. -ENAMETOOLONG. */
int srcdir_path(const struct tree *t, uint32_t dir, char *buf, size_t size);
/* Number of the source behind a file's entry. 0; -ENOSPC; -ENOMEM. */
int srcdir_source(struct tree *t, uint32_t dir, const struct listing *l,
		  uint32_t entry, uint32_t *number);
/* The same of a file's node id; -ENOENT: no file is there. */
int srcdir_file(struct tree *t, const struct node *n, struct wait *w,
		uint32_t *number);
/* Directory behind a directory's entry. 0; -ENOSPC; -ENOMEM. */
int srcdir_child(struct tree *t, uint32_t dir, const struct listing *l,
		 uint32_t entry, uint32_t *number);
/* Directory of that name behind the entry of a container's file. */
int srcdir_container(struct tree *t, uint32_t dir, const struct listing *l,
		     uint32_t entry, const char *name, uint32_t *number);

/*
 * fstatat of a path relative to SRC, through symbolic links, which with
 * allow_other must not leave SRC.
 */
int src_stat(const struct tree *t, const char *path, struct stat *st);

#endif
