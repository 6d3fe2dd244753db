/* SPDX-License-Identifier: MIT */

/*
 * The derived arrays of annotations: labels, a mask a class under the class's
 * key, and the region that is to be ignored.
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container/medh5_impl.h"
#include "util/cleanup.h"

/* Pairs of a class and another that implies it, and steps to find them. */
#define PAIRS_MAX (1u << 20)
#define STEPS_MAX (1u << 24)

/* ------------------------------------------------------------- closure */

/* For each class those that imply it: a chain of pairs, in painting order. */
struct closure {
	uint32_t *first, *last; /* of each class; NO_PAIR */
	struct pair {
		uint32_t class, next;
	} * pair;
	uint32_t n, room;
	/* Of each id, where classes imply others. */
	uint8_t *seen;
	uint32_t *position; /* of the class, and 1; 0: no class */
	uint32_t *stack;
	uint32_t steps;
};

#define NO_PAIR UINT32_MAX

static void closure_fini(struct closure *c)
{
	free(c->first);
	free(c->last);
	free(c->pair);
	free(c->seen);
	free(c->position);
	free(c->stack);
}

static int add_pair(struct closure *c, uint32_t class, uint32_t implied_by)
{
	if (c->n == PAIRS_MAX)
		return -E2BIG;
	if (c->n == c->room) {
		uint32_t room = c->room ? c->room * 2 : 64;
		struct pair *p = realloc(c->pair, room * sizeof(*p));

		if (!p)
			return -ENOMEM;
		c->pair = p;
		c->room = room;
	}
	c->pair[c->n] = (struct pair){implied_by, NO_PAIR};
	if (c->first[class] == NO_PAIR)
		c->first[class] = c->n;
	else
		c->pair[c->last[class]].next = c->n;
	c->last[class] = c->n++;
	return 0;
}

/* All ancestors of class i; each id once, so that a cycle ends. */
static int add_ancestors(struct closure *c, const struct medh5_annotation *a,
			 const struct medh5_meta *m, uint32_t i)
{
	uint32_t n = 0;
	int err;

	memset(c->seen, 0, MEDH5_ID_MAX + 2u);
	c->seen[a->class[i].id] = 1;
	c->stack[n++] = a->class[i].id;
	while (n) {
		const struct medh5_label *l =
			medh5_label_find(m, c->stack[--n]);

		for (uint32_t p = 0; l && p < l->nparent; p++) {
			uint32_t id = m->parent[l->first_parent + p];

			if (c->steps++ == STEPS_MAX)
				return -E2BIG;
			if (c->seen[id])
				continue;
			c->seen[id] = 1;
			c->stack[n++] = id;
			if (!c->position[id])
				continue;
			err = add_pair(c, c->position[id] - 1, i);
			if (err)
				return err;
		}
	}
	return 0;
}

static int add_implied(struct closure *c, const struct medh5_annotation *a,
		       const struct medh5_meta *m)
{
	size_t ids = MEDH5_ID_MAX + 2u;
	int err = 0;

	c->seen = malloc(ids);
	c->position = calloc(ids, sizeof(*c->position));
	c->stack = malloc(ids * sizeof(*c->stack));
	if (!c->seen || !c->position || !c->stack)
		return -ENOMEM;
	for (unsigned i = 0; i < a->nclass; i++)
		c->position[a->class[i].id] = i + 1;
	for (unsigned i = 0; i < a->nclass && !err; i++)
		err = add_ancestors(c, a, m, i);
	return err;
}

static int closure_init(struct closure *c, const struct medh5_annotation *a,
			const struct medh5_meta *m)
{
	size_t n = a->nclass + 1u;

	*c = (struct closure){
		.first = malloc(n * sizeof(*c->first)),
		.last = malloc(n * sizeof(*c->last)),
	};
	if (!c->first || !c->last)
		return -ENOMEM;
	memset(c->first, 0xff, n * sizeof(*c->first));
	return a->is_implicit ? add_implied(c, a, m) : 0;
}

/* ---------------------------------------------------------------- names */

/* What could be the id of a class, or is no name, or nobody could read. */
static bool is_usable(struct bytes key)
{
	bool digits = true;

	for (size_t i = 0; i < key.n; i++) {
		if (key.p[i] == '/' || key.p[i] == '\0')
			return false;
		digits &= key.p[i] >= '0' && key.p[i] <= '9';
	}
	return key.n && !digits && key.n <= 4096;
}

/* The name of a class that has a key of its own; n 0: its id is its name. */
static struct bytes class_key(const struct medh5_meta *m, uint16_t id)
{
	const struct medh5_label *l = medh5_label_find(m, id);

	return l && l->has_own_key && is_usable(l->key)
		       ? l->key
		       : (struct bytes){NULL, 0};
}

/* -------------------------------------------------------------- derived */

static int derive(struct medh5 *x, const struct medh5_annotation *a,
		  uint32_t parent, struct bytes name,
		  const struct derived_info *info)
{
	const struct medh5_grid *g = &a->grid;
	uint32_t object;
	int err = medh5_derive(x, parent, name, g->nspatial,
			       g->shape + g->rank - g->nspatial, info, &object);

	return err ? err : medh5_place(x, object, g, a->object, OBJECT_NONE);
}

static struct bytes reason(const char *a, const char *b)
{
	const char *s = *a ? a : b;

	return (struct bytes){s, strlen(s)};
}

/* The mask of one class, list having room for all that imply it. */
static int derive_class(struct medh5 *x, const struct medh5_annotation *a,
			const struct closure *c, unsigned i, uint32_t group,
			struct derived_class *list)
{
	struct derived_info info = a->info;
	struct bytes name = class_key(&x->meta, a->class[i].id);
	char decimal[8];

	info.kind = DERIVED_CLASS;
	info.class = list;
	list[info.nclass++] = a->class[i];
	for (uint32_t p = c->first[i]; p != NO_PAIR; p = c->pair[p].next)
		list[info.nclass++] = a->class[c->pair[p].class];
	info.broken = reason(a->broken, "");
	if (!name.n) {
		name.n = (size_t)snprintf(decimal, sizeof(decimal), "%u",
					  a->class[i].id);
		name.p = decimal;
	}
	return derive(x, a, group, name, &info);
}

static int derive_classes(struct medh5 *x, struct medh5_annotation *a)
{
	CLEANUP(closure_fini) struct closure c = {0};
	CLEANUP(cleanup_freep) struct derived_class *list = NULL;
	uint32_t group;
	int err = closure_init(&c, a, &x->meta);

	if (err == -E2BIG) {
		snprintf(a->broken, WHY_MAX,
			 "its closure is too large: too many parents");
		err = medh5_say(x, a->object, "%s: its labels cannot be read",
				a->broken);
	}
	if (err)
		return err;
	list = calloc(a->nclass + 1u, sizeof(*list));
	if (!list)
		return -ENOMEM;
	err = catalog_builder_group(x->b, &group);
	if (!err)
		err = catalog_builder_link(x->b, a->object,
					   (struct bytes){"classes", 7}, group);
	for (unsigned i = 0; i < a->nclass && !err; i++) {
		/* What is stored stays readable, whatever is declared. */
		if (catalog_builder_bytes(x->b) > x->b->max / 4 * 3)
			return medh5_say(x, a->object,
					 "of its %u classes %u are left out: "
					 "there is no memory for more",
					 a->nclass, a->nclass - i);
		err = derive_class(x, a, &c, i, group, list);
	}
	return err;
}

static int derive_whole(struct medh5 *x, const struct medh5_annotation *a,
			enum derived_kind kind, const char *name)
{
	struct derived_info info = a->info;
	bool taken;
	int err = medh5_is_taken(x, a->object, name, &taken);

	if (err || taken)
		return err;
	info.kind = kind;
	if (kind == DERIVED_LABELS) {
		info.nclass = a->nclass;
		info.class = a->class;
	}
	info.broken = reason(a->broken, a->ignore_broken);
	return derive(x, a, a->object, (struct bytes){name, strlen(name)},
		      &info);
}

/* Stored voxels lie on the grid too. */
static int place_data(struct medh5 *x, const struct medh5_annotation *a)
{
	if (a->info.data == OBJECT_NONE || a->encoding == LABELS_INSTANCES ||
	    *a->broken)
		return 0;
	return medh5_place(x, a->info.data, &a->grid, a->object, OBJECT_NONE);
}

static int add_voxels(struct medh5 *x, struct medh5_annotation *a)
{
	bool taken;
	int err = 0;

	if (*a->broken)
		err = medh5_say(x, a->object, "%s: its labels cannot be read",
				a->broken);
	if (!err && *a->ignore_broken)
		err = medh5_say(x, a->object,
				"%s: its labels and ignored voxels cannot be "
				"read",
				a->ignore_broken);
	if (!err)
		err = place_data(x, a);
	/* Without a grid they have no shape. */
	if (err || !a->has_grid || a->encoding == LABELS_MASK)
		return err;
	/* First, as they may find more that is wrong. */
	err = medh5_is_taken(x, a->object, "classes", &taken);
	if (!err && !taken && a->nclass)
		err = derive_classes(x, a);
	if (!err)
		err = derive_whole(x, a, DERIVED_LABELS, "labels");
	if (!err && a->can_ignore)
		err = derive_whole(x, a, DERIVED_IGNORE, "ignore");
	return err;
}

static int add_annotation(struct medh5 *x, uint32_t object)
{
	CLEANUP(medh5_annotation_fini) struct medh5_annotation a;
	struct bytes kind;
	int err = medh5_annotation_init(&a, x, object);

	if (err == -ENOENT)
		return 0;
	if (err == -ESRCH) {
		if (!catalog_text(x->k, object, "kind", &kind))
			kind = (struct bytes){"", 0};
		return medh5_say(x, object,
				 "annotations of kind \"%.*s\" are not known: "
				 "its arrays are shown as they are",
				 kind.n < 40 ? (int)kind.n : 40, kind.p);
	}
	return err ? err : add_voxels(x, &a);
}

/* The class tables are small arrays whose values nobody else asks for. */
static void drop_tables(struct medh5 *x, uint32_t annotation)
{
	static const char *const name[] = {"layer_class_ids", "bit_class_ids"};

	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
		uint32_t o = medh5_named(x->k, annotation, name[i]);

		if (o != OBJECT_NONE)
			x->no_value[o] = 1;
	}
}

int medh5_annotations(struct medh5 *x)
{
	uint32_t all = medh5_named(x->k, x->root, "annotations");
	int err = 0;

	if (all == OBJECT_NONE || catalog_kind(x->k, all) != OBJECT_GROUP)
		return 0;
	for (uint32_t i = 0; i < catalog_members(x->k, all) && !err; i++) {
		struct member m;

		catalog_member(x->k, all, i, &m);
		if (m.kind != CAT_HARD || x->hidden[m.target] ||
		    x->done[m.target] ||
		    catalog_kind(x->k, m.target) != OBJECT_GROUP)
			continue;
		x->done[m.target] = 1;
		err = add_annotation(x, m.target);
		drop_tables(x, m.target);
	}
	return err;
}
