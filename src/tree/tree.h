/* SPDX-License-Identifier: MIT */

/*
 * Names to node ids; lookup, list, stat, read: all that the mount shows, and
 * what `patchfs ls|cat|info` show without one.
 *
 * A node id is a value. Directories are numbered by one append-only table; a
 * file is (directory, format, item), packed. Lookup allocates nothing for a
 * file, forget frees nothing, and every call below takes any id at any time.
 *
 * Threads: new and free from one; everything else from any, in parallel.
 * Errors: -ENOENT no such name; -ENOTDIR, -EISDIR, -EINVAL as their names say;
 * -ENAMETOOLONG; -EBADMSG (an unreadable container or chunk), -EOPNOTSUPP,
 * -ESTALE, -EFBIG, -EIO, -EACCES, -EBUSY, -ENOSPC, -ENOMEM from below, told to
 * the problems by whoever found it; -EAGAIN, -ERESTART: util/wait.h.
 */

#ifndef TREE_TREE_H
#define TREE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "container/container.h"
#include "util/wait.h"

struct metrics;
struct problems;
struct tree;

#define TREE_ROOT 1	      /* node id of the root */
#define TREE_PARAMS_MAX 65536 /* different view parameter sets of a mount */

/* Constant after start; strings borrowed for the life of the tree. */
struct tree_conf {
	const char *src; /* absolute path: a directory, or one container */
	size_t cache_size;
	size_t index_size;	/* of sampling indices; 0: 256 MiB */
	const char *index_dir;	/* directory of their sidecars; NULL: none */
	unsigned index_threads; /* that build one; 0: as many as CPUs */
	const char *const
		*ext; /* further extensions, NULL-terminated, or NULL */
	const char *const *views; /* --view names, NULL-terminated, or NULL */
	bool allow_other;	  /* source modes & 0444; only beneath SRC */
	bool direct_io;		  /* entries are not moved to the cold end */
	bool logs_names; /* why a name of a view or item is none; who does not
			    ask the log asks tree_missing */
	uid_t uid;	 /* owner shown without allow_other */
	gid_t gid;
	struct container_conf container; /* scanners: the tree's own */
	struct metrics *metrics;
	struct problems *problems;
};

/*
 * Opens the source. 0; -errno of opening it, -EBADMSG and others if it is one
 * container that cannot be read; *why then is one line for people (malloc'ed,
 * caller frees), not logged. A bad --view name is -EINVAL.
 */
int tree_new(const struct tree_conf *conf, struct tree **out, char **why);
/* What .patchfs/config shows, lines "name value"; borrowed. Before serving. */
void tree_set_config(struct tree *t, const char *text);
/* Sampling indices that index_dir has. Reads the directory. */
uint64_t tree_kept_indices(const struct tree *t);
/* Nobody waits for an answer any more: scans end. Any thread. */
void tree_stop(struct tree *t);
void tree_free(struct tree *t);

struct tree_entry {
	uint64_t ino; /* 0: nothing of that name */
	struct stat st;
	bool is_snapshot; /* .patchfs/NAME: must not be cached by the kernel */
	bool may_appear; /* !ino: may exist later (beside the source's files) */
};

/*
 * A name in a directory. A name that is not there is success with ino 0; only
 * trouble is an error. name is NUL-terminated; "." and ".." are not looked up.
 */
int tree_lookup(struct tree *t, uint64_t parent, const char *name,
		struct tree_entry *out, struct wait *w);
int tree_stat(struct tree *t, uint64_t ino, struct stat *st, struct wait *w);
/* Target of a symbolic link, NUL-terminated. -ENAMETOOLONG if beyond size. */
int tree_readlink(struct tree *t, uint64_t ino, char *buf, size_t size,
		  struct wait *w);
/* Directory that holds directory ino (the root holds itself); -ENOTDIR. */
int tree_parent(struct tree *t, uint64_t ino, uint64_t *parent);

/*
 * Called for each entry until it returns nonzero (no room). next is the cookie
 * that resumes after this entry. st is NULL unless attributes were asked for
 * and are at hand without reading anything; mode has the type in any case.
 */
typedef int tree_add_fn(void *arg, const char *name, uint64_t ino, mode_t type,
			const struct stat *st, uint64_t next);
/*
 * Entries of a directory from cookie on (0: the start), "." and ".." first.
 * The same cookie gives the same entries at any time. O(entries handed out).
 */
int tree_list(struct tree *t, uint64_t ino, uint64_t cookie, bool with_stat,
	      tree_add_fn *add, void *arg, struct wait *w);

/* Bytes read, short only at the end of the file, or -errno. */
ssize_t vfile_read(struct tree *t, uint64_t ino, void *buf, size_t n,
		   uint64_t off, struct wait *w);

/*
 * Walk a path from the root, "a/b/../c", leading and double slashes ignored,
 * symbolic links followed (the last one only if follow). Blocks. 0 with a node
 * that is there; -ENOENT; -ENOTDIR; -ELOOP; errors of tree_lookup.
 */
int tree_walk(struct tree *t, const char *path, bool follow,
	      struct tree_entry *out);

/* What a directory is to those who look for items. */
enum tree_kind {
	TREE_DIRECTORY,
	TREE_CASE, /* a container, or a sample in one */
	TREE_ARRAY,
	TREE_VIEW,
};
struct tree_what {
	enum tree_kind kind;
	bool is_failed;	  /* a container or array that cannot be read */
	bool has_members; /* an array that has others derived from it */
	bool is_label;	  /* an array that can have a sampling index */
	bool is_named_so; /* and is called as labels usually are */
};
/*
 * From memory; a container has failed only if it was looked into. 0; -ENOTDIR;
 * -ENOENT.
 */
int tree_what(struct tree *t, uint64_t ino, struct tree_what *out);

/*
 * The directory of a view of an array, by any of its names; unlike a lookup,
 * one that the array does not have is told nobody: -ENOENT, and a line in why.
 * Blocks. 0; -ENOTDIR: it is no array; errors of tree_lookup, why is "".
 */
int tree_view(struct tree *t, uint64_t array, const char *name, uint64_t *ino,
	      char *why, size_t size);

/*
 * Why a directory has no such name, or what it has instead: a line for people,
 * "" if that is not known. Logs nothing. Blocks. 0; errors of tree_lookup.
 */
int tree_missing(struct tree *t, uint64_t dir, const char *name, char *why,
		 size_t size);

struct tree_items {
	uint64_t count; /* items are 0 ... count - 1 */
	bool is_grid;	/* slices and patches: they cover the array */
};
/* Name of a view as listed, canonical. 0; -EINVAL: it is none. */
int tree_view_name(struct tree *t, uint64_t view, char *buf, size_t size);
/* Of a view. 0; -EINVAL: it is none. */
int tree_items(struct tree *t, uint64_t view, struct tree_items *out);
/* Name of an item as listed, "000017.npy". 0; -ENOENT; -ENAMETOOLONG. */
int tree_item_name(struct tree *t, uint64_t view, uint64_t item, char *buf,
		   size_t size);

/*
 * Have the sampling index of a label array, and its sidecar if there is a
 * directory for them. progress, which may be NULL, is called while it is built,
 * in any thread: not if it was there. Blocks. 0; -EINVAL: it is no label array;
 * others, told to the problems.
 */
int tree_index(struct tree *t, uint64_t array,
	       void (*progress)(void *arg, uint64_t done, uint64_t all),
	       void *arg);
/* False: an index could not be written to the directory, which was told. */
bool tree_keeps_indices(const struct tree *t);

/* How many problems were told so far. */
size_t tree_told(const struct tree *t);

/* Whether a file of that name is taken for a container; by its extension. */
bool tree_names_container(const struct tree *t, const char *name);

/* Totals for statfs, from memory. */
void tree_counts(struct tree *t, uint64_t *directories, uint64_t *containers);

/*
 * What `patchfs info` prints: text for people about a node, what reading it
 * costs and what is slow about it. Blocks. 0 or -errno, with a part written.
 */
int tree_describe(struct tree *t, uint64_t ino, FILE *f);

/* The grammar as data, for --help, completion and the manual test. */
struct view_key {
	const char *kind;  /* "patches" */
	const char *key;   /* "stride" */
	const char *value; /* "S" */
	const char *help;
};
const struct view_key *view_keys(unsigned *n);

/* The metric objects of the layers below and its own, registered. */
void tree_metrics(struct metrics *m);

#endif
