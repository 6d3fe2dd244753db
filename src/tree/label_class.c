/* SPDX-License-Identifier: MIT */

/*
 * What the classes of a label array are called. A class is named where the
 * label table of its sample has a key that is of this class alone and could
 * not be a number; else its id is its name.
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tree/label.h"
#include "util/parse.h"

/* "-1", "17". */
static bool is_number(const char *s, size_t n)
{
	bool negative = n > 0 && *s == '-';

	for (size_t i = negative; i < n; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return n > negative;
}

static int parse_id(const char *s, int64_t *id)
{
	bool negative = *s == '-';
	uint64_t v;

	if (parse_decimal(s + negative, strlen(s) - negative, &v) < 0 ||
	    v > (uint64_t)INT64_MAX + negative)
		return -ENOENT;
	/* There is one more number below zero than above it. */
	*id = v > INT64_MAX ? INT64_MIN : negative ? -(int64_t)v : (int64_t)v;
	return 0;
}

static bool is_key(struct bytes key, const char *name, size_t n)
{
	return key.n == n && memcmp(key.p, name, n) == 0;
}

/*
 * Whether the values that an annotation stores are ids. Those of others are
 * words of bits, or no more than true: the table knows nothing of them.
 */
static bool stores_ids(const struct pin *p, uint32_t annotation)
{
	struct bytes kind;

	return catalog_text(p->k, annotation, "kind", &kind) &&
	       (is_key(kind, "labelmap", 8) || is_key(kind, "layers", 6));
}

/* The sample whose label table holds for the values of a label. */
static bool table_of(const struct pin *p, const struct dir *label,
		     struct sample_info *out)
{
	struct derived_info derived;
	struct place_info place;
	struct array_info a;

	if (!catalog_place(p->k, label->object, &place) ||
	    place.annotation == OBJECT_NONE)
		return false;
	catalog_array(p->k, label->object, &a);
	if (a.kind != 'u' && a.kind != 'i')
		return false;
	if (a.layout == CAT_DERIVED) {
		catalog_derived(p->k, label->object, &derived);
		if (derived.kind != DERIVED_LABELS)
			return false;
	} else if (!stores_ids(p, place.annotation)) {
		return false;
	}
	catalog_sample(p->k, place.sample, out);
	return true;
}

bool label_has_names(const struct pin *p, const struct dir *label)
{
	struct sample_info s;

	return table_of(p, label, &s);
}

void label_class_name(const struct pin *p, const struct dir *label, int64_t id,
		      char out[CLASS_NAME_MAX])
{
	char raw[CLASS_NAME_MAX];
	struct sample_info s;
	struct label_info l;

	*out = '\0';
	if (id < 1 || id > UINT16_MAX || !table_of(p, label, &s) ||
	    !catalog_label_by_id(p->k, &s, (uint32_t)id, &l) ||
	    !l.has_own_key || l.key.n >= sizeof(raw) ||
	    is_number(l.key.p, l.key.n) || memchr(l.key.p, '\0', l.key.n))
		return;
	memcpy(raw, l.key.p, l.key.n);
	raw[l.key.n] = '\0';
	if (value_encode(raw, out, CLASS_NAME_MAX) >= CLASS_NAME_MAX)
		*out = '\0';
}

void label_class_text(const struct pin *p, const struct dir *label, int64_t id,
		      char out[CLASS_NAME_MAX])
{
	char name[CLASS_NAME_MAX];

	label_class_name(p, label, id, name);
	if (*name)
		value_decode(name, strlen(name), out);
	else
		snprintf(out, CLASS_NAME_MAX, "%" PRId64, id);
}

int label_class_id(const struct pin *p, const struct dir *label,
		   const char *name, int64_t *id)
{
	const size_t n = strlen(name);
	struct sample_info s;

	if (is_number(name, n))
		return parse_id(name, id);
	if (!table_of(p, label, &s))
		return -ENOENT;
	for (uint32_t i = 0; i < s.nlabel; i++) {
		struct label_info l;

		catalog_label(p->k, &s, i, &l);
		if (!l.has_own_key || !is_key(l.key, name, n))
			continue;
		*id = l.id;
		return 0;
	}
	return -ENOENT;
}

/* ---------------------------------------------------------------- binding */

struct wanted {
	int64_t id;
	double weight;
};

/* Sorted by id, those that are the same once. False: with other weights. */
static bool insert(struct wanted *list, unsigned *n, struct wanted one)
{
	unsigned i = *n;

	for (unsigned k = 0; k < *n; k++)
		if (list[k].id == one.id)
			return list[k].weight == one.weight;
	for (; i > 0 && list[i - 1].id > one.id; i--)
		list[i] = list[i - 1];
	list[i] = one;
	++*n;
	return true;
}

/* The first classes that there are, for people. */
static void list_names(const struct pin *p, const struct dir *label, char *out,
		       size_t size)
{
	struct sample_info s;
	size_t n = 0;

	snprintf(out, size, "classes are numbers here");
	if (!table_of(p, label, &s))
		return;
	for (uint32_t i = 0; i < s.nlabel && n < size; i++) {
		char name[CLASS_NAME_MAX];
		struct label_info l;

		catalog_label(p->k, &s, i, &l);
		label_class_name(p, label, l.id, name);
		if (*name)
			n += (size_t)snprintf(out + n, size - n, "%s%s",
					      n ? ", " : "there are ", name);
	}
}

int label_no_class(const struct pin *p, const struct dir *label,
		   const char *name, char why[VIEW_WHY_MAX])
{
	char names[VIEW_WHY_MAX / 2];

	list_names(p, label, names, sizeof(names));
	return view_bad(why, "no class \"%.64s\"; %s", name, names);
}

/*
 * Whether an id can be of a class: where there is a label table, those that it
 * or the annotation has. Another is not a class that happens to be absent.
 */
static bool is_class(const struct pin *p, const struct dir *label, int64_t id)
{
	struct derived_info d;
	struct sample_info s;
	struct array_info a;
	struct label_info l;

	catalog_array(p->k, label->object, &a);
	if (a.layout != CAT_DERIVED || !table_of(p, label, &s) || s.nlabel == 0)
		return true;
	if (id < 0 || id > UINT16_MAX)
		return false;
	catalog_derived(p->k, label->object, &d);
	for (unsigned i = 0; i < d.nclass; i++)
		if (d.class[i].id == id)
			return true;
	return catalog_label_by_id(p->k, &s, (uint32_t)id, &l);
}

static int sort_classes(const struct pin *p, const struct dir *label,
			struct view_draw *d, char why[VIEW_WHY_MAX])
{
	struct wanted list[VIEW_CLASSES_MAX];
	struct view_draw old = *d;
	unsigned n = 0;
	int err = 0;

	for (unsigned i = 0; i < old.nclass; i++) {
		struct wanted one = {.weight = old.weight[i]};
		const char *name = view_class(&old, i);

		if (label_class_id(p, label, name, &one.id) < 0 ||
		    !is_class(p, label, one.id))
			return label_no_class(p, label, name, why);
		if (!insert(list, &n, one))
			return view_bad(why,
					"class \"%.64s\" is given twice, with "
					"two weights",
					name);
	}
	view_drop_classes(d);
	for (unsigned i = 0; i < n && err == 0; i++) {
		char name[CLASS_NAME_MAX];

		label_class_text(p, label, list[i].id, name);
		err = view_add_class(d, name, list[i].weight);
	}
	return err == -ENAMETOOLONG
		       ? view_bad(why, "its canonical name is too long")
		       : err;
}

int label_bind_classes(struct tree *t, uint32_t label, struct view_draw *d,
		       struct wait *w, char why[VIEW_WHY_MAX])
{
	const struct dir *dir = dirs_at(t->dirs, label);
	struct pin pin;
	int err;

	if (d->nclass == 0)
		return 0;
	err = pin_get(t, dir, w, &pin);
	if (err < 0)
		return err;
	err = pin_check(&pin, dir);
	if (err == 0)
		err = sort_classes(&pin, dir, d, why);
	pin_put(&pin);
	return err;
}
