/* SPDX-License-Identifier: MIT */

/*
 * Paths, name by name and through symbolic links, for those who have no kernel
 * to do it. No state but the path.
 */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tree/tree_impl.h"

#define SYMLINKS_MAX 40 /* of one walk, as in the kernel */

/* A path yet to be walked. */
struct walk {
	char text[2 * PATH_MAX];
	char *rest;
	unsigned links;
	bool is_to_label;
	struct wait *w;
};

/* Put the target of a link in front of what is left. */
static int walk_link(struct tree *t, struct walk *p, uint64_t ino)
{
	char target[PATH_MAX], text[2 * PATH_MAX];
	int err, n;

	if (++p->links > SYMLINKS_MAX)
		return -ELOOP;
	err = tree_readlink(t, ino, target, sizeof(target), p->w);
	if (err < 0)
		return err;
	n = snprintf(text, sizeof(text), "%s/%s", target, p->rest);
	if ((size_t)n >= sizeof(text))
		return -ENAMETOOLONG;
	memcpy(p->text, text, (size_t)n + 1);
	p->rest = p->text;
	return 0;
}

/* Whether it is a view that looks for a label array itself. */
static bool is_foreground(const struct tree *t, uint64_t parent,
			  const char *name)
{
	const struct dir *d;
	uint32_t dir;

	return strncmp(name, "foreground", 10) == 0 &&
	       tree_dir(t, parent, &dir, &d) == 0 && d->kind == DIR_ARRAY;
}

static int walk_step(struct tree *t, struct walk *p, bool follow,
		     struct tree_entry *e)
{
	size_t n = strcspn(p->rest, "/");
	char *name = p->rest;
	bool last = name[n + strspn(name + n, "/")] == '\0';
	bool slash = name[n] == '/';
	uint64_t parent = e->ino;
	int err;

	p->rest += n;
	if (slash)
		*p->rest++ = '\0';
	if (!S_ISDIR(e->st.st_mode))
		return -ENOTDIR;
	if (n == 0 || strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0) {
		err = tree_parent(t, e->ino, &e->ino);
		return err < 0 ? err : tree_stat(t, e->ino, &e->st, p->w);
	}
	if (p->is_to_label && is_foreground(t, parent, name))
		return -ENOENT;
	err = tree_lookup(t, parent, name, e, p->w);
	if (err < 0)
		return err;
	if (e->ino == 0)
		return -ENOENT;
	if (!S_ISLNK(e->st.st_mode) || (last && !slash && !follow))
		return 0;
	err = walk_link(t, p, e->ino);
	e->ino = parent;
	return err < 0 ? err : tree_stat(t, parent, &e->st, p->w);
}

static int walk(struct tree *t, struct walk *p, uint64_t from, const char *path,
		bool follow, struct tree_entry *out)
{
	struct tree_entry e = {.ino = from};
	int err;

	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(p->text, path);
	p->rest = p->text;
	err = tree_stat(t, from, &e.st, p->w);
	while (err == 0 && *p->rest)
		err = walk_step(t, p, follow, &e);
	if (err == 0)
		*out = e;
	return err;
}

int tree_walk(struct tree *t, const char *path, bool follow,
	      struct tree_entry *out)
{
	struct walk p = {.w = NULL};

	return walk(t, &p, TREE_ROOT, path, follow, out);
}

int tree_walk_to_label(struct tree *t, uint64_t from, const char *path,
		       struct wait *w, struct tree_entry *out)
{
	struct walk p = {.is_to_label = true, .w = w};

	return walk(t, &p, from, path, true, out);
}
