/* SPDX-License-Identifier: MIT */

/*
 * The key priority: which classes of an annotation win in its dense labels
 * where several overlap. A list is canonical without what changes nothing:
 * classes that the annotation does not have, and a tail that is painted in
 * that order anyway.
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#include "tree/label.h"

/* ------------------------------------------------------------ in the spec */

const char *view_priority(const struct view_spec *s, unsigned i)
{
	return s->priority.text + s->priority.at[i];
}

int view_add_priority(struct view_spec *s, const char *name)
{
	struct view_priority *p = &s->priority;
	size_t n = strlen(name) + 1;

	if (p->n == VIEW_CLASSES_MAX || n > sizeof(p->text) - p->used)
		return -ENAMETOOLONG;
	memcpy(p->text + p->used, name, n);
	p->at[p->n++] = p->used;
	p->used = (uint16_t)(p->used + n);
	return 0;
}

/* ---------------------------------------------------------------- binding */

/* The order in which info has the class; -1: it does not. */
static int64_t place_of(const struct derived_info *info, int64_t id)
{
	for (unsigned i = 0; i < info->nclass; i++)
		if (info->class[i].id == id)
			return i;
	return -1;
}

/* Whether the label table of the array's sample has the class. */
static bool is_in_table(const struct pin *p, const struct dir *array,
			int64_t id)
{
	struct sample_info sample;
	struct place_info place;
	struct label_info label;

	if (id < 1 || id > UINT16_MAX ||
	    !catalog_place(p->k, array->object, &place))
		return false;
	catalog_sample(p->k, place.sample, &sample);
	return catalog_label_by_id(p->k, &sample, (uint32_t)id, &label);
}

static bool is_listed(const int64_t *ids, unsigned n, int64_t id)
{
	for (unsigned i = 0; i < n; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* Whether the last of the list is painted after all that are not in it. */
static bool is_last_anyway(const struct derived_info *info, const int64_t *ids,
			   unsigned n)
{
	unsigned i = info->nclass;

	while (i > 0 && is_listed(ids, n - 1, info->class[i - 1].id))
		i--;
	return i > 0 && info->class[i - 1].id == ids[n - 1];
}

/* The ids of the list that matter; with n the number of them. */
static int find_ids(const struct pin *p, const struct dir *array,
		    const struct derived_info *info, const struct view_spec *s,
		    int64_t ids[VIEW_CLASSES_MAX], unsigned *n,
		    char why[VIEW_WHY_MAX])
{
	unsigned kept = 0;

	for (unsigned i = 0; i < s->priority.n; i++) {
		const char *name = view_priority(s, i);

		if (label_class_id(p, array, name, &ids[i]) < 0 ||
		    (place_of(info, ids[i]) < 0 &&
		     !is_in_table(p, array, ids[i])))
			return label_no_class(p, array, name, why);
		if (is_listed(ids, i, ids[i]))
			return view_bad(why, "class \"%.64s\" is given twice",
					name);
	}
	for (unsigned i = 0; i < s->priority.n; i++)
		if (place_of(info, ids[i]) >= 0)
			ids[kept++] = ids[i];
	while (kept > 0 && is_last_anyway(info, ids, kept))
		kept--;
	/* One class a voxel: none can win. */
	*n = info->encoding == LABELS_MAP ? 0 : kept;
	return 0;
}

static int bind(const struct pin *p, const struct dir *array,
		struct view_spec *s, char why[VIEW_WHY_MAX])
{
	int64_t ids[VIEW_CLASSES_MAX];
	struct derived_info info;
	struct array_info a;
	unsigned n = 0;
	int err;

	catalog_array(p->k, array->object, &a);
	if (a.layout == CAT_DERIVED)
		catalog_derived(p->k, array->object, &info);
	if (a.layout != CAT_DERIVED || info.kind != DERIVED_LABELS)
		return view_bad(why, "priority is of the labels of a medh5 "
				     "annotation alone");
	err = find_ids(p, array, &info, s, ids, &n, why);
	if (err < 0)
		return err;
	memset(&s->priority, 0, sizeof(s->priority));
	for (unsigned i = 0; i < n && err == 0; i++) {
		char name[CLASS_NAME_MAX];

		label_class_text(p, array, ids[i], name);
		err = view_add_priority(s, name);
	}
	return err < 0 ? view_bad(why, "its canonical name is too long") : 0;
}

int priority_bind(struct tree *t, uint32_t array, struct view_spec *s,
		  struct wait *w, char why[VIEW_WHY_MAX])
{
	const struct dir *d = dirs_at(t->dirs, array);
	struct pin pin;
	int err;

	if (s->priority.n == 0)
		return 0;
	err = pin_get(t, d, w, &pin);
	if (err < 0)
		return err;
	err = pin_check(&pin, d);
	if (err == 0)
		err = bind(&pin, d, s, why);
	pin_put(&pin);
	return err;
}

/* ---------------------------------------------------------------- reading */

int priority_use(const struct tree *t, const struct pin *p,
		 const struct dir *view, struct any_array *values,
		 uint16_t ids[VIEW_CLASSES_MAX])
{
	struct derived *labels = &values->derived.derived;
	struct view_spec s;

	if (view->kind != DIR_VIEW || !values->is_derived ||
	    labels->info.kind != DERIVED_LABELS)
		return 0;
	view_spec_of(t, view, &s);
	for (unsigned i = 0; i < s.priority.n; i++) {
		int64_t id;

		/* It was bound; the file is another now. */
		if (label_class_id(p, dirs_at(t->dirs, view->parent),
				   view_priority(&s, i), &id) < 0 ||
		    id < 0 || id > UINT16_MAX)
			return -ESTALE;
		ids[i] = (uint16_t)id;
	}
	labels->priority = ids;
	labels->npriority = s.priority.n;
	return 0;
}
