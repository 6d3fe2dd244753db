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

/* Names the first part of path that is not there. False: none. Cuts path. */
static bool complain_of_part(const char *cmd, struct tree *t, char *path)
{
	char *name = path, *end;
	int dir_len = 0;
	struct tree_entry dir, e;

	if (tree_walk(t, "", true, &dir))
		return false;
	for (;; name = end + 1) {
		char was;
		int r;

		end = strchrnul(name, '/');
		was = *end;
		*end = '\0';
		r = *name ? tree_walk(t, path, true, &e) : 0;
		/* A link to nowhere is there. */
		if (r == -ENOENT && tree_walk(t, path, false, &e) == -ENOENT)
			break;
		if (r || !was)
			return false;
		if (*name) {
			dir = e;
			dir_len = (int)(end - path);
		}
		*end = was;
	}
	fprintf(stderr, "patchfs %s: %.*s: no %s", cmd, dir_len ? dir_len : 1,
		dir_len ? path : "/", name);
	print_items(t, dir.ino);
	fputc('\n', stderr);
	return true;
}

void source_complain(const char *cmd, struct tree *t, const char *path, int err)
{
	CLEANUP(cleanup_freep) char *copy = NULL;

	if (err == -ENOENT)
		copy = strdup(path);
	if (!copy || !complain_of_part(cmd, t, copy))
		fprintf(stderr, "patchfs %s: %s: %s\n", cmd, *path ? path : "/",
			strerror(-err));
}
