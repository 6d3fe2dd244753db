/* SPDX-License-Identifier: MIT */

/*
 * Looking for the label array of a foreground view: by what its name says or,
 * where that says nothing, by what containers usually have. A name is looked
 * for as the manual says, and the first place that has any is the last.
 */

#include <config.h>

#include "tree/label_find.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "tree/text.h"
#include "util/cleanup.h"

/* Names that say what an array is, in any case. */
static const char *const usual_names[] = {
	"label", "labels", "mask", "seg", "segmentation", "annotation"};

static void found(struct label_search *s, uint32_t dir)
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

/* What is called as labels are, for one who wonders why it is not taken. */
static void pass_over(struct label_search *s, const char *why)
{
	size_t n = strlen(s->passed);

	if (s->why)
		snprintf(s->passed + n, sizeof(s->passed) - n, "; %s", why);
}

int label_walk(struct label_search *s, uint32_t from, const char *path,
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
static bool is_elsewhere(const struct label_search *s, const struct dir *label)
{
	struct place_info p;

	return s->has_place &&
	       label->source == dirs_at(s->t->dirs, s->array)->source &&
	       catalog_place(s->pin->k, label->object, &p) &&
	       p.sample == s->place.sample && p.grid != s->place.grid;
}

int label_check(const struct label_search *s, uint32_t dir, char *why)
{
	const struct dir *d = dirs_at(s->t->dirs, dir);
	const struct item_type *type;
	char path[PATH_MAX];
	int8_t axis[NDIM_MAX];

	if (!why)
		*path = '\0';
	else if (label_path(s->t, s->array, dir, path, sizeof(path)) < 0)
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

int label_of_annotation(struct label_search *s, uint32_t group, uint32_t *dir)
{
	const struct dir *d = dirs_at(s->t->dirs, group);
	int err;

	*dir = ROW_NONE;
	if (d->kind != DIR_GROUP)
		return 0;
	err = label_walk(s, group, "labels", dir);
	if (err == 0 && *dir == ROW_NONE)
		err = label_walk(s, group, "data", dir);
	return err;
}

/* Whether the group has dense labels, on the grid of the array: or why not. */
static const char *annotation_lack(const struct label_search *s, uint32_t group)
{
	const struct catalog *k = s->pin->k;
	int64_t i = catalog_find(k, group, "labels", 6);
	struct array_info a;
	struct place_info p;
	struct member m;

	static const char no_classes[] = "has no classes";

	if (i < 0)
		return no_classes;
	catalog_member(k, group, (uint32_t)i, &m);
	if (m.kind != CAT_HARD || catalog_kind(k, m.target) != OBJECT_ARRAY)
		return no_classes;
	catalog_array(k, m.target, &a);
	if (a.layout != CAT_DERIVED || !catalog_place(k, m.target, &p) ||
	    p.sample != s->place.sample)
		return no_classes;
	return p.grid == s->place.grid ? NULL : "lies on another grid";
}

/* What the package takes: the first by name that has classes. */
static int find_annotation(struct label_search *s)
{
	char name[NAME_BYTES_MAX + 1], why[VIEW_WHY_MAX];
	const struct dir *d;
	uint32_t all, group, label;
	struct member m;
	int err = label_walk(s, s->sample, "annotations", &all);

	if (err < 0 || all == ROW_NONE)
		return err;
	d = dirs_at(s->t->dirs, all);
	if (d->kind != DIR_GROUP ||
	    d->source != dirs_at(s->t->dirs, s->array)->source)
		return 0;
	for (uint32_t i = 0; i < catalog_members(s->pin->k, d->object); i++) {
		const char *lack;

		catalog_member(s->pin->k, d->object, i, &m);
		if (m.kind != CAT_HARD ||
		    catalog_kind(s->pin->k, m.target) != OBJECT_GROUP)
			continue;
		err = name_encode(m.name, NAME_INSIDE, name);
		if (err < 0)
			return err;
		lack = annotation_lack(s, m.target);
		if (lack) {
			view_bad(s->why ? why : NULL, "%.99s %s", name, lack);
			pass_over(s, why);
			continue;
		}
		err = label_walk(s, all, name, &group);
		if (err == 0 && group != ROW_NONE)
			err = label_of_annotation(s, group, &label);
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
static int find_usual(struct label_search *s)
{
	const struct dir *d = dirs_at(s->t->dirs, s->array);
	char name[NAME_BYTES_MAX + 1], why[VIEW_WHY_MAX];
	struct member m;
	uint32_t dir;
	int err;

	if (label_is_usual(dirs_name(s->t->dirs, d), d->name_len) &&
	    label_check(s, s->array, NULL) == 0) {
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
			err = label_walk(s, s->group, name, &dir);
		if (err < 0)
			return err;
		if (dir == ROW_NONE)
			continue;
		if (label_check(s, dir, s->why ? why : NULL) == 0)
			found(s, dir);
		else
			pass_over(s, why);
	}
	return 0;
}

static int find_default(struct label_search *s)
{
	if (s->sample != ROW_NONE)
		return find_annotation(s);
	return find_usual(s);
}

/* Arrays of that name anywhere in the container. */
static int find_anywhere(struct label_search *s, const char *name)
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
		err = label_walk(s, top, path, &dir);
		if (err < 0)
			return err;
		if (dir != ROW_NONE &&
		    dirs_at(s->t->dirs, dir)->kind == DIR_ARRAY)
			found(s, dir);
	}
	return 0;
}

/* What a path leads to, an annotation being its labels. */
static int find_path(struct label_search *s, uint32_t from, const char *path)
{
	uint32_t dir;
	int err = label_walk(s, from, path, &dir);

	if (err < 0 || dir == ROW_NONE)
		return err;
	if (dirs_at(s->t->dirs, dir)->kind == DIR_GROUP) {
		err = label_of_annotation(s, dir, &dir);
		if (err < 0 || dir == ROW_NONE)
			return err;
	}
	if (dirs_at(s->t->dirs, dir)->kind == DIR_ARRAY)
		found(s, dir);
	return 0;
}

static int find_named(struct label_search *s, const char *name)
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

int label_find(struct label_search *s, const char *labels)
{
	s->n = 0;
	s->names[0] = s->passed[0] = '\0';
	return *labels ? find_named(s, labels) : find_default(s);
}
