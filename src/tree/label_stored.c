/* SPDX-License-Identifier: MIT */

/*
 * The sampling index that a medh5 file keeps of an annotation, where it can
 * serve: it is fresh and has every class that may be drawn.
 */

#include <config.h>

#include "tree/label_stored.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is asked of the annotation whose dense labels a label array is. */
static bool prepare(struct tree *t, const struct pin *p, uint32_t label,
		    struct label_stored *out)
{
	const struct dir *dir = dirs_at(t->dirs, label);
	struct place_info place;
	struct array_info a;

	memset(out, 0, sizeof(*out));
	catalog_array(p->k, dir->object, &a);
	if (a.layout != CAT_DERIVED ||
	    !catalog_place(p->k, dir->object, &place) ||
	    place.annotation == OBJECT_NONE)
		return false;
	catalog_derived(p->k, dir->object, &out->info);
	if (out->info.kind != DERIVED_LABELS || out->info.broken.n)
		return false;
	tree_label(t, dir->parent, out->label, sizeof(out->label));
	out->ask = (struct stored_ask){
		.env = p->env,
		.container = p->container,
		.source = p->key,
		.k = p->k,
		.sample = place.sample,
		.annotation = place.annotation,
		.label = out->label,
	};
	return true;
}

int label_stored_look(struct tree *t, const struct pin *p, uint32_t label,
		      struct wait *w, struct label_stored *out)
{
	const struct dir *dir = dirs_at(t->dirs, label);
	int err;

	if (!prepare(t, p, label, out))
		return -ENOENT;
	err = stored_get(&out->ask, w, &out->pin);
	if (err < 0)
		return err;
	if (stored_state(out->pin.index) == STORED_FRESH &&
	    shape_equal(stored_shape(out->pin.index),
			&dirs_type_at(t->dirs, dir->type)->shape))
		return 0;
	label_stored_put(out);
	return -ENOENT;
}

static bool is_wanted(const int64_t *ids, unsigned n, int64_t id)
{
	for (unsigned i = 0; i < n; i++)
		if (ids[i] == id)
			return true;
	return n == 0;
}

/* Whether it has all of what the annotation declares and is wanted. */
static bool has_all(const struct label_stored *s, const int64_t *ids,
		    unsigned n)
{
	for (unsigned i = 0; i < s->info.nclass; i++)
		if (is_wanted(ids, n, s->info.class[i].id) &&
		    stored_find(s->pin.index, s->info.class[i].id) < 0)
			return false;
	return true;
}

int label_stored_get(struct tree *t, const struct pin *p, uint32_t label,
		     const int64_t *ids, unsigned n, struct wait *w,
		     struct label_stored *out)
{
	int err = label_stored_look(t, p, label, w, out);

	if (err < 0 || has_all(out, ids, n))
		return err;
	label_stored_put(out);
	return -ENOENT;
}

bool *label_stored_declared(const struct label_stored *s)
{
	bool *is = calloc(stored_classes(s->pin.index) + 1u, sizeof(*is));

	for (unsigned i = 0; is && i < s->info.nclass; i++) {
		int64_t at = stored_find(s->pin.index, s->info.class[i].id);

		if (at >= 0)
			is[at] = true;
	}
	return is;
}

void label_stored_put(struct label_stored *s)
{
	if (s->pin.entry)
		stored_put(s->ask.env, &s->pin);
	s->pin = (struct stored_pin){0};
}

int label_stored_check(struct tree *t, uint32_t label,
		       const struct view_draw *d, struct wait *w,
		       char why[VIEW_WHY_MAX])
{
	const struct dir *dir = dirs_at(t->dirs, label);
	int64_t ids[VIEW_CLASSES_MAX] = {0};
	struct label_stored stored;
	struct pin pin;
	int err = pin_get(t, dir, w, &pin);

	if (err < 0)
		return err;
	err = pin_check(&pin, dir);
	for (unsigned i = 0; i < d->nclass && err == 0; i++)
		err = label_class_id(&pin, dir, view_class(d, i), &ids[i]);
	if (err == 0)
		err = label_stored_get(t, &pin, label, ids, d->nclass, w,
				       &stored);
	if (err == 0)
		label_stored_put(&stored);
	pin_put(&pin);
	return err == -ENOENT ? view_bad(why, "the file keeps no fresh "
					      "sampling index of all of the "
					      "classes")
			      : err;
}
