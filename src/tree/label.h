/* SPDX-License-Identifier: MIT */

/*
 * Label arrays: which one a foreground view draws from, what its classes are
 * called, and its sampling index. Any thread; a call with a struct wait may
 * also return what util/wait.h says.
 */

#ifndef TREE_LABEL_H
#define TREE_LABEL_H

#include "index/indices.h"
#include "tree/tree_impl.h"

/* Whether an array's values can say what class a voxel is of. */
bool label_accepts(const struct tree *t, const struct dir *d);

/* Whether an array of that name is one without being named as such. */
bool label_is_usual(const char *name, size_t n);

/*
 * Finds the label array of a foreground view on an array, and makes of labels
 * and class in s the canonical ones. 0 with its directory; -EINVAL: there is
 * none, or, with its directory, no such class, and why, which may be NULL, says
 * so; errors of reading directories.
 */
int label_bind(struct tree *t, uint32_t array, struct view_spec *s,
	       const struct view_geometry *g, struct wait *w, uint32_t *label,
	       char why[VIEW_WHY_MAX]);

/*
 * Which axis of an array that is cut so each axis of a label is; -1: none.
 * Axes are paired from the last, as many as the item and the label have; a
 * whole one that differs ends that, and so do all before it. What is left of
 * the label pairs with the dropped axes, from the first. False: extents that
 * pair differ.
 */
bool label_pair(const struct sampling *s, const struct shape *label,
		int8_t axis[NDIM_MAX]);

/* Path of a label relative to the group of an array, names as shown. */
int label_path(const struct tree *t, uint32_t array, uint32_t label, char *buf,
	       size_t size);

/* --------------------------------------------------------------- classes */

#define CLASS_NAME_MAX 96 /* with its NUL */

/*
 * Of a label whose container is pinned: whether its classes can have names;
 * the name of one, as the key class has it, "" where it has none; and which it
 * is: 0, or -ENOENT.
 */
bool label_has_names(const struct pin *p, const struct dir *label);
void label_class_name(const struct pin *p, const struct dir *label, int64_t id,
		      char out[CLASS_NAME_MAX]);
int label_class_id(const struct pin *p, const struct dir *label,
		   const char *name, int64_t *id);
/* What a canonical view calls it, not encoded: its name, or else its id. */
void label_class_text(const struct pin *p, const struct dir *label, int64_t id,
		      char out[CLASS_NAME_MAX]);
/* Says in why that there is no class of that name; -EINVAL. */
int label_no_class(const struct pin *p, const struct dir *label,
		   const char *name, char why[VIEW_WHY_MAX]);
/* Part of label_bind: the classes, by id, each once. */
int label_bind_classes(struct tree *t, uint32_t label, struct view_draw *d,
		       struct wait *w, char why[VIEW_WHY_MAX]);

/* -------------------------------------------------------------- priority */

/*
 * Makes of the priority list of a view of an array the canonical one. 0;
 * -EINVAL: the array is not the dense labels of an annotation, or has no such
 * class, and why says so.
 */
int priority_bind(struct tree *t, uint32_t array, struct view_spec *s,
		  struct wait *w, char why[VIEW_WHY_MAX]);
/*
 * For an opened array whose values a view, or the array itself, is to show.
 * The ids must last as long as it is read. 0 or -ESTALE.
 */
int priority_use(const struct tree *t, const struct pin *p,
		 const struct dir *view, struct any_array *values,
		 uint16_t ids[VIEW_CLASSES_MAX]);

/* ----------------------------------------------------------------- index */

struct index_watch {
	/* done of all elements, in any thread. */
	void (*progress)(void *arg, uint64_t done, uint64_t all);
	void *arg;
};

/*
 * The exact index of a label whose container is pinned, built if it is not at
 * hand; indices_put. watch may be NULL. What is wrong is told.
 */
int label_index_get(struct tree *t, const struct pin *p, uint32_t label,
		    const struct index_watch *watch, struct wait *w,
		    struct index_pin *out);
/* An index to look at; label_index_unlook. */
struct index_look {
	const struct label_index *index;
	struct index_pin pin; /* private: it is at hand, or */
	void *data;	      /* it was read for this */
};
/*
 * The same if it is at hand, or kept in a file, which is read past all that is
 * at hand. Builds nothing and tells nothing. -ENOENT: neither, or the file
 * cannot be used; also of objects whose index is only in a file, as to find
 * that takes reading all of them. -ENOMEM; util/wait.h.
 */
int label_index_look(struct tree *t, const struct pin *p, uint32_t label,
		     struct wait *w, struct index_look *out);
void label_index_unlook(struct tree *t, struct index_look *look);
/*
 * Of it the voxels of n classes (n 0: of all) inside [lo, hi), cached too. n is
 * at most VIEW_CLASSES_MAX.
 */
int label_index_inside(struct tree *t, const struct pin *p, uint32_t label,
		       const int64_t *ids, unsigned n,
		       const uint64_t lo[NDIM_MAX], const uint64_t hi[NDIM_MAX],
		       struct wait *w, struct index_pin *out);

#endif
