/* SPDX-License-Identifier: MIT */

/*
 * Derived arrays of medh5 samples made by hand: sound ones, and ones whose
 * parts contradict each other.
 */

#include <config.h>

#include "medh5_fixture.h"
#include "unit.h"

static struct sample s;
static const uint16_t three[] = {3, 1, 2};

static void begin(void)
{
	s = sample(0, LABELS);
}

static void again(void)
{
	teardown();
	setup();
	begin();
}

static bool same(const char *path, char kind, unsigned item_size, unsigned rank,
		 const uint64_t *dim)
{
	struct array_info a;

	if (!has(path))
		return false;
	catalog_array(k, at(path), &a);
	return a.layout == CAT_DERIVED && a.kind == kind &&
	       a.item_size == item_size && a.rank == rank &&
	       !memcmp(a.dim, dim, rank * sizeof(*dim));
}

START_TEST(test_labelmap)
{
	struct derived_info d;
	struct place_info p;
	uint32_t a, data;

	begin();
	a = annotation(&s, "organs", "labelmap", 3, three);
	data = array(a, "data", 'u', 2, 3, shape);
	apply();
	ck_assert_uint_eq(catalog_problems(k), 0);
	ck_assert(same("annotations/organs/labels", 'u', 2, 3, shape));
	ck_assert(same("annotations/organs/ignore", 'b', 1, 3, shape));
	ck_assert(same("annotations/organs/classes/spot", 'b', 1, 3, shape));
	ck_assert(has("annotations/organs/classes/part"));
	ck_assert_uint_eq(catalog_members(k, at("annotations/organs/classes")),
			  3);
	d = derived("annotations/organs/labels");
	ck_assert_int_eq(d.kind, DERIVED_LABELS);
	ck_assert_int_eq(d.encoding, LABELS_MAP);
	ck_assert_uint_eq(d.data, data);
	ck_assert_uint_eq(d.ignore_mask, OBJECT_NONE);
	ck_assert_uint_eq(d.ignore_id, 65535);
	ck_assert(d.ignore_in_band && !d.broken.n);
	ck_assert_uint_eq(d.nclass, 3);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(d.class[i].id, three[i]);
	d = derived("annotations/organs/classes/body");
	ck_assert_int_eq(d.kind, DERIVED_CLASS);
	ck_assert_uint_eq(d.nclass, 1);
	ck_assert_uint_eq(d.class[0].id, 1);
	ck_assert(catalog_place(k, data, &p));
	ck_assert_uint_eq(p.grid, s.ct);
	ck_assert_uint_eq(p.annotation, a);
	ck_assert(catalog_place(k, at("annotations/organs/labels"), &p));
	ck_assert_uint_eq(p.nspatial, 3);
	ck_assert_uint_eq(p.nhint, 0);
}
END_TEST

START_TEST(test_ignore)
{
	uint32_t a, mask, data;

	/* A byte holds no 65535, but any smaller one. */
	begin();
	a = annotation(&s, "a", "labelmap", 3, three);
	array(a, "data", 'u', 1, 3, shape);
	a = annotation(&s, "b", "labelmap", 3, three);
	array(a, "data", 'u', 1, 3, shape);
	integer(a, "ignore_id", 255);
	a = annotation(&s, "c", "labelmap", 3, three);
	array(a, "data", 'u', 1, 3, shape);
	text(a, "ignore_mask", "/annotations/m");
	mask = annotation(&s, "m", "mask", 0, NULL);
	data = array(mask, "data", 'b', 1, 3, shape);
	apply();
	ck_assert_uint_eq(catalog_problems(k), 0);
	ck_assert(!has("annotations/a/ignore"));
	ck_assert(!derived("annotations/a/labels").ignore_in_band);
	ck_assert(derived("annotations/b/ignore").ignore_in_band);
	ck_assert_uint_eq(derived("annotations/b/labels").ignore_id, 255);
	ck_assert_uint_eq(derived("annotations/c/ignore").ignore_mask, data);
	ck_assert_uint_eq(derived("annotations/c/labels").ignore_mask, data);
	ck_assert(!derived("annotations/c/ignore").ignore_in_band);
	ck_assert(!has("annotations/m/labels") &&
		  !has("annotations/m/classes"));
}
END_TEST

START_TEST(test_layers)
{
	const uint64_t four[] = {2, 4, 5, 6}, table[] = {2, 2};
	const uint16_t where[] = {3, 0, 2, 1};
	struct derived_info d;
	uint32_t a, t;

	begin();
	a = annotation(&s, "a", "layers", 3, three);
	text(a, "closure", "implicit");
	array(a, "data", 'u', 1, 4, four);
	t = array(a, "layer_class_ids", 'u', 2, 2, table);
	numbers(CAT_VALUE, t, "", 'u', 2, 2, table, where);
	apply();
	ck_assert_uint_eq(catalog_problems(k), 0);
	ck_assert(same("annotations/a/labels", 'u', 2, 3, shape));
	d = derived("annotations/a/labels");
	ck_assert_uint_eq(d.nclass, 3);
	ck_assert_uint_eq(d.class[0].plane, 0);
	ck_assert_uint_eq(d.class[1].plane, 1);
	ck_assert_uint_eq(d.class[2].plane, 1);
	/* The class, and those that have it among their ancestors. */
	d = derived("annotations/a/classes/body");
	ck_assert_uint_eq(d.nclass, 3);
	ck_assert_uint_eq(d.class[0].id, 1);
	ck_assert_uint_eq(d.class[1].id, 3);
	ck_assert_uint_eq(d.class[1].plane, 0);
	ck_assert_uint_eq(d.class[2].id, 2);
	ck_assert_uint_eq(derived("annotations/a/classes/part").nclass, 2);
	ck_assert_uint_eq(derived("annotations/a/classes/spot").nclass, 1);
}
END_TEST

START_TEST(test_bitmask)
{
	const uint64_t four[] = {2, 4, 5, 6}, n = 65;
	uint16_t id[65], bit[65];
	uint32_t a, t;

	begin();
	for (unsigned i = 0; i < 65; i++) {
		id[i] = (uint16_t)(100 + i);
		bit[i] = (uint16_t)(164 - i);
	}
	a = annotation(&s, "a", "bitmask", 65, id);
	array(a, "data", 'u', 8, 4, four);
	t = array(a, "bit_class_ids", 'u', 2, 1, &n);
	numbers(CAT_VALUE, t, "", 'u', 2, 1, &n, bit);
	apply();
	ck_assert_uint_eq(catalog_problems(k), 0);
	ck_assert(!has("annotations/a/ignore"));
	ck_assert_uint_eq(derived("annotations/a/classes/100").class[0].plane,
			  64);
	ck_assert_uint_eq(derived("annotations/a/classes/164").class[0].plane,
			  0);
}
END_TEST

START_TEST(test_probmap)
{
	const uint64_t four[] = {3, 4, 5, 6}, none[] = {0, 4, 5, 6};
	struct derived_info d;
	uint32_t a;

	begin();
	a = annotation(&s, "a", "probmap", 3, three);
	array(a, "data", 'f', 2, 4, four);
	real(a, "threshold", 0.3);
	a = annotation(&s, "b", "probmap", 3, three);
	array(a, "data", 'f', 4, 4, four);
	a = annotation(&s, "c", "probmap", 0, three);
	array(a, "data", 'f', 4, 4, none);
	apply();
	ck_assert_uint_eq(catalog_problems(k), 0);
	d = derived("annotations/a/classes/body");
	ck_assert_double_eq(d.threshold, 0.3);
	ck_assert_uint_eq(d.class[0].plane, 1);
	ck_assert_double_eq(derived("annotations/b/labels").threshold, 0.5);
	ck_assert_uint_eq(derived("annotations/c/labels").nclass, 0);
	ck_assert(!has("annotations/c/classes"));
}
END_TEST

static uint32_t instances(const char *name, uint64_t n)
{
	const uint64_t boxes[] = {n, 3, 2}, shapes[] = {n, 3}, more = n + 1;
	uint32_t a = annotation(&s, name, "instances", 3, three);

	array(a, "boxes", 'f', 4, 3, boxes);
	array(a, "class_ids", 'u', 2, 1, &n);
	array(a, "mask_offsets", 'u', 8, 1, &more);
	array(a, "mask_shapes", 'i', 4, 2, shapes);
	return a;
}

START_TEST(test_instances)
{
	const uint64_t bytes = 100;
	struct derived_info d;
	uint32_t a;

	begin();
	a = instances("a", 7);
	array(a, "mask_data", 'u', 1, 1, &bytes);
	instances("b", 0);
	apply();
	ck_assert_uint_eq(catalog_problems(k), 0);
	d = derived("annotations/a/classes/body");
	ck_assert_uint_eq(d.data, at("annotations/a/mask_data"));
	ck_assert_uint_eq(d.boxes, at("annotations/a/boxes"));
	ck_assert_uint_eq(d.class_ids, at("annotations/a/class_ids"));
	ck_assert_uint_eq(d.mask_offsets, at("annotations/a/mask_offsets"));
	ck_assert_uint_eq(d.mask_shapes, at("annotations/a/mask_shapes"));
	/* Without masks the boxes are full. */
	d = derived("annotations/b/labels");
	ck_assert_uint_eq(d.data, OBJECT_NONE);
	ck_assert_uint_eq(d.boxes, at("annotations/b/boxes"));
	ck_assert(!d.broken.n);
}
END_TEST

/* The annotation "a" is broken for that reason; its arrays stay. */
static void expect_broken(const char *reason)
{
	struct derived_info d;

	apply();
	ck_assert_msg(said(reason), "not said: %s", reason);
	d = derived("annotations/a/labels");
	ck_assert_msg(memmem(d.broken.p, d.broken.n, reason, strlen(reason)),
		      "%.*s, not %s", (int)d.broken.n, d.broken.p, reason);
	again();
}

START_TEST(test_broken_classes)
{
	const uint16_t zero[] = {1, 0}, last[] = {65535}, twice[] = {5, 5};
	uint32_t a;

	begin();
	a = annotation(&s, "a", "labelmap", 2, zero);
	array(a, "data", 'u', 1, 3, shape);
	expect_broken("not in 1 to 65534");
	a = annotation(&s, "a", "labelmap", 1, last);
	array(a, "data", 'u', 1, 3, shape);
	expect_broken("not in 1 to 65534");
	a = annotation(&s, "a", "labelmap", 2, twice);
	array(a, "data", 'u', 1, 3, shape);
	expect_broken("class 5 is declared twice");
	a = annotation(&s, "a", "labelmap", 0, NULL);
	text(a, "class_ids", "1, 2");
	expect_broken("class_ids cannot be read");
	annotation(&s, "a", "labelmap", 0, NULL);
	expect_broken("class_ids cannot be read");
	a = annotation(&s, "a", "labelmap", 3, three);
	integer(a, "ignore_id", 2);
	expect_broken("ignore_id 2 is a class");
	a = annotation(&s, "a", "labelmap", 3, three);
	integer(a, "ignore_id", 0);
	expect_broken("ignore_id is not in 1 to 65535");
	a = annotation(&s, "a", "labelmap", 3, three);
	integer(a, "ignore_id", 65536);
	expect_broken("ignore_id is not in 1 to 65535");
	a = annotation(&s, "a", "labelmap", 3, three);
	text(a, "ignore_id", "7");
	expect_broken("ignore_id is not in 1 to 65535");
}
END_TEST

START_TEST(test_broken_data)
{
	const uint64_t other[] = {4, 5, 7}, four[] = {2, 4, 5, 6};
	const uint64_t none[] = {0, 4, 5, 6};
	uint32_t a;

	begin();
	annotation(&s, "a", "labelmap", 3, three);
	expect_broken("has no data");
	a = annotation(&s, "a", "labelmap", 3, three);
	group(a, "data");
	expect_broken("has no data");
	a = annotation(&s, "a", "labelmap", 3, three);
	array(a, "data", 'u', 1, 3, other);
	expect_broken("shape of its data");
	a = annotation(&s, "a", "labelmap", 3, three);
	array(a, "data", 'u', 1, 4, four);
	expect_broken("shape of its data");
	a = annotation(&s, "a", "labelmap", 3, three);
	array(a, "data", 'i', 2, 3, shape);
	expect_broken("not uint8 or uint16");
	a = annotation(&s, "a", "labelmap", 3, three);
	array(a, "data", 'u', 4, 3, shape);
	expect_broken("not uint8 or uint16");
	a = annotation(&s, "a", "layers", 3, three);
	array(a, "data", 'u', 1, 4, none);
	expect_broken("shape of its data");
	a = annotation(&s, "a", "layers", 3, three);
	array(a, "data", 'u', 1, 0, NULL);
	expect_broken("shape of its data");
	a = annotation(&s, "a", "bitmask", 3, three);
	array(a, "data", 'u', 8, 4, four);
	expect_broken("shape of its data");
	a = annotation(&s, "a", "probmap", 3, three);
	array(a, "data", 'f', 4, 4, four);
	expect_broken("shape of its data");
	a = annotation(&s, "a", "probmap", 2, three);
	array(a, "data", 'f', 8, 4, four);
	expect_broken("not float16 or float32");
	a = annotation(&s, "a", "probmap", 2, three);
	array(a, "data", 'f', 4, 4, four);
	text(a, "threshold", "half");
	expect_broken("threshold is no number");
}
END_TEST

static void layers(uint64_t rows, uint64_t columns, const uint16_t *value)
{
	const uint64_t four[] = {2, 4, 5, 6}, table[] = {rows, columns};
	uint32_t a = annotation(&s, "a", "layers", 3, three), t;

	array(a, "data", 'u', 1, 4, four);
	t = array(a, "layer_class_ids", 'u', 2, 2, table);
	if (value)
		numbers(CAT_VALUE, t, "", 'u', 2, 2, table, value);
}

START_TEST(test_broken_tables)
{
	const uint16_t twice[] = {3, 1, 2, 1}, less[] = {3, 1, 0, 0};
	const uint16_t more[] = {3, 1, 2, 9}, good[] = {3, 1, 2, 0};
	const uint64_t four[] = {1, 4, 5, 6}, n = 3;
	const uint16_t zero[] = {3, 1, 0};
	uint32_t a, t;

	begin();
	layers(2, 2, NULL);
	expect_broken("layer_class_ids cannot be read");
	layers(2, 2, twice);
	expect_broken("class 1 twice");
	layers(2, 2, less);
	expect_broken("does not have all classes");
	layers(2, 2, more);
	expect_broken("ids that are no classes");
	layers(1, 4, good);
	expect_broken("does not have 2 rows");
	layers(2, 0, good);
	expect_broken("does not have all classes");
	a = annotation(&s, "a", "bitmask", 3, three);
	array(a, "data", 'u', 4, 4, four);
	t = array(a, "bit_class_ids", 'u', 2, 1, &n);
	numbers(CAT_VALUE, t, "", 'u', 2, 1, &n, three);
	expect_broken("not uint64");
	a = annotation(&s, "a", "bitmask", 3, three);
	array(a, "data", 'u', 8, 4, four);
	t = array(a, "bit_class_ids", 'u', 2, 1, &n);
	numbers(CAT_VALUE, t, "", 'u', 2, 1, &n, zero);
	expect_broken("ids that are no classes");
	a = annotation(&s, "a", "bitmask", 3, three);
	array(a, "data", 'u', 8, 4, four);
	group(a, "bit_class_ids");
	expect_broken("bit_class_ids cannot be read");
}
END_TEST

START_TEST(test_broken_instances)
{
	const uint64_t n = 7, boxes[] = {7, 3, 2}, flat[] = {7, 6};
	const uint64_t huge[] = {UINT64_MAX, 3, 2};
	const uint64_t wide[] = {7, 2, 2};
	uint32_t a;

	begin();
	annotation(&s, "a", "instances", 3, three);
	expect_broken("has no boxes");
	a = annotation(&s, "a", "instances", 3, three);
	array(a, "boxes", 'f', 4, 2, flat);
	expect_broken("has no boxes");
	a = annotation(&s, "a", "instances", 3, three);
	array(a, "boxes", 'f', 4, 3, wide);
	expect_broken("shape of its boxes");
	a = annotation(&s, "a", "instances", 3, three);
	array(a, "boxes", 'f', 8, 3, boxes);
	expect_broken("boxes are of another type");
	a = annotation(&s, "a", "instances", 3, three);
	array(a, "boxes", 'f', 4, 3, boxes);
	expect_broken("has no class_ids");
	a = annotation(&s, "a", "instances", 3, three);
	array(a, "boxes", 'f', 4, 3, boxes);
	array(a, "class_ids", 'u', 2, 1, &n);
	array(a, "mask_data", 'u', 1, 1, &n);
	expect_broken("has no mask_offsets");
	a = annotation(&s, "a", "instances", 3, three);
	array(a, "boxes", 'f', 4, 3, boxes);
	array(a, "class_ids", 'u', 2, 1, &n);
	array(a, "mask_data", 'u', 1, 1, &n);
	array(a, "mask_offsets", 'u', 8, 1, &n);
	expect_broken("shape of its mask_offsets");
	a = annotation(&s, "a", "instances", 3, three);
	array(a, "boxes", 'f', 4, 3, huge);
	array(a, "class_ids", 'u', 2, 1, huge);
	array(a, "mask_data", 'u', 1, 1, &n);
	expect_broken("too many boxes");
}
END_TEST

START_TEST(test_broken_masks)
{
	const uint64_t other[] = {4, 5, 7};
	struct derived_info d;
	uint32_t a;

	for (unsigned i = 0; i < 5; i++) {
		again();
		a = annotation(&s, "a", "labelmap", 3, three);
		array(a, "data", 'u', 1, 3, shape);
		text(a, "ignore_mask", i == 0 ? "none" : "m");
		if (i == 1) /* another kind */
			annotation(&s, "m", "labelmap", 3, three);
		if (i == 2) { /* another shape */
			a = annotation(&s, "m", "mask", 0, NULL);
			array(a, "data", 'b', 1, 3, other);
		}
		if (i == 3) { /* another grid */
			a = group(s.annotations, "m");
			text(a, "kind", "mask");
			text(a, "grid", "pet");
			grid(s.grids, "pet", 3, shape);
			array(a, "data", 'b', 1, 3, shape);
		}
		if (i == 4) /* no group at all */
			array(s.annotations, "m", 'b', 1, 3, shape);
		apply();
		ck_assert(said("ignore_mask is no mask"));
		ck_assert(derived("annotations/a/labels").broken.n);
		ck_assert(derived("annotations/a/ignore").broken.n);
		/* A class does not know of ignored voxels. */
		d = derived("annotations/a/classes/body");
		ck_assert(!d.broken.n);
	}
}
END_TEST

/* Without a grid nothing has a shape: only the stored arrays are there. */
START_TEST(test_broken_grids)
{
	static const char *const bad[][3] = {
		{"spatial", "channel", "spatial"},
		{"channel", "channel", "spatial"},
		{"spatial", "spatial", "channel"},
	};
	const int64_t negative[] = {4, -5, 6};
	const uint64_t n = 3;

	for (unsigned i = 0; i < 5; i++) {
		uint32_t a, g;

		again();
		g = group(s.grids, "odd");
		if (i < 3)
			put_texts(CAT_ATTR, g, "axis_kinds", 3, bad[i]);
		numbers(CAT_ATTR, g, "shape", 'i', 8, 1, &n,
			i == 3 ? (const void *)negative : (const void *)shape);
		a = group(s.annotations, "a");
		text(a, "kind", "labelmap");
		text(a, "grid", i == 4 ? "none" : "odd");
		ids(a, "class_ids", 3, three);
		array(a, "data", 'u', 1, 3, shape);
		apply();
		ck_assert(said("grid is not there or not sound"));
		ck_assert(has("annotations/a/data"));
		ck_assert(!has("annotations/a/labels"));
		ck_assert(!has("annotations/a/classes"));
	}
}
END_TEST

START_TEST(test_unknown_kinds)
{
	begin();
	annotation(&s, "a", "rle", 3, three);
	annotation(&s, "b", "boxes", 3, three);
	text(group(s.annotations, "c"), "grid", "ct");
	array(s.annotations, "d", 'u', 1, 3, shape);
	apply();
	ck_assert_uint_eq(catalog_problems(k), 2);
	ck_assert(said("\"rle\" are not known"));
	ck_assert(said("\"\" are not known"));
	ck_assert(!has("annotations/a/labels") && !has("annotations/b/labels"));
}
END_TEST

/* What the file has of its own wins. */
START_TEST(test_taken)
{
	uint32_t a;

	begin();
	a = annotation(&s, "a", "labelmap", 3, three);
	array(a, "data", 'u', 2, 3, shape);
	array(a, "labels", 'f', 8, 3, shape);
	array(a, "ignore", 'f', 8, 3, shape);
	group(a, "classes");
	apply();
	ck_assert(!same("annotations/a/labels", 'u', 2, 3, shape));
	ck_assert_uint_eq(catalog_members(k, at("annotations/a/classes")), 0);
	ck_assert_uint_eq(catalog_problems(k), 3);
	ck_assert(said("a member labels of its own"));
}
END_TEST

START_TEST(test_names)
{
	const uint16_t id[] = {1, 2, 3, 4, 5, 6, 7, 8};
	uint32_t a;

	s = sample(0, "{\"label_set\": {\"classes\": ["
		      "{\"id\": 1, \"key\": \"same\"},"
		      "{\"id\": 2, \"key\": \"same\"},"
		      "{\"id\": 3, \"key\": \"4\"},"
		      "{\"id\": 4, \"key\": \"a/b\"},"
		      "{\"id\": 5, \"key\": \"\"},"
		      "{\"id\": 6, \"key\": \"n\\u0000l\"},"
		      "{\"id\": 7, \"key\": \"..\"}]}}");
	a = annotation(&s, "a", "labelmap", 8, id);
	array(a, "data", 'u', 1, 3, shape);
	a = annotation(&s, "b", "labelmap", 1, id);
	array(a, "data", 'u', 1, 3, shape);
	apply();
	ck_assert_uint_eq(catalog_problems(k), 0);
	/* Of another class too, though not of one of this annotation. */
	ck_assert_uint_eq(catalog_members(k, at("annotations/b/classes")), 1);
	ck_assert_uint_eq(derived("annotations/b/classes/1").class[0].id, 1);
	ck_assert_uint_eq(catalog_members(k, at("annotations/a/classes")), 8);
	for (unsigned i = 1; i <= 8; i++) {
		char path[40];

		snprintf(path, sizeof(path), "annotations/a/classes/%u", i);
		if (i == 7)
			strcpy(path, "annotations/a/classes/..");
		ck_assert_uint_eq(derived(path).class[0].id, i);
	}
}
END_TEST

START_TEST(test_cycles)
{
	const uint16_t id[] = {1, 2, 3, 4};
	uint32_t a;

	s = sample(0, "{\"label_set\": {\"classes\": ["
		      "{\"id\": 1, \"key\": \"a\", \"parents\": [3]},"
		      "{\"id\": 2, \"key\": \"b\", \"parents\": [1, 1]},"
		      "{\"id\": 3, \"key\": \"c\", \"parents\": [2]},"
		      "{\"id\": 4, \"key\": \"d\", \"parents\": [4, 9]},"
		      "{\"id\": 9, \"key\": \"e\", \"parents\": [1]}]}}");
	a = annotation(&s, "a", "labelmap", 4, id);
	text(a, "closure", "implicit");
	array(a, "data", 'u', 1, 3, shape);
	apply();
	ck_assert_uint_eq(derived("annotations/a/classes/a").nclass, 4);
	ck_assert_uint_eq(derived("annotations/a/classes/b").nclass, 4);
	ck_assert_uint_eq(derived("annotations/a/classes/d").nclass, 1);
	ck_assert_uint_eq(derived("annotations/a/labels").nclass, 4);
}
END_TEST

/* As many classes as there can be, each the parent of the next. */
START_TEST(test_many)
{
	static uint16_t id[65534];
	char *meta = malloc(8 << 20);
	size_t n = (size_t)sprintf(meta, "{\"label_set\": {\"classes\": [");
	uint32_t a;

	for (unsigned i = 0; i < 65534; i++) {
		id[i] = (uint16_t)(i + 1);
		n += (size_t)sprintf(meta + n,
				     "%s{\"id\": %u, \"key\": \"k%u\","
				     " \"parents\": [%u]}",
				     i ? "," : "", i + 1, i + 1, i);
	}
	strcpy(meta + n, "]}}");
	for (unsigned i = 0; i < 2; i++) {
		teardown();
		setup();
		s = sample(0, meta);
		a = annotation(&s, "a", "labelmap", 65534, id);
		array(a, "data", 'u', 2, 3, shape);
		if (i)
			text(a, "closure", "implicit");
		apply();
		ck_assert(has("annotations/a/classes/k65534"));
		if (i)
			ck_assert(said("closure is too large"));
		else
			ck_assert_uint_eq(catalog_problems(k), 0);
	}
	/* Where there is no room for all, what is stored is there. */
	ck_assert_int_eq(apply_limited(16 << 20), 0);
	ck_assert(said("are left out"));
	ck_assert(has("annotations/a/data") && has("annotations/a/labels"));
	free(meta);
}
END_TEST

/* ---------------------------------------------------------------- images */

START_TEST(test_images)
{
	const uint64_t four[] = {2, 4, 5, 6}, other[] = {4, 5, 7}, n = 3;
	const int32_t hint[] = {2, 3, 4};
	struct derived_info d;
	struct place_info p;
	uint32_t im, mask, data;

	begin();
	grid(s.grids, "multi", 4, four);
	numbers(CAT_ATTR, s.ct, "patch_hint", 'i', 4, 1, &n, hint);
	mask = annotation(&s, "fov", "mask", 0, NULL);
	data = array(mask, "data", 'b', 1, 3, shape);
	im = array(s.images, "a", 'i', 2, 3, shape);
	text(im, "grid", "ct");
	real(im, "rescale_slope", 2);
	text(im, "valid_mask", "fov");
	im = array(s.images, "b", 'i', 2, 3, shape);
	text(im, "grid", "ct");
	real(im, "rescale_slope", 1);
	im = array(s.images, "c", 'i', 2, 4, four);
	text(im, "grid", "multi");
	integer(im, "rescale_intercept", -1000);
	im = array(s.images, "d", 'i', 2, 3, other);
	text(im, "grid", "ct");
	real(im, "rescale_slope", 2);
	text(im, "valid_mask", "fov");
	im = array(s.images, "e", 'i', 2, 4, four);
	text(im, "grid", "multi");
	text(im, "valid_mask", "fov");
	text(im, "rescale_slope", "2");
	apply();
	ck_assert(same("images/a/physical", 'f', 4, 3, shape));
	d = derived("images/a/physical");
	ck_assert_int_eq(d.kind, DERIVED_PHYSICAL);
	ck_assert_double_eq(d.slope, 2);
	ck_assert_double_eq(d.intercept, 0);
	ck_assert_uint_eq(d.data, at("images/a"));
	ck_assert(same("images/a/valid", 'b', 1, 3, shape));
	ck_assert_uint_eq(derived("images/a/valid").data, data);
	ck_assert_uint_eq(catalog_members(k, at("images/b")), 0);
	ck_assert(same("images/c/physical", 'f', 4, 4, four));
	ck_assert_double_eq(derived("images/c/physical").intercept, -1000);
	ck_assert(catalog_place(k, at("images/a/physical"), &p));
	ck_assert_uint_eq(p.image, at("images/a"));
	ck_assert_uint_eq(p.nhint, 3);
	ck_assert_uint_eq(p.hint[2], 4);
	/* Off its grid it has its values, and no place. */
	ck_assert(same("images/d/physical", 'f', 4, 3, other));
	ck_assert(!has("images/d/valid"));
	ck_assert(!catalog_place(k, at("images/d"), &p));
	ck_assert(said("shape is not that of its grid"));
	ck_assert(derived("images/e/valid").broken.n);
	ck_assert(derived("images/e/physical").broken.n);
	ck_assert(said("valid_mask is no mask"));
	ck_assert(said("rescale is no number"));
	ck_assert_uint_eq(catalog_problems(k), 3);
}
END_TEST

START_TEST(test_pyramid)
{
	static const char *const grids[] = {"ct", "low"};
	const uint64_t low[] = {2, 2, 3};
	struct place_info p;
	uint32_t im, mask;

	begin();
	grid(s.grids, "low", 3, low);
	mask = annotation(&s, "fov", "mask", 0, NULL);
	array(mask, "data", 'b', 1, 3, shape);
	im = group(s.images, "a");
	put_texts(CAT_ATTR, im, "grid_levels", 2, grids);
	real(im, "rescale_slope", 2);
	text(im, "valid_mask", "fov");
	array(im, "0", 'i', 2, 3, shape);
	array(im, "1", 'i', 2, 3, low);
	array(im, "3", 'i', 2, 3, low);
	apply();
	ck_assert_uint_eq(catalog_problems(k), 0);
	ck_assert(same("images/a/0/physical", 'f', 4, 3, shape));
	ck_assert(same("images/a/1/physical", 'f', 4, 3, low));
	ck_assert(same("images/a/0/valid", 'b', 1, 3, shape));
	ck_assert(!has("images/a/1/valid"));
	ck_assert_uint_eq(catalog_members(k, at("images/a/3")), 0);
	ck_assert(catalog_place(k, at("images/a/1"), &p));
	ck_assert_uint_eq(p.grid, at("grids/low"));
	ck_assert_uint_eq(p.image, im);
}
END_TEST

/* One array under two names has its derived arrays once. */
START_TEST(test_aliases)
{
	uint32_t im, a;

	begin();
	im = array(s.images, "a", 'i', 2, 3, shape);
	text(im, "grid", "ct");
	real(im, "rescale_slope", 2);
	records_link(&r, s.images, "b", im);
	a = annotation(&s, "x", "labelmap", 3, three);
	array(a, "data", 'u', 1, 3, shape);
	records_link(&r, s.annotations, "y", a);
	apply();
	ck_assert_uint_eq(catalog_problems(k), 0);
	ck_assert_uint_eq(catalog_members(k, im), 1);
	ck_assert(has("images/b/physical") && has("annotations/y/labels"));
}
END_TEST

static Suite *suite(void)
{
	Suite *t = suite_create("annotations");
	TCase *c = tcase_create("annotations");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_set_timeout(c, 120);
	tcase_add_test(c, test_labelmap);
	tcase_add_test(c, test_ignore);
	tcase_add_test(c, test_layers);
	tcase_add_test(c, test_bitmask);
	tcase_add_test(c, test_probmap);
	tcase_add_test(c, test_instances);
	tcase_add_test(c, test_broken_classes);
	tcase_add_test(c, test_broken_data);
	tcase_add_test(c, test_broken_tables);
	tcase_add_test(c, test_broken_instances);
	tcase_add_test(c, test_broken_masks);
	tcase_add_test(c, test_broken_grids);
	tcase_add_test(c, test_unknown_kinds);
	tcase_add_test(c, test_taken);
	tcase_add_test(c, test_names);
	tcase_add_test(c, test_cycles);
	tcase_add_test(c, test_many);
	tcase_add_test(c, test_images);
	tcase_add_test(c, test_pyramid);
	tcase_add_test(c, test_aliases);
	suite_add_tcase(t, c);
	return t;
}

UNIT_MAIN(suite)
