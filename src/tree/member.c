/* SPDX-License-Identifier: MIT */

/*
 * Members of groups, and of arrays that others are derived from: under which
 * name, and as what. A link of the container becomes a relative symbolic link,
 * so that nothing here has to follow it; neither is a hard link followed back
 * to a group that leads to it.
 */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree/link.h"
#include "tree/text.h"
#include "tree/tree_impl.h"

enum name_place root_place(const struct tree *t)
{
	return tree_is_single(t) ? NAME_IN_MOUNT_ROOT : NAME_INSIDE;
}

enum name_place member_place(const struct tree *t, const struct dir *d)
{
	return d->kind == DIR_CONTAINER ? root_place(t) : NAME_INSIDE;
}

/* --------------------------------------------------------------- names */

static void note(struct tree *t, uint32_t dir, const char *name,
		 const char *what, struct bytes file)
{
	char label[PATH_MAX];
	size_t n;

	tree_label(t, dir, label, sizeof(label));
	n = strlen(label);
	if (dirs_at(t->dirs, dir)->kind == DIR_CONTAINER)
		snprintf(label + n, sizeof(label) - n, ": ");
	problem_note(t->conf.problems, "%s/%s: %s%.*s", label, name, what,
		     TEXT_CUT(file, 512));
}

/* Levels from dir to itself or a group above that is the object; or -1. */
static int levels_above(const struct tree *t, uint32_t dir, uint32_t object)
{
	for (int n = 0;; n++) {
		const struct dir *d = dirs_at(t->dirs, dir);

		if (d->object == object)
			return n;
		if (d->kind != DIR_GROUP)
			return -1;
		dir = d->parent;
	}
}

static void show_hard(const struct tree *t, const struct pin *p, uint32_t dir,
		      uint32_t object, struct shown *out, struct target *to)
{
	int up;

	if (object >= catalog_objects(p->k))
		return;
	switch (catalog_kind(p->k, object)) {
	case OBJECT_GROUP:
		up = levels_above(t, dir, object);
		out->kind = up < 0 ? SHOWN_GROUP : SHOWN_LINK;
		if (up > 0)
			target_up(to, (unsigned)up);
		break;
	case OBJECT_ARRAY:
		out->kind = SHOWN_ARRAY;
		break;
	case OBJECT_OTHER:
		break;
	}
	out->object = object;
}

int member_show(struct tree *t, const struct pin *p, uint32_t dir, uint32_t i,
		struct wait *w, struct shown *out, char *target)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	struct target to = {.text = target};
	struct member m;
	int err;

	out->kind = SHOWN_NOT;
	catalog_member(p->k, d->object, i, &m);
	err = name_encode(m.name, member_place(t, d), out->name);
	if (err < 0)
		return err;
	switch (m.kind) {
	case CAT_HARD:
		show_hard(t, p, dir, m.target, out, &to);
		break;
	case CAT_SOFT:
		out->kind = SHOWN_LINK;
		err = soft_target(t, dir, &m, &to);
		break;
	case CAT_EXTERNAL_LINK:
		out->kind = SHOWN_LINK;
		err = external_target(t, dir, &m, w, &to);
		if (err != -ENOENT)
			break;
		err = 0;
		out->kind = SHOWN_NOT;
		note(t, dir, out->name,
		     "not shown: an external link to a file that is not in "
		     "the mounted tree: ",
		     m.file);
		break;
	case CAT_UD_LINK:
		note(t, dir, out->name, "not shown: a user-defined link",
		     (struct bytes){"", 0});
		break;
	}
	if (err < 0 || out->kind != SHOWN_LINK)
		return err;
	if (to.n == 0)
		target_step(&to, ".");
	if (to.too_long) {
		out->kind = SHOWN_NOT;
		note(t, dir, out->name,
		     "not shown: a link whose target is too long",
		     (struct bytes){"", 0});
	}
	out->target_len = to.n;
	if (target)
		target[to.n] = '\0';
	return 0;
}

/* Whether member i is shown under that name. */
static int is_called(struct tree *t, const struct pin *p, const struct dir *d,
		     uint32_t i, const char *name)
{
	char shown[NAME_BYTES_MAX + 1];
	struct member m;
	int err;

	catalog_member(p->k, d->object, i, &m);
	err = name_encode(m.name, member_place(t, d), shown);
	return err < 0 ? err : strcmp(shown, name) == 0;
}

/* First member that is not less than a name. */
static uint32_t lower_bound(const struct catalog *k, uint32_t group,
			    const char *name, size_t n)
{
	uint32_t low = 0, high = catalog_members(k, group);

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		struct member m;
		size_t len;
		int c;

		catalog_member(k, group, mid, &m);
		len = m.name.n < n ? m.name.n : n;
		c = len ? memcmp(m.name.p, name, len) : 0;
		if (c < 0 || (c == 0 && m.name.n < n))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int member_find(struct tree *t, const struct pin *p, uint32_t dir,
		const char *name, uint32_t *i)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	char raw[NAME_BYTES_MAX + 1];
	int64_t at;
	bool cut;
	size_t n;
	int yes;

	*i = ROW_NONE;
	if (name_decode(name, raw, &n, &cut) < 0)
		return 0;
	if (!cut) {
		at = catalog_find(p->k, d->object, raw, n);
		if (at < 0)
			return 0;
		yes = is_called(t, p, d, (uint32_t)at, name);
		if (yes > 0)
			*i = (uint32_t)at;
		return yes < 0 ? yes : 0;
	}
	for (uint32_t k = lower_bound(p->k, d->object, raw, n);
	     k < catalog_members(p->k, d->object); k++) {
		struct member m;

		catalog_member(p->k, d->object, k, &m);
		if (m.name.n < n || memcmp(m.name.p, raw, n) != 0)
			break;
		yes = is_called(t, p, d, k, name);
		if (yes < 0)
			return yes;
		if (yes) {
			*i = k;
			break;
		}
	}
	return 0;
}

/* What stat needs to know of an array. 0 or -ENOMEM. */
static int describe_array(struct tree *t, const struct pin *p, struct dir *d)
{
	struct item_type type = {0};
	struct place_info place;
	struct array_info a;
	struct layout layout;
	struct attr value;

	catalog_array(p->k, d->object, &a);
	if (a.refused.n)
		d->flags |= DIR_REFUSED;
	if (catalog_members(p->k, d->object))
		d->flags |= DIR_MEMBERS;
	if (a.kind == 0 && catalog_value(p->k, d->object, &value) &&
	    value.class == CAT_STRINGS)
		d->flags |= DIR_STRINGS;
	if (a.kind == 0 || a.is_null || a.rank > NDIM_MAX || a.item_size == 0 ||
	    a.item_size > 8)
		return 0;
	type.kind = a.kind;
	type.item_size = a.item_size;
	type.shape.ndim = a.rank;
	for (unsigned k = 0; k < a.rank; k++)
		type.shape.dim[k] = a.dim[k];
	if (item_layout(&type, FORMAT_NPY, &layout) < 0)
		return 0;
	if (catalog_place(p->k, d->object, &place)) {
		type.nhint = place.nhint;
		memcpy(type.hint, place.hint, sizeof(type.hint));
	}
	return dirs_type(t->dirs, &type, &d->type);
}

int member_dir(struct tree *t, const struct pin *p, uint32_t dir, uint32_t i,
	       const struct shown *s, uint32_t *number)
{
	struct dir d = {
		.parent = dir,
		.key = i,
		.source = dirs_at(t->dirs, dir)->source,
		.object = s->object,
		.params = ROW_NONE,
		.type = ROW_NONE,
		.kind = s->kind == SHOWN_ARRAY ? DIR_ARRAY : DIR_GROUP,
	};
	uint32_t found = dirs_find(t->dirs, dir, (enum dir_kind)d.kind, i);
	int err = 0;

	if (found != ROW_NONE) {
		*number = found;
		return 0;
	}
	if (d.kind == DIR_ARRAY)
		err = describe_array(t, p, &d);
	else if (catalog_sample_at(p->k, d.object) >= 0)
		d.flags |= DIR_SAMPLE;
	if (err < 0)
		return err;
	return tree_add_dir(t, &d, s->name, number);
}
