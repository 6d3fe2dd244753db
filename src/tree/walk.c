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

int tree_walk(struct tree *t, const char *path, bool follow,
	      struct tree_entry *out)
{
	return tree_walk_from(t, TREE_ROOT, path, follow, NULL, out);
}

int tree_walk_from(struct tree *t, uint64_t from, const char *path, bool follow,
		   struct wait *w, struct tree_entry *out)
{
	struct tree_entry e = {.ino = from};
	struct walk p = {.w = w};
	int err;

	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(p.text, path);
	p.rest = p.text;
	err = tree_stat(t, from, &e.st, w);
	while (err == 0 && *p.rest)
		err = walk_step(t, &p, follow, &e);
	if (err == 0)
		*out = e;
	return err;
}
