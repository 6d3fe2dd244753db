/* SPDX-License-Identifier: MIT */

/* What the server adds to a catalog: groups and derived arrays. */

#include <config.h>

#include <stdio.h>

#include "catalog_fixture.h"
#include "unit.h"

static struct catalog_builder b;

/* A root with a stored array "a", finished once and opened again. */
static void begin(void)
{
	struct record_array v = record_array();
	struct scan_end end;
	void *block;

	records_link(&r, 0, "a", records_array(&r, &v));
	end = (struct scan_end){.objects = r.objects, .links = r.links};
	ck_assert_int_eq(catalog_builder_init(&b, FILE_SIZE, 1 << 20), 0);
	ck_assert_int_eq(catalog_builder_page(&b, r.p, r.n), 0);
	ck_assert_int_eq(catalog_builder_finish(&b, &end, &block, &size), 0);
	ck_assert_int_eq(catalog_builder_reopen(&b, block), 0);
	free(block);
}

static void finish(void)
{
	void *block;

	ck_assert_int_eq(catalog_builder_finish_all(&b, &block, &size), 0);
	k = block;
	catalog_builder_fini(&b);
}

static struct bytes str(const char *s)
{
	return (struct bytes){s, strlen(s)};
}

START_TEST(test_derived)
{
	const struct derived_class class[] = {{7, 0, 3}, {65534, 0, 70}};
	const uint64_t dim[] = {4, 5, 6};
	const struct derived_info in = {
		.kind = DERIVED_LABELS,
		.encoding = LABELS_BITMASK,
		.data = 1,
		.ignore_mask = OBJECT_NONE,
		.boxes = 11,
		.class_ids = 12,
		.mask_offsets = 13,
		.mask_shapes = 14,
		.ignore_id = 65535,
		.ignore_in_band = true,
		.threshold = 0.1,
		.slope = 2.5,
		.intercept = -1024,
		.nclass = 2,
		.class = class,
		.broken = str("why"),
	};
	struct derived_info out;
	struct array_info a;
	uint32_t group, object;

	begin();
	ck_assert_int_eq(catalog_builder_group(&b, &group), 0);
	ck_assert_int_eq(catalog_builder_link(&b, 0, str("g"), group), 0);
	ck_assert_int_eq(catalog_builder_derived(&b, 3, dim, &in, &object), 0);
	ck_assert_int_eq(catalog_builder_link(&b, group, str("d"), object), 0);
	finish();
	ck_assert_uint_eq(catalog_objects(k), 4);
	ck_assert_uint_eq(catalog_arrays(k), 2);
	ck_assert_uint_eq(catalog_nth_array(k, 0), 1);
	ck_assert_uint_eq(catalog_nth_array(k, 1), object);
	ck_assert_int_eq(catalog_find(k, 0, "g", 1), 1);
	ck_assert_int_eq(catalog_kind(k, group), OBJECT_GROUP);
	ck_assert_uint_ne(catalog_addr(k, group), catalog_addr(k, object));
	catalog_array(k, object, &a);
	ck_assert_int_eq(a.layout, CAT_DERIVED);
	ck_assert_int_eq(a.kind, 'u');
	ck_assert_int_eq(a.order, '<');
	ck_assert_uint_eq(a.item_size, 2);
	ck_assert_uint_eq(a.rank, 3);
	ck_assert_mem_eq(a.dim, dim, sizeof(dim));
	ck_assert_ptr_null(a.chunk);
	ck_assert_uint_eq(a.data_addr, 0);
	ck_assert_uint_eq(a.nfilter + a.fill.n + a.compact.n + a.refused.n, 0);
	catalog_derived(k, object, &out);
	ck_assert_int_eq(out.kind, in.kind);
	ck_assert_int_eq(out.encoding, in.encoding);
	ck_assert_uint_eq(out.data, in.data);
	ck_assert_uint_eq(out.ignore_mask, OBJECT_NONE);
	ck_assert_uint_eq(out.boxes, 11);
	ck_assert_uint_eq(out.class_ids, 12);
	ck_assert_uint_eq(out.mask_offsets, 13);
	ck_assert_uint_eq(out.mask_shapes, 14);
	ck_assert_uint_eq(out.ignore_id, 65535);
	ck_assert(out.ignore_in_band);
	ck_assert_double_eq(out.threshold, 0.1);
	ck_assert_double_eq(out.slope, 2.5);
	ck_assert_double_eq(out.intercept, -1024);
	ck_assert_uint_eq(out.nclass, 2);
	ck_assert_mem_eq(out.class, class, sizeof(class));
	ck_assert(equal(out.broken, "why"));
}
END_TEST

START_TEST(test_types)
{
	static const struct {
		enum derived_kind kind;
		char type[4];
	} all[] = {
		{DERIVED_LABELS, "<u2"}, {DERIVED_CLASS, "|b1"},
		{DERIVED_IGNORE, "|b1"}, {DERIVED_PHYSICAL, "<f4"},
		{DERIVED_VALID, "|b1"},
	};
	uint32_t object[5];

	begin();
	for (unsigned i = 0; i < 5; i++) {
		struct derived_info in = {.kind = all[i].kind};

		ck_assert_int_eq(
			catalog_builder_derived(&b, 0, NULL, &in, &object[i]),
			0);
	}
	finish();
	for (unsigned i = 0; i < 5; i++) {
		struct array_info a;
		char type[4];

		catalog_array(k, object[i], &a);
		snprintf(type, sizeof(type), "%c%c%u", a.order, a.kind,
			 a.item_size % 10);
		ck_assert_str_eq(type, all[i].type);
		ck_assert_uint_eq(a.rank, 0);
	}
}
END_TEST

/* What a finish said is not said twice. */
START_TEST(test_reopened)
{
	records_link(&r, 0, "x/y", 0);
	begin();
	finish();
	ck_assert_uint_eq(catalog_problems(k), 1);
	ck_assert_uint_eq(catalog_members(k, 0), 1);
}
END_TEST

START_TEST(test_too_large)
{
	struct derived_info in = {.kind = DERIVED_CLASS};
	uint32_t object;
	int err = 0;

	begin();
	while (!err)
		err = catalog_builder_derived(&b, 0, NULL, &in, &object);
	ck_assert_int_eq(err, -EFBIG);
	ck_assert(strstr(b.why, "bytes of memory"));
	catalog_builder_fini(&b);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("catalog_own");
	TCase *c = tcase_create("own");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, test_derived);
	tcase_add_test(c, test_types);
	tcase_add_test(c, test_reopened);
	tcase_add_test(c, test_too_large);
	suite_add_tcase(s, c);
	return s;
}

UNIT_MAIN(suite)
