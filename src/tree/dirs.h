/* SPDX-License-Identifier: MIT */

/*
 * The directories seen so far: one append-only table of flat records without
 * pointers, with the names, view parameters and item types that they share.
 *
 * Threads: any, in parallel. Reading takes no lock: a number is known to
 * others only when its record is complete, and records stay as they are, but
 * for the fields marked so. Appending takes the table's lock.
 */

#ifndef TREE_DIRS_H
#define TREE_DIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tree/node.h"
#include "tree/rows.h"
#include "tree/view.h"

enum dir_kind {
	DIR_SOURCE = 1, /* of the source; key: entry of the parent's listing */
	DIR_CONTROL,	/* .patchfs */
	DIR_CONTAINER,	/* key: entry of the parent's listing */
	DIR_GROUP,	/* key: member of the parent */
	DIR_ARRAY,	/* the same */
	DIR_VIEW,	/* key: parameter set */
};

struct dir {
	uint32_t parent;
	uint32_t key;  /* with parent and kind: the identity */
	uint32_t next; /* of the same hash; ROW_NONE ends */
	uint32_t name; /* where its text is: dirs_name */
	union {
		uint32_t source; /* number of the container's file */
		uint32_t srcdir; /* of DIR_SOURCE: in the table of srcdirs */
	};
	uint32_t object;    /* of the container: group or array */
	uint32_t params;    /* of a view */
	uint32_t type;	    /* of an array, or of a view's items; or ROW_NONE */
	uint64_t count;	    /* items of a view that have a name */
	uint64_t listed;    /* items of a view that are listed */
	uint32_t json_size; /* of a view's item.json */
	uint32_t label;	    /* of a foreground view: its label array */
	uint8_t kind;	    /* enum dir_kind */
	uint8_t name_len;
	uint8_t flags; /* DIR_... below */
	/* Bytes of rendered files, 0 until known. Atomic; written once. */
	_Atomic uint64_t rendered[2]; /* by enum fixed_file: info, chunks */
};

#define DIR_REFUSED 1u /* an array whose reads give EOPNOTSUPP */
#define DIR_STRINGS 2u /* an array with array.json */
#define DIR_MEMBERS 4u /* an array with arrays that are derived from it */
#define DIR_SAMPLE 8u  /* a group that is a medh5 sample, with info.json */

struct dirs;

/* NULL: out of memory. */
struct dirs *dirs_new(void);
void dirs_free(struct dirs *t);

uint32_t dirs_count(const struct dirs *t);
/* How many there can be; tests set less. */
uint32_t dirs_max(const struct dirs *t);
void dirs_set_max(struct dirs *t, uint32_t max);
/* NULL if there is no such directory. Borrowed for the life of the table. */
struct dir *dirs_at(const struct dirs *t, uint32_t number);
/* Its number, or ROW_NONE. */
uint32_t dirs_find(const struct dirs *t, uint32_t parent, enum dir_kind kind,
		   uint32_t key);
/*
 * Append a copy of d under that name, or find who was first; next, name and
 * name_len are filled in. With a NULL name, that of the parameter set.
 * 0; -ENOSPC: the table is full; -ENOMEM.
 */
int dirs_add(struct dirs *t, const struct dir *d, const char *name,
	     uint32_t *number);
/* Not terminated: name_len bytes. */
const char *dirs_name(const struct dirs *t, const struct dir *d);
/*
 * The names from below top, which dir is or lies in, down to dir, a slash
 * between them: "" for top itself. Returns the length, as snprintf: it is
 * written, terminated, only where size is more.
 */
size_t dirs_path(const struct dirs *t, uint32_t top, uint32_t dir, char *buf,
		 size_t size);

/*
 * Number of a canonical name of a view. 0; -ENOSPC: there are TREE_PARAMS_MAX
 * others; -ENOMEM.
 */
int dirs_params(struct dirs *t, const char *name, uint32_t *number);
uint32_t dirs_params_count(const struct dirs *t);

/* Number of that type of items or arrays. 0 or -ENOMEM. */
int dirs_type(struct dirs *t, const struct item_type *type, uint32_t *number);
const struct item_type *dirs_type_at(const struct dirs *t, uint32_t number);

#endif
