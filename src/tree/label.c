/* SPDX-License-Identifier: MIT */

/*
 * The label array of a foreground view: found by what the name says or, where
 * it says nothing, by what containers usually have; then named in the one way
 * that the canonical name has.
 */

#include <config.h>

#include "tree/label_stored.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tree/text.h"
#include "util/parse.h"

/* Names that say what an array is, in any case. */
static const char *const usual_names[] = {
	"label", "labels", "mask", "seg", "segmentation", "annotation"};

bool label_accepts(const struct tree *t, const struct dir *d)
{
	const struct item_type *type;

	if (d->kind != DIR_ARRAY || d->type == ROW_NONE ||
	    d->flags & DIR_REFUSED)
		return false;
	type = dirs_type_at(t->dirs, d->type);
	return type->shape.ndim > 0 &&
	       (type->kind == 'i' || type->kind == 'u' || type->kind == 'b');
}

/* The group that an array is in, which may lie in another array's directory. */
static uint32_t group_of(const struct tree *t, uint32_t array)
{
	do
		array = dirs_at(t->dirs, array)->parent;
	while (dirs_at(t->dirs, array)->kind == DIR_ARRAY);
	return array;
}

/* What is looked for, and what was found. */
struct search {
	struct tree *t;
	uint32_t array, group; /* the group that the array is in */
	const struct view_geometry *g;
	struct wait *w;
	const struct pin *pin; /* of the array's container */
	bool has_place;
	struct place_info place;
	uint32_t sample; /* directory of its sample, or ROW_NONE */
	char *why;
	unsigned n; /* candidates; the first is found, all are named */
	uint32_t found;
	char names[VIEW_WHY_MAX / 2];
};

static void found(struct search *s, uint32_t dir)
{
	size_t n = strlen(s->names);

	if (s->n > 0 && dir == s->found)
		return;
	if (s->n++ == 0)
		s->found = dir;
	if (n + 2 < sizeof(s->names)) {
		n += (size_t)snprintf(s->names + n, sizeof(s->names) - n, "%s",
				      n ? ", " : "");
		(void)label_path(s->t, s->array, dir, s->names + n,
				 sizeof(s->names) - n);
	}
}

/* The directory at a path; ROW_NONE: there is none. util/wait.h. */
static int walk(struct search *s, uint32_t from, const char *path,
		uint32_t *dir)
{
	const struct dir *d;
	struct tree_entry e;
	int err;

	*dir = ROW_NONE;
	err = tree_walk_to_label(s->t, node_pack(from, NODE_DIR, 0), path, s->w,
				 &e);
	if (err == -ENOENT || err == -ENOTDIR || err == -ELOOP ||
	    err == -ENAMETOOLONG || err == -EBADMSG)
		return 0;
	if (err < 0)
		return err;
	if (tree_dir(s->t, e.ino, dir, &d) < 0)
		*dir = ROW_NONE;
	return 0;
}

/* ----------------------------------------------------- whether it is good */

/* Of the same sample, on another grid. */
static bool is_elsewhere(const struct search *s, const struct dir *label)
{
	struct place_info p;

	return s->has_place &&
	       label->source == dirs_at(s->t->dirs, s->array)->source &&
	       catalog_place(s->pin->k, label->object, &p) &&
	       p.sample == s->place.sample && p.grid != s->place.grid;
}

/* 0, or -EINVAL and why not; quietly without why. */
static int check(const struct search *s, uint32_t dir, char *why)
{
	const struct dir *d = dirs_at(s->t->dirs, dir);
	const struct item_type *type;
	char path[PATH_MAX], unused[VIEW_WHY_MAX];
	int8_t axis[NDIM_MAX];

	if (!why)
		why = unused;
	if (label_path(s->t, s->array, dir, path, sizeof(path)) < 0)
		strcpy(path, "?");
	if (!label_accepts(s->t, d))
		return view_bad(why, "%.99s is no array of integers or bools",
				path);
	if (is_elsewhere(s, d))
		return view_bad(why, "%.99s lies on another grid", path);
	type = dirs_type_at(s->t->dirs, d->type);
	if (!label_pair(&s->g->sampling, &type->shape, axis))
		return view_bad(why,
				"the extents of %.99s are not those of the "
				"array",
				path);
	return 0;
}

/* ------------------------------------------------------------------ medh5 */

/*
 * The label array of an annotation's group: its dense labels, or of a mask its
 * values. ROW_NONE: none.
 */
static int annotation_labels(struct search *s, uint32_t group, uint32_t *dir)
{
	const struct dir *d = dirs_at(s->t->dirs, group);
	int err;

	*dir = ROW_NONE;
	if (d->kind != DIR_GROUP)
		return 0;
	err = walk(s, group, "labels", dir);
	if (err == 0 && *dir == ROW_NONE)
		err = walk(s, group, "data", dir);
	return err;
}

/* Whether the group has dense labels, on the grid of the array. */
static bool is_annotation_on(const struct search *s, uint32_t group)
{
	const struct catalog *k = s->pin->k;
	int64_t i = catalog_find(k, group, "labels", 6);
	struct array_info a;
	struct place_info p;
	struct member m;

	if (i < 0)
		return false;
	catalog_member(k, group, (uint32_t)i, &m);
	if (m.kind != CAT_HARD || catalog_kind(k, m.target) != OBJECT_ARRAY)
		return false;
	catalog_array(k, m.target, &a);
	return a.layout == CAT_DERIVED && catalog_place(k, m.target, &p) &&
	       p.sample == s->place.sample && p.grid == s->place.grid;
}

/* What the package takes: the first by name that has classes. */
static int find_annotation(struct search *s)
{
	char name[NAME_BYTES_MAX + 1];
	const struct dir *d;
	uint32_t all, group, label;
	struct member m;
	int err = walk(s, s->sample, "annotations", &all);

	if (err < 0 || all == ROW_NONE)
		return err;
	d = dirs_at(s->t->dirs, all);
	if (d->kind != DIR_GROUP ||
	    d->source != dirs_at(s->t->dirs, s->array)->source)
		return 0;
	for (uint32_t i = 0; i < catalog_members(s->pin->k, d->object); i++) {
		catalog_member(s->pin->k, d->object, i, &m);
		if (m.kind != CAT_HARD ||
		    catalog_kind(s->pin->k, m.target) != OBJECT_GROUP ||
		    !is_annotation_on(s, m.target))
			continue;
		err = name_encode(m.name, NAME_INSIDE, name);
		if (err == 0)
			err = walk(s, all, name, &group);
		if (err == 0 && group != ROW_NONE)
			err = annotation_labels(s, group, &label);
		if (err == 0 && group != ROW_NONE && label != ROW_NONE)
			found(s, label);
		return err;
	}
	return 0;
}

/* ---------------------------------------------------------------- by name */

bool label_is_usual(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(usual_names) / sizeof(*usual_names); i++)
		if (strlen(usual_names[i]) == n &&
		    strncasecmp(usual_names[i], name, n) == 0)
			return true;
	return false;
}

/* Members of the array's group that are called as labels are. */
static int find_usual(struct search *s)
{
	const struct dir *d = dirs_at(s->t->dirs, s->array);
	char name[NAME_BYTES_MAX + 1];
	struct member m;
	uint32_t dir;
	int err;

	if (label_is_usual(dirs_name(s->t->dirs, d), d->name_len) &&
	    check(s, s->array, NULL) == 0) {
		found(s, s->array);
		return 0;
	}
	d = dirs_at(s->t->dirs, s->group);
	for (uint32_t i = 0; i < catalog_members(s->pin->k, d->object); i++) {
		catalog_member(s->pin->k, d->object, i, &m);
		if (!label_is_usual(m.name.p, m.name.n))
			continue;
		err = name_encode(m.name, NAME_INSIDE, name);
		if (err == 0)
			err = walk(s, s->group, name, &dir);
		if (err < 0)
			return err;
		if (dir != ROW_NONE && check(s, dir, NULL) == 0)
			found(s, dir);
	}
	return 0;
}

static int find_default(struct search *s)
{
	if (s->sample != ROW_NONE)
		return find_annotation(s);
	return find_usual(s);
}

/* Arrays of that name anywhere in the container. */
static int find_anywhere(struct search *s, const char *name)
{
	uint32_t top = tree_container_dir(s->t, s->array), dir;
	CLEANUP(cleanup_freep) char *buf = NULL;
	size_t room = 0;

	for (uint32_t i = 0; i < catalog_arrays(s->pin->k); i++) {
		const char *path =
			object_path(s->pin->k, catalog_nth_array(s->pin->k, i),
				    root_place(s->t), &buf, &room);
		const char *last = path ? strrchr(path, '/') : NULL;
		int err;

		if (!path)
			return -ENOMEM;
		if (strcmp(last ? last + 1 : path, name) != 0)
			continue;
		err = walk(s, top, path, &dir);
		if (err < 0)
			return err;
		if (dir != ROW_NONE &&
		    dirs_at(s->t->dirs, dir)->kind == DIR_ARRAY)
			found(s, dir);
	}
	return 0;
}

/* What a path leads to, an annotation being its labels. */
static int find_path(struct search *s, uint32_t from, const char *path)
{
	uint32_t dir;
	int err = walk(s, from, path, &dir);

	if (err < 0 || dir == ROW_NONE)
		return err;
	if (dirs_at(s->t->dirs, dir)->kind == DIR_GROUP) {
		err = annotation_labels(s, dir, &dir);
		if (err < 0 || dir == ROW_NONE)
			return err;
	}
	if (dirs_at(s->t->dirs, dir)->kind == DIR_ARRAY)
		found(s, dir);
	return 0;
}

static int find_named(struct search *s, const char *name)
{
	char path[NAME_BYTES_MAX + 16];
	int err = find_path(s, s->group, name);

	if (err < 0 || s->n > 0 || strchr(name, '/'))
		return err;
	if (s->sample != ROW_NONE) {
		snprintf(path, sizeof(path), "annotations/%s", name);
		err = find_path(s, s->sample, path);
	}
	return err < 0 || s->n > 0 ? err : find_anywhere(s, name);
}

static int find(struct search *s, const char *labels)
{
	s->n = 0;
	s->names[0] = '\0';
	return *labels ? find_named(s, labels) : find_default(s);
}

/* -------------------------------------------------------- canonical names */

int label_path(const struct tree *t, uint32_t array, uint32_t label, char *buf,
	       size_t size)
{
	uint32_t top;
	size_t n = 0, part;

	for (top = group_of(t, array);; top = dirs_at(t->dirs, top)->parent) {
		uint32_t up = dirs_at(t->dirs, label)->parent;

		while (up != top && up != DIR_ROOT)
			up = dirs_at(t->dirs, up)->parent;
		if (up == top)
			break;
		n += (size_t)snprintf(n < size ? buf + n : NULL,
				      n < size ? size - n : 0, "../");
	}
	part = dirs_path(t->dirs, top, label, n < size ? buf + n : NULL,
			 n < size ? size - n : 0);
	return n + part < size ? 0 : -ENAMETOOLONG;
}

/* The name that says the least and still leads to that label. */
static int canonical(struct search *s, uint32_t label, char *out, size_t size)
{
	const struct dir *d = dirs_at(s->t->dirs, label);
	struct array_info a;
	int err;

	*out = '\0';
	err = find(s, out);
	if (err < 0 || (s->n == 1 && s->found == label))
		return err;
	/* The labels of an annotation are called as it is. */
	if (d->source == dirs_at(s->t->dirs, s->array)->source) {
		catalog_array(s->pin->k, d->object, &a);
		if (a.layout == CAT_DERIVED && d->name_len == 6 &&
		    !memcmp(dirs_name(s->t->dirs, d), "labels", 6))
			d = dirs_at(s->t->dirs, d->parent);
	}
	snprintf(out, size, "%.*s", d->name_len, dirs_name(s->t->dirs, d));
	err = find(s, out);
	if (err < 0 || (s->n == 1 && s->found == label))
		return err;
	return label_path(s->t, s->array, label, out, size);
}

static int set_labels(struct search *s, struct view_draw *d, uint32_t label)
{
	char name[NAME_BYTES_MAX + 1];
	int err;

	/* What says nothing is canonical already. */
	if (!*view_labels(d))
		return 0;
	err = canonical(s, label, name, sizeof(name));
	if (err == 0)
		err = view_set_labels(d, name);
	return err == -ENAMETOOLONG
		       ? view_bad(s->why, "its canonical name is too long")
		       : err;
}

static int choose(struct search *s, const char *labels, uint32_t *label)
{
	int err = find(s, labels);

	if (err < 0)
		return err;
	if (s->n == 1) {
		*label = s->found;
		return check(s, s->found, s->why);
	}
	if (s->n > 1)
		return view_bad(s->why,
				"several label arrays: %s; name one with "
				"labels-A",
				s->names);
	if (*labels)
		return view_bad(s->why, "no label array \"%.99s\"", labels);
	if (s->sample != ROW_NONE)
		return view_bad(s->why, "the sample has no annotation with "
					"classes on its grid; name an array "
					"with labels-A");
	return view_bad(s->why,
			"no label array beside it, which would be called "
			"label, labels, mask, seg, segmentation or annotation "
			"and have the same trailing extents; name one with "
			"labels-A");
}

/* The directory of the sample that an array belongs to. */
static uint32_t sample_dir(const struct search *s)
{
	struct sample_info sample;
	uint32_t dir = s->group;

	if (!s->has_place)
		return ROW_NONE;
	catalog_sample(s->pin->k, s->place.sample, &sample);
	for (;; dir = dirs_at(s->t->dirs, dir)->parent) {
		const struct dir *d = dirs_at(s->t->dirs, dir);

		if (d->object == sample.root)
			return dir;
		if (d->kind == DIR_CONTAINER)
			return ROW_NONE;
	}
}

int label_bind(struct tree *t, uint32_t array, struct view_spec *s,
	       const struct view_geometry *g, struct wait *w, uint32_t *label,
	       char why[VIEW_WHY_MAX])
{
	const struct dir *d = dirs_at(t->dirs, array);
	struct search x = {
		.t = t,
		.array = array,
		.group = group_of(t, array),
		.g = g,
		.w = w,
		.why = why,
	};
	struct pin pin;
	int err = pin_get(t, d, w, &pin);

	if (err < 0)
		return err;
	err = pin_check(&pin, d);
	if (err == 0) {
		x.pin = &pin;
		x.has_place = catalog_place(pin.k, d->object, &x.place);
		x.sample = sample_dir(&x);
		err = choose(&x, view_labels(&s->draw), label);
	}
	if (err == 0)
		err = set_labels(&x, &s->draw, *label);
	pin_put(&pin);
	if (err == 0)
		err = label_bind_classes(t, *label, &s->draw, w, why);
	if (err == 0 && s->draw.index == VIEW_INDEX_STORED)
		err = label_stored_check(t, *label, &s->draw, w, why);
	return err;
}
