/* SPDX-License-Identifier: MIT */

/* From a label array to what its index is made of. One request's. */

#ifndef TREE_LABEL_SOURCE_H
#define TREE_LABEL_SOURCE_H

#include <limits.h>

#include "tree/label.h"

struct label_origin {
	struct tree *t;
	const struct pin *pin; /* of its container */
	const struct dir *dir;
	char label[PATH_MAX]; /* for messages */
	const struct index_watch *watch;
	bool is_quiet; /* what is wrong is not told */
	/* private, made by label_source_make */
	bool is_annotation;
	struct shape shape;
	struct any_array *array; /* that the planes are of */
	double threshold;
	struct label_plane *plane;
	unsigned nplane;
	struct region *bound; /* of planes of instances */
	int64_t *id;
	int64_t (*closure)[2];
	unsigned nclosure;
};

void label_source_init(struct label_origin *o, struct tree *t,
		       const struct pin *p, uint32_t label);
void label_source_fini(struct label_origin *o);
/* The origin of struct index_ask, arg being a label_origin. */
int label_source_make(void *arg, struct wait *w, struct index_origin *out);
/* label_key.c: the key of an origin whose planes are made. 0 or -ENOMEM. */
int label_source_key(struct label_origin *o, struct sidecar_key *out);
void label_source_progress(void *arg, uint64_t done, uint64_t all);
/* Tells that there can be no index, and returns err. */
int label_source_fail(struct label_origin *o, int err, const char *why);

#endif
