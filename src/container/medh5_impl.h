/* SPDX-License-Identifier: MIT */

/*
 * What the files of the medh5 pass share. It looks at a finished catalog and
 * adds to a builder with the same records (catalog_builder_reopen).
 */

#ifndef CONTAINER_MEDH5_IMPL_H
#define CONTAINER_MEDH5_IMPL_H

#include "container/container_impl.h"

#define MEDH5_ID_MAX 65534u

/* ------------------------------------------------- medh5_attr.c: values */

/* Element i < a->count. False: it is none of that kind. */
bool medh5_nth_text(const struct attr *a, uint64_t i, struct bytes *out);
bool medh5_nth_int(const struct attr *a, uint64_t i, int64_t *out);
bool medh5_nth_real(const struct attr *a, uint64_t i, double *out);
bool medh5_text_is(struct bytes b, const char *s);
/*
 * An attribute with one element. 0; -ENOENT: there is none; -EINVAL: it is none
 * of that kind.
 */
int medh5_int(const struct catalog *k, uint32_t object, const char *name,
	      int64_t *out);
int medh5_real(const struct catalog *k, uint32_t object, const char *name,
	       double *out);

/* The object that a hard link of that name leads to, or OBJECT_NONE. */
uint32_t medh5_member(const struct catalog *k, uint32_t group,
		      struct bytes name);
uint32_t medh5_named(const struct catalog *k, uint32_t group, const char *name);

/* ------------------------------------------- medh5_meta.c: the document */

struct medh5_label {
	uint32_t id;
	uint8_t color[4];
	bool has_color, has_own_key;
	struct bytes key, name;
	uint32_t first_parent, nparent; /* in parent */
};

/* What is kept of the document. Texts are borrowed from it. */
struct medh5_meta {
	struct json *json;
	struct bytes text[SAMPLE_TEXTS];
	char *splits;		   /* text[4] */
	struct medh5_label *label; /* by rising id */
	uint32_t nlabel;
	uint32_t *parent;
	uint32_t nparent;
	const char *problem; /* a line, or NULL */
};

/* A document that cannot be read is one that says nothing. 0 or -ENOMEM. */
int medh5_meta_init(struct medh5_meta *m, struct bytes text);
void medh5_meta_fini(struct medh5_meta *m);
const struct medh5_label *medh5_label_find(const struct medh5_meta *m,
					   uint32_t id);
/* The record; where it begins, in units of 8 bytes, in *at. */
int medh5_meta_put(const struct medh5_meta *m, struct catalog_builder *b,
		   uint32_t root, uint32_t *at);

/* ------------------------------------------------------------- the pass */

struct medh5_grid {
	uint32_t object;
	struct bytes name;
	unsigned rank, nspatial; /* the spatial axes are the last ones */
	uint64_t shape[NDIM_MAX];
	unsigned nhint;
	uint64_t hint[3];
};

/* One thread. */
struct medh5 {
	const struct catalog *k;
	struct catalog_builder *b;
	struct store *store;	    /* or NULL */
	struct scan_memory *memory; /* or NULL */
	size_t size;		    /* of k */
	/* A byte an object of k; done: what has its derived arrays. */
	uint8_t *hidden, *no_value, *done;
	uint64_t table_work; /* bytes, see medh5_table.c */
	struct place_info *place;
	size_t nplace, place_room;
	uint32_t *sample; /* their records */
	uint32_t nsample, sample_room;
	/* Of the sample at hand. */
	uint32_t root;
	struct medh5_meta meta;
};

/* What is held, and so much more for the moment. */
void medh5_memory(struct medh5 *x, size_t more);
/* A line about an object. 0; -EFBIG, -ENOMEM. */
int medh5_say(struct medh5 *x, uint32_t object, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* What an array is part of; arrays that are told twice keep the first. */
int medh5_place(struct medh5 *x, uint32_t array, const struct medh5_grid *g,
		uint32_t annotation, uint32_t image);
/* A derived array under that name in parent, which is free; its number. */
int medh5_derive(struct medh5 *x, uint32_t parent, struct bytes name,
		 unsigned rank, const uint64_t *dim,
		 const struct derived_info *info, uint32_t *object);
/* Initialises the numbers of a derived_info: it has no source. */
#define MEDH5_NO_SOURCES                                                       \
	.data = OBJECT_NONE, .ignore_mask = OBJECT_NONE, .boxes = OBJECT_NONE, \
	.class_ids = OBJECT_NONE, .mask_offsets = OBJECT_NONE,                 \
	.mask_shapes = OBJECT_NONE
/*
 * Whether the file itself has a member of that name, whose array or group then
 * stays: says so.
 */
int medh5_is_taken(struct medh5 *x, uint32_t group, const char *name,
		   bool *taken);

/* medh5_grid.c. False: there is no such grid, or it breaks the format. */
bool medh5_grid_find(const struct medh5 *x, struct bytes name,
		     struct medh5_grid *out);
bool medh5_grid_of(const struct medh5 *x, uint32_t object,
		   struct medh5_grid *out);
/*
 * The data of the mask annotation of that id (or of a path that ends in it) on
 * that grid; OBJECT_NONE: there is none.
 */
uint32_t medh5_mask(const struct medh5 *x, struct bytes id,
		    const struct medh5_grid *g);

/* medh5_image.c, medh5_label.c: what the sample at hand has. */
int medh5_images(struct medh5 *x);
int medh5_annotations(struct medh5 *x);
/* medh5_index.c: say of the sampling indices that it carries which are stale.
 */
int medh5_indices(struct medh5 *x, enum medh5_kind kind);

/* --------------------------------- medh5_table.c: values of small arrays */

#define MEDH5_WHY_MAX 100

struct medh5_table {
	char why[MEDH5_WHY_MAX]; /* of a failure, or "" */
	struct attr value;
	uint64_t dim[2]; /* of a value that was read here */
	uint8_t *own;	 /* its data, malloc'ed */
};

/*
 * The numbers of an array of rank 1 or 2, of up to 4 MiB. 0; -ENOENT: it has
 * none that can be read, why says more if anything is known; -ENOMEM; errors
 * of store_read, which the builder can tell.
 */
int medh5_table_init(struct medh5_table *t, struct medh5 *x, uint32_t object);
void medh5_table_fini(struct medh5_table *t);

/* ---------------------------------- medh5_encoding.c: one annotation */

struct medh5_annotation {
	uint32_t object;
	struct bytes name;
	enum label_encoding encoding;
	bool has_grid;
	struct medh5_grid grid;
	bool is_implicit;
	unsigned nclass;
	struct derived_class *class; /* in painting order; malloc'ed */
	struct derived_info info;    /* but kind, class and broken */
	bool can_ignore;
	char broken[WHY_MAX];	     /* "" or why it has no voxels */
	char ignore_broken[WHY_MAX]; /* the same of what needs the region */
};

/*
 * Read it. 0; -ENOENT: it is of a kind without voxels; -ESRCH: of an unknown
 * kind; -ENOMEM, errors of store_read.
 */
int medh5_annotation_init(struct medh5_annotation *a, struct medh5 *x,
			  uint32_t object);
void medh5_annotation_fini(struct medh5_annotation *a);

#endif
