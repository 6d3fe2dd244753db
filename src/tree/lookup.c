/* SPDX-License-Identifier: MIT */

/*
 * A name in a directory to a node id, by the kind of the directory; and what
 * symbolic links point to.
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tree/label.h"
#include "tree/tree_impl.h"

/* ------------------------------------------------------ the source's own */

/*
 * NAME.EXT.d where that is not the directory itself: a link to the directory,
 * or, of a file without a container's extension, the directory, if the file
 * has the magic.
 */
static int lookup_dot_d(struct tree *t, uint32_t dir, const struct listing *l,
			const char *name, struct wait *w, uint64_t *ino)
{
	size_t len = strlen(name);
	struct container *c;
	uint32_t file, source, number;
	int err;

	if (len < 3 || strcmp(name + len - 2, ".d") != 0)
		return 0;
	file = listing_find(l, name, len - 2);
	if (file == ROW_NONE || l->entry[file].kind != ENTRY_FILE)
		return 0;
	if (l->entry[file].other != ROW_NONE) {
		*ino = node_pack(dir, NODE_SOURCE_LINK, file);
		return 0;
	}
	err = srcdir_source(t, dir, l, file, &source);
	if (err == 0)
		err = source_container(t, source, false, w, &c);
	if (err < 0)
		return source_is_failed(t, source) ? 0 : err;
	err = srcdir_container(t, dir, l, file, name, &number);
	if (err == 0)
		*ino = node_pack(number, NODE_DIR, 0);
	return err;
}

static int lookup_source(struct tree *t, uint32_t dir, const char *name,
			 struct wait *w, uint64_t *ino)
{
	const struct listing *l;
	uint32_t i, number;
	int err = srcdir_listing(t, dir, w, &l);

	if (err < 0)
		return err;
	i = listing_find(l, name, strlen(name));
	if (i == ROW_NONE)
		return lookup_dot_d(t, dir, l, name, w, ino);
	switch ((enum entry_kind)l->entry[i].kind) {
	case ENTRY_FILE:
		*ino = node_pack(dir, NODE_SOURCE, i);
		return 0;
	case ENTRY_DIR:
		err = srcdir_child(t, dir, l, i, &number);
		break;
	case ENTRY_CONTAINER:
		err = srcdir_container(t, dir, l, l->entry[i].other,
				       l->entry[i].name, &number);
		break;
	}
	if (err == 0)
		*ino = node_pack(number, NODE_DIR, 0);
	return err;
}

/* ------------------------------------------------------ inside a container */

static int lookup_member(struct tree *t, uint32_t dir, const char *name,
			 struct wait *w, uint64_t *ino)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	struct shown shown;
	struct pin pin;
	uint32_t i, number;
	int err = pin_get(t, d, w, &pin);

	if (err < 0)
		return source_is_failed(t, d->source) ? 0 : err;
	err = pin_check(&pin, d);
	if (err == 0)
		err = member_find(t, &pin, dir, name, &i);
	if (err < 0 || i == ROW_NONE)
		goto out;
	err = member_show(t, &pin, dir, i, w, &shown, NULL);
	if (err < 0)
		goto out;
	switch (shown.kind) {
	case SHOWN_NOT:
		break;
	case SHOWN_LINK:
		*ino = node_pack(dir, NODE_MEMBER_LINK, i);
		break;
	case SHOWN_GROUP:
	case SHOWN_ARRAY:
		err = member_dir(t, &pin, dir, i, &shown, &number);
		if (err == 0)
			*ino = node_pack(number, NODE_DIR, 0);
		break;
	}
out:
	pin_put(&pin);
	return err;
}

/*
 * The directory of a view, and whether that is its canonical name. 0; -ENOENT:
 * no name of a view; -EINVAL: none of this array, and why; others.
 */
static int find_view(struct tree *t, uint32_t array, const char *name,
		     struct wait *w, uint32_t *number, bool *is_canonical,
		     char why[VIEW_WHY_MAX])
{
	char canonical[NAME_BYTES_MAX + 1];
	struct view_geometry g;
	struct view_spec s;
	uint32_t label;
	int err = view_parse(name, &s, why);

	if (err == 0)
		err = view_bind_on(t, array, &s, &g, w, &label, why);
	if (err == 0)
		err = view_print(&s, canonical);
	if (err == 0)
		err = view_dir(t, array, &s, &g, label, number);
	if (err == 0)
		*is_canonical = strcmp(name, canonical) == 0;
	return err;
}

/* What is derived from the array, by its name; else it is meant for a view. */
static int lookup_derived(struct tree *t, uint32_t array, const char *name,
			  struct wait *w, uint64_t *ino)
{
	int err = 0;

	if (dirs_at(t->dirs, array)->flags & DIR_MEMBERS)
		err = lookup_member(t, array, name, w, ino);
	if (err == 0 && !*ino)
		view_refuse_kind(t, array, name);
	return err;
}

static int lookup_view(struct tree *t, uint32_t array, const char *name,
		       struct wait *w, uint64_t *ino)
{
	char why[VIEW_WHY_MAX];
	bool is_canonical;
	uint32_t number;
	int err = find_view(t, array, name, w, &number, &is_canonical, why);

	if (err == -ENOENT)
		return lookup_derived(t, array, name, w, ino);
	if (err == -EINVAL) {
		view_refuse(t, array, name, why);
		return 0;
	}
	if (err < 0)
		return err;
	*ino = is_canonical ? node_pack(number, NODE_DIR, 0)
			    : node_pack(array, NODE_VIEW_LINK, number);
	return 0;
}

int tree_view(struct tree *t, uint64_t array, const char *name, uint64_t *ino,
	      char *why, size_t size)
{
	char text[VIEW_WHY_MAX] = "";
	const struct dir *d;
	bool is_canonical;
	uint32_t dir, number;
	int err = tree_dir(t, array, &dir, &d);

	if (err < 0)
		return err;
	if (d->kind != DIR_ARRAY)
		return -ENOTDIR;
	if (d->type == ROW_NONE)
		err = view_bad(text, "the array is not served");
	else
		err = find_view(t, dir, name, NULL, &number, &is_canonical,
				text);
	if (err == -ENOENT)
		view_no_kind(name, text);
	if (err == 0)
		*ino = node_pack(number, NODE_DIR, 0);
	snprintf(why, size, "%s", err == -ENOENT || err == -EINVAL ? text : "");
	return err == -EINVAL ? -ENOENT : err;
}

static int lookup_array(struct tree *t, uint32_t dir, const char *name,
			struct wait *w, uint64_t *ino)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	struct layout layout;
	unsigned format;

	if (d->type == ROW_NONE)
		return 0;
	if (strncmp(name, "array.", 6) == 0) {
		format = format_by_ext(name + 6, strlen(name + 6));
		if (format && item_layout(dirs_type_at(t->dirs, d->type),
					  format, &layout) == 0)
			*ino = node_pack(dir, format, 0);
		return 0;
	}
	return lookup_view(t, dir, name, w, ino);
}

static void lookup_item(const struct tree *t, uint32_t dir, const char *name,
			uint64_t *ino)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	const char *dot = strchr(name, '.');
	struct view_geometry g;
	struct view_spec s;
	struct layout layout;
	unsigned format;
	uint64_t item;

	if (!dot || strchr(dot + 1, '.'))
		return;
	format = strcmp(dot, ".json") == 0
			 ? NODE_ITEM_JSON
			 : format_by_ext(dot + 1, strlen(dot + 1));
	if (format == 0)
		return;
	view_spec_of(t, d, &s);
	view_geometry(t, d, &g);
	if (view_item(&s, &g, name, (size_t)(dot - name), &item) < 0 ||
	    (format != NODE_ITEM_JSON &&
	     item_layout(&g.item, format, &layout) < 0))
		return;
	*ino = node_pack(dir, format, item);
}

/* ---------------------------------------------------------------- lookup */

/* A text of this moment: of .patchfs, or of a label array. */
static int lookup_snapshot(struct tree *t, uint32_t dir, unsigned file,
			   struct wait *w, struct tree_entry *out)
{
	uint64_t item, size;
	int err = control_snapshot(t, dir, file, w, &item, &size);

	if (err < 0)
		return err;
	out->ino = node_pack(dir, NODE_CONTROL, item);
	out->is_snapshot = true;
	return 0;
}

/* Sets e->ino if there is such a name. */
static int lookup_in(struct tree *t, uint32_t dir, const struct dir *d,
		     const char *name, struct wait *w, struct tree_entry *e)
{
	int fixed = fixed_by_name(t, d, name), file;

	if (fixed >= 0) {
		e->ino = node_pack(dir, NODE_FIXED, (uint64_t)fixed);
		return 0;
	}
	if (d->kind == DIR_ARRAY && strcmp(name, "classes.json") == 0 &&
	    label_accepts(t, d))
		return lookup_snapshot(t, dir, CONTROL_CLASSES_JSON, w, e);
	if (dir == DIR_ROOT && strcmp(name, CONTROL_DIR) == 0) {
		e->ino = node_pack(t->control_dir, NODE_DIR, 0);
		return 0;
	}
	switch ((enum dir_kind)d->kind) {
	case DIR_SOURCE:
		return lookup_source(t, dir, name, w, &e->ino);
	case DIR_CONTROL:
		file = control_by_name(name);
		return file < 0 ? 0
				: lookup_snapshot(t, dir, (unsigned)file, w, e);
	case DIR_CONTAINER:
	case DIR_GROUP:
		return lookup_member(t, dir, name, w, &e->ino);
	case DIR_ARRAY:
		return lookup_array(t, dir, name, w, &e->ino);
	case DIR_VIEW:
		lookup_item(t, dir, name, &e->ino);
		if (!e->ino)
			item_refuse(t, dir, name);
		return 0;
	}
	return -ENOENT;
}

int tree_lookup(struct tree *t, uint64_t parent, const char *name,
		struct tree_entry *out, struct wait *w)
{
	struct tree_entry e = {.ino = 0};
	const struct dir *d;
	uint32_t dir;
	int err = tree_dir(t, parent, &dir, &d);

	if (err < 0)
		return err;
	if (strlen(name) > NAME_BYTES_MAX)
		return -ENAMETOOLONG;
	e.may_appear = d->kind != DIR_ARRAY && d->kind != DIR_VIEW;
	err = lookup_in(t, dir, d, name, w, &e);
	if (err == 0 && e.ino) {
		err = tree_stat(t, e.ino, &e.st, w);
		/* Gone since the directory was read. */
		if (err == -ENOENT) {
			e.ino = 0;
			err = 0;
		}
	}
	if (err < 0)
		return err;
	*out = e;
	return 0;
}

/* -------------------------------------------------------------- readlink */

static int copy_target(const char *s, size_t n, char *buf, size_t size)
{
	if (n + 1 > size)
		return -ENAMETOOLONG;
	memcpy(buf, s, n);
	buf[n] = '\0';
	return 0;
}

static int member_target(struct tree *t, const struct node *n, char *buf,
			 size_t size, struct wait *w)
{
	const struct dir *d = dirs_at(t->dirs, n->dir);
	char target[TARGET_MAX + 1];
	struct shown shown;
	struct pin pin;
	int err;

	if (d->kind != DIR_CONTAINER && d->kind != DIR_GROUP)
		return -ENOENT;
	err = pin_get(t, d, w, &pin);
	if (err < 0)
		return err;
	err = pin_check(&pin, d);
	if (err == 0 && n->item >= catalog_members(pin.k, d->object))
		err = -ENOENT;
	if (err == 0)
		err = member_show(t, &pin, n->dir, (uint32_t)n->item, w, &shown,
				  target);
	pin_put(&pin);
	if (err < 0)
		return err;
	if (shown.kind != SHOWN_LINK)
		return -EINVAL;
	return copy_target(target, shown.target_len, buf, size);
}

/* NAME.EXT.d: the directory that a file's container has. */
static int source_target(struct tree *t, const struct node *n, char *buf,
			 size_t size, struct wait *w)
{
	const struct listing *l;
	const char *name;
	int err;

	if (dirs_at(t->dirs, n->dir)->kind != DIR_SOURCE)
		return -ENOENT;
	err = srcdir_listing(t, n->dir, w, &l);
	if (err < 0)
		return err;
	if (n->item >= l->n || l->entry[n->item].kind != ENTRY_FILE ||
	    l->entry[n->item].other == ROW_NONE)
		return -ENOENT;
	name = l->entry[l->entry[n->item].other].name;
	return copy_target(name, strlen(name), buf, size);
}

/* Another spelling of a view: the canonical one. */
static int view_target(struct tree *t, const struct node *n, char *buf,
		       size_t size)
{
	const struct dir *view = n->item < NODE_DIRS_MAX
					 ? dirs_at(t->dirs, (uint32_t)n->item)
					 : NULL;

	if (!view || view->parent != n->dir || view->kind != DIR_VIEW)
		return -ENOENT;
	return copy_target(dirs_name(t->dirs, view), view->name_len, buf, size);
}

int tree_readlink(struct tree *t, uint64_t ino, char *buf, size_t size,
		  struct wait *w)
{
	const struct dir *d;
	struct node n;
	int err = tree_node(t, ino, &n, &d);

	if (err < 0)
		return err;
	switch (n.format) {
	case NODE_MEMBER_LINK:
		return member_target(t, &n, buf, size, w);
	case NODE_VIEW_LINK:
		return view_target(t, &n, buf, size);
	case NODE_SOURCE_LINK:
		return source_target(t, &n, buf, size, w);
	default:
		return -EINVAL;
	}
}
