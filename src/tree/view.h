/* SPDX-License-Identifier: MIT */

/*
 * The grammar of view directories, and what a view is on a given array.
 *
 * A name is parsed to a spec without knowing the array, bound to the array,
 * which also makes the spec canonical, and printed. Name and array determine
 * everything: a view keeps nothing else. Pure; any thread.
 */

#ifndef TREE_VIEW_H
#define TREE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"
#include "sample/foreground.h"
#include "sample/sample.h"
#include "tree/names.h"
#include "tree/number.h"

enum view_kind {
	VIEW_SLICES,
	VIEW_PATCHES,
	VIEW_CROPS,
	VIEW_RANDOM,
	VIEW_FOREGROUND
};

#define VIEW_WHOLE 0 /* an axis of a size or stride: "all" */

#define VIEW_CLASSES_MAX 32

enum view_index { VIEW_INDEX_AUTO, VIEW_INDEX_EXACT, VIEW_INDEX_STORED };

/* What foreground views have beside the others. */
struct view_draw {
	uint8_t border;	 /* enum draw_border */
	uint8_t weights; /* enum class_weights, as written: not GIVEN */
	uint8_t index;	 /* enum view_index */
	bool is_medh5;	 /* rule-medh5.2 */
	bool is_given;	 /* a class has a weight of its own */
	uint8_t nclass;
	uint64_t epoch;
	double fraction;
	double weight[VIEW_CLASSES_MAX];
	/* Where their names begin in the text, after that of the labels. */
	uint16_t class_at[VIEW_CLASSES_MAX];
	uint16_t used;			/* bytes of the text, 0: none yet */
	char text[NAME_BYTES_MAX + 33]; /* decoded; each ends with NUL */
};

/* Classes that win where several overlap, the first over the next. */
struct view_priority {
	uint8_t n;
	uint16_t used;		       /* bytes of the text */
	uint16_t at[VIEW_CLASSES_MAX]; /* where names begin in it */
	char text[NAME_BYTES_MAX + 1]; /* decoded; each ends with NUL */
};

/* Plain data without pointers. */
struct view_spec {
	uint8_t kind;		/* enum view_kind */
	uint8_t border;		/* enum sample_border */
	uint8_t format;		/* of listed items */
	uint8_t nsize, nstride; /* nsize 0, of patches: what the array states */
	int64_t axis;		/* of slices */
	uint64_t size[NDIM_MAX], stride[NDIM_MAX];
	uint64_t seed, count;
	char pad[NUMBER_TEXT_MAX];     /* as written; "": not given */
	struct view_draw draw;	       /* of foreground */
	struct view_priority priority; /* of dense labels */
};

/* A view of an array. */
struct view_geometry {
	struct sampling sampling;
	struct item_type item;
	uint64_t count;	 /* items that have a name, <= SAMPLE_ITEMS_MAX */
	uint64_t listed; /* items that a listing shows, from 0 */
	uint8_t pad[8];	 /* one element, little endian */
};

/* Slices along an axis; canonical on every array that has it. */
struct view_spec view_slices(unsigned axis);

#define VIEW_WHY_MAX 400

/* Says in why, unless it is NULL, what is wrong with a view; -EINVAL. */
int view_bad(char why[VIEW_WHY_MAX], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * 0; -ENOENT: not the name of a view of any kind; -EINVAL: meant to be one,
 * and why says what is wrong with it.
 */
int view_parse(const char *name, struct view_spec *out, char why[VIEW_WHY_MAX]);

/* Whether a name begins nearly like a view; what views begin with; -EINVAL. */
bool view_kind_near(const char *name);
int view_no_kind(const char *name, char why[VIEW_WHY_MAX]);

/*
 * The view on an array of that shape and type. Makes s canonical, but for what
 * depends on the label array of a foreground view and the classes of an
 * annotation (tree/label.h). 0; -EINVAL: the array has no such view, and why,
 * which may be NULL, says why.
 */
int view_bind(struct view_spec *s, const struct item_type *array,
	      struct view_geometry *out, char why[VIEW_WHY_MAX]);

/*
 * The label array that a foreground view names, "": none; and its class i <
 * nclass, a name or a number. -ENAMETOOLONG.
 */
const char *view_labels(const struct view_draw *d);
const char *view_class(const struct view_draw *d, unsigned i);
int view_set_labels(struct view_draw *d, const char *labels);
void view_drop_classes(struct view_draw *d);
int view_add_class(struct view_draw *d, const char *name, double weight);
/* Name i < priority.n, a class or a number; and one more. -ENAMETOOLONG. */
const char *view_priority(const struct view_spec *s, unsigned i);
int view_add_priority(struct view_spec *s, const char *name);
/* Names in values: n bytes to text, which has room for n + 1. 0; -EINVAL. */
int value_decode(const char *s, size_t n, char *out);
/* Bytes that a name takes in a value, written where size is more. */
size_t value_encode(const char *s, char *out, size_t size);

/* The canonical name. 0; -ENAMETOOLONG. */
int view_print(const struct view_spec *s, char out[NAME_BYTES_MAX + 1]);

/*
 * Item named by n bytes (without extension). 0; -ENOENT; -E2BIG: there is such
 * an item, but its number is beyond SAMPLE_ITEMS_MAX.
 */
int view_item(const struct view_spec *s, const struct view_geometry *g,
	      const char *name, size_t n, uint64_t *item);
/* Name of item < count, without extension. Returns the length. */
size_t view_item_name(const struct view_spec *s, const struct view_geometry *g,
		      uint64_t item, char out[NAME_BYTES_MAX + 1]);

#endif
