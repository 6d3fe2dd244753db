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

/*
 * From the directory of the container down to the file at path: the common
 * beginning of both paths is not walked up and down again. 0; -ENOENT: there
 * is no such file; errors of reading directories.
 */
static int external_steps(struct tree *t, uint32_t from, const char *path,
			  struct wait *w, struct target *to)
{
	uint32_t at = DIR_ROOT, common = DIR_ROOT;
	char mine[PATH_MAX];
	const char *rest = path, *s;
	const struct listing *l;
	uint32_t i;
	int err = srcdir_path(t, from, mine, sizeof(mine));

	if (err < 0)
		return -ENOENT;
	/* Down to the directory of the file. */
	for (s = path; strchr(s, '/'); s = strchr(s, '/') + 1) {
		size_t n = (size_t)(strchr(s, '/') - s);
		size_t whole = (size_t)(s - path) + n;

		err = srcdir_listing(t, at, w, &l);
		if (err < 0)
			return err;
		i = listing_find(l, s, n);
		if (i == ROW_NONE || l->entry[i].kind != ENTRY_DIR)
			return -ENOENT;
		err = srcdir_child(t, at, l, i, &at);
		if (err < 0)
			return err;
		if (strncmp(mine, path, whole) == 0 &&
		    (mine[whole] == '/' || mine[whole] == '\0')) {
			common = at;
			rest = s + n + 1;
		}
	}
	err = srcdir_listing(t, at, w, &l);
	if (err < 0)
		return err;
	i = listing_find(l, s, strlen(s));
	if (i == ROW_NONE || l->entry[i].kind != ENTRY_FILE)
		return -ENOENT;
	target_up(to, source_depth(t, from) - source_depth(t, common));
	while (rest < s) {
		size_t n = (size_t)(strchr(rest, '/') - rest);

		if (to->n)
			target_add(to, "/", 1);
		target_add(to, rest, n);
		rest += n + 1;
	}
	if (l->entry[i].other != ROW_NONE) {
		target_step(to, l->entry[l->entry[i].other].name);
	} else {
		/* Not by its extension: there if it has the magic. */
		target_step(to, s);
		target_add(to, ".d", 2);
	}
	return 0;
}

int external_target(struct tree *t, uint32_t dir, const struct member *m,
		    struct wait *w, struct target *to)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	const struct source *own = source_at(t, d->source);
	unsigned depth = depth_of(t, dir);
	char path[PATH_MAX], mine[PATH_MAX];
	int err = external_path(t, d->source, m->file, path);

	if (err < 0)
		return err;
	if (source_path(t, d->source, mine, sizeof(mine)) == 0 &&
	    strcmp(mine, path) == 0) {
		target_up(to, depth);
		return target_inner(to, m->path, root_place(t));
	}
	if (tree_is_single(t))
		return -ENOENT;
	/* One more than the depth: out of the container. */
	target_up(to, depth + 1);
	err = external_steps(t, own->dir, path, w, to);
	if (err < 0)
		return err;
	return target_inner(to, m->path, NAME_INSIDE);
}

int external_check(struct tree *t, uint32_t source, struct bytes file,
		   struct wait *w)
{
	struct target to = {.text = NULL};
	char path[PATH_MAX], mine[PATH_MAX];
	int err = external_path(t, source, file, path);

	if (err < 0)
		return err;
	if (source_path(t, source, mine, sizeof(mine)) == 0 &&
	    strcmp(mine, path) == 0)
		return 0;
	if (tree_is_single(t))
		return -ENOENT;
	return external_steps(t, source_at(t, source)->dir, path, w, &to);
}
