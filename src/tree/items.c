/* SPDX-License-Identifier: MIT */

/*
 * What a directory is, and how the items of a view are numbered and named: for
 * those who choose items by number rather than read a listing.
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tree/label.h"
#include "tree/tree_impl.h"

int tree_what(struct tree *t, uint64_t ino, struct tree_what *out)
{
	const struct dir *d;
	uint32_t number;
	int err = tree_dir(t, ino, &number, &d);

	if (err < 0)
		return err;
	*out = (struct tree_what){.kind = TREE_DIRECTORY};
	switch ((enum dir_kind)d->kind) {
	case DIR_SOURCE:
	case DIR_CONTROL:
		break;
	case DIR_CONTAINER:
		out->kind = TREE_CASE;
		out->is_failed = source_is_failed(t, d->source);
		break;
	case DIR_GROUP:
		if (d->flags & DIR_SAMPLE)
			out->kind = TREE_CASE;
		break;
	case DIR_ARRAY:
		out->kind = TREE_ARRAY;
		out->is_failed = d->flags & DIR_REFUSED;
		out->has_members = d->flags & DIR_MEMBERS;
		out->is_label = label_accepts(t, d);
		out->is_named_so =
			out->is_label &&
			label_is_usual(dirs_name(t->dirs, d), d->name_len);
		break;
	case DIR_VIEW:
		out->kind = TREE_VIEW;
		break;
	}
	return 0;
}

/* The view directory of an id and what its name, which is canonical, says. */
static int view_of(struct tree *t, uint64_t ino, const struct dir **d,
		   struct view_spec *s)
{
	char name[NAME_BYTES_MAX + 1], why[VIEW_WHY_MAX];
	uint32_t number;
	int err = tree_dir(t, ino, &number, d);

	if (err < 0)
		return err;
	if ((*d)->kind != DIR_VIEW)
		return -EINVAL;
	memcpy(name, dirs_name(t->dirs, *d), (*d)->name_len);
	name[(*d)->name_len] = '\0';
	return view_parse(name, s, why);
}

int tree_view_name(struct tree *t, uint64_t view, char *buf, size_t size)
{
	const struct dir *d;
	struct view_spec s;
	int err = view_of(t, view, &d, &s), n;

	if (err < 0)
		return err;
	n = snprintf(buf, size, "%.*s", (int)d->name_len,
		     dirs_name(t->dirs, d));
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int tree_items(struct tree *t, uint64_t view, struct tree_items *out)
{
	const struct dir *d;
	struct view_spec s;
	int err = view_of(t, view, &d, &s);

	if (err < 0)
		return err;
	out->count = d->count;
	out->is_grid = s.kind == VIEW_SLICES || s.kind == VIEW_PATCHES;
	return 0;
}

int tree_item_name(struct tree *t, uint64_t view, uint64_t item, char *buf,
		   size_t size)
{
	char name[NAME_BYTES_MAX + 1];
	const struct format_ops *format;
	struct view_geometry g;
	const struct dir *d;
	struct view_spec s;
	int err = view_of(t, view, &d, &s), n;

	if (err < 0)
		return err;
	if (item >= d->count)
		return -ENOENT;
	view_geometry(t, d, &g);
	view_item_name(&s, &g, item, name);
	format = format_at(s.format);
	n = snprintf(buf, size, "%s.%s", name, format->ext);
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int tree_index(struct tree *t, uint64_t array,
	       void (*progress)(void *arg, uint64_t done, uint64_t all),
	       void *arg)
{
	const struct index_watch watch = {.progress = progress, .arg = arg};
	struct index_pin index;
	const struct dir *d;
	struct pin pin;
	uint32_t number;
	int err = tree_dir(t, array, &number, &d);

	if (err < 0)
		return err;
	if (!label_accepts(t, d))
		return -EINVAL;
	err = pin_get(t, d, NULL, &pin);
	if (err < 0)
		return err;
	err = pin_check(&pin, d);
	if (err == 0)
		err = label_index_get(t, &pin, number, progress ? &watch : NULL,
				      NULL, &index);
	if (err == 0)
		indices_put(t->indices, &index);
	pin_put(&pin);
	return err;
}

bool tree_keeps_indices(const struct tree *t)
{
	return indices_are_kept(t->indices);
}
