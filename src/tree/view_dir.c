/* SPDX-License-Identifier: MIT */

/* Views of an array: their directories, which are listed, why one is none. */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "tree/tree_impl.h"
#include "util/hash.h"
#include "util/log.h"

int item_layout(const struct item_type *type, unsigned format,
		struct layout *out)
{
	const struct format_ops *ops = format_at(format);

	if (!ops || !ops->accepts(type))
		return -EINVAL;
	return ops->layout(type, out);
}

void view_geometry(const struct tree *t, const struct dir *d,
		   struct view_geometry *out)
{
	const struct dir *array = dirs_at(t->dirs, d->parent);
	struct view_spec s = *dirs_spec(t->dirs, d->params);
	char why[VIEW_WHY_MAX];

	/* It was bound before it was given a number. */
	if (view_bind(&s, dirs_type_at(t->dirs, array->type), out, why) < 0)
		memset(out, 0, sizeof(*out));
}

int view_dir(struct tree *t, uint32_t array, const struct view_spec *s,
	     const struct view_geometry *g, uint32_t *number)
{
	struct dir d = {
		.parent = array,
		.source = dirs_at(t->dirs, array)->source,
		.object = dirs_at(t->dirs, array)->object,
		.count = g->count,
		.listed = g->listed,
		.kind = DIR_VIEW,
	};
	char name[NAME_BYTES_MAX + 1];
	uint32_t found;
	int err = view_print(s, name);

	if (err < 0)
		return err;
	err = dirs_params(t->dirs, s, name, &d.params);
	if (err == -ENOSPC)
		return problem_tell(t->conf.problems, err,
				    "no more views: this mount has shown %d "
				    "different ones, which is the limit",
				    TREE_PARAMS_MAX);
	if (err < 0)
		return err;
	found = dirs_find(t->dirs, array, DIR_VIEW, d.params);
	if (found != ROW_NONE) {
		*number = found;
		return 0;
	}
	d.key = d.params;
	err = dirs_type(t->dirs, &g->item, &d.type);
	if (err == 0)
		err = item_json_size(t, array, s, g, &d.json_size);
	if (err == 0)
		err = tree_add_dir(t, &d, NULL, number);
	return err;
}

/* Patches of the size that the array states. */
static struct view_spec stated_patches(void)
{
	return (struct view_spec){.kind = VIEW_PATCHES, .format = FORMAT_NPY};
}

static int keep(struct tree *t, const struct view_spec *s)
{
	char name[NAME_BYTES_MAX + 1];
	uint32_t number;

	/* One without a name is not listed. */
	if (view_print(s, name) < 0)
		return 0;
	return dirs_params(t->dirs, s, name, &number);
}

int view_keep_listed(struct tree *t)
{
	const struct view_spec slices = view_slices(0);
	const struct view_spec patches = stated_patches();
	int err = keep(t, &slices);

	if (err == 0)
		err = keep(t, &patches);
	for (unsigned i = 0; err == 0 && i < t->nviews; i++)
		err = keep(t, &t->views[i]);
	return err;
}

/* Canonical spec of listed view i, wherever else it may come again. */
static int listed_at(const struct tree *t, const struct dir *array, unsigned i,
		     struct view_spec *s, struct view_geometry *g)
{
	const struct item_type *type = dirs_type_at(t->dirs, array->type);
	char why[VIEW_WHY_MAX];
	struct layout layout;

	if (i == 0) {
		*s = view_slices(0);
		/* Of one axis only by name: each element a file. */
		if (type->shape.ndim < 2)
			return -EINVAL;
	} else if (i == 1) {
		*s = stated_patches();
		if (!type->nhint)
			return -EINVAL;
	} else {
		*s = t->views[i - 2];
	}
	if (view_bind(s, type, g, why) < 0)
		return -EINVAL;
	return item_layout(&g->item, s->format, &layout) < 0 ? -EINVAL : 0;
}

int view_listed(const struct tree *t, const struct dir *array, unsigned i,
		struct view_spec *s, struct view_geometry *g)
{
	char name[NAME_BYTES_MAX + 1], earlier[NAME_BYTES_MAX + 1];
	int err;

	if (array->type == ROW_NONE || i >= view_listed_max(t))
		return -ENOENT;
	err = listed_at(t, array, i, s, g);
	if (err == 0)
		err = view_print(s, name);
	for (unsigned k = 0; err == 0 && k < i; k++) {
		struct view_spec other;
		struct view_geometry unused;

		if (listed_at(t, array, k, &other, &unused) == 0 &&
		    view_print(&other, earlier) == 0 &&
		    strcmp(name, earlier) == 0)
			err = -EINVAL;
	}
	return err;
}

/* True the first time, and again when long forgotten. */
static bool is_new(struct tree *t, uint64_t h)
{
	_Atomic uint64_t *slot = &t->said[h % SAID_SLOTS];

	return atomic_exchange_explicit(slot, h, memory_order_relaxed) != h;
}

void view_refuse(struct tree *t, uint32_t array, const char *what,
		 const char *name, const char *why)
{
	char label[PATH_MAX];

	if (!is_new(t, hash_mix(hash_bytes(name, strlen(name)), array) | 1))
		return;
	tree_label(t, array, label, sizeof(label));
	log_warn("%s: no %s %s: %s", label, what, name, why);
}
