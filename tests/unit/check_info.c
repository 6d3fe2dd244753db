/* SPDX-License-Identifier: MIT */

/*
 * The JSON and CSV that the tree makes, letter by letter, of a container that
 * has attributes, values, refused arrays and problems of each kind.
 */

#include <stdio.h>
#include <string.h>

#include "tree/cost.h"
#include "tree_test.h"

static uint32_t add_refused(struct volume *v, const char *name,
			    const char *type, const char *why)
{
	struct record_array a = record_array();
	uint32_t object;

	a.a.layout = CAT_CONTIGUOUS;
	a.a.kind = type ? 0 : 'i';
	a.a.order = type ? 0 : '<';
	a.a.data_addr = VOLUME_DATA;
	a.a.data_size = 12000;
	a.type = type;
	a.refused = why;
	object = records_array(&v->r, &a);
	records_link(&v->r, 0, name, object);
	return object;
}

static void add_attr(struct volume *v, uint32_t owner, const char *name,
		     struct cat_attr a, const void *data, uint32_t n)
{
	static const uint64_t dim[] = {2, 2};

	a.owner = owner;
	a.data_len = n;
	records_attr(&v->r, CAT_ATTR, &a, dim, name, data);
}

static void write_everything(void)
{
	static const char text[] = "\3\0\0\0abc\2\0\0\0\xff\n";
	static const uint8_t nan[] = {0, 0, 0xc0, 0x7f, 0,    0,    0x80, 0xff,
				      0, 0, 0xc0, 0x3f, 0xcd, 0xcc, 0xcc, 0x3d};
	struct volume v = {.data = 12000};
	struct record_array chunked = record_array();
	uint32_t values, g;
	uint64_t big = UINT64_MAX;

	records_group(&v.r);
	g = records_group(&v.r);
	records_link(&v.r, 0, "g", g);
	chunked.a.nfilter = 2;
	chunked.filter[0] = (struct cat_filter){.id = 2, .nparam = 1};
	chunked.param[0][0] = 2;
	chunked.filter[1] = (struct cat_filter){.id = 32013, .nparam = 2};
	chunked.param[1][0] = 7;
	chunked.param[1][1] = UINT32_MAX;
	chunked.filter_name = "zfp \"x\"";
	chunked.a.fill_size = 2;
	memcpy(chunked.fill, "\xff\xff", 2);
	values = records_array(&v.r, &chunked);
	records_link(&v.r, g, "chunked", values);
	add_attr(&v, values, "unit",
		 (struct cat_attr){.class = CAT_STRINGS, .rank = 0}, text, 7);
	add_attr(&v, 0, "texts",
		 (struct cat_attr){.class = CAT_STRINGS, .rank = 1}, text, 13);
	add_attr(&v, 0, "floats",
		 (struct cat_attr){.class = CAT_NUMBERS,
				   .kind = 'f',
				   .item_size = 4,
				   .rank = 2},
		 nan, 16);
	add_attr(&v, 0, "big",
		 (struct cat_attr){
			 .class = CAT_NUMBERS, .kind = 'u', .item_size = 8},
		 &big, 8);
	add_attr(&v, 0, "none", (struct cat_attr){.class = CAT_EMPTY}, "", 0);
	add_attr(&v, 0, "odd", (struct cat_attr){.class = CAT_UNSHOWN},
		 "reference", 9);
	add_refused(&v, "table", "compound", "type not served yet: compound");
	add_refused(&v, "virtual", NULL, "virtual dataset");
	records_symlink(&v.r, g, "lost", "/x", "lost.h5");
	records_problem(&v.r, values, "something is odd");
	records_problem(&v.r, 0, "so is this");
	volume_write(&v, in_src("all.h5"), "");
}

static void check_text(const char *path, const char *want)
{
	size_t n;
	char *text = content(at(path), &n);

	ck_assert_str_eq(text, want);
	free(text);
}

/* What people are told of a node has these lines. */
static void check_described(const char *path, const char *lines)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(tree_describe(tree, at(path), f), 0);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_msg(strstr(text, lines), "%s", text);
	free(text);
}

START_TEST(container_info)
{
	size_t n;
	char *text;
	const char *rest;

	write_everything();
	close_tree();
	open_tree();
	text = content(at("all/info.json"), &n);
	ck_assert_ptr_eq(strstr(text, "{\n"
				      "  \"format\": \"hdf5\",\n"
				      "  \"source\": \"all.h5\",\n"
				      "  \"size\": "),
			 text);
	rest = strstr(text, "  \"arrays\"");
	ck_assert_ptr_nonnull(rest);
	ck_assert_str_eq(
		rest,
		"  \"arrays\": [\n"
		"    {\"path\": \"g/chunked\", \"shape\": [10, 20, 30], "
		"\"dtype\": \"<i2\", \"refused\": \"filter zfp "
		"\\\"x\\\" (32013) is not supported\"},\n"
		"    {\"path\": \"table\", \"shape\": [10, 20, 30], "
		"\"dtype\": \"compound\", \"refused\": \"type not served "
		"yet: compound\"},\n"
		"    {\"path\": \"virtual\", \"shape\": [10, 20, 30], "
		"\"dtype\": \"<i2\", \"refused\": \"virtual dataset\"}\n"
		"  ],\n"
		"  \"values\": {},\n"
		"  \"attributes\": {\n"
		"    \"texts\": [\"abc\", \"\\\\xff\\n\"],\n"
		"    \"floats\": [\n"
		"      [\"NaN\", \"-Infinity\"],\n"
		"      [1.5, 0.1]\n"
		"    ],\n"
		"    \"big\": \"18446744073709551615\",\n"
		"    \"none\": null,\n"
		"    \"odd\": {\n"
		"      \"unshown\": \"reference\"\n"
		"    }\n"
		"  },\n"
		"  \"problems\": [\n"
		"    \"g/chunked: something is odd\",\n"
		"    \"so is this\",\n"
		"    \"g/chunked: filter zfp \\\"x\\\" (32013) is not "
		"supported\",\n"
		"    \"table: type not served yet: compound\",\n"
		"    \"virtual: virtual dataset\",\n"
		"    \"g: lost: an external link to a file that is not in "
		"the mounted tree: lost.h5\"\n"
		"  ]\n"
		"}\n");
	free(text);
}
END_TEST

START_TEST(array_info)
{
	char buf[16];

	write_everything();
	close_tree();
	open_tree();
	check_text("all/g/chunked/info.json",
		   "{\n"
		   "  \"path\": \"g/chunked\",\n"
		   "  \"shape\": [10, 20, 30],\n"
		   "  \"dtype\": \"<i2\",\n"
		   "  \"order\": \"<\",\n"
		   "  \"layout\": \"chunked\",\n"
		   "  \"chunks\": [4, 4, 4],\n"
		   "  \"filters\": [\n"
		   "    {\"id\": 2, \"name\": \"zfp \\\"x\\\"\", \"params\": "
		   "[2]},\n"
		   "    {\"id\": 32013, \"name\": \"zfp \\\"x\\\"\", "
		   "\"params\": [7, 4294967295]}\n"
		   "  ],\n"
		   "  \"fill\": -1,\n"
		   "  \"attributes\": {\n"
		   "    \"unit\": \"abc\"\n"
		   "  },\n"
		   "  \"views\": [\n"
		   "    {\"name\": \"slices\", \"items\": 10, \"item_shape\": "
		   "[20, 30], \"item_bytes\": 1200, \"decode_bytes\": null},\n"
		   "    {\"name\": \"slices+axis-1\", \"items\": 20, "
		   "\"item_shape\": [10, 30], \"item_bytes\": 600, "
		   "\"decode_bytes\": null},\n"
		   "    {\"name\": \"slices+axis-2\", \"items\": 30, "
		   "\"item_shape\": [10, 20], \"item_bytes\": 400, "
		   "\"decode_bytes\": null}\n"
		   "  ],\n"
		   "  \"problems\": [\n"
		   "    \"something is odd\",\n"
		   "    \"filter zfp \\\"x\\\" (32013) is not supported\"\n"
		   "  ]\n"
		   "}\n");
	check_described("all", "problem   g/chunked: something is odd\n"
			       "problem   so is this\n");
	check_described(
		"all/g/chunked",
		"problem   something is odd\n"
		"problem   filter zfp \"x\" (32013) is not supported\n");
	/* No values: what it is, and nothing to read. */
	ck_assert_uint_eq(at("all/table/array.npy"), 0);
	ck_assert_uint_ne(at("all/table/info.json"), 0);
	ck_assert_int_eq(vfile_read(tree, at("all/virtual/slices/0.npy"), buf,
				    16, 128, NULL),
			 -EOPNOTSUPP);
}
END_TEST

START_TEST(records)
{
	size_t n;
	char *text = content(
		at("train/volume/patches+size-2x3+border-pad/3.json"), &n);
	char *end = strchr(text, '}');

	ck_assert_uint_eq(n, 512);
	ck_assert_ptr_nonnull(end);
	end[1] = '\0';
	ck_assert_str_eq(text, "{\n"
			       "  \"array\": \"volume\",\n"
			       "  \"view\": \"patches+size-2x3+border-pad\","
			       "\n"
			       "  \"number\": 3,\n"
			       "  \"start\": [0, 2, 3],\n"
			       "  \"stop\": [1, 4, 6],\n"
			       "  \"shape\": [2, 3],\n"
			       "  \"dtype\": \"<i2\",\n"
			       "  \"pad\": [[0, 0], [0, 0], [0, 1]]\n"
			       "}");
	for (const char *p = end + 2; p < text + n - 1; p++)
		ck_assert_int_eq(*p, ' ');
	free(text);
}
END_TEST

START_TEST(tables)
{
	check_text("train/volume/patches+size-2x3+border-pad/index.csv",
		   "item,start_0,start_1,start_2,stop_0,stop_1,stop_2\n"
		   "000000,0,0,0,1,2,3\n"
		   "000001,0,0,3,1,2,6\n"
		   "000002,0,2,0,1,4,3\n"
		   "000003,0,2,3,1,4,6\n"
		   "000004,1,0,0,2,2,3\n"
		   "000005,1,0,3,2,2,6\n"
		   "000006,1,2,0,2,4,3\n"
		   "000007,1,2,3,2,4,6\n"
		   "000008,2,0,0,3,2,3\n"
		   "000009,2,0,3,3,2,6\n"
		   "000010,2,2,0,3,4,3\n"
		   "000011,2,2,3,3,4,6\n");
	check_text("train/empty/slices/index.csv",
		   "item,start_0,start_1,stop_0,stop_1\n");
}
END_TEST

/* ------------------------------------------------------------------- cost */

static uint64_t volume_of(const struct array *a, const struct region *box)
{
	uint64_t n = 1;

	/* Chunks of 4: as many as lie under the box. */
	for (unsigned k = 0; k < box->ndim; k++)
		n *= (box->start[k] + box->extent[k] - 1) / 4 -
		     box->start[k] / 4 + 1;
	(void)a;
	return n;
}

/* The worst of all items, for all small views, is what view_cost says. */
START_TEST(worst_item)
{
	static const uint64_t chunk[] = {4, 4};
	const struct array_ops ops = {.name = "test",
				      .decode_bytes = volume_of};
	struct array a = {.ops = &ops,
			  .shape = {.ndim = 2, .dim = {11, 13}},
			  .kind = 'u',
			  .item_size = 1};
	const struct item_type type = {
		.shape = a.shape, .kind = 'u', .item_size = 1};
	for (unsigned i = 0; i < 3 * 11 * 6; i++) {
		char name[64], why[VIEW_WHY_MAX];
		struct view_geometry g;
		struct view_spec s;
		uint64_t worst = 0;
		unsigned p = 1 + i % 11, step = 1 + i / 33;

		if (i / 11 % 3 == 1)
			snprintf(name, sizeof(name), "crops+size-%ux3", p);
		else
			snprintf(name, sizeof(name),
				 "patches+size-%ux3+stride-%ux2%s", p, step,
				 i / 11 % 3 ? "+border-pad" : "");
		ck_assert_int_eq(view_parse(name, &s, why), 0);
		ck_assert_int_eq(view_bind(&s, &type, &g, why), 0);
		for (uint64_t item = 0; item < g.count; item++) {
			struct region box = {.ndim = 2};
			int64_t start[NDIM_MAX];
			uint64_t cost;

			sample_start(&g.sampling, item, start);
			for (unsigned k = 0; k < 2; k++) {
				uint64_t length = a.shape.dim[k];

				box.start[k] = (uint64_t)start[k];
				box.extent[k] = g.sampling.axis[k].extent;
				if (box.extent[k] > length - box.start[k])
					box.extent[k] = length - box.start[k];
			}
			cost = volume_of(&a, &box);
			worst = cost > worst ? cost : worst;
		}
		ck_assert_msg(view_cost(&a, chunk, &g) == worst,
			      "%s: %lu, not %lu", name,
			      (unsigned long)view_cost(&a, chunk, &g),
			      (unsigned long)worst);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("info");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, container_info);
	tcase_add_test(t, array_info);
	tcase_add_test(t, records);
	tcase_add_test(t, tables);
	tcase_add_test(t, worst_item);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(suite)
