/* SPDX-License-Identifier: MIT */

/* What is wrong with a path in the tree, said to who asked for it. */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd_impl.h"
#include "util/cleanup.h"

#define WHY_MAX 1024

/* The first part of a path that is not there, and where it is looked for. */
struct missing {
	struct tree_entry dir;
	int dir_len;	  /* of the path */
	const char *name; /* in copy */
	char *copy;
};

static void missing_fini(struct missing *m)
{
	free(m->copy);
}

/* False: there is none, or no memory. */
static bool find_missing(struct tree *t, const char *path, struct missing *m)
{
	struct tree_entry e;
	char *name, *end;

	*m = (struct missing){.copy = strdup(path)};
	if (!m->copy || tree_walk(t, "", true, &m->dir))
		return false;
	for (name = m->copy;; name = end + 1) {
		char was;
		int r;

		end = strchrnul(name, '/');
		was = *end;
		*end = '\0';
		r = *name ? tree_walk(t, m->copy, true, &e) : 0;
		/* A link to nowhere is there. */
		if (r == -ENOENT && tree_walk(t, m->copy, false, &e) == -ENOENT)
			break;
		if (r || !was)
			return false;
		if (*name) {
			m->dir = e;
			m->dir_len = (int)(end - m->copy);
		}
		*end = was;
	}
	m->name = name;
	return true;
}

int source_walk(struct tree *t, const char *path, struct tree_entry *out)
{
	CLEANUP(missing_fini) struct missing m = {.copy = NULL};
	struct tree_what what;
	int err = tree_walk(t, path, true, out);

	if (err == -ENOENT && find_missing(t, path, &m) &&
	    tree_what(t, m.dir.ino, &what) == 0 && what.kind == TREE_CASE &&
	    what.is_failed)
		return -EBADMSG;
	return err;
}

/* What whoever found it has told, in a line before, is not said again. */
static const char *what_is_wrong(int err)
{
	return err == -EBADMSG ? "cannot be read, see above" : strerror(-err);
}

void source_complain(const char *cmd, struct tree *t, const char *path, int err)
{
	CLEANUP(missing_fini) struct missing m = {.copy = NULL};
	char why[WHY_MAX];

	if (err != -ENOENT || !find_missing(t, path, &m)) {
		fprintf(stderr, "patchfs %s: %s: %s\n", cmd, *path ? path : "/",
			what_is_wrong(err));
		return;
	}
	/* Before the line begins: what that finds may be told in one of its
	 * own. */
	if (tree_missing(t, m.dir.ino, m.name, why, sizeof(why)) < 0)
		*why = '\0';
	fprintf(stderr, "patchfs %s: %.*s: no %s%s%s\n", cmd,
		m.dir_len ? m.dir_len : 1, m.dir_len ? m.copy : "/", m.name,
		*why ? ": " : "", why);
}
