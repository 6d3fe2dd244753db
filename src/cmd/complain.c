/* SPDX-License-Identifier: MIT */

/* What is wrong with a path in the tree, said to who asked for it. */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd_impl.h"
#include "util/cleanup.h"

/* A directory's first name, if it is an item's: "000000.npy". */
static int take_first(void *arg, const char *name, uint64_t ino, mode_t type,
		      const struct stat *st, uint64_t next)
{
	char *first = arg;

	(void)ino, (void)type, (void)st, (void)next;
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	if (strspn(name, "0") >= 6)
		snprintf(first, NAME_MAX + 1, "%s", name);
	return 1;
}

/* Which items the directory of a view has: there may be 2^36. */
static void print_items(struct tree *t, uint64_t dir)
{
	char first[NAME_MAX + 1] = "", name[2 * NAME_MAX];
	uint64_t low = 0, high = UINT64_C(1) << 36;
	const char *dot;
	int width;

	if (tree_list(t, dir, 0, false, take_first, first, NULL) < 0)
		return;
	dot = strchr(first, '.');
	if (!dot)
		return;
	width = (int)(dot - first);
	while (high - low > 1) { /* low is there, high is not */
		uint64_t n = low + (high - low) / 2;
		struct tree_entry e;

		snprintf(name, sizeof(name), "%0*" PRIu64 "%s", width, n, dot);
		if (tree_lookup(t, dir, name, &e, NULL) == 0 && e.ino)
			low = n;
		else
			high = n;
	}
	fprintf(stderr, " (there are %s to %0*" PRIu64 "%s)", first, width, low,
		dot);
}

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

	if (err != -ENOENT || !find_missing(t, path, &m)) {
		fprintf(stderr, "patchfs %s: %s: %s\n", cmd, *path ? path : "/",
			what_is_wrong(err));
		return;
	}
	fprintf(stderr, "patchfs %s: %.*s: no %s", cmd,
		m.dir_len ? m.dir_len : 1, m.dir_len ? m.copy : "/", m.name);
	print_items(t, m.dir.ino);
	fputc('\n', stderr);
}
