/* SPDX-License-Identifier: MIT */

/*
 * The input is the pages of a scanner, end to end; its totals are those of the
 * records in it. What is accepted is then looked at in full, and again after
 * the pass that knows medh5.
 */

#include <config.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "container/container_impl.h"
#include "scan_totals.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILE_SIZE (1 << 20)

static volatile unsigned char sink;

/* Touch the first and last of the bytes. */
static void touch(struct bytes b)
{
	for (size_t i = 0; i<b.n; i += b.n> 64 && i == 32 ? b.n - 33 : 1)
		sink ^= (unsigned char)b.p[i];
}

static void look_at_attr(const struct attr *a)
{
	for (unsigned i = 0; i < a->rank; i++)
		sink ^= (unsigned char)a->dim[i];
	touch(a->name);
	touch(a->data);
	if (a->class == CAT_NUMBERS && a->count * a->item_size != a->data.n)
		abort();
}

/* What a derived array is computed from is stored, and there. */
static void look_at_source(const struct catalog *k, uint32_t object)
{
	struct array_info a;

	if (object == OBJECT_NONE)
		return;
	if (object >= catalog_objects(k) ||
	    catalog_kind(k, object) != OBJECT_ARRAY)
		abort();
	catalog_array(k, object, &a);
	if (a.layout == CAT_DERIVED)
		abort();
}

static void look_at_derived(const struct catalog *k, uint32_t object)
{
	struct derived_info d;

	catalog_derived(k, object, &d);
	look_at_source(k, d.data);
	look_at_source(k, d.ignore_mask);
	look_at_source(k, d.boxes);
	look_at_source(k, d.class_ids);
	look_at_source(k, d.mask_offsets);
	look_at_source(k, d.mask_shapes);
	for (unsigned i = 0; i < d.nclass; i++)
		if (!d.class[i].id || d.class[i].id == 65535)
			abort();
	touch(d.broken);
	if (d.broken.n)
		return;
	if (d.kind == DERIVED_LABELS || d.kind == DERIVED_IGNORE)
		if (!d.ignore_id)
			abort();
	if (d.encoding == LABELS_INSTANCES
		    ? d.boxes == OBJECT_NONE || d.class_ids == OBJECT_NONE
		    : d.data == OBJECT_NONE)
		abort();
}

/* Not a member that the sample hides, but one that is the sample itself. */
static bool is_hidden(const struct catalog *k, uint32_t root, const char *name)
{
	int64_t i = catalog_find(k, root, name, strlen(name));
	struct member m;

	if (i < 0)
		return true;
	catalog_member(k, root, (uint32_t)i, &m);
	return m.kind != CAT_HARD || m.target == root || m.target == 0;
}

static void look_at_samples(const struct catalog *k)
{
	for (uint32_t i = 0; i < catalog_samples(k); i++) {
		struct sample_info s;

		catalog_sample(k, i, &s);
		if (catalog_sample_at(k, s.root) != i ||
		    !is_hidden(k, s.root, "meta") ||
		    !is_hidden(k, s.root, "clinical"))
			abort();
		touch(s.group_id);
		touch(s.splits);
		for (uint32_t n = 0; n < s.nlabel; n++) {
			struct label_info l, same;

			catalog_label(k, &s, n, &l);
			touch(l.key);
			touch(l.name);
			if (!catalog_label_by_id(k, &s, l.id, &same) ||
			    same.key.p != l.key.p)
				abort();
			for (unsigned p = 0; p < l.nparent; p++)
				sink ^= (unsigned char)l.parent[p];
		}
	}
}

static void look_at_place(const struct catalog *k, uint32_t object)
{
	struct place_info p;

	if (!catalog_place(k, object, &p))
		return;
	if (p.object != object || p.sample >= catalog_samples(k) ||
	    catalog_kind(k, p.grid) != OBJECT_GROUP || p.nspatial < 2 ||
	    p.nspatial > 3)
		abort();
}

static void look_at_array(const struct catalog *k, uint32_t object)
{
	struct array_info a;
	struct codec_chain chain;
	uint64_t bytes;

	catalog_array(k, object, &a);
	look_at_place(k, object);
	if (a.layout == CAT_DERIVED)
		look_at_derived(k, object);
	if (a.rank > CAT_RANK_MAX || a.nfilter > CODEC_STEPS_MAX)
		abort();
	bytes = a.item_size;
	for (unsigned i = 0; i < a.rank; i++) {
		bytes *= a.dim[i];
		if (a.chunk && !a.chunk[i])
			abort();
	}
	for (unsigned i = 0; i < a.nfilter; i++) {
		struct filter_info f;

		catalog_filter(k, &a, i, &f);
		touch(f.name);
		touch((struct bytes){(const char *)f.param, f.nparam * 4});
	}
	catalog_chain(k, &a, &chain);
	touch(a.fill);
	touch(a.compact);
	touch(a.type_text);
	touch(a.refused);
	if (a.refused.n)
		return;
	if (!a.kind || a.rank > NDIM_MAX ||
	    (a.fill.n && a.fill.n != a.item_size))
		abort();
	for (unsigned i = 0; i < chain.n && a.chunk; i++)
		if (!chain.step[i].ops)
			abort();
	if (a.layout == CAT_CONTIGUOUS && bytes && !a.is_null &&
	    a.data_addr != CAT_NOWHERE && a.data_addr + bytes > FILE_SIZE)
		abort();
	if (a.layout == CAT_COMPACT && !a.is_null && a.compact.n != bytes)
		abort();
}

static void look_at_group(const struct catalog *k, uint32_t group)
{
	for (uint32_t i = 0; i < catalog_members(k, group); i++) {
		struct member m;

		catalog_member(k, group, i, &m);
		touch(m.path);
		touch(m.file);
		if (catalog_find(k, group, m.name.p, m.name.n) != i)
			abort();
		if (m.kind == CAT_HARD && m.target >= catalog_objects(k))
			abort();
	}
}

static void look_at(const struct catalog *k)
{
	struct path_step step[4];
	struct bytes text;
	struct attr a;
	uint32_t object;

	for (uint32_t o = 0; o < catalog_objects(k); o++) {
		sink ^= (unsigned char)catalog_addr(k, o);
		catalog_path(k, o, step, 4);
		if (catalog_kind(k, o) == OBJECT_ARRAY)
			look_at_array(k, o);
		look_at_group(k, o);
		for (uint32_t i = 0; i < catalog_attrs(k, o); i++) {
			catalog_attr(k, o, i, &a);
			look_at_attr(&a);
		}
		if (catalog_value(k, o, &a))
			look_at_attr(&a);
	}
	for (uint32_t i = 0; i < catalog_arrays(k); i++)
		if (catalog_kind(k, catalog_nth_array(k, i)) != OBJECT_ARRAY)
			abort();
	for (uint32_t i = 0; i < catalog_problems(k); i++) {
		catalog_problem(k, i, &object, &text);
		touch(text);
		if (object >= catalog_objects(k))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scan_end end = scan_totals(data, size);
	struct catalog_builder b;
	void *out = NULL;
	size_t n;

	if (!catalog_builder_init(&b, FILE_SIZE, 4 << 20) &&
	    !catalog_builder_page(&b, data, size) &&
	    !catalog_builder_finish(&b, &end, &out, &n)) {
		look_at(out);
		if (!medh5_apply(&b, NULL, &out, &n, NULL)) {
			look_at(out);
			look_at_samples(out);
		}
	}
	catalog_builder_fini(&b);
	free(out);
	return 0;
}
