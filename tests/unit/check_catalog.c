/* SPDX-License-Identifier: MIT */

/* Catalogs of hand-made records: what is found in them. */

#include <config.h>

#include <stdio.h>
#include <string.h>

#include "catalog_fixture.h"
#include "unit.h"

START_TEST(test_empty)
{
	expect_good();
	ck_assert_uint_eq(catalog_objects(k), 1);
	ck_assert_uint_eq(catalog_arrays(k), 0);
	ck_assert_uint_eq(catalog_members(k, 0), 0);
	ck_assert_uint_eq(catalog_attrs(k, 0), 0);
	ck_assert_uint_eq(catalog_problems(k), 0);
	ck_assert_int_eq(catalog_find(k, 0, "x", 1), -ENOENT);
	ck_assert_uint_eq(catalog_path(k, 0, NULL, 0), 0);
	ck_assert_uint_le(size, 256);
}
END_TEST

START_TEST(test_array)
{
	struct record_array v = record_array();
	struct array_info a;
	struct filter_info f;
	struct codec_chain chain;

	v.a.nfilter = 2;
	v.filter[0] = (struct cat_filter){.id = 2, .nparam = 1};
	v.param[0][0] = 2;
	v.filter[1] = (struct cat_filter){.id = 1, .nparam = 1, .flags = 1};
	v.param[1][0] = 9;
	v.filter_name = "name";
	v.a.fill_size = 2;
	v.a.flags = CAT_EDGE_UNFILTERED;
	v.a.index = CAT_INDEX_BT2;
	memcpy(v.fill, "\1\2", 2);
	records_link(&r, 0, "array", records_array(&r, &v));
	expect_good();
	ck_assert_int_eq(catalog_kind(k, 1), OBJECT_ARRAY);
	ck_assert_uint_eq(catalog_addr(k, 1), 800);
	catalog_array(k, 1, &a);
	ck_assert_uint_eq(a.rank, 3);
	ck_assert_mem_eq(a.dim, v.dim, 24);
	ck_assert_mem_eq(a.chunk, v.chunk, 24);
	ck_assert_int_eq(a.layout, CAT_CHUNKED);
	ck_assert_int_eq(a.index, CAT_INDEX_BT2);
	ck_assert(a.edge_unfiltered && !a.fill_undefined && !a.is_null);
	ck_assert_uint_eq(a.fill.n, 2);
	ck_assert_mem_eq(a.fill.p, "\1\2", 2);
	ck_assert_uint_eq(a.refused.n, 0);
	ck_assert_uint_eq(a.nfilter, 2);
	catalog_filter(k, &a, 1, &f);
	ck_assert_uint_eq(f.id, 1);
	ck_assert_uint_eq(f.flags, 1);
	ck_assert_uint_eq(f.nparam, 1);
	ck_assert_uint_eq(f.param[0], 9);
	ck_assert(equal(f.name, "name"));
	catalog_chain(k, &a, &chain);
	ck_assert_uint_eq(chain.n, 2);
	ck_assert_uint_eq(chain.step[0].h5_filter, 2);
	ck_assert_uint_eq(chain.step[0].param[0], 2);
	ck_assert_ptr_eq(chain.step[1].ops, codec_by_h5_filter(1));
}
END_TEST

static void expect_refused(const struct record_array *v, const char *reason)
{
	struct array_info a;

	records_link(&r, 0, "array", records_array(&r, v));
	expect_good();
	catalog_array(k, 1, &a);
	ck_assert_msg(a.refused.n && a.refused.n == strlen(reason) &&
			      equal(a.refused, reason),
		      "\"%.*s\", not \"%s\"", (int)a.refused.n, a.refused.p,
		      reason);
	/* What follows in the record is still found. */
	ck_assert_uint_eq(a.rank, v->a.rank);
	ck_assert_uint_eq(a.type_text.n, v->type ? strlen(v->type) : 0);
	teardown();
	setup();
}

START_TEST(test_refused)
{
	struct record_array v = record_array();

	v.refused = "because";
	expect_refused(&v, "because");
	v = record_array();
	v.a.nfilter = 1;
	v.filter[0].id = 32008;
	expect_refused(&v, "filter bitshuffle (32008) is not supported");
	v.filter[0].id = 999;
	expect_refused(&v, "filter 999 is not supported");
	v.filter[0].id = 32008;
	v.filter_name = "theirs";
	expect_refused(&v, "filter theirs (32008) is not supported");
	v.filter_name = NULL;
	v.filter[0].id = 1;
	expect_refused(&v, "filter deflate (1) has no parameters");
	v.filter[0].id = 2;
	expect_refused(&v, "filter shuffle (2) has no parameters");
	v.filter[0].nparam = 1;
	expect_refused(&v, "filter shuffle (2) has no parameters");
	v = record_array();
	v.a.nfilter = 29;
	for (unsigned i = 0; i < 29; i++)
		v.filter[i].id = 3;
	expect_refused(&v, "29 filters are over 28");
	v = record_array();
	v.a.kind = 0;
	v.a.order = 0;
	v.a.item_size = 1000000;
	v.type = "compound";
	expect_refused(&v, "type compound is not supported");
	v = record_array();
	v.a.layout = CAT_VIRTUAL;
	expect_refused(&v, "virtual datasets are not supported");
	v.a.layout = CAT_EXTERNAL;
	expect_refused(&v, "data in external files are not supported");
	v = record_array();
	v.a.rank = 9;
	for (unsigned i = 0; i < 9; i++)
		v.dim[i] = v.chunk[i] = 1;
	expect_refused(&v, "rank 9 is over 8");
	v = record_array();
	v.dim[0] = v.dim[1] = UINT64_C(1) << 32;
	expect_refused(&v, "its size is over 2^63 bytes");
	v.dim[0] = UINT64_MAX;
	expect_refused(&v, "its size is over 2^63 bytes");
	v = record_array();
	v.chunk[0] = UINT64_MAX;
	expect_refused(&v, "its chunks are over 4 GiB");
	v.chunk[0] = (UINT64_C(1) << 27) + 1;
	expect_refused(&v, "its chunks are over 4 GiB");
}
END_TEST

/* Reasons alike are kept once. */
START_TEST(test_refused_shared)
{
	struct record_array v = record_array();
	struct array_info a, b;

	v.a.nfilter = 1;
	v.filter[0].id = 305;
	for (int i = 0; i < 10; i++) {
		char name[8];

		snprintf(name, sizeof(name), "a%d", i);
		records_link(&r, 0, name, records_array(&r, &v));
	}
	v.filter[0].id = 306;
	records_link(&r, 0, "b", records_array(&r, &v));
	expect_good();
	catalog_array(k, 1, &a);
	catalog_array(k, 10, &b);
	ck_assert_ptr_eq(a.refused.p, b.refused.p);
	ck_assert(equal(b.refused, "filter lzo (305) is not supported"));
	catalog_array(k, 11, &b);
	ck_assert(equal(b.refused, "filter 306 is not supported"));
}
END_TEST

/* Data that are not in the file: reading is an error, the rest is served. */
START_TEST(test_nowhere)
{
	static const struct {
		uint64_t addr, size;
		bool is_good;
	} row[] = {
		{FILE_SIZE - 12000, 12000, true},
		{0, 12001, true},
		{0, 11999, false},
		{FILE_SIZE - 11999, 12000, false},
		{UINT64_MAX, 12000, false},
		{UINT64_MAX - 12000, 12000, false},
		{1, UINT64_MAX, false},
	};
	struct record_array v = record_array();
	struct bytes text;
	struct array_info a;
	uint32_t object;

	v.a.layout = CAT_CONTIGUOUS;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		v.a.data_addr = row[i].addr;
		v.a.data_size = row[i].size;
		records_link(&r, 0, "array", records_array(&r, &v));
		expect_good();
		catalog_array(k, 1, &a);
		ck_assert_uint_eq(a.data_addr,
				  row[i].is_good ? row[i].addr : CAT_NOWHERE);
		ck_assert_uint_eq(catalog_problems(k), !row[i].is_good);
		if (!row[i].is_good) {
			catalog_problem(k, 0, &object, &text);
			ck_assert_uint_eq(object, 1);
			ck_assert_uint_gt(text.n, 10);
		}
		teardown();
		setup();
	}
}
END_TEST

START_TEST(test_scalars)
{
	struct record_array v = record_array();
	struct array_info a;

	v.a.rank = 0;
	v.a.layout = CAT_COMPACT;
	v.a.compact_size = 2;
	records_link(&r, 0, "scalar", records_array(&r, &v));
	v.a.layout = CAT_NO_STORAGE;
	v.a.flags = CAT_NULL_SPACE;
	v.a.compact_size = 0;
	records_link(&r, 0, "null", records_array(&r, &v));
	v = record_array();
	v.a.layout = CAT_CONTIGUOUS;
	v.dim[1] = 0;
	v.dim[0] = UINT64_MAX;
	v.a.data_addr = UINT64_MAX;
	records_link(&r, 0, "empty", records_array(&r, &v));
	expect_good();
	catalog_array(k, 1, &a);
	ck_assert_uint_eq(a.compact.n, 2);
	ck_assert_uint_eq(a.refused.n, 0);
	catalog_array(k, 2, &a);
	ck_assert(a.is_null);
	catalog_array(k, 3, &a);
	ck_assert_uint_eq(a.refused.n, 0);
	ck_assert_uint_eq(catalog_problems(k), 0);
}
END_TEST

START_TEST(test_members)
{
	static const char *const sent[] = {"b",	 "a", "",     "ab", "a.b",
					   "\1", "B", "\xff", "aa"};
	static const char *const sorted[] = {"",   "\1", "B", "a",   "a.b",
					     "aa", "ab", "b", "\xff"};
	struct member m;

	for (size_t i = 0; i < 9; i++)
		records_link(&r, 0, sent[i], records_group(&r));
	expect_good();
	ck_assert_uint_eq(catalog_members(k, 0), 9);
	for (uint32_t i = 0; i < 9; i++) {
		catalog_member(k, 0, i, &m);
		ck_assert(equal(m.name, sorted[i]));
		ck_assert_int_eq(m.kind, CAT_HARD);
		ck_assert_int_eq(catalog_find(k, 0, m.name.p, m.name.n), i);
		ck_assert_str_eq(sent[m.target - 1], sorted[i]);
	}
	ck_assert_int_eq(catalog_find(k, 0, "abc", 3), -ENOENT);
	ck_assert_int_eq(catalog_find(k, 0, "\xff\xff", 2), -ENOENT);
	ck_assert_uint_eq(catalog_members(k, 3), 0);
}
END_TEST

START_TEST(test_symlinks)
{
	struct member m;

	records_symlink(&r, 0, "soft", "/a/../b", NULL);
	records_symlink(&r, 0, "ext", "/path", "file.h5");
	records_symlink(&r, 0, "none", "", NULL);
	expect_good();
	catalog_member(k, 0, 0, &m);
	ck_assert(equal(m.name, "ext") && equal(m.path, "/path"));
	ck_assert(equal(m.file, "file.h5"));
	ck_assert_int_eq(m.kind, CAT_EXTERNAL_LINK);
	catalog_member(k, 0, 2, &m);
	ck_assert(equal(m.name, "soft") && equal(m.path, "/a/../b"));
	ck_assert_int_eq(m.kind, CAT_SOFT);
	ck_assert_uint_eq(m.file.n, 0);
}
END_TEST

START_TEST(test_dropped)
{
	uint32_t a = records_group(&r), b = records_group(&r), object;
	struct member m;
	struct bytes text;

	records_link(&r, 0, "x", a);
	records_link(&r, 0, "y/z", b);
	records_link(&r, 0, "x", b);
	records_link(&r, 0, "w", b);
	records_problem(&r, a, "of the scanner's");
	expect_good();
	ck_assert_uint_eq(catalog_members(k, 0), 2);
	catalog_member(k, 0, 1, &m);
	ck_assert(equal(m.name, "x"));
	ck_assert_uint_eq(m.target, a);
	ck_assert_uint_eq(catalog_problems(k), 3);
	catalog_problem(k, 0, &object, &text);
	ck_assert_uint_eq(object, a);
	ck_assert(equal(text, "of the scanner's"));
	catalog_problem(k, 1, &object, &text);
	ck_assert_uint_eq(object, 0);
	ck_assert(equal(text, "member \"x\" is left out: the name is there "
			      "twice"));
}
END_TEST

/* A thousand equal names: one stays, the lines about it are bounded. */
START_TEST(test_many_dropped)
{
	for (int i = 0; i < 1000; i++)
		records_link(&r, 0, "x", 0);
	expect_good();
	ck_assert_uint_eq(catalog_members(k, 0), 1);
	ck_assert_uint_eq(catalog_problems(k), CATALOG_SAID_MAX + 1);
}
END_TEST

static void expect_path(uint32_t object, const char *path)
{
	struct path_step step[8];
	unsigned depth = catalog_path(k, object, step, 8);
	char got[256] = "";

	ck_assert_uint_le(depth, 8);
	for (unsigned i = 0; i < depth; i++) {
		struct member m;

		catalog_member(k, step[i].group, step[i].member, &m);
		strcat(got, "/");
		strncat(got, m.name.p, m.name.n);
	}
	ck_assert_str_eq(got, path);
}

/* Cycles, several paths, and objects that nothing leads to. */
START_TEST(test_paths)
{
	struct record_array v = record_array();
	uint32_t a = records_group(&r), b = records_group(&r);
	uint32_t c = records_group(&r), deep = records_array(&r, &v);
	uint32_t shared = records_array(&r, &v), lost = records_array(&r, &v);
	uint32_t far = records_group(&r), both;
	struct path_step step[1] = {{9, 9}};

	records_link(&r, 0, "b", b);
	records_link(&r, 0, "a", a);
	records_link(&r, a, "up", 0);
	records_link(&r, a, "self", a);
	records_link(&r, a, "c", c);
	records_link(&r, c, "a", a);
	records_link(&r, c, "deep", deep);
	records_link(&r, b, "deep2", shared);
	records_link(&r, c, "shared", shared);
	records_link(&r, 0, "0", both = records_array(&r, &v));
	records_link(&r, 0, "1", both);
	records_link(&r, far, "x", lost);
	records_link(&r, far, "y", far);
	expect_good();
	expect_path(0, "");
	expect_path(a, "/a");
	expect_path(c, "/a/c");
	expect_path(deep, "/a/c/deep");
	expect_path(shared, "/b/deep2");
	expect_path(both, "/0");
	expect_path(lost, "");
	expect_path(far, "");
	ck_assert_uint_eq(catalog_arrays(k), 3);
	ck_assert_uint_eq(catalog_nth_array(k, 0), both);
	ck_assert_uint_eq(catalog_nth_array(k, 1), deep);
	ck_assert_uint_eq(catalog_nth_array(k, 2), shared);
	/* The outermost steps, where not all fit. */
	ck_assert_uint_eq(catalog_path(k, deep, step, 1), 3);
	ck_assert_uint_eq(step[0].group, 0);
	ck_assert_uint_eq(step[0].member, 2);
}
END_TEST

START_TEST(test_deep)
{
	uint32_t g = 0;

	for (int i = 0; i < 5000; i++) {
		uint32_t next = records_group(&r);

		records_link(&r, g, "g", next);
		g = next;
	}
	expect_good();
	ck_assert_uint_eq(catalog_path(k, g, NULL, 0), 5000);
}
END_TEST

START_TEST(test_attrs)
{
	static const uint64_t dim[] = {2, 2};
	struct record_array v = record_array();
	uint32_t array = records_array(&r, &v);
	struct attr a;

	records_link(&r, 0, "x", array);
	records_attr(&r, CAT_ATTR,
		     &(struct cat_attr){.owner = array,
					.class = CAT_NUMBERS,
					.kind = 'i',
					.item_size = 2,
					.rank = 2,
					.data_len = 8},
		     dim, "numbers", "\1\0\2\0\3\0\4");
	records_attr(&r, CAT_ATTR,
		     &(struct cat_attr){.class = CAT_STRINGS, .data_len = 7},
		     NULL, "text", "\3\0\0\0abc");
	records_attr(&r, CAT_ATTR,
		     &(struct cat_attr){.owner = array, .class = CAT_EMPTY},
		     NULL, "", "");
	records_attr(&r, CAT_ATTR,
		     &(struct cat_attr){.owner = array,
					.class = CAT_UNSHOWN,
					.rank = 2,
					.data_len = 9},
		     (uint64_t[]){UINT64_MAX, 3}, "other", "reference");
	records_attr(&r, CAT_VALUE,
		     &(struct cat_attr){.owner = array,
					.class = CAT_STRINGS,
					.rank = 1,
					.data_len = 9},
		     dim, "", "\1\0\0\0x\0\0\0\0");
	expect_good();
	ck_assert_uint_eq(catalog_attrs(k, 0), 1);
	ck_assert_uint_eq(catalog_attrs(k, array), 3);
	catalog_attr(k, array, 0, &a);
	ck_assert(equal(a.name, "numbers"));
	ck_assert_int_eq(a.class, CAT_NUMBERS);
	ck_assert_int_eq(a.kind, 'i');
	ck_assert_uint_eq(a.item_size, 2);
	ck_assert_uint_eq(a.rank, 2);
	ck_assert_uint_eq(a.dim[1], 2);
	ck_assert_uint_eq(a.count, 4);
	ck_assert_uint_eq(a.data.n, 8);
	ck_assert_int_eq(a.data.p[6], 4);
	catalog_attr(k, array, 1, &a);
	ck_assert_uint_eq(a.name.n, 0);
	ck_assert_uint_eq(a.count, 0);
	catalog_attr(k, array, 2, &a);
	ck_assert_uint_eq(a.count, UINT64_MAX);
	ck_assert(equal(a.data, "reference"));
	catalog_attr(k, 0, 0, &a);
	ck_assert_uint_eq(a.count, 1);
	ck_assert(catalog_value(k, array, &a));
	ck_assert_int_eq(a.class, CAT_STRINGS);
	ck_assert_uint_eq(a.count, 2);
	ck_assert(!catalog_value(k, 0, &a));
}
END_TEST

static Suite *make_suite(void)
{
	Suite *s = suite_create("catalog");
	TCase *t = tcase_create("catalog");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_empty);
	tcase_add_test(t, test_array);
	tcase_add_test(t, test_refused);
	tcase_add_test(t, test_refused_shared);
	tcase_add_test(t, test_nowhere);
	tcase_add_test(t, test_scalars);
	tcase_add_test(t, test_members);
	tcase_add_test(t, test_symlinks);
	tcase_add_test(t, test_dropped);
	tcase_add_test(t, test_many_dropped);
	tcase_add_test(t, test_paths);
	tcase_add_test(t, test_deep);
	tcase_add_test(t, test_attrs);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(make_suite)
