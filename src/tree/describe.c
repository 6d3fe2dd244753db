/* SPDX-License-Identifier: MIT */

/*
 * What `patchfs info` prints for people: what a node is, what reading from it
 * costs, and which views are slow because of how the array is chunked.
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tree/cost.h"
#include "tree/label.h"
#include "tree/text.h"
#include "tree/tree_impl.h"
#include "util/parse.h"

#define EXAMPLE 64     /* length of a patch that stands for all sizes */
#define INSIDE_MOST 64 /* directories named of one that holds more */
#define SLOW_FACTOR 4  /* bytes decoded for each byte shown, to warn of */

/* ------------------------------------------------------------ containers */

static int describe_source(struct tree *t, uint32_t number, FILE *f)
{
	const struct source *s = source_at(t, number);
	char path[PATH_MAX], size[16], time[40];
	int err = source_know(t, number, NULL);

	if (err < 0)
		return err;
	err = source_path(t, number, path, sizeof(path));
	if (err < 0)
		return err;
	fprintf(f, "file      %s\n", path);
	fprintf(f, "size      %s\n",
		format_size((uint64_t)s->st.st_size, size));
	fprintf(f, "modified  %s\n", time_text(&s->st.st_mtim, time));
	return 0;
}

static int describe_arrays(const struct catalog *k, enum name_place root,
			   FILE *f)
{
	CLEANUP(cleanup_freep) char *buf = NULL;
	size_t room = 0;

	fprintf(f, "arrays    %" PRIu32 "\n", catalog_arrays(k));
	for (uint32_t i = 0; i < catalog_arrays(k); i++) {
		uint32_t object = catalog_nth_array(k, i);
		char shape[SHAPE_TEXT_MAX], dtype[DTYPE_MAX] = "";
		struct array_info a;
		const char *path = object_path(k, object, root, &buf, &room);

		if (!path)
			return -ENOMEM;
		catalog_array(k, object, &a);
		fprintf(f, "  %-32s %s", path,
			a.is_null ? "null" : shape_text(a.rank, a.dim, shape));
		if (a.kind)
			fprintf(f, " %s",
				dtype_text(a.kind, a.item_size, dtype));
		if (a.refused.n)
			fprintf(f, "  (%.*s)", TEXT_CUT(a.refused, 512));
		fputc('\n', f);
	}
	return 0;
}

static void describe_problem(void *arg, const char *text, size_t n)
{
	fprintf(arg, "problem   %.*s\n", (int)(n > 1024 ? 1024 : n), text);
}

static int describe_container(struct tree *t, uint32_t dir, FILE *f)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	struct pin pin;
	int err = describe_source(t, d->source, f);

	if (err < 0)
		return err;
	err = pin_get(t, d, NULL, &pin);
	if (err < 0)
		return err; /* why was told */
	fprintf(f, "format    %s\n", format_text(&pin));
	err = describe_arrays(pin.k, root_place(t), f);
	if (err == 0)
		err = problems_of_scan(pin.k, root_place(t), describe_problem,
				       f);
	pin_put(&pin);
	return err;
}

/* ---------------------------------------------------------------- arrays */

static void describe_filters(const struct catalog *k,
			     const struct array_info *a, FILE *f)
{
	fprintf(f, "filters   ");
	for (unsigned i = 0; i < a->nfilter; i++) {
		struct filter_info one;

		catalog_filter(k, a, i, &one);
		fprintf(f, "%s%.*s (%" PRIu32 ")", i ? ", " : "",
			TEXT_CUT(one.name, 64), one.id);
	}
	fputs(a->nfilter ? "\n" : "none\n", f);
}

/* A view of an array that is described. */
struct described {
	struct tree *t;
	uint32_t array;
	const struct array *base; /* NULL: it cannot be read */
	const uint64_t *chunk;	  /* or NULL */
	FILE *f;
};

static void describe_cost(const struct described *d,
			  const struct view_geometry *g, uint64_t bytes)
{
	uint64_t cost = view_cost(d->base, d->chunk, g);
	char decoded[16];

	fprintf(d->f, "; decodes up to %s\n", format_size(cost, decoded));
	if (bytes > 0 && cost / SLOW_FACTOR >= bytes && !d->base->in_blocks)
		fprintf(d->f,
			"  %-32s slow one at a time: decodes %" PRIu64
			" times what it shows, because of the chunks\n",
			"", cost / bytes);
}

/*
 * A line about a view, and more if there is something to say. Of one that the
 * array cannot have nothing. name: NULL for the canonical one.
 */
static void describe_view(const struct described *d, struct view_spec s,
			  const char *name)
{
	char canonical[NAME_BYTES_MAX + 1], shape[SHAPE_TEXT_MAX];
	char shown[16], path[PATH_MAX];
	struct view_geometry g;
	uint64_t n = 0, bytes;
	uint32_t label;

	if (view_bind_on(d->t, d->array, &s, &g, NULL, &label, NULL) < 0 ||
	    view_print(&s, canonical) < 0)
		return;
	(void)shape_count(&g.item.shape, &n);
	bytes = n * g.item.item_size;
	fprintf(d->f, "  %-32s ", name ? name : canonical);
	if (g.count == SAMPLE_ITEMS_MAX)
		fputs("draws", d->f);
	else
		fprintf(d->f, "%" PRIu64 " item%s", g.count,
			g.count == 1 ? "" : "s");
	fprintf(d->f, " of %s, %s",
		shape_text(g.item.shape.ndim, g.item.shape.dim, shape),
		format_size(bytes, shown));
	if (d->base)
		describe_cost(d, &g, bytes);
	else
		fputc('\n', d->f);
	if (label != ROW_NONE &&
	    label_path(d->t, d->array, label, path, sizeof(path)) == 0)
		fprintf(d->f, "  %-32s around voxels of the classes of %s\n",
			"", path);
}

/* What views that are not listed look like, and cost: of a size that fits. */
static void describe_examples(const struct described *d,
			      const struct item_type *type)
{
	static const char *const kinds[] = {"patches", "random", "foreground"};
	unsigned rank = type->shape.ndim, n = rank < 3 ? rank : 3;
	char size[SHAPE_TEXT_MAX], name[NAME_BYTES_MAX + 1], why[VIEW_WHY_MAX];
	uint64_t dim[3];

	/* A stack of slices has patches of a slice. */
	if (n == 3 && d->chunk && d->chunk[rank - 3] == 1)
		n = 2;
	for (unsigned k = 0; k < n; k++) {
		dim[k] = type->shape.dim[rank - n + k];
		if (dim[k] == 0)
			return;
		if (dim[k] > EXAMPLE)
			dim[k] = EXAMPLE;
	}
	fputs("others, by name, such as\n", d->f);
	for (unsigned i = 0; i < 3; i++) {
		struct view_spec s;

		snprintf(name, sizeof(name), "%s+size-%s", kinds[i],
			 shape_text(n, dim, size));
		if (view_parse(name, &s, why) == 0)
			describe_view(d, s, name);
	}
}

static void describe_views(const struct described *d,
			   const struct view_spec *only)
{
	const struct dir *dir = dirs_at(d->t->dirs, d->array);
	const struct item_type *type = dirs_type_at(d->t->dirs, dir->type);
	unsigned rank = type->shape.ndim;
	struct view_geometry g;
	struct view_spec s;
	uint32_t label;
	int err = 0;

	if (rank == 0)
		return; /* array.npy is all there is */
	fputs(d->base && d->base->in_blocks
		      ? "views     of chunks that are cut into blocks only the "
			"blocks under an item are decoded\n"
		      : "views\n",
	      d->f);
	if (only) {
		describe_view(d, *only, NULL);
		return;
	}
	for (unsigned k = 0; rank > 1 && k < rank; k++)
		describe_view(d, view_slices(k), NULL);
	for (unsigned i = 1; err != -ENOENT; i++) {
		err = view_listed(d->t, d->array, i, &s, &g, NULL, &label);
		if (err == 0 && s.kind != VIEW_SLICES)
			describe_view(d, s, NULL);
	}
	describe_examples(d, type);
}

static void describe_type(const struct catalog *k, const struct array_info *a,
			  FILE *f)
{
	char shape[SHAPE_TEXT_MAX], dtype[DTYPE_MAX];

	fprintf(f, "shape     %s\n",
		a->is_null ? "null" : shape_text(a->rank, a->dim, shape));
	if (a->kind)
		fprintf(f, "type      %s%s\n",
			dtype_text(a->kind, a->item_size, dtype),
			a->order == '>' ? ", stored big-endian" : "");
	else
		fprintf(f, "type      %.*s\n", TEXT_CUT(a->type_text, 512));
	fprintf(f, "layout    %s\n", layout_text(a->layout));
	if (a->chunk)
		fprintf(f, "chunks    %s\n",
			shape_text(a->rank, a->chunk, shape));
	describe_filters(k, a, f);
}

/* An array, or one view of it. */
static int describe_array(struct tree *t, uint32_t dir,
			  const struct view_spec *only, FILE *f)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	struct described shown = {.t = t, .array = dir, .f = f};
	struct any_array array;
	char label[PATH_MAX], size[16];
	struct array_info a;
	struct pin pin;
	uint64_t n = 0;
	int err = pin_get(t, d, NULL, &pin);

	if (err < 0)
		return err;
	err = pin_check(&pin, d);
	if (err < 0)
		goto out;
	tree_label(t, dir, label, sizeof(label));
	catalog_array(pin.k, d->object, &a);
	fprintf(f, "array     %s\n", label);
	describe_type(pin.k, &a, f);
	problems_of_array(pin.k, d->object, describe_problem, f);
	if (d->type == ROW_NONE)
		goto out;
	shown.chunk = a.chunk;
	if (pin_try_array(&pin, d, label, &array)) {
		shown.base = array.base;
		shown.chunk = array.base->unit;
		if (shape_count(&array.base->shape, &n) == 0)
			fprintf(f, "bytes     %s\n",
				format_size(n * array.base->item_size, size));
	}
	describe_views(&shown, only);
out:
	pin_put(&pin);
	return err;
}

/* ---------------------------------------------------------------- others */

struct inside {
	FILE *f; /* NULL: only count */
	uint64_t entries, dirs;
};

static int count_entry(void *arg, const char *name, uint64_t ino, mode_t type,
		       const struct stat *st, uint64_t next)
{
	struct inside *in = arg;

	(void)ino;
	(void)st;
	(void)next;
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	in->entries++;
	if (!S_ISDIR(type))
		return 0;
	in->dirs++;
	if (in->f && in->dirs <= INSIDE_MOST)
		fprintf(in->f, "  %s\n", name);
	return 0;
}

/* A directory of the source, or a group: what can be asked about next. */
static int describe_inside(struct tree *t, uint64_t ino, const struct stat *st,
			   FILE *f)
{
	struct inside count = {.f = NULL}, show = {.f = f};
	char time[40];
	int err = tree_list(t, ino, 0, false, count_entry, &count, NULL);

	if (err < 0)
		return err;
	fprintf(f, "directory of %" PRIu64 " entries\n", count.entries);
	fprintf(f, "modified  %s\n", time_text(&st->st_mtim, time));
	if (count.dirs == 0)
		return 0;
	fprintf(f, "directories %" PRIu64 "\n", count.dirs);
	err = tree_list(t, ino, 0, false, count_entry, &show, NULL);
	if (show.dirs > INSIDE_MOST)
		fputs("  ...\n", f);
	return err;
}

static int describe_plain(struct tree *t, uint64_t ino, FILE *f)
{
	char size[16], time[40];
	struct stat st;
	int err = tree_stat(t, ino, &st, NULL);

	if (err < 0)
		return err;
	if (S_ISDIR(st.st_mode))
		return describe_inside(t, ino, &st, f);
	fprintf(f, "file of %s (%" PRIu64 " bytes)\n",
		format_size((uint64_t)st.st_size, size), (uint64_t)st.st_size);
	fprintf(f, "modified  %s\n", time_text(&st.st_mtim, time));
	return 0;
}

int tree_describe(struct tree *t, uint64_t ino, FILE *f)
{
	const struct dir *d;
	struct view_spec s;
	struct node n;
	int err = tree_node(t, ino, &n, &d);

	if (err < 0)
		return err;
	/* Of a file in an array, the array; of an item, its view. */
	if (d->kind == DIR_VIEW) {
		view_spec_of(t, d, &s);
		return describe_array(t, d->parent, &s, f);
	}
	if (d->kind == DIR_ARRAY)
		return describe_array(t, n.dir, NULL, f);
	if (d->kind == DIR_CONTAINER && n.format != NODE_MEMBER_LINK)
		return describe_container(t, n.dir, f);
	return describe_plain(t, ino, f);
}
