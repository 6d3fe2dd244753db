/* SPDX-License-Identifier: MIT */

/*
 * Records of a catalog that no scanner sent: objects that a format means
 * without storing them. What comes here was checked by whoever found it out.
 * One thread.
 */

#include <config.h>

#include <assert.h>
#include <string.h>

#include "container/container_impl.h"

static size_t padded(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

int catalog_builder_group(struct catalog_builder *b, uint32_t *object)
{
	struct cat_object o = {
		.head = {CAT_GROUP, sizeof(o)},
		.addr = CAT_OWN_ADDR | b->object.n,
	};
	size_t at;
	int err = catalog_builder_room(b, sizeof(o), &at);

	if (!err)
		err = catalog_builder_number(b, at);
	if (err)
		return err;
	memcpy(b->blob + at, &o, sizeof(o));
	*object = b->object.n - 1;
	return 0;
}

int catalog_builder_link(struct catalog_builder *b, uint32_t parent,
			 struct bytes name, uint32_t target)
{
	struct cat_link l = {
		.head = {CAT_LINK, (uint32_t)padded(sizeof(l) + name.n)},
		.parent = parent,
		.kind = CAT_HARD,
		.target = target,
		.name_len = (uint32_t)name.n,
	};
	size_t at;
	int err;

	assert(catalog_builder_type(b, parent) != CAT_OTHER);
	assert(target < b->object.n && name.n <= CAT_NAME_MAX);
	err = catalog_builder_room(b, l.head.size, &at);
	if (err)
		return err;
	memcpy(b->blob + at, &l, sizeof(l));
	memcpy(b->blob + at + sizeof(l), name.p, name.n);
	b->nlink++;
	return 0;
}

static int put_derivation(struct catalog_builder *b,
			  const struct derived_info *info, size_t *at)
{
	size_t classes = info->nclass * sizeof(*info->class);
	struct cat_derived d = {
		.head = {CAT_DERIVATION, (uint32_t)padded(sizeof(d) + classes +
							  info->broken.n)},
		.kind = info->kind,
		.encoding = info->encoding,
		.data = info->data,
		.ignore_mask = info->ignore_mask,
		.boxes = info->boxes,
		.class_ids = info->class_ids,
		.mask_offsets = info->mask_offsets,
		.mask_shapes = info->mask_shapes,
		.ignore_id = info->ignore_id,
		.ignore_in_band = info->ignore_in_band,
		.nclass = info->nclass,
		.broken_len = (uint32_t)info->broken.n,
		.threshold = info->threshold,
		.slope = info->slope,
		.intercept = info->intercept,
	};
	int err = catalog_builder_room(b, d.head.size, at);
	char *p;

	if (err)
		return err;
	p = b->blob + *at;
	memcpy(p, &d, sizeof(d));
	if (classes)
		memcpy(p + sizeof(d), info->class, classes);
	if (info->broken.n)
		memcpy(p + sizeof(d) + classes, info->broken.p, info->broken.n);
	return 0;
}

/* The type that the values of a derived array have. */
static void set_type(struct cat_array *a, enum derived_kind kind)
{
	switch (kind) {
	case DERIVED_LABELS:
		a->kind = 'u';
		a->item_size = 2;
		break;
	case DERIVED_PHYSICAL:
		a->kind = 'f';
		a->item_size = 4;
		break;
	case DERIVED_CLASS:
	case DERIVED_IGNORE:
	case DERIVED_VALID:
		a->kind = 'b';
		a->item_size = 1;
		break;
	}
	a->order = a->item_size > 1 ? '<' : '|';
}

int catalog_builder_derived(struct catalog_builder *b, unsigned rank,
			    const uint64_t *dim,
			    const struct derived_info *info, uint32_t *object)
{
	size_t dims = rank * sizeof(*dim), from, at;
	struct cat_array a = {
		.head = {CAT_ARRAY, (uint32_t)(sizeof(a) + dims)},
		.addr = CAT_OWN_ADDR | b->object.n,
		.layout = CAT_DERIVED,
		.rank = rank,
	};
	int err = put_derivation(b, info, &from);

	if (!err)
		err = catalog_builder_room(b, a.head.size, &at);
	if (!err)
		err = catalog_builder_number(b, at);
	if (err)
		return err;
	a.data_addr = from / 8;
	set_type(&a, info->kind);
	memcpy(b->blob + at, &a, sizeof(a));
	if (dims)
		memcpy(b->blob + at + sizeof(a), dim, dims);
	*object = b->object.n - 1;
	return 0;
}

static void wipe(struct cat_record *r)
{
	memset(r + 1, 0, r->size - sizeof(*r));
	r->type = CAT_HIDDEN;
}

static bool in(const uint8_t *set, uint32_t n, uint32_t object)
{
	return object < n && set[object];
}

void catalog_builder_hide(struct catalog_builder *b, const uint8_t *hidden,
			  const uint8_t *no_value, uint32_t n)
{
	for (size_t at = sizeof(struct catalog); at < b->len;) {
		struct cat_record *r = (struct cat_record *)(b->blob + at);
		const struct cat_link *l = (const struct cat_link *)r;
		const struct cat_attr *a = (const struct cat_attr *)r;
		const struct cat_problem *p = (const struct cat_problem *)r;

		if (r->type == CAT_LINK &&
		    (in(hidden, n, l->parent) ||
		     (l->kind == CAT_HARD && in(hidden, n, l->target)))) {
			b->nlink--;
			wipe(r);
		} else if (r->type == CAT_ATTR && in(hidden, n, a->owner)) {
			b->nattr--;
			wipe(r);
		} else if (r->type == CAT_VALUE &&
			   (in(hidden, n, a->owner) ||
			    in(no_value, n, a->owner))) {
			b->nvalue--;
			wipe(r);
		} else if (r->type == CAT_PROBLEM && in(hidden, n, p->owner)) {
			wipe(r);
		}
		at += r->size;
	}
}
