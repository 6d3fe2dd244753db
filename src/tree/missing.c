/* SPDX-License-Identifier: MIT */

/*
 * Why there is no such name, and what there is instead: for who asked by hand,
 * and for the log of a mount, which has a line of what can only be a mistake:
 * programs look for many names that need not be there.
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tree/tree_impl.h"
#include "util/log.h"
#include "util/near.h"

#define NAMES_SHOWN 6
#define NAMES_READ 65536 /* of one directory */
#define NAME_SHOWN 64	 /* bytes of each */
#define ITEM_LINES 100	 /* of one mount, in its log */

/* ----------------------------------------------------------------- items */

/* A number or a corner, a dot and what follows. */
static bool is_item(const char *name)
{
	size_t n = strspn(name, "0123456789_");

	return n > 0 && name[n] == '.';
}

static void no_format(const char *ext, const char *more, char why[VIEW_WHY_MAX])
{
	char known[VIEW_WHY_MAX / 2];
	size_t n = 0;

	for (unsigned i = 1; i <= format_count(); i++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s",
				      n ? ", " : "", format_at(i)->ext);
	view_bad(why, "%.32s is no format: these are %s%s", ext, known, more);
}

/* The last corner, axis by axis. */
static void last_corner(const struct sampling *s, int64_t start[NDIM_MAX])
{
	for (unsigned k = 0; k < s->ndim; k++)
		start[k] = (int64_t)(s->axis[k].length - s->axis[k].extent);
}

static void item_range(const struct view_spec *s, const struct view_geometry *g,
		       const char *ext, char why[VIEW_WHY_MAX])
{
	char first[NAME_BYTES_MAX + 1], last[NAME_BYTES_MAX + 1];
	int64_t corner[NDIM_MAX];

	if (g->count == 0) {
		view_bad(why, "it has no items");
		return;
	}
	view_item_name(s, g, 0, first);
	if (s->kind != VIEW_CROPS) {
		view_item_name(s, g, g->count - 1, last);
		view_bad(why, "there are %s.%s to %s.%s", first, ext, last,
			 ext);
		return;
	}
	last_corner(&g->sampling, corner);
	corner_print(corner, g->sampling.ndim, last);
	view_bad(why, "there are %s.%s to %s.%s, a number for each of %u axes",
		 first, ext, last, ext, g->sampling.ndim);
}

static void item_why(const struct tree *t, const struct dir *view,
		     const char *name, char why[VIEW_WHY_MAX])
{
	const char *dot = strchr(name, '.');
	const char *ext = dot && is_item(name) ? dot + 1 : NULL;
	bool is_json = ext && strcmp(ext, "json") == 0;
	struct view_geometry g;
	struct view_spec s;
	struct layout layout;
	unsigned format = 0;
	uint64_t item;
	int err;

	view_spec_of(t, view, &s);
	view_geometry(t, view, &g);
	if (ext)
		format = format_by_ext(ext, strlen(ext));
	if (ext && !is_json && !format) {
		no_format(ext, " and json", why);
		return;
	}
	err = ext ? view_item(&s, &g, name, (size_t)(dot - name), &item)
		  : -ENOENT;
	if (err == -E2BIG)
		view_bad(why, "items from 2^36 on have no name");
	else if (err == 0 && format && item_layout(&g.item, format, &layout))
		view_bad(why, "the format %s cannot hold its items", ext);
	else
		item_range(&s, &g, ext ? ext : format_at(s.format)->ext, why);
}

void item_refuse(struct tree *t, uint32_t view, const char *name)
{
	const struct dir *d = dirs_at(t->dirs, view);
	char label[PATH_MAX], why[VIEW_WHY_MAX];
	unsigned lines;

	if (!t->conf.logs_names || !is_item(name) ||
	    atomic_load_explicit(&t->item_lines, memory_order_relaxed) >=
		    ITEM_LINES ||
	    !view_is_new(t, "item", 4, view))
		return;
	lines = atomic_fetch_add_explicit(&t->item_lines, 1,
					  memory_order_relaxed);
	if (lines >= ITEM_LINES)
		return;
	item_why(t, d, name, why);
	tree_label(t, d->parent, label, sizeof(label));
	log_warn("%s: no item %.*s/%s: %s%s", label, (int)d->name_len,
		 dirs_name(t->dirs, d), name, why,
		 lines + 1 < ITEM_LINES
			 ? ""
			 : "; of items that are not there nothing more is "
			   "said");
}

/* ----------------------------------------------------------------- names */

struct names {
	const char *wanted;
	unsigned least; /* distance of the nearest */
	uint64_t read, dirs, files;
	char nearest[NAME_BYTES_MAX + 1];
	/* The first of them. */
	char dir[NAMES_SHOWN][NAME_BYTES_MAX + 1];
	char file[NAMES_SHOWN][NAME_BYTES_MAX + 1];
};

static int take_name(void *arg, const char *name, uint64_t ino, mode_t type,
		     const struct stat *st, uint64_t next)
{
	struct names *x = arg;
	bool is_file = S_ISREG(type);
	uint64_t *n = is_file ? &x->files : &x->dirs;
	unsigned distance;

	(void)ino, (void)st, (void)next;
	if (name[0] == '.')
		return 0;
	if (*n < NAMES_SHOWN)
		strcpy(is_file ? x->file[*n] : x->dir[*n], name);
	++*n;
	distance = near_word(x->wanted, strlen(x->wanted), name);
	if (distance < x->least) {
		x->least = distance;
		strcpy(x->nearest, name);
	}
	return ++x->read == NAMES_READ;
}

static void print_name(FILE *f, unsigned n, const char *name)
{
	fprintf(f, "%s%.*s%s", n ? ", " : "there are ", NAME_SHOWN, name,
		strlen(name) > NAME_SHOWN ? "..." : "");
}

/* The nearest, then others: directories, or files where there are none. */
static void print_names(const struct names *x, FILE *f)
{
	const uint64_t all = x->dirs ? x->dirs : x->files;
	unsigned n = 0, i;

	if (x->nearest[0])
		print_name(f, n++, x->nearest);
	for (i = 0; i < all && i < NAMES_SHOWN && n < NAMES_SHOWN; i++) {
		const char *name = x->dirs ? x->dir[i] : x->file[i];

		if (strcmp(name, x->nearest) != 0)
			print_name(f, n++, name);
	}
	if (i < all)
		fputs(", ...", f);
	if (n == 0)
		fputs("it is empty", f);
}

static int names_why(struct tree *t, uint64_t ino, const char *name, char *why,
		     size_t size)
{
	struct names x = {.wanted = name, .least = NEAR_NOT};
	int err = tree_list(t, ino, 0, false, take_name, &x, NULL);
	FILE *f;

	if (err < 0)
		return err;
	f = fmemopen(why, size - 1, "w");
	if (!f)
		return -errno;
	why[size - 1] = '\0';
	print_names(&x, f);
	return fclose(f) ? -errno : 0;
}

static bool is_view(const char *name)
{
	return strchr(name, '+') || view_kind_near(name);
}

static int array_why(struct tree *t, uint64_t ino, const char *name, char *why,
		     size_t size)
{
	char formats[VIEW_WHY_MAX];
	uint64_t unused;
	size_t n;
	int err;

	if (is_view(name)) {
		err = tree_view(t, ino, name, &unused, why, size);
		return err == -ENOENT ? 0 : err;
	}
	if (strncmp(name, "array.", 6) == 0) {
		no_format(name + 6, "", formats);
		snprintf(why, size, "%s", formats);
		return 0;
	}
	err = names_why(t, ino, name, why, size);
	n = strlen(why);
	if (err == 0)
		snprintf(why + n, size - n, ", and views by name");
	return err;
}

int tree_missing(struct tree *t, uint64_t ino, const char *name, char *why,
		 size_t size)
{
	char item[VIEW_WHY_MAX];
	const struct dir *d;
	uint32_t number;
	int err = tree_dir(t, ino, &number, &d);

	*why = '\0';
	if (err < 0)
		return err;
	if (d->kind == DIR_ARRAY)
		return array_why(t, ino, name, why, size);
	if (d->kind != DIR_VIEW)
		return names_why(t, ino, name, why, size);
	item_why(t, d, name, item);
	snprintf(why, size, "%s", item);
	return 0;
}
