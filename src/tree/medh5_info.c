/* SPDX-License-Identifier: MIT */

/*
 * The members of info.json that medh5 files have beside those of any other.
 * Texts of a sample's document come from the catalog, which has only those
 * that may be shown.
 */

#include <config.h>

#include "tree/medh5_info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tree/names.h"
#include "util/cleanup.h"
#include "util/json.h"

/* The value of an attribute, or null; of that many elements, unless 0. */
static struct json *attribute(const struct catalog *k, uint32_t object,
			      const char *name, uint64_t count)
{
	struct attr a;

	if (!catalog_attr_find(k, object, name, &a) || a.class == CAT_UNSHOWN ||
	    (count && a.count != count))
		return json_null_new();
	return json_of_attr(&a);
}

static void put_attribute(struct json_out *o, const struct catalog *k,
			  uint32_t object, const char *key, const char *name)
{
	json_out_value(o, key, attribute(k, object, name, 0));
}

static struct json *text_or_null(struct bytes b)
{
	return b.n ? json_text_new(b.p, b.n) : json_null_new();
}

/* Ids: numbers of the list, or none; caller frees. */
static struct json *ids(const struct catalog *k, uint32_t object,
			const char *name)
{
	struct attr a;

	if (!catalog_attr_find(k, object, name, &a) || a.class != CAT_NUMBERS ||
	    a.rank != 1)
		return json_array_new();
	return json_of_attr(&a);
}

/* ------------------------------------------------------------------ grids */

static void set_geometry(struct json *j, const struct catalog *k, uint32_t grid,
			 uint64_t n)
{
	json_set(j, "spacing", attribute(k, grid, "spacing", n));
	json_set(j, "origin", attribute(k, grid, "origin", n));
	json_set(j, "direction", attribute(k, grid, "direction", n * n));
	json_set(j, "coord_system", attribute(k, grid, "coord_system", 0));
	json_set(j, "units", attribute(k, grid, "units", 0));
	json_set(j, "patch_hint", attribute(k, grid, "patch_hint", n));
}

/* The name of a member as it is shown. 0 or -ENOMEM. */
static int shown_name(const struct catalog *k, uint32_t group, uint32_t i,
		      char name[NAME_BYTES_MAX + 1], uint32_t *target)
{
	struct member m;

	catalog_member(k, group, i, &m);
	*target = m.kind == CAT_HARD ? m.target : OBJECT_NONE;
	return name_encode(m.name, NAME_INSIDE, name);
}

static uint32_t group_named(const struct catalog *k, uint32_t root,
			    const char *name)
{
	int64_t i = catalog_find(k, root, name, strlen(name));
	struct member m;

	if (i < 0)
		return OBJECT_NONE;
	catalog_member(k, root, (uint32_t)i, &m);
	if (m.kind != CAT_HARD || catalog_kind(k, m.target) != OBJECT_GROUP)
		return OBJECT_NONE;
	return m.target;
}

/* Two or three, where a grid says so. */
static unsigned count_spatial(const struct catalog *k, uint32_t grid)
{
	struct attr a;

	return catalog_attr_find(k, grid, "spacing", &a) && a.count == 2 ? 2
									 : 3;
}

static int put_grids(struct json_out *o, const struct catalog *k, uint32_t root)
{
	static const char *const more[] = {"shape", "axis_names", "axis_kinds"};
	uint32_t grids = group_named(k, root, "grids"), grid;
	char name[NAME_BYTES_MAX + 1];
	int err = 0;

	json_out_open(o, "grids", '{');
	for (uint32_t i = 0;
	     grids != OBJECT_NONE && !err && i < catalog_members(k, grids);
	     i++) {
		struct json *j;

		err = shown_name(k, grids, i, name, &grid);
		if (err || grid == OBJECT_NONE ||
		    catalog_kind(k, grid) != OBJECT_GROUP)
			continue;
		j = json_object_new();
		set_geometry(j, k, grid, count_spatial(k, grid));
		for (size_t m = 0; m < sizeof(more) / sizeof(*more); m++)
			json_set(j, more[m], attribute(k, grid, more[m], 0));
		json_out_member(o, name, strlen(name), j);
	}
	json_out_close(o, '}');
	return err;
}

/* ----------------------------------------------------------------- labels */

static void put_name(struct json_out *o, const char *key, struct bytes b)
{
	if (b.n)
		json_out_field_text(o, key, b.p, b.n);
	else
		json_out_field_null(o, key);
}

static void put_label(struct json_out *o, uint32_t id,
		      const struct label_info *l)
{
	uint64_t color[4];

	json_out_field_number(o, "id", id);
	put_name(o, "key", l->key);
	put_name(o, "name", l->name);
	for (unsigned i = 0; i < 4; i++)
		color[i] = l->color[i];
	if (l->has_color)
		json_out_field_shape(o, "color", 4, color);
	else
		json_out_field_null(o, "color");
}

/* At most so many parents are told of one class. */
#define PARENTS_SHOWN 64

static void put_labels(struct json_out *o, const struct catalog *k,
		       const struct sample_info *s)
{
	json_out_open(o, "labels", '[');
	for (uint32_t i = 0; i < s->nlabel; i++) {
		uint64_t parent[PARENTS_SHOWN];
		struct label_info l;
		unsigned n;

		catalog_label(k, s, i, &l);
		n = l.nparent < PARENTS_SHOWN ? l.nparent : PARENTS_SHOWN;
		for (unsigned p = 0; p < n; p++)
			parent[p] = l.parent[p];
		json_out_row(o);
		put_label(o, l.id, &l);
		json_out_field_shape(o, "parents", n, parent);
		json_out_row_end(o);
	}
	json_out_close(o, ']');
}

/* What the catalog made of them is JSON already. */
static struct json *splits(const struct sample_info *s)
{
	struct json *j;

	if (!s->splits.n)
		return json_array_new();
	return json_parse(s->splits.p, s->splits.n, &j) ? NULL : j;
}

int medh5_put_sample(struct json_out *o, const struct catalog *k, uint32_t i)
{
	struct sample_info s;
	struct json *set = json_object_new();

	catalog_sample(k, i, &s);
	put_attribute(o, k, s.root, "version", "medh5_version");
	json_out_value(o, "kind", json_str_new("sample"));
	put_attribute(o, k, s.root, "profiles", "medh5_profiles");
	put_attribute(o, k, s.root, "content_id", "content_id");
	json_out_value(o, "group_id", text_or_null(s.group_id));
	json_out_value(o, "splits", splits(&s));
	json_set(set, "id", text_or_null(s.set_id));
	json_set(set, "version", text_or_null(s.set_version));
	json_set(set, "sha256", text_or_null(s.set_sha256));
	json_out_value(o, "label_set", set);
	put_labels(o, k, &s);
	return put_grids(o, k, s.root);
}

static int put_samples(struct json_out *o, const struct catalog *k)
{
	uint32_t samples = group_named(k, 0, "samples"), object;
	char name[NAME_BYTES_MAX + 1];
	int err = 0;

	json_out_open(o, "samples", '[');
	for (uint32_t i = 0;
	     samples != OBJECT_NONE && !err && i < catalog_members(k, samples);
	     i++) {
		err = shown_name(k, samples, i, name, &object);
		if (!err && object != OBJECT_NONE &&
		    catalog_sample_at(k, object) >= 0)
			json_out_text(o, NULL, name, strlen(name));
	}
	json_out_close(o, ']');
	return err;
}

int medh5_put_root(struct json_out *o, const struct catalog *k)
{
	int64_t i = catalog_sample_at(k, 0);

	if (catalog_medh5(k) == MEDH5_NOT)
		return 0;
	if (catalog_medh5(k) == MEDH5_COLLECTION) {
		put_attribute(o, k, 0, "version", "medh5_version");
		json_out_value(o, "kind", json_str_new("collection"));
		return put_samples(o, k);
	}
	return i < 0 ? 0 : medh5_put_sample(o, k, (uint32_t)i);
}

/* ------------------------------------------------------------ annotations */

static const char *derived_text(enum derived_kind kind)
{
	switch (kind) {
	case DERIVED_LABELS:
		return "labels";
	case DERIVED_CLASS:
		return "class";
	case DERIVED_IGNORE:
		return "ignore";
	case DERIVED_PHYSICAL:
		return "physical";
	case DERIVED_VALID:
		return "valid";
	}
	return "unknown";
}

/* A byte an id, for those that were looked for. */
static void mark_annotated(const struct catalog *k, uint32_t annotation,
			   const char *name, uint8_t *mark)
{
	struct attr a;

	if (!catalog_attr_find(k, annotation, name, &a) ||
	    a.class != CAT_NUMBERS || a.kind == 'f')
		return;
	for (uint64_t i = 0; i < a.count; i++) {
		const uint8_t *p = (const uint8_t *)a.data.p + i * a.item_size;
		uint64_t v = 0;

		for (unsigned b = 0; b < a.item_size; b++)
			v |= (uint64_t)p[b] << 8 * b;
		if (v < 65536)
			mark[v] = 1;
	}
}

static void put_class(struct json_out *o, const struct catalog *k,
		      const struct sample_info *s, uint32_t id,
		      const uint8_t *annotated)
{
	struct label_info l = {0};

	if (!catalog_label_by_id(k, s, id, &l))
		l = (struct label_info){0};
	put_label(o, id, &l);
	json_out_field_bool(o, "annotated", annotated[id]);
}

/* Looked for, and nothing that the data can say: so it is nowhere. */
static struct json *absent(const uint8_t *annotated, const uint8_t *declared)
{
	struct json *j = json_array_new();

	for (unsigned id = 1; id < 65536; id++)
		if (annotated[id] && !declared[id])
			json_append(j, json_uint_new(id));
	return j;
}

static bool has_ignore(const struct derived_info *d)
{
	return d->ignore_in_band || d->ignore_mask != OBJECT_NONE;
}

/* Of the sampling index in the file what is known without reading it. */
static int put_index(struct json_out *o, const struct catalog *k,
		     const struct place_info *p)
{
	static const char *const state[] = {
		[CARRIED_ABSENT] = "absent",
		[CARRIED_FRESH] = "fresh",
		[CARRIED_STALE] = "stale",
		[CARRIED_MALFORMED] = "malformed",
		[CARRIED_UNKNOWN] = "unknown",
	};
	struct carried_index c;
	struct json *j;
	int err = catalog_carried(k, p->sample, p->annotation, NULL, NULL, &c);

	if (err)
		return err;
	j = json_object_new();
	json_set(j, "state", json_str_new(state[c.state]));
	json_set(j, "why", text_or_null((struct bytes){c.why, strlen(c.why)}));
	json_out_value(o, "index", j);
	return 0;
}

static int put_derived(struct json_out *o, const struct catalog *k,
		       const struct sample_info *s, const struct place_info *p,
		       const struct derived_info *d)
{
	const uint32_t annotation = p->annotation;
	CLEANUP(cleanup_freep) uint8_t *annotated = calloc(2, 65536);
	uint8_t *declared = annotated + 65536;
	int err;

	if (!annotated)
		return -ENOMEM;
	mark_annotated(k, annotation, "annotated_class_ids", annotated);
	mark_annotated(k, annotation, "class_ids", declared);
	if (d->kind != DERIVED_LABELS && d->kind != DERIVED_CLASS)
		return 0;
	/* Of one class that alone: there may be as many files as classes. */
	json_out_open(o, "classes", '[');
	for (unsigned i = 0; i < (d->kind == DERIVED_CLASS ? 1 : d->nclass);
	     i++) {
		json_out_row(o);
		put_class(o, k, s, d->class[i].id, annotated);
		json_out_row_end(o);
	}
	json_out_close(o, ']');
	err = put_index(o, k, p);
	if (err || d->kind == DERIVED_CLASS)
		return err;
	json_out_value(o, "annotated",
		       ids(k, annotation, "annotated_class_ids"));
	json_out_value(o, "absent", absent(annotated, declared));
	json_out_value(o, "ignore_id",
		       has_ignore(d) ? json_uint_new(d->ignore_id)
				     : json_null_new());
	return 0;
}

/* --------------------------------------------------------------- an array */

/* The last name on the way to an object. */
static int own_name(const struct catalog *k, uint32_t object,
		    char name[NAME_BYTES_MAX + 1])
{
	struct path_step few[8];
	unsigned depth = catalog_path(k, object, few, 8);
	uint32_t target;

	name[0] = '\0';
	/* A grid lies at grids/ID of its sample. */
	if (depth == 0 || depth > 8)
		return 0;
	return shown_name(k, few[depth - 1].group, few[depth - 1].member, name,
			  &target);
}

static int put_geometry(struct json_out *o, const struct catalog *k,
			const struct place_info *p)
{
	char name[NAME_BYTES_MAX + 1];
	struct json *j;
	int err = own_name(k, p->grid, name);

	if (err)
		return err;
	j = json_object_new();
	json_set(j, "grid", json_str_new(name));
	set_geometry(j, k, p->grid, p->nspatial);
	json_out_value(o, "geometry", j);
	return 0;
}

int medh5_put_array(struct json_out *o, const struct catalog *k,
		    uint32_t object)
{
	struct derived_info d = {0};
	struct sample_info s;
	struct place_info p;
	struct array_info a;
	bool is_derived;
	int err = 0;

	catalog_array(k, object, &a);
	is_derived = a.layout == CAT_DERIVED;
	if (is_derived) {
		catalog_derived(k, object, &d);
		json_out_value(o, "derived",
			       json_str_new(derived_text(d.kind)));
	}
	if (!catalog_place(k, object, &p))
		return 0;
	if (p.annotation != OBJECT_NONE) {
		catalog_sample(k, p.sample, &s);
		put_attribute(o, k, p.annotation, "annotation_kind", "kind");
		put_attribute(o, k, p.annotation, "closure", "closure");
		if (is_derived)
			err = put_derived(o, k, &s, &p, &d);
	}
	return err ? err : put_geometry(o, k, &p);
}
