/* SPDX-License-Identifier: MIT */

/*
 * The input is the pages of a scanner, end to end; its totals are those of the
 * records in it. What is accepted is then looked at in full.
 */

#include <config.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "container/container_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILE_SIZE (1 << 20)

static volatile unsigned char sink;

/* Touch the first and last of the bytes. */
static void touch(struct bytes b)
{
	for (size_t i = 0; i<b.n; i += b.n> 64 && i == 32 ? b.n - 33 : 1)
		sink ^= (unsigned char)b.p[i];
}

static struct scan_end totals(const uint8_t *p, size_t n)
{
	struct scan_end end = {0};
	struct cat_record r;

	for (; n >= sizeof(r); p += r.size, n -= r.size) {
		memcpy(&r, p, sizeof(r));
		if (r.size < sizeof(r) || r.size > n)
			break;
		end.objects += r.type == CAT_GROUP || r.type == CAT_ARRAY ||
			       r.type == CAT_OTHER;
		end.links += r.type == CAT_LINK;
	}
	return end;
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

static void look_at_array(const struct catalog *k, uint32_t object)
{
	struct array_info a;
	struct codec_chain chain;
	uint64_t bytes;

	catalog_array(k, object, &a);
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
	struct scan_end end = totals(data, size);
	struct catalog_builder b;
	void *out = NULL;
	size_t n;

	if (!catalog_builder_init(&b, FILE_SIZE, 4 << 20) &&
	    !catalog_builder_page(&b, data, size) &&
	    !catalog_builder_finish(&b, &end, &out, &n))
		look_at(out);
	catalog_builder_fini(&b);
	free(out);
	return 0;
}
