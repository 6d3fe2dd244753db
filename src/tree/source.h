/* SPDX-License-Identifier: MIT */

/*
 * The source files seen so far, by number. A container is opened once and its
 * descriptor held; files that only pass through are closed again, the least
 * recently used first, and must be the same file when opened again. Names of
 * one file, hard links and symbolic ones, share the container of the first of
 * them that is opened, and what is cached of it; all that is said stays by
 * name.
 *
 * Threads: init and fini from one; the rest from any, in parallel.
 */

#ifndef TREE_SOURCE_H
#define TREE_SOURCE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "array/cached.h"
#include "container/container.h"
#include "tree/rows.h"
#include "util/wait.h"

struct store;
struct tree;

struct source {
	/* constant */
	uint32_t dir, entry; /* where it is listed; entry ROW_NONE: SRC */
	/* Constant once known is set. */
	_Atomic bool known;
	struct stat st;
	/* Constant once container is set: who opened the same file first. */
	uint32_t first;
	/* Constant once set. */
	_Atomic(struct container *) container;
	_Atomic int failed; /* -errno for good; why says what it was */
	char *why;
	_Atomic bool scanned; /* a catalog was had once */
	/* protected by the lock of the sources */
	unsigned timeouts; /* scans that were cut short */
	struct store *plain;
	unsigned readers;
	struct source *older, *newer; /* idle ones */
};

struct sources {
	struct rows rows;
	pthread_mutex_t lock; /* adding, and what is marked above */
	/* protected by lock */
	struct source *oldest, *newest;
	unsigned nplain, max_plain;
	bool told_full;
	void *files;		      /* the first source of each file opened */
	_Atomic unsigned ncontainers; /* open */
	/* Constant. */
	unsigned max_containers;
	uint64_t max_files; /* RLIMIT_NOFILE */
};

int sources_init(struct sources *s);
void sources_fini(struct sources *s);
struct source *source_at(const struct tree *t, uint32_t number);
/* 0; -ENOSPC; -ENOMEM. */
int source_add(struct tree *t, uint32_t dir, uint32_t entry, uint32_t *number);

/* Fill in st, once. 0; -ENOENT: no regular file any more; -errno. */
int source_know(struct tree *t, uint32_t number, struct wait *w);
/*
 * The file that was listed, opened; file_close is the caller's. 0; -ESTALE,
 * told: it is another one by now; errors of opening it; util/wait.h.
 */
int source_open_file(struct tree *t, uint32_t number, struct wait *w,
		     struct store **out);
/*
 * The container, opened. An error with failed set is for good: what the file
 * is (not a container, not readable). told: say so in the problems. -ENFILE: as
 * many as there may be are open; none is closed for another, since only the
 * descriptor goes on being the file that was looked into.
 */
int source_container(struct tree *t, uint32_t number, bool told, struct wait *w,
		     struct container **out);
/* Its catalog too, pinned until cached_put. Same errors. */
int source_catalog(struct tree *t, uint32_t number, struct wait *w,
		   struct container **c, struct cached *out);
/* What is cached of it is cached under. Its container is open. */
uint32_t source_key(const struct tree *t, uint32_t number);
/* Whether looking into it can only show why not. */
bool source_is_failed(const struct tree *t, uint32_t number);

/* Bytes as they are; short only at the end of the file. */
ssize_t source_read(struct tree *t, uint32_t number, void *buf, size_t n,
		    uint64_t off, struct wait *w);

/*
 * same.c: whether that is the same file, unchanged: 0, else an order. And the
 * source that was first given of the same file, which may be s. What is given
 * is held open until fini, so that no other file can look like it; the lock
 * is held.
 */
int file_compare(const struct stat *a, const struct stat *b);
struct source *files_first(struct sources *all, struct source *s);
void files_remove(struct sources *all, struct source *s);
void files_fini(struct sources *all);

/* Path relative to SRC (its last name if SRC is the file). -ENAMETOOLONG. */
int source_path(const struct tree *t, uint32_t number, char *buf, size_t size);
/* The same for messages: "?" if it is too long. */
void source_label(const struct tree *t, uint32_t number, char *buf,
		  size_t size);

#endif
