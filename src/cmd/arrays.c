/* SPDX-License-Identifier: MIT */

/*
 * Every array of SRC, for the commands that do something with each. Goes down
 * by a list of directories that are yet to be looked into, so that no depth of
 * groups is too much.
 */

#include <config.h>

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd_impl.h"
#include "util/text.h"

struct place {
	uint64_t ino;
	char *path;    /* relative to SRC, "" for the root */
	size_t prefix; /* of it, up to the case and a slash */
};

struct arrays {
	struct tree *tree;
	struct place *place;
	size_t n, room;
	const struct place *now; /* that is listed */
	int err;
};

static int add(void *arg, const char *name, uint64_t ino, mode_t type,
	       const struct stat *st, uint64_t next)
{
	struct arrays *a = arg;
	const char *dir = a->now->path;
	char *path;

	(void)st, (void)next;
	/* Links are other names of what is found without them. */
	if (!S_ISDIR(type) || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	if (a->n == a->room) {
		size_t room = 2 * a->room + 64;
		struct place *v = realloc(a->place, room * sizeof(*v));

		if (!v) {
			a->err = -ENOMEM;
			return 1;
		}
		a->place = v;
		a->room = room;
	}
	path = text_new("%s%s%s", dir, *dir ? "/" : "", name);
	if (!path) {
		a->err = -ENOMEM;
		return 1;
	}
	a->place[a->n++] = (struct place){
		.ino = ino, .path = path, .prefix = a->now->prefix};
	return 0;
}

static int list(struct arrays *a, struct place *p)
{
	int err;

	a->now = p;
	err = tree_list(a->tree, p->ino, 0, false, add, a, NULL);
	return a->err ? a->err : err;
}

static bool is_wanted(const struct strings *patterns, const char *path)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (fnmatch(patterns->v[i], path, FNM_PATHNAME) == 0)
			return true;
	return patterns->n == 0;
}

/* One directory: what it holds is put on the list, what it is is told. */
static int visit(struct arrays *a, const struct arrays_conf *c, struct place *p)
{
	struct tree_what what;
	int err = tree_what(a->tree, p->ino, &what);

	if (err < 0 || what.kind == TREE_VIEW)
		return err;
	if (what.kind == TREE_CASE)
		p->prefix = *p->path ? strlen(p->path) + 1 : 0;
	if (what.kind != TREE_ARRAY || what.has_members)
		err = list(a, p);
	if (err == 0)
		err = tree_what(a->tree, p->ino, &what);
	if (err < 0)
		return err;
	if (what.kind != TREE_ARRAY)
		return what.is_failed ? -EBADMSG : 0; /* which was told */
	if (!is_wanted(c->patterns, p->path + p->prefix))
		return 0;
	return c->each(c->arg, a->tree, p->path, p->ino, what.is_failed);
}

/* Whether the lines that say it came from below. */
static bool was_told(const struct tree *t, int err, size_t before)
{
	return err == -EBADMSG || err == -ESTALE || tree_told(t) != before;
}

int arrays_each(struct tree *t, const struct arrays_conf *c, int *status)
{
	struct arrays a = {.tree = t};
	struct place p = {.ino = TREE_ROOT, .path = strdup("")};
	int err = p.path ? 0 : -ENOMEM;

	while (err == 0) {
		size_t told = tree_told(t);

		err = visit(&a, c, &p);
		if (err < 0 && err != -ENOMEM && err != -ECANCELED) {
			if (!was_told(t, err, told))
				source_complain(c->cmd, t, p.path, err);
			*status = *status ? *status : source_status(err);
			err = 0;
		}
		free(p.path);
		p.path = NULL;
		if (a.n == 0)
			break;
		if (err == 0)
			p = a.place[--a.n];
	}
	free(p.path);
	while (a.n)
		free(a.place[--a.n].path);
	free(a.place);
	return err;
}

int arrays_add_pattern(struct strings *patterns, const char *value)
{
	return *value ? strings_add(patterns, value) : -EINVAL;
}

void arrays_print_patterns(const struct strings *patterns, FILE *f)
{
	for (size_t i = 0; i < patterns->n; i++)
		fprintf(f, "%s %s", i ? " or" : "", patterns->v[i]);
}
