/* SPDX-License-Identifier: MIT */

/*
 * Listings. A cookie is the number of the entry that comes next: "." is 0,
 * ".." is 1, then what the tree adds, then members or items, shown or not, so
 * that a listing goes on from anywhere without counting.
 */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "tree/tree_impl.h"

struct listener {
	struct tree *t;
	uint32_t dir;
	uint64_t cookie; /* of the next entry */
	bool with_stat;
	tree_add_fn *add;
	void *arg;
	struct wait *w;
	bool full;
};

static void hand_out(struct listener *l, const char *name, uint64_t ino,
		     mode_t type, const struct stat *st)
{
	if (l->add(l->arg, name, ino, type, st, l->cookie + 1))
		l->full = true;
	else
		l->cookie++;
}

static void emit(struct listener *l, const char *name, uint64_t ino,
		 mode_t type)
{
	struct stat st;
	bool at_hand = l->with_stat && stat_at_hand(l->t, ino, &st);

	hand_out(l, name, ino, type, at_hand ? &st : NULL);
}

static void emit_dir(struct listener *l, const char *name, uint32_t number)
{
	emit(l, name, node_pack(number, NODE_DIR, 0), S_IFDIR);
}

static void emit_fixed(struct listener *l, enum fixed_file file)
{
	emit(l, fixed_name(file), node_pack(l->dir, NODE_FIXED, file), S_IFREG);
}

static int list_source(struct listener *l, uint64_t i)
{
	struct tree *t = l->t;
	const struct listing *names;
	int err = srcdir_listing(t, l->dir, l->w, &names);

	for (; err == 0 && i < names->n && !l->full; i++) {
		const struct entry *e = &names->entry[i];
		uint32_t number = ROW_NONE;

		switch ((enum entry_kind)e->kind) {
		case ENTRY_FILE:
			emit(l, e->name, node_pack(l->dir, NODE_SOURCE, i),
			     S_IFREG);
			continue;
		case ENTRY_DIR:
			err = srcdir_child(t, l->dir, names, (uint32_t)i,
					   &number);
			break;
		case ENTRY_CONTAINER:
			err = srcdir_container(t, l->dir, names, e->other,
					       e->name, &number);
			break;
		}
		if (err == 0)
			emit_dir(l, e->name, number);
	}
	return err;
}

static int list_members(struct listener *l, const struct pin *p, uint64_t i)
{
	const struct dir *d = dirs_at(l->t->dirs, l->dir);
	uint32_t n = catalog_members(p->k, d->object);
	/* Of the first member: it comes after what the tree adds. */
	uint64_t first = l->cookie - i;

	for (; i < n && !l->full; i++) {
		struct shown shown;
		struct stat st;
		uint32_t number;
		uint64_t ino;
		bool at_hand;
		int err = member_show(l->t, p, l->dir, (uint32_t)i, l->w,
				      &shown, NULL);

		if (err < 0)
			return err;
		l->cookie = first + i;
		switch (shown.kind) {
		case SHOWN_NOT:
			continue;
		case SHOWN_LINK:
			ino = node_pack(l->dir, NODE_MEMBER_LINK, i);
			at_hand = l->with_stat &&
				  stat_link_at_hand(l->t, l->dir, ino,
						    shown.target_len, &st);
			hand_out(l, shown.name, ino, S_IFLNK,
				 at_hand ? &st : NULL);
			continue;
		case SHOWN_GROUP:
		case SHOWN_ARRAY:
			break;
		}
		err = member_dir(l->t, p, l->dir, (uint32_t)i, &shown, &number);
		if (err < 0)
			return err;
		emit_dir(l, shown.name, number);
	}
	return 0;
}

static int list_group(struct listener *l, uint64_t i)
{
	const struct dir *d = dirs_at(l->t->dirs, l->dir);
	struct pin pin;
	int err = pin_get(l->t, d, l->w, &pin);

	if (err < 0 && !source_is_failed(l->t, d->source))
		return err;
	if (d->kind == DIR_CONTAINER || d->flags & DIR_SAMPLE) {
		if (i == 0)
			emit_fixed(l, FIXED_INFO);
		else
			i--;
	}
	if (err < 0)
		return 0;
	err = pin_check(&pin, d);
	if (err == 0 && !l->full)
		err = list_members(l, &pin, i);
	pin_put(&pin);
	return err;
}

/* What is derived from an array comes after its views. */
static int list_derived(struct listener *l, uint64_t i)
{
	const struct dir *d = dirs_at(l->t->dirs, l->dir);
	struct pin pin;
	int err;

	if (!(d->flags & DIR_MEMBERS))
		return 0;
	err = pin_get(l->t, d, l->w, &pin);
	if (err < 0)
		return err;
	err = pin_check(&pin, d);
	if (err == 0)
		err = list_members(l, &pin, i);
	pin_put(&pin);
	return err;
}

/* info.json, array.npy or array.json, then the views that fit. */
static int list_array(struct listener *l, uint64_t i)
{
	struct tree *t = l->t;
	const struct dir *d = dirs_at(t->dirs, l->dir);

	for (; !l->full; i++) {
		struct view_geometry g;
		struct view_spec s;
		char name[NAME_BYTES_MAX + 1];
		uint32_t number, label;
		int err;

		l->cookie = i + 2;
		if (i == 0) {
			emit_fixed(l, FIXED_INFO);
			continue;
		}
		if (i == 1) {
			if (d->type != ROW_NONE)
				emit(l, "array.npy",
				     node_pack(l->dir, FORMAT_NPY, 0), S_IFREG);
			else if (d->flags & DIR_STRINGS)
				emit_fixed(l, FIXED_STRINGS);
			continue;
		}
		if (i - 2 >= view_listed_max(t))
			return list_derived(l, i - 2 - view_listed_max(t));
		err = view_listed(t, l->dir, (unsigned)i - 2, &s, &g, l->w,
				  &label);
		if (err == -EINVAL)
			continue;
		if (err == 0)
			err = view_print(&s, name);
		if (err == 0)
			err = view_dir(t, l->dir, &s, &g, label, &number);
		if (err < 0)
			return err;
		emit_dir(l, name, number);
	}
	return 0;
}

static int list_view(struct listener *l, uint64_t i)
{
	struct tree *t = l->t;
	const struct dir *d = dirs_at(t->dirs, l->dir);
	const unsigned digits = item_digits(d->listed);
	const struct format_ops *format;
	char name[NAME_BYTES_MAX + 1];
	struct view_spec s;
	struct stat st;
	bool at_hand;
	size_t ext;

	if (i >= d->listed)
		return 0;
	view_spec_of(t, d, &s);
	format = format_at(s.format);
	ext = strlen(format->ext) + 1;
	/* All items of a view have the same attributes. */
	at_hand = l->with_stat &&
		  stat_at_hand(t, node_pack(l->dir, s.format, i), &st);
	for (; i < d->listed && !l->full; i++) {
		size_t n = item_print(i, digits, name);

		name[n] = '.';
		memcpy(name + n + 1, format->ext, ext);
		st.st_ino = node_pack(l->dir, s.format, i);
		hand_out(l, name, st.st_ino, S_IFREG, at_hand ? &st : NULL);
	}
	return 0;
}

static void list_control(struct listener *l, uint64_t i)
{
	for (; i < CONTROL_FILES && control_name((unsigned)i) && !l->full; i++)
		emit(l, control_name((unsigned)i),
		     node_pack(l->dir, NODE_CONTROL, i), S_IFREG);
}

int tree_list(struct tree *t, uint64_t ino, uint64_t cookie, bool with_stat,
	      tree_add_fn *add, void *arg, struct wait *w)
{
	struct listener l = {
		.t = t,
		.cookie = cookie,
		.with_stat = with_stat,
		.add = add,
		.arg = arg,
		.w = w,
	};
	const struct dir *d;
	int err = tree_dir(t, ino, &l.dir, &d);

	if (err < 0)
		return err;
	if (l.cookie == 0)
		emit_dir(&l, ".", l.dir);
	if (l.cookie == 1 && !l.full)
		emit_dir(&l, "..", d->parent);
	if (l.full)
		return 0;
	switch ((enum dir_kind)d->kind) {
	case DIR_SOURCE:
		return list_source(&l, l.cookie - 2);
	case DIR_CONTROL:
		list_control(&l, l.cookie - 2);
		return 0;
	case DIR_CONTAINER:
	case DIR_GROUP:
		return list_group(&l, l.cookie - 2);
	case DIR_ARRAY:
		return list_array(&l, l.cookie - 2);
	case DIR_VIEW:
		return list_view(&l, l.cookie - 2);
	}
	return -ENOENT;
}
