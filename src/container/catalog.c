/* SPDX-License-Identifier: MIT */

/*
 * Looking things up in a catalog. Everything in it was checked when it was
 * built, so these are plain reads. Immutable; any thread.
 */

#include <config.h>

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "container/container_impl.h"
#include "util/checked.h"

static size_t padded(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

static const struct cat_record *object_rec(const struct catalog *k,
					   uint32_t object)
{
	assert(object < k->nobject);
	return catalog_rec(k, catalog_table(k, k->object_at)[object]);
}

uint32_t catalog_objects(const struct catalog *k)
{
	return k->nobject;
}

uint32_t catalog_arrays(const struct catalog *k)
{
	return k->narray;
}

enum object_kind catalog_kind(const struct catalog *k, uint32_t object)
{
	switch (object_rec(k, object)->type) {
	case CAT_GROUP:
		return OBJECT_GROUP;
	case CAT_ARRAY:
		return OBJECT_ARRAY;
	default:
		return OBJECT_OTHER;
	}
}

uint64_t catalog_addr(const struct catalog *k, uint32_t object)
{
	const struct cat_record *r = object_rec(k, object);

	return r->type == CAT_ARRAY ? ((const struct cat_array *)r)->addr
				    : ((const struct cat_object *)r)->addr;
}

static const char *filter_at(const char *p, struct filter_info *out)
{
	const struct cat_filter *f = (const struct cat_filter *)p;

	*out = (struct filter_info){
		.id = f->id,
		.flags = f->flags,
		.nparam = f->nparam,
		.param = (const uint32_t *)(f + 1),
	};
	out->name.p = (const char *)(out->param + f->nparam);
	out->name.n = f->name_len;
	return p + sizeof(*f) +
	       padded(f->nparam * sizeof(uint32_t) + f->name_len);
}

static const char *bytes_at(const char *p, size_t n, struct bytes *out)
{
	*out = (struct bytes){p, n};
	return p + padded(n);
}

void catalog_array(const struct catalog *k, uint32_t object,
		   struct array_info *out)
{
	const struct cat_array *a =
		(const struct cat_array *)object_rec(k, object);
	const uint64_t *dim = (const uint64_t *)(a + 1);
	const char *p = (const char *)(dim + a->rank);
	struct filter_info f;

	assert(a->head.type == CAT_ARRAY);
	*out = (struct array_info){
		.addr = a->addr,
		.rank = a->rank,
		.dim = dim,
		.layout = (enum cat_layout)a->layout,
		.index = (enum cat_index)a->index,
		.is_null = a->flags & CAT_NULL_SPACE,
		.edge_unfiltered = a->flags & CAT_EDGE_UNFILTERED,
		.fill_undefined = a->flags & CAT_FILL_UNDEFINED,
		.kind = (char)a->kind,
		.order = (char)a->order,
		.item_size = a->item_size,
		.data_addr = a->data_addr,
		.data_size = a->data_size,
		.nfilter = a->nfilter,
	};
	if (a->layout == CAT_DERIVED)
		out->data_addr = 0;
	if (a->layout == CAT_CHUNKED) {
		out->chunk = dim + a->rank;
		p = (const char *)(out->chunk + a->rank);
	}
	out->filters_at = (uint32_t)((size_t)(p - (const char *)k) / 8);
	for (unsigned i = 0; i < a->nfilter; i++)
		p = filter_at(p, &f);
	p = bytes_at(p, a->fill_size, &out->fill);
	p = bytes_at(p, a->compact_size, &out->compact);
	p = bytes_at(p, a->type_len, &out->type_text);
	if (a->refused_at) {
		const struct cat_problem *text = catalog_rec(k, a->refused_at);

		p = (const char *)(text + 1);
	}
	bytes_at(p, a->refused_len, &out->refused);
}

void catalog_filter(const struct catalog *k, const struct array_info *a,
		    unsigned i, struct filter_info *out)
{
	const char *p = catalog_rec(k, a->filters_at), *name;

	assert(i < a->nfilter);
	for (unsigned j = 0; j <= i; j++)
		p = filter_at(p, out);
	name = codec_h5_filter_name(out->id);
	if (!out->name.n && name)
		out->name = (struct bytes){name, strlen(name)};
}

void catalog_chain(const struct catalog *k, const struct array_info *a,
		   struct codec_chain *out)
{
	const char *p = catalog_rec(k, a->filters_at);

	out->n = a->nfilter;
	for (unsigned i = 0; i < a->nfilter; i++) {
		struct filter_info f;

		p = filter_at(p, &f);
		out->step[i] = (struct codec_step){
			.ops = codec_by_h5_filter(f.id),
			.h5_filter = f.id,
			.nparam = f.nparam,
			.param = f.param,
		};
	}
}

void catalog_derived(const struct catalog *k, uint32_t object,
		     struct derived_info *out)
{
	const struct cat_array *a =
		(const struct cat_array *)object_rec(k, object);
	const struct cat_derived *d;
	const struct derived_class *class;

	assert(a->head.type == CAT_ARRAY && a->layout == CAT_DERIVED);
	d = catalog_rec(k, (uint32_t)a->data_addr);
	class = (const struct derived_class *)(d + 1);
	*out = (struct derived_info){
		.kind = (enum derived_kind)d->kind,
		.encoding = (enum label_encoding)d->encoding,
		.data = d->data,
		.ignore_mask = d->ignore_mask,
		.boxes = d->boxes,
		.class_ids = d->class_ids,
		.mask_offsets = d->mask_offsets,
		.mask_shapes = d->mask_shapes,
		.ignore_id = d->ignore_id,
		.ignore_in_band = d->ignore_in_band,
		.threshold = d->threshold,
		.slope = d->slope,
		.intercept = d->intercept,
		.nclass = d->nclass,
		.class = class,
		.broken = {(const char *)(class + d->nclass), d->broken_len},
	};
}

/* ------------------------------------------------------------ members */

static const struct cat_link *member_rec(const struct catalog *k, uint32_t m)
{
	return catalog_rec(k, catalog_table(k, k->member_at)[m]);
}

static uint32_t member_start(const struct catalog *k, uint32_t group)
{
	return catalog_table(k, k->member_start_at)[group];
}

uint32_t catalog_members(const struct catalog *k, uint32_t group)
{
	assert(group < k->nobject);
	return member_start(k, group + 1) - member_start(k, group);
}

void catalog_member(const struct catalog *k, uint32_t group, uint32_t i,
		    struct member *out)
{
	const struct cat_link *l;
	const char *p;

	assert(i < catalog_members(k, group));
	l = member_rec(k, member_start(k, group) + i);
	p = (const char *)(l + 1);
	*out = (struct member){
		.name = {p, l->name_len},
		.kind = (enum cat_link_kind)l->kind,
		.target = l->target,
		.path = {p + l->name_len, l->target_len},
		.file = {p + l->name_len + l->target_len, l->file_len},
	};
}

int64_t catalog_find(const struct catalog *k, uint32_t group, const char *name,
		     size_t n)
{
	uint32_t low = 0, high = catalog_members(k, group);

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const struct cat_link *l =
			member_rec(k, member_start(k, group) + mid);
		size_t both = n < l->name_len ? n : l->name_len;
		int d = memcmp(name, l + 1, both);

		if (!d)
			d = (n > l->name_len) - (n < l->name_len);
		if (!d)
			return mid;
		if (d < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return -ENOENT;
}

uint32_t catalog_nth_array(const struct catalog *k, uint32_t i)
{
	assert(i < k->narray);
	return catalog_table(k, k->array_at)[i];
}

unsigned catalog_path(const struct catalog *k, uint32_t object,
		      struct path_step *step, unsigned max)
{
	const uint32_t *parent = catalog_table(k, k->parent_at);
	unsigned depth = 0, i;

	assert(object < k->nobject);
	/* Parents form a tree: they were found breadth first. */
	for (uint32_t o = object; parent[o] != NO_PARENT;
	     o = member_rec(k, parent[o])->parent)
		depth++;
	i = depth;
	for (uint32_t o = object; parent[o] != NO_PARENT;) {
		uint32_t m = parent[o];

		o = member_rec(k, m)->parent;
		if (--i < max)
			step[i] = (struct path_step){o, m - member_start(k, o)};
	}
	return depth;
}

/* --------------------------------------------------------- attributes */

static void attr_at(const struct cat_attr *a, struct attr *out)
{
	const uint64_t *dim = (const uint64_t *)(a + 1);
	const char *p = (const char *)(dim + a->rank);
	uint64_t count = a->class != CAT_EMPTY;

	for (unsigned i = 0; i < a->rank; i++)
		if (!checked_mul(count, dim[i], &count))
			count = UINT64_MAX;
	for (unsigned i = 0; i < a->rank; i++)
		if (!dim[i])
			count = 0;
	*out = (struct attr){
		.class = (enum cat_class)a->class,
		.kind = (char)a->kind,
		.item_size = a->item_size,
		.rank = a->rank,
		.dim = dim,
		.count = count,
	};
	p = bytes_at(p, a->name_len, &out->name);
	bytes_at(p, a->data_len, &out->data);
}

uint32_t catalog_attrs(const struct catalog *k, uint32_t object)
{
	const uint32_t *start = catalog_table(k, k->attr_start_at);

	assert(object < k->nobject);
	return start[object + 1] - start[object];
}

void catalog_attr(const struct catalog *k, uint32_t object, uint32_t i,
		  struct attr *out)
{
	uint32_t first = catalog_table(k, k->attr_start_at)[object];

	assert(i < catalog_attrs(k, object));
	attr_at(catalog_rec(k, catalog_table(k, k->attr_at)[first + i]), out);
}

bool catalog_attr_find(const struct catalog *k, uint32_t object,
		       const char *name, struct attr *out)
{
	size_t n = strlen(name);

	for (uint32_t i = 0; i < catalog_attrs(k, object); i++) {
		struct attr a;

		catalog_attr(k, object, i, &a);
		if (a.name.n == n && !memcmp(a.name.p, name, n)) {
			*out = a;
			return true;
		}
	}
	return false;
}

static bool find_value(const struct catalog *k, uint32_t object,
		       struct attr *out)
{
	const uint32_t *value = catalog_table(k, k->value_at);
	uint32_t low = 0, high = k->nvalue;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const struct cat_attr *a = catalog_rec(k, value[mid]);

		if (a->owner == object) {
			attr_at(a, out);
			return true;
		}
		if (object < a->owner)
			high = mid;
		else
			low = mid + 1;
	}
	return false;
}

bool catalog_value(const struct catalog *k, uint32_t object, struct attr *out)
{
	struct attr a;

	if (!find_value(k, object, &a) || a.class == CAT_PLACES)
		return false;
	*out = a;
	return true;
}

bool catalog_value_places(const struct catalog *k, uint32_t object,
			  struct bytes *chunks)
{
	struct attr a;

	if (!find_value(k, object, &a) || a.class != CAT_PLACES)
		return false;
	*chunks = a.data;
	return true;
}

uint32_t catalog_problems(const struct catalog *k)
{
	return k->nproblem;
}

void catalog_problem(const struct catalog *k, uint32_t i, uint32_t *object,
		     struct bytes *text)
{
	const struct cat_problem *p;

	assert(i < k->nproblem);
	p = catalog_rec(k, catalog_table(k, k->problem_at)[i]);
	*object = p->owner;
	*text = (struct bytes){(const char *)(p + 1), p->text_len};
}
