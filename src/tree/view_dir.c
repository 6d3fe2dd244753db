/* SPDX-License-Identifier: MIT */

/* Views of an array: their directories, which are listed, why one is none. */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "tree/label.h"
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

void view_spec_of(const struct tree *t, const struct dir *d,
		  struct view_spec *out)
{
	char name[NAME_BYTES_MAX + 1], why[VIEW_WHY_MAX];

	memcpy(name, dirs_name(t->dirs, d), d->name_len);
	name[d->name_len] = '\0';
	/* It was printed from one. */
	if (view_parse(name, out, why) < 0)
		*out = view_slices(0);
}

void view_geometry(const struct tree *t, const struct dir *d,
		   struct view_geometry *out)
{
	const struct dir *array = dirs_at(t->dirs, d->parent);
	char why[VIEW_WHY_MAX];
	struct view_spec s;

	view_spec_of(t, d, &s);
	/* It was bound before it was given a number. */
	if (view_bind(&s, dirs_type_at(t->dirs, array->type), out, why) < 0)
		memset(out, 0, sizeof(*out));
}

int view_dir(struct tree *t, uint32_t array, const struct view_spec *s,
	     const struct view_geometry *g, uint32_t label, uint32_t *number)
{
	struct dir d = {
		.parent = array,
		.source = dirs_at(t->dirs, array)->source,
		.object = dirs_at(t->dirs, array)->object,
		.count = g->count,
		.listed = g->listed,
		.label = label,
		.kind = DIR_VIEW,
	};
	char name[NAME_BYTES_MAX + 1];
	uint32_t found;
	int err = view_print(s, name);

	if (err < 0)
		return err;
	err = dirs_params(t->dirs, name, &d.params);
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
		err = item_json_size(t, array, s, g, label, &d.json_size);
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
	return dirs_params(t->dirs, name, &number);
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

int view_bind_on(struct tree *t, uint32_t array, struct view_spec *s,
		 struct view_geometry *g, struct wait *w, uint32_t *label,
		 char why[VIEW_WHY_MAX])
{
	const struct dir *d = dirs_at(t->dirs, array);
	char name[NAME_BYTES_MAX + 1];
	struct layout layout;
	int err = view_bind(s, dirs_type_at(t->dirs, d->type), g, why);

	*label = ROW_NONE;
	if (err == 0 && item_layout(&g->item, s->format, &layout) < 0)
		err = view_bad(why, "the format cannot hold its items");
	if (err == 0)
		err = priority_bind(t, array, s, w, why);
	if (err == 0 && s->kind == VIEW_FOREGROUND)
		err = label_bind(t, array, s, g, w, label, why);
	if (err == 0 && view_print(s, name) < 0)
		err = view_bad(why, "its canonical name is too long");
	return err;
}

/* Canonical spec of listed view i, wherever else it may come again. */
static int listed_at(struct tree *t, uint32_t array, unsigned i,
		     struct view_spec *s, struct view_geometry *g,
		     struct wait *w, uint32_t *label, char *why)
{
	const struct dir *d = dirs_at(t->dirs, array);
	const struct item_type *type = dirs_type_at(t->dirs, d->type);

	*label = ROW_NONE;
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
	return view_bind_on(t, array, s, g, w, label, why);
}

/*
 * Why --view number i - 2 is not listed in an array: at level info once each;
 * that a class is not known, which may be a slip, once of a view.
 */
static void tell_unlisted(struct tree *t, uint32_t array, unsigned i,
			  struct wait *w, bool is_class)
{
	const char *name = t->conf.views[i - 2];
	char label[PATH_MAX], why[VIEW_WHY_MAX];
	struct view_geometry g;
	struct view_spec s;
	uint32_t unused;
	bool warns;

	if (!is_class && log_level < LOG_LEVEL_INFO)
		return;
	warns = is_class && view_is_new(t, name, strlen(name), UINT64_MAX - i);
	if (!warns &&
	    (log_level < LOG_LEVEL_INFO ||
	     !view_is_new(t, name, strlen(name), (uint64_t)array << 32 | i)))
		return;
	if (listed_at(t, array, i, &s, &g, w, &unused, why) != -EINVAL)
		return;
	tree_label(t, array, label, sizeof(label));
	log_line(warns ? LOG_LEVEL_WARN : LOG_LEVEL_INFO,
		 "%s: --view=%s is not listed: %s", label, name, why);
}

int view_listed(struct tree *t, uint32_t array, unsigned i, struct view_spec *s,
		struct view_geometry *g, struct wait *w, uint32_t *label)
{
	char name[NAME_BYTES_MAX + 1], earlier[NAME_BYTES_MAX + 1];
	int err;

	if (i >= view_listed_max(t))
		return -ENOENT;
	if (dirs_at(t->dirs, array)->type == ROW_NONE)
		return -EINVAL;
	err = listed_at(t, array, i, s, g, w, label, NULL);
	if (err == -EINVAL && i >= 2)
		tell_unlisted(t, array, i, w, *label != ROW_NONE);
	if (err == 0)
		err = view_print(s, name);
	for (unsigned k = 0; err == 0 && k < i; k++) {
		struct view_spec other;
		struct view_geometry unused;
		uint32_t one;

		if (listed_at(t, array, k, &other, &unused, w, &one, NULL) ==
			    0 &&
		    view_print(&other, earlier) == 0 &&
		    strcmp(name, earlier) == 0)
			err = -EINVAL;
	}
	return err;
}

bool view_is_new(struct tree *t, const char *text, size_t n, uint64_t number)
{
	uint64_t h = hash_mix(hash_bytes(text, n), number) | 1;
	_Atomic uint64_t *slot = &t->said[h % SAID_SLOTS];

	return atomic_exchange_explicit(slot, h, memory_order_relaxed) != h;
}

static void refuse(struct tree *t, uint32_t array, const char *name,
		   const char *why)
{
	char label[PATH_MAX];

	tree_label(t, array, label, sizeof(label));
	log_warn("%s: no view %s: %s", label, name, why);
}

void view_refuse(struct tree *t, uint32_t array, const char *name,
		 const char *why)
{
	if (t->conf.logs_names && view_is_new(t, name, strlen(name), array))
		refuse(t, array, name, why);
}

void view_refuse_kind(struct tree *t, uint32_t array, const char *name)
{
	const size_t n = strcspn(name, "+");
	char why[VIEW_WHY_MAX];

	if (!t->conf.logs_names || !name[n] || !view_is_new(t, name, n, 0))
		return;
	view_no_kind(name, why);
	refuse(t, array, name, why);
}
