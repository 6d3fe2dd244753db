/* SPDX-License-Identifier: MIT */

/*
 * What the files of the layer tree share. Any thread, in parallel; a call with
 * a struct wait may also return what util/wait.h says.
 */

#ifndef TREE_TREE_IMPL_H
#define TREE_TREE_IMPL_H

#include <stdatomic.h>

#include "array/array.h"
#include "array/cached.h"
#include "tree/control.h"
#include "tree/dirs.h"
#include "tree/names.h"
#include "tree/node.h"
#include "tree/source.h"
#include "tree/srcdir.h"
#include "tree/tree.h"
#include "tree/view.h"
#include "util/cleanup.h"
#include "util/problem.h"

#define TARGET_MAX 4095 /* of a symbolic link */
#define SAID_SLOTS 1024

struct indices;

struct tree {
	/* constant */
	struct tree_conf conf;
	const char *config;  /* or NULL */
	atomic_bool is_over; /* of conf.container */
	int root_fd;	     /* SRC if it is a directory, else -1 */
	uint64_t device;     /* of SRC */
	struct stat root_st;
	time_t started;
	struct dirs *dirs;
	struct array_env env;
	struct indices *indices; /* of label arrays */
	int index_dir;		 /* of their sidecars, or -1 */
	uint32_t control_dir;
	struct view_spec *views; /* --view, parsed, not bound */
	unsigned nviews;
	/* each with its own lock */
	struct sources sources;
	struct srcdirs srcdirs;
	struct control control;
	/* Hashes of lines about bad names, so that each is said once. */
	_Atomic uint64_t said[SAID_SLOTS];
	_Atomic unsigned item_lines; /* in the log, about bad items */
};

#define DIR_ROOT 0

static inline bool tree_is_single(const struct tree *t)
{
	return t->root_fd < 0;
}

/* -------------------------------------------------------------- tree.c */

/* What an id says, and its directory. 0; -ENOENT: no such id. */
int tree_node(const struct tree *t, uint64_t ino, struct node *n,
	      const struct dir **d);
/* Number of the directory that an id is, and itself. -ENOENT; -ENOTDIR. */
int tree_dir(const struct tree *t, uint64_t ino, uint32_t *number,
	     const struct dir **d);
/* May this thread touch a source now? util/wait.h. */
int tree_admit(const struct tree *t, uint64_t source, struct wait *w);

/* Bring the gauges of the tree up to date. */
void tree_update_metrics(struct tree *t);

/* The directory of the container that dir is or lies in. */
uint32_t tree_container_dir(const struct tree *t, uint32_t dir);
/* "mayo/train.h5: /sino" of a directory of a container, cut to size. */
void tree_label(const struct tree *t, uint32_t dir, char *buf, size_t size);
/*
 * Path of a group or array inside its container, "" for the container, names
 * as shown. Caller frees; NULL: out of memory.
 */
char *tree_inner_path(const struct tree *t, uint32_t dir);
/* dirs_add; a full table is told. */
int tree_add_dir(struct tree *t, const struct dir *d, const char *name,
		 uint32_t *number);
/* 0; -ENOSPC, told: there is no room for another directory. */
int tree_has_room(struct tree *t);

/* --------------------------------------------------------------- pin.c */

/* A container and its catalog, for the length of one call. */
struct pin {
	const struct array_env *env;
	uint32_t key; /* source_key */
	struct container *container;
	struct cached cached;
	const struct catalog *k;
};

/* 0, to be followed by pin_put; errors of source_catalog. */
int pin_get(struct tree *t, const struct dir *d, struct wait *w,
	    struct pin *out);
void pin_put(struct pin *p);
/* Whether the catalog still has the object of d. 0 or -ESTALE. */
int pin_check(const struct pin *p, const struct dir *d);

/*
 * The array of directory d, for the length of the pin. Errors of array_open;
 * that it is not served is told to the problems.
 */
int pin_array(const struct pin *p, const struct dir *d, const char *label,
	      struct any_array *out);
/* The same; false: it cannot be read. For texts that say so otherwise. */
bool pin_try_array(const struct pin *p, const struct dir *d, const char *label,
		   struct any_array *out);

/* ------------------------------------------------------------ member.c */

enum shown_kind { SHOWN_NOT, SHOWN_GROUP, SHOWN_ARRAY, SHOWN_LINK };

/* How a member of a group appears. */
struct shown {
	enum shown_kind kind;
	uint32_t object; /* of SHOWN_GROUP, SHOWN_ARRAY */
	char name[NAME_BYTES_MAX + 1];
	size_t target_len; /* of SHOWN_LINK */
};

/*
 * Member i of group directory dir; the target of a link goes to target if
 * that is not NULL (TARGET_MAX + 1 bytes). 0; -ENOMEM; util/wait.h and errors
 * of reading directories, where a link leads to another file.
 */
int member_show(struct tree *t, const struct pin *p, uint32_t dir, uint32_t i,
		struct wait *w, struct shown *out, char *target);
/* Number of the member that is shown under that name, or ROW_NONE; -ENOMEM. */
int member_find(struct tree *t, const struct pin *p, uint32_t dir,
		const char *name, uint32_t *i);
/* Directory of a member that is SHOWN_GROUP or SHOWN_ARRAY. */
int member_dir(struct tree *t, const struct pin *p, uint32_t dir, uint32_t i,
	       const struct shown *s, uint32_t *number);
/* What names are ours in the group directory d; in a container's root. */
enum name_place member_place(const struct tree *t, const struct dir *d);
enum name_place root_place(const struct tree *t);

/* ---------------------------------------------------------- view_dir.c */

/* Whether files of that type can be laid out in the format. */
int item_layout(const struct item_type *type, unsigned format,
		struct layout *out);
/* Numbers for what arrays list, before others take them. 0; -errno. */
int view_keep_listed(struct tree *t);
/*
 * The view of that canonical spec and geometry on array dir; of a foreground
 * view with the directory of its label array. 0; -ENOSPC; -ENOMEM.
 */
int view_dir(struct tree *t, uint32_t array, const struct view_spec *s,
	     const struct view_geometry *g, uint32_t label, uint32_t *number);
/*
 * Parsed, on array dir: bound, and canonical, with its label array if it has
 * one. 0; -EINVAL: no such view, and why says why; with a label where that has
 * not its classes. NULL: nobody asks why, which spares a search. util/wait.h.
 */
int view_bind_on(struct tree *t, uint32_t array, struct view_spec *s,
		 struct view_geometry *g, struct wait *w, uint32_t *label,
		 char why[VIEW_WHY_MAX]);
/* The canonical spec of a view directory, from its name. */
void view_spec_of(const struct tree *t, const struct dir *d,
		  struct view_spec *out);
/* Geometry of a view directory. */
void view_geometry(const struct tree *t, const struct dir *d,
		   struct view_geometry *out);
/* How many views an array lists at most: slices, patches, --view. */
static inline unsigned view_listed_max(const struct tree *t)
{
	return t->nviews + 2;
}
/*
 * Listed view i of an array, canonical, as view_bind_on. -ENOENT: no more;
 * -EINVAL: not here.
 */
int view_listed(struct tree *t, uint32_t array, unsigned i, struct view_spec *s,
		struct view_geometry *g, struct wait *w, uint32_t *label);
/* True the first time for n bytes and a number, and when long forgotten. */
bool view_is_new(struct tree *t, const char *text, size_t n, uint64_t number);
/* Logs, once, why a name is no view of an array. */
void view_refuse(struct tree *t, uint32_t array, const char *name,
		 const char *why);
/*
 * Logs, once for all arrays and for all that follows the "+", which kinds of
 * views there are. Nothing of names without one.
 */
void view_refuse_kind(struct tree *t, uint32_t array, const char *name);

/* ----------------------------------------------------------- missing.c */

/*
 * Logs what a view has in place of an item: once for a view, and not for names
 * that no item could have. Costs nothing where that was said.
 */
void item_refuse(struct tree *t, uint32_t view, const char *name);

/* ------------------------------------------------------------- fixed.c */

/* How much of a read of n bytes at off lies in a file of that size. */
static inline size_t read_clip(size_t n, uint64_t off, uint64_t size)
{
	if (off >= size)
		return 0;
	return n < size - off ? n : (size_t)(size - off);
}

/* enum fixed_file of that name in d; -ENOENT: d has no such file. */
int fixed_by_name(const struct tree *t, const struct dir *d, const char *name);
const char *fixed_name(enum fixed_file f);

/*
 * Bytes of such a file, and the file itself, short only at its end. It is made
 * for that if it is not cached. -ENOENT: dir has none; errors of the makers.
 */
int fixed_size(struct tree *t, uint32_t dir, enum fixed_file f, struct wait *w,
	       uint64_t *size);
ssize_t fixed_read(struct tree *t, const struct node *node, void *buf, size_t n,
		   uint64_t off, struct wait *w);
/* Whether fixed_size gives the size of that file without making it. */
bool fixed_at_hand(const struct dir *d, uint64_t file);

/* ----------------------------------- container_info.c, array_info.c */

/* The format of a container, for people. Borrowed until pin_put. */
const char *format_text(const struct pin *p);

/* Makers: *data is malloc'ed. dir must be of the right kind. */
int make_container_info(struct tree *t, uint32_t dir, struct wait *w,
			void **data, size_t *size);
int make_sample_info(struct tree *t, uint32_t dir, struct wait *w, void **data,
		     size_t *size);
int make_array_info(struct tree *t, uint32_t dir, struct wait *w, void **data,
		    size_t *size);
int make_chunks(struct tree *t, uint32_t dir, struct wait *w, void **data,
		size_t *size);
int make_strings(struct tree *t, uint32_t dir, struct wait *w, void **data,
		 size_t *size);

/* ---------------------------------------------------------- problems.c */

typedef void problem_line_fn(void *arg, const char *text, size_t n);
/*
 * Each thing that is wrong in a container, or that it has and we do not serve.
 * 0; -ENOMEM; errors of reading directories, where external links lead.
 */
int problems_of_container(struct tree *t, const struct pin *p, uint32_t source,
			  enum name_place root, problem_line_fn *add, void *arg,
			  struct wait *w);
/* What the scan found alone. 0 or -ENOMEM, after the lines that could be. */
int problems_of_scan(const struct catalog *k, enum name_place root,
		     problem_line_fn *add, void *arg);
/* Of one array, without its path. */
void problems_of_array(const struct catalog *k, uint32_t object,
		       problem_line_fn *add, void *arg);
/* Tell what the scan found, when the container is first looked into. */
void problems_tell_scan(struct tree *t, uint32_t source,
			const struct catalog *k);

/* ------------------------------------------------- item_json.c, csv.c */

/* item.json: bytes for a view, and its text, padded to that. */
int item_json_size(struct tree *t, uint32_t array, const struct view_spec *s,
		   const struct view_geometry *g, uint32_t label,
		   uint32_t *size);
int item_json(struct tree *t, const struct dir *view, uint64_t item,
	      struct wait *w, char **text);

/* Whether a view has index.csv: a grid. Then its bytes. */
bool view_has_csv(const struct view_spec *s);
uint64_t csv_size(const struct view_geometry *g);
/* Bytes [off, off + n), which lie inside. */
void csv_read(const struct view_geometry *g, uint64_t off, size_t n, char *out);

/* -------------------------------------------------------------- walk.c */

/*
 * tree_walk from a directory, which need not block. No foreground view is on
 * the way, also behind links: each would look for a label array of its own, and
 * so on without end.
 */
int tree_walk_to_label(struct tree *t, uint64_t from, const char *path,
		       struct wait *w, struct tree_entry *out);

/* -------------------------------------------------------------- stat.c */

/* Attributes of an existing node if nothing has to be read or made. */
bool stat_at_hand(struct tree *t, uint64_t ino, struct stat *st);
/* Of a link of a container, whose target is known to the caller. */
bool stat_link_at_hand(struct tree *t, uint32_t dir, uint64_t ino,
		       size_t target_len, struct stat *st);

#endif
