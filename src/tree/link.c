/* SPDX-License-Identifier: MIT */

/*
 * Targets of links inside containers: always relative paths of the mount, made
 * of text alone. Only an external link has to know what lies where, since the
 * directory of the file it names may have either of two names.
 */

#include <config.h>

#include "tree/link.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static void target_add(struct target *to, const char *s, size_t n)
{
	if (to->n + n > TARGET_MAX) {
		to->too_long = true;
		return;
	}
	if (to->text)
		memcpy(to->text + to->n, s, n);
	to->n += n;
}

void target_step(struct target *to, const char *name)
{
	if (to->n)
		target_add(to, "/", 1);
	target_add(to, name, strlen(name));
}

void target_up(struct target *to, unsigned levels)
{
	while (levels--)
		target_step(to, "..");
}

/* The names of an HDF5 path, first being in a directory of that place. */
static int target_inner(struct target *to, struct bytes path,
			enum name_place place)
{
	const char *s = path.p, *end = path.p + path.n;
	char name[NAME_BYTES_MAX + 1];

	while (s < end && !to->too_long) {
		const char *stop = memchr(s, '/', (size_t)(end - s));
		size_t n = (size_t)((stop ? stop : end) - s);
		int err;

		/* HDF5 knows "." but not "..". */
		if (n > 0 && !(n == 1 && *s == '.')) {
			err = name_encode((struct bytes){s, n}, place, name);
			if (err < 0)
				return err;
			target_step(to, name);
			place = NAME_INSIDE;
		}
		s += n + 1;
	}
	return 0;
}

/* Steps from a group directory up to its container's. */
static unsigned depth_of(const struct tree *t, uint32_t dir)
{
	unsigned n = 0;

	for (; dirs_at(t->dirs, dir)->kind == DIR_GROUP; n++)
		dir = dirs_at(t->dirs, dir)->parent;
	return n;
}

int soft_target(const struct tree *t, uint32_t dir, const struct member *m,
		struct target *to)
{
	const struct dir *d = dirs_at(t->dirs, dir);

	if (m->path.n > 0 && m->path.p[0] == '/') {
		target_up(to, depth_of(t, dir));
		return target_inner(to, m->path, root_place(t));
	}
	return target_inner(to, m->path, member_place(t, d));
}

/*
 * The path of an external file relative to SRC, without "." and "..", if it
 * can lie there. 0 or -ENOENT.
 */
static int external_path(const struct tree *t, uint32_t number,
			 struct bytes file, char out[PATH_MAX])
{
	const char *s = file.p, *end = file.p + file.n;
	size_t n = 0, src = strlen(t->conf.src);
	char *slash;

	out[0] = '\0';
	if (file.n == 0 || memchr(file.p, '\0', file.n))
		return -ENOENT;
	if (*s == '/') {
		if (file.n <= src || memcmp(s, t->conf.src, src) != 0 ||
		    s[src] != '/')
			return -ENOENT;
		s += src;
	} else {
		if (source_path(t, number, out, PATH_MAX) < 0)
			return -ENOENT;
		slash = strrchr(out, '/');
		n = slash ? (size_t)(slash - out) : 0;
	}
	while (s < end) {
		const char *stop = memchr(s, '/', (size_t)(end - s));
		size_t len = (size_t)((stop ? stop : end) - s);

		if (len == 2 && memcmp(s, "..", 2) == 0) {
			if (n == 0)
				return -ENOENT;
			while (n > 0 && out[--n] != '/')
				;
		} else if (len > 0 && !(len == 1 && *s == '.')) {
			if (n + len + 2 > PATH_MAX)
				return -ENOENT;
			if (n)
				out[n++] = '/';
			memcpy(out + n, s, len);
			n += len;
		}
		s += len + 1;
	}
	out[n] = '\0';
	return n ? 0 : -ENOENT;
}

/* Steps from a source directory to the root. */
static unsigned source_depth(const struct tree *t, uint32_t dir)
{
	unsigned n = 0;

	for (; dir != DIR_ROOT; n++)
		dir = dirs_at(t->dirs, dir)->parent;
	return n;
}

/* The file that an external link names, which is in the mounted tree. */
struct linked {
	bool is_own;	     /* the link's own container; nothing else is set */
	char path[PATH_MAX]; /* relative to SRC */
	/* Where it is listed. */
	const struct listing *listing;
	uint32_t entry;
	/* The innermost directory that holds the container too. */
	uint32_t common;
	const char *below; /* what of path is below that */
	const char *name;  /* the last name of path */
};

/* Go down to the file; from: the directory of the container. */
static int find_linked(struct tree *t, uint32_t from, struct wait *w,
		       struct linked *f)
{
	uint32_t at = DIR_ROOT, i;
	char mine[PATH_MAX];
	const char *slash;
	int err = srcdir_path(t, from, mine, sizeof(mine));

	if (err < 0)
		return -ENOENT;
	f->common = DIR_ROOT;
	f->below = f->name = f->path;
	while ((slash = strchr(f->name, '/'))) {
		size_t whole = (size_t)(slash - f->path);

		err = srcdir_listing(t, at, w, &f->listing);
		if (err < 0)
			return err;
		i = listing_find(f->listing, f->name,
				 (size_t)(slash - f->name));
		if (i == ROW_NONE || f->listing->entry[i].kind != ENTRY_DIR)
			return -ENOENT;
		err = srcdir_child(t, at, f->listing, i, &at);
		if (err < 0)
			return err;
		f->name = slash + 1;
		if (strncmp(mine, f->path, whole) == 0 &&
		    (mine[whole] == '/' || mine[whole] == '\0')) {
			f->common = at;
			f->below = f->name;
		}
	}
	err = srcdir_listing(t, at, w, &f->listing);
	if (err < 0)
		return err;
	f->entry = listing_find(f->listing, f->name, strlen(f->name));
	if (f->entry == ROW_NONE ||
	    f->listing->entry[f->entry].kind != ENTRY_FILE)
		return -ENOENT;
	return 0;
}

/* 0; -ENOENT: it is not in the mounted tree; errors of reading directories. */
static int look_up_linked(struct tree *t, uint32_t source, struct bytes file,
			  struct wait *w, struct linked *f)
{
	char mine[PATH_MAX];
	int err = external_path(t, source, file, f->path);

	if (err < 0)
		return err;
	f->is_own = source_path(t, source, mine, sizeof(mine)) == 0 &&
		    strcmp(mine, f->path) == 0;
	if (f->is_own)
		return 0;
	if (tree_is_single(t))
		return -ENOENT;
	return find_linked(t, source_at(t, source)->dir, w, f);
}

/*
 * From the directory of the container to that of the linked file: what both
 * paths begin with is not walked up and down again.
 */
static void linked_steps(const struct tree *t, uint32_t from,
			 const struct linked *f, struct target *to)
{
	uint32_t container = f->listing->entry[f->entry].other;

	target_up(to, source_depth(t, from) - source_depth(t, f->common));
	for (const char *s = f->below; s < f->name;) {
		size_t n = strcspn(s, "/");

		if (to->n)
			target_add(to, "/", 1);
		target_add(to, s, n);
		s += n + 1;
	}
	if (container != ROW_NONE) {
		target_step(to, f->listing->entry[container].name);
	} else {
		/* Not by its extension: there if it has the magic. */
		target_step(to, f->name);
		target_add(to, ".d", 2);
	}
}

int external_target(struct tree *t, uint32_t dir, const struct member *m,
		    struct wait *w, struct target *to)
{
	uint32_t source = dirs_at(t->dirs, dir)->source;
	unsigned depth = depth_of(t, dir);
	struct linked f;
	int err = look_up_linked(t, source, m->file, w, &f);

	if (err < 0)
		return err;
	if (f.is_own) {
		target_up(to, depth);
		return target_inner(to, m->path, root_place(t));
	}
	/* One more than the depth: out of the container. */
	target_up(to, depth + 1);
	linked_steps(t, source_at(t, source)->dir, &f, to);
	return target_inner(to, m->path, NAME_INSIDE);
}

int external_check(struct tree *t, uint32_t source, struct bytes file,
		   struct wait *w)
{
	struct linked f;

	return look_up_linked(t, source, file, w, &f);
}
