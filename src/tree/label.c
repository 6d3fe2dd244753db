/* SPDX-License-Identifier: MIT */

/*
 * The label array of a foreground view: found (label_find.c), then named in the
 * one way that the canonical name has.
 */

#include <config.h>

#include "tree/label.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tree/label_find.h"
#include "tree/label_stored.h"

bool label_accepts(const struct tree *t, const struct dir *d)
{
	const struct item_type *type;

	if (d->kind != DIR_ARRAY || d->type == ROW_NONE ||
	    d->flags & DIR_REFUSED)
		return false;
	type = dirs_type_at(t->dirs, d->type);
	return type->shape.ndim > 0 &&
	       (type->kind == 'i' || type->kind == 'u' || type->kind == 'b');
}

/* The group that an array is in, which may lie in another array's directory. */
static uint32_t group_of(const struct tree *t, uint32_t array)
{
	do
		array = dirs_at(t->dirs, array)->parent;
	while (dirs_at(t->dirs, array)->kind == DIR_ARRAY);
	return array;
}

/* -------------------------------------------------------- canonical names */

int label_path(const struct tree *t, uint32_t array, uint32_t label, char *buf,
	       size_t size)
{
	uint32_t top;
	size_t n = 0, part;

	for (top = group_of(t, array);; top = dirs_at(t->dirs, top)->parent) {
		uint32_t up = dirs_at(t->dirs, label)->parent;

		while (up != top && up != DIR_ROOT)
			up = dirs_at(t->dirs, up)->parent;
		if (up == top)
			break;
		n += (size_t)snprintf(n < size ? buf + n : NULL,
				      n < size ? size - n : 0, "../");
	}
	part = dirs_path(t->dirs, top, label, n < size ? buf + n : NULL,
			 n < size ? size - n : 0);
	return n + part < size ? 0 : -ENAMETOOLONG;
}

int label_named(struct label_search *s, uint32_t label, char *out, size_t size)
{
	const struct dir *d = dirs_at(s->t->dirs, label);
	struct array_info a;
	int err;

	/* The labels of an annotation are called as it is. */
	if (d->source == dirs_at(s->t->dirs, s->array)->source) {
		catalog_array(s->pin->k, d->object, &a);
		if (a.layout == CAT_DERIVED && d->name_len == 6 &&
		    !memcmp(dirs_name(s->t->dirs, d), "labels", 6))
			d = dirs_at(s->t->dirs, d->parent);
	}
	snprintf(out, size, "%.*s", d->name_len, dirs_name(s->t->dirs, d));
	err = label_find(s, out);
	if (err < 0 || (s->n == 1 && s->found == label))
		return err;
	return label_path(s->t, s->array, label, out, size);
}

/* The name that says the least and still leads to that label. */
static int canonical(struct label_search *s, uint32_t label, char *out,
		     size_t size)
{
	int err;

	*out = '\0';
	err = label_find(s, out);
	if (err < 0 || (s->n == 1 && s->found == label))
		return err;
	return label_named(s, label, out, size);
}

static int set_labels(struct label_search *s, struct view_draw *d,
		      uint32_t label)
{
	char name[NAME_BYTES_MAX + 1];
	int err;

	/* What says nothing is canonical already. */
	if (!*view_labels(d))
		return 0;
	err = canonical(s, label, name, sizeof(name));
	if (err == 0)
		err = view_set_labels(d, name);
	return err == -ENAMETOOLONG
		       ? view_bad(s->why, "its canonical name is too long")
		       : err;
}

/*
 * Nothing was found: what is there, what was passed over, and what a path that
 * was cut at its "/" looks like. -EINVAL.
 */
static int none(struct label_search *s, const char *labels)
{
	char known[VIEW_WHY_MAX / 2], passed[sizeof(s->passed)];
	uint32_t dir = ROW_NONE;
	const char *before;
	int err = 0;

	if (!s->why)
		return -EINVAL;
	memcpy(passed, s->passed, sizeof(passed));
	if (*labels)
		err = label_walk(s, s->group, labels, &dir);
	if (err == 0)
		err = label_list(s, labels, known, sizeof(known));
	if (err < 0)
		return err;
	before = *known ? "; " : "";
	if (dir != ROW_NONE)
		return view_bad(
			s->why,
			"no label array \"%.99s\", which is a directory: "
			"a / in a path is written %%2F, as in "
			"labels-..%%2FNAME%s%s",
			labels, before, known);
	if (*labels)
		return view_bad(s->why, "no label array \"%.99s\"%s%s", labels,
				before, known);
	if (s->sample != ROW_NONE)
		return view_bad(s->why,
				"the sample has no annotation with classes on "
				"its grid%s; name an array with labels-A%s%s",
				passed, before, known);
	return view_bad(s->why,
			"no label array beside it, called label, labels, mask, "
			"seg, segmentation or annotation and with the same "
			"trailing extents%s; name one with labels-A%s%s",
			passed, before, known);
}

static int choose(struct label_search *s, const char *labels, uint32_t *label)
{
	int err = label_find(s, labels);

	if (err < 0)
		return err;
	if (s->n > 1)
		return view_bad(s->why,
				"several label arrays: %s; name one with "
				"labels-A",
				s->names);
	if (s->n == 0)
		return none(s, labels);
	err = label_check(s, s->found, s->why);
	if (err == 0)
		*label = s->found;
	return err;
}

/* The directory of the sample that an array belongs to. */
static uint32_t sample_dir(const struct label_search *s)
{
	struct sample_info sample;
	uint32_t dir = s->group;

	if (!s->has_place)
		return ROW_NONE;
	catalog_sample(s->pin->k, s->place.sample, &sample);
	for (;; dir = dirs_at(s->t->dirs, dir)->parent) {
		const struct dir *d = dirs_at(s->t->dirs, dir);

		if (d->object == sample.root)
			return dir;
		if (d->kind == DIR_CONTAINER)
			return ROW_NONE;
	}
}

int label_bind(struct tree *t, uint32_t array, struct view_spec *s,
	       const struct view_geometry *g, struct wait *w, uint32_t *label,
	       char why[VIEW_WHY_MAX])
{
	const struct dir *d = dirs_at(t->dirs, array);
	struct label_search x = {
		.t = t,
		.array = array,
		.group = group_of(t, array),
		.g = g,
		.w = w,
		.why = why,
	};
	struct pin pin;
	int err = pin_get(t, d, w, &pin);

	if (err < 0)
		return err;
	err = pin_check(&pin, d);
	if (err == 0) {
		x.pin = &pin;
		x.has_place = catalog_place(pin.k, d->object, &x.place);
		x.sample = sample_dir(&x);
		err = choose(&x, view_labels(&s->draw), label);
	}
	if (err == 0)
		err = set_labels(&x, &s->draw, *label);
	pin_put(&pin);
	if (err == 0)
		err = label_bind_classes(t, *label, &s->draw, w, why);
	if (err < 0 || s->draw.index != VIEW_INDEX_STORED)
		return err;
	err = label_stored_check(t, *label, &s->draw, w, why);
	if (err < 0)
		*label = ROW_NONE;
	return err;
}
