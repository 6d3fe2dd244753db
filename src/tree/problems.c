/* SPDX-License-Identifier: MIT */

/*
 * What is wrong with a container, a line for each thing: for info.json, and
 * for .patchfs/problems when it was scanned.
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree/link.h"
#include "tree/text.h"
#include "tree/tree_impl.h"
#include "util/text.h"

#define LINES_MAX 1000	   /* of one container */
#define SCAN_LINES_MAX 100 /* of those, for the log and for people */

/* Lines on their way out, each with the path of what it is about. */
struct lines {
	const struct catalog *k;
	enum name_place root;
	problem_line_fn *add;
	void *arg;
	unsigned n, max;
	char *path;
	size_t room;
};

static int line(struct lines *l, uint32_t object, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static int line(struct lines *l, uint32_t object, const char *fmt, ...)
{
	CLEANUP(cleanup_freep) char *text = NULL;
	CLEANUP(cleanup_freep) char *whole = NULL;
	const char *path;
	va_list ap;

	if (l->n++ >= l->max)
		return 0;
	va_start(ap, fmt);
	text = text_vnew(fmt, ap);
	va_end(ap);
	if (!text)
		return -ENOMEM;
	path = object_path(l->k, object, l->root, &l->path, &l->room);
	if (!path)
		return -ENOMEM;
	if (!*path) {
		l->add(l->arg, text, strlen(text));
		return 0;
	}
	whole = text_new("%s: %s", path, text);
	if (!whole)
		return -ENOMEM;
	l->add(l->arg, whole, strlen(whole));
	return 0;
}

static void lines_end(struct lines *l)
{
	char text[64];
	int n;

	free(l->path);
	if (l->n <= l->max)
		return;
	n = snprintf(text, sizeof(text), "and %u more", l->n - l->max);
	l->add(l->arg, text, (size_t)n);
}

static int found_by_scan(struct lines *l)
{
	int err = 0;

	for (uint32_t i = 0; err == 0 && i < catalog_problems(l->k); i++) {
		struct bytes text;
		uint32_t object;

		catalog_problem(l->k, i, &object, &text);
		err = line(l, object, "%.*s", TEXT_CUT(text, 1024));
	}
	return err;
}

/* Why the arrays that are not served are not. */
static int refused_arrays(struct lines *l)
{
	int err = 0;

	for (uint32_t i = 0; err == 0 && i < catalog_arrays(l->k); i++) {
		uint32_t object = catalog_nth_array(l->k, i);
		struct array_info a;

		catalog_array(l->k, object, &a);
		if (a.refused.n)
			err = line(l, object, "%.*s",
				   TEXT_CUT(a.refused, 1024));
	}
	return err;
}

static int of_links(struct lines *l, struct tree *t, uint32_t source,
		    uint32_t group, struct wait *w)
{
	int err = 0;

	for (uint32_t i = 0; err == 0 && i < catalog_members(l->k, group);
	     i++) {
		char name[NAME_BYTES_MAX + 1];
		struct member m;

		catalog_member(l->k, group, i, &m);
		if (m.kind != CAT_EXTERNAL_LINK && m.kind != CAT_UD_LINK)
			continue;
		err = name_encode(m.name, group ? NAME_INSIDE : l->root, name);
		if (err == 0 && m.kind == CAT_UD_LINK) {
			err = line(l, group, "%s: a user-defined link", name);
			continue;
		}
		if (err == 0)
			err = external_check(t, source, m.file, w);
		if (err == -ENOENT)
			err = line(l, group,
				   "%s: an external link to a file that is "
				   "not in the mounted tree: %.*s",
				   name, TEXT_CUT(m.file, 1024));
	}
	return err;
}

int problems_of_container(struct tree *t, const struct pin *p, uint32_t source,
			  enum name_place root, problem_line_fn *add, void *arg,
			  struct wait *w)
{
	struct lines l = {
		.k = p->k,
		.root = root,
		.add = add,
		.arg = arg,
		.max = LINES_MAX,
	};
	int err = found_by_scan(&l);

	if (err == 0)
		err = refused_arrays(&l);
	for (uint32_t i = 0; err == 0 && i < catalog_objects(p->k); i++)
		if (catalog_kind(p->k, i) == OBJECT_GROUP)
			err = of_links(&l, t, source, i, w);
	lines_end(&l);
	return err;
}

int problems_of_scan(const struct catalog *k, enum name_place root,
		     problem_line_fn *add, void *arg)
{
	struct lines l = {
		.k = k,
		.root = root,
		.add = add,
		.arg = arg,
		.max = SCAN_LINES_MAX,
	};
	int err = found_by_scan(&l);

	lines_end(&l);
	return err;
}

void problems_of_array(const struct catalog *k, uint32_t object,
		       problem_line_fn *add, void *arg)
{
	struct derived_info d;
	struct array_info a;

	for (uint32_t i = 0; i < catalog_problems(k); i++) {
		struct bytes b;
		uint32_t owner;

		catalog_problem(k, i, &owner, &b);
		if (owner == object)
			add(arg, b.p, b.n);
	}
	catalog_array(k, object, &a);
	if (a.refused.n)
		add(arg, a.refused.p, a.refused.n);
	if (a.layout != CAT_DERIVED)
		return;
	catalog_derived(k, object, &d);
	if (d.broken.n)
		add(arg, d.broken.p, d.broken.n);
}

struct telling {
	struct tree *t;
	const char *path;
};

static void tell(void *arg, const char *text, size_t n)
{
	const struct telling *to = arg;

	problem_note(to->t->conf.problems, "%s: %.*s", to->path, (int)n, text);
}

void problems_tell_scan(struct tree *t, uint32_t source,
			const struct catalog *k)
{
	char path[PATH_MAX];
	struct telling to = {t, path};

	source_label(t, source, path, sizeof(path));
	/* Out of memory loses lines here; info.json has them all. */
	(void)problems_of_scan(k, root_place(t), tell, &to);
}

size_t tree_told(const struct tree *t)
{
	return problems_count(t->conf.problems);
}
