/* SPDX-License-Identifier: MIT */

/* What is recognised as medh5, what of it is hidden, and what is known of it.
 */

#include <config.h>

#include "medh5_fixture.h"
#include "unit.h"

static int with_version(const char *version)
{
	int err;

	teardown();
	setup();
	text(0, "medh5_version", version);
	document(0, "meta", LABELS);
	err = apply_limited(1 << 20);
	return err ? err : (int)catalog_medh5(k);
}

START_TEST(test_versions)
{
	ck_assert_int_eq(with_version("1"), MEDH5_SAMPLE);
	ck_assert_int_eq(with_version("1.0"), MEDH5_SAMPLE);
	ck_assert_int_eq(with_version("1.2"), MEDH5_SAMPLE);
	ck_assert_uint_eq(catalog_problems(k), 0);
	ck_assert_str_eq(catalog_format(k), "medh5");
	ck_assert_int_eq(with_version("1.3"), MEDH5_SAMPLE);
	ck_assert(said("medh5_version 1.3 is newer"));
	ck_assert_int_eq(with_version("1.x"), MEDH5_SAMPLE);
	ck_assert(said("W913"));
	ck_assert_int_eq(with_version("1.99999999999999999999"), MEDH5_SAMPLE);
	ck_assert(said("W913"));
	ck_assert_int_eq(with_version("2.0"), -EOPNOTSUPP);
	ck_assert_str_eq(why, "medh5_version 2.0 is not supported (E002)");
	ck_assert_int_eq(with_version(" 1"), -EOPNOTSUPP);
	ck_assert_int_eq(with_version("01"), -EOPNOTSUPP);
	ck_assert_int_eq(with_version("10.0"), -EOPNOTSUPP);
	ck_assert_int_eq(with_version(""), -EOPNOTSUPP);
	teardown();
	setup();
	integer(0, "medh5_version", 1);
	ck_assert_int_eq(apply_limited(1 << 20), -EOPNOTSUPP);
}
END_TEST

START_TEST(test_plain)
{
	document(0, "meta", LABELS);
	apply();
	ck_assert_int_eq(catalog_medh5(k), MEDH5_NOT);
	ck_assert_ptr_null(catalog_format(k));
	ck_assert(has("meta"));
	ck_assert_uint_eq(catalog_samples(k), 0);
	ck_assert_int_eq(catalog_sample_at(k, 0), -ENOENT);
	teardown();
	setup();
	/* A cache of features is no sample. */
	text(0, "medh5_version", "1.0");
	text(0, "medh5_companion", "medh5.cache/1");
	document(0, "meta", LABELS);
	apply();
	ck_assert_int_eq(catalog_medh5(k), MEDH5_NOT);
	ck_assert(has("meta"));
}
END_TEST

/* Whether these bytes are anywhere in the catalog. */
static bool holds(const char *s)
{
	return memmem(k, size, s, strlen(s));
}

START_TEST(test_private)
{
	struct sample s = sample(0, LABELS);
	uint32_t clinical = group(0, "clinical"), table;
	struct attr a;

	table = document(clinical, "table", "SECRET table");
	text(clinical, "who", "SECRET owner");
	text(table, "who", "SECRET column");
	records_problem(&r, table, "SECRET problem");
	records_symlink(&r, clinical, "SECRET link", "SECRET target", "F");
	/* Aliases. */
	records_link(&r, s.images, "alias", table);
	records_link(&r, 0, "tables", clinical);
	records_link(&r, s.annotations, "doc", s.meta);
	/* A way back up does not hide the sample. */
	records_link(&r, clinical, "root", 0);
	array(s.images, "CT", 'i', 2, 3, shape);
	text(5, "grid", "ct");
	apply();
	ck_assert(!has("meta") && !has("clinical") && !has("images/alias"));
	ck_assert(!has("tables") && !has("annotations/doc"));
	ck_assert(has("images/CT") && has("grids/ct"));
	ck_assert_uint_eq(catalog_arrays(k), 1);
	ck_assert(!catalog_value(k, s.meta, &a));
	ck_assert(!catalog_value(k, table, &a));
	ck_assert_uint_eq(catalog_attrs(k, table), 0);
	ck_assert_uint_eq(catalog_members(k, clinical), 0);
	ck_assert(!said("SECRET"));
	ck_assert(!holds("SECRET"));
}
END_TEST

/* Under other names, to which soft links lead. */
START_TEST(test_private_elsewhere)
{
	static const char *const path[] = {"/x/y", "x/./y/", "//x//y",
					   "x/y/table"};
	uint32_t x, y, table;

	text(0, "medh5_version", "1.1");
	x = group(0, "x");
	y = group(x, "y");
	table = document(y, "table", "SECRET table");
	text(table, "who", "SECRET column");
	array(x, "CT", 'i', 2, 3, shape);
	records_symlink(&r, 0, "clinical", path[_i], NULL);
	records_symlink(&r, 0, "meta", _i % 2 ? "" : "x/nothing/y", NULL);
	apply();
	ck_assert(has("x/CT"));
	ck_assert_int_eq(has("x/y"), _i == 3);
	ck_assert(!has("x/y/table"));
	ck_assert(!holds("SECRET"));
}
END_TEST

START_TEST(test_meta)
{
	struct sample s = sample(
		0, "{\"label_set\": {\"id\": \"set\", \"version\": \"1.2\","
		   "\"sha256\": \"abc\", \"form\": \"inline\", \"classes\": ["
		   "{\"id\": 7, \"key\": \"tube\", \"name\": \"A \\u00e4\","
		   " \"parents\": [1, 2, -1, 70000, \"x\"],"
		   " \"color\": [1, 2, 3, 4]},"
		   "{\"id\": 1, \"key\": \"body\", \"color\": [1, 2, 256]},"
		   "{\"id\": 2, \"key\": 5, \"name\": null,"
		   " \"color\": [9, 8, 7]}]},"
		   "\"cohort\": {\"group_id\": \"g1\", \"site\": \"SECRET\"},"
		   "\"splits\": [{\"set_id\": \"s\", \"partition\": \"train\","
		   " \"fold\": 3, \"who\": \"SECRET\"}],"
		   "\"timepoints\": [{\"date\": \"SECRET\"}],"
		   "\"big\": 123456789012345678901234567890, \"e\": 1e5}");
	struct sample_info i;
	struct label_info l;

	apply();
	ck_assert_uint_eq(catalog_problems(k), 0);
	ck_assert_uint_eq(catalog_samples(k), 1);
	ck_assert_int_eq(catalog_sample_at(k, s.root), 0);
	ck_assert_int_eq(catalog_sample_at(k, s.images), -ENOENT);
	catalog_sample(k, 0, &i);
	ck_assert_uint_eq(i.root, 0);
	ck_assert(equal(i.set_id, "set") && equal(i.set_version, "1.2") &&
		  equal(i.set_sha256, "abc") && equal(i.group_id, "g1"));
	ck_assert(memmem(i.splits.p, i.splits.n, "\"train\"", 7));
	ck_assert(memmem(i.splits.p, i.splits.n, "\"fold\": 3", 9));
	ck_assert_uint_eq(i.nlabel, 3);
	catalog_label(k, &i, 0, &l);
	ck_assert_uint_eq(l.id, 1);
	ck_assert(equal(l.key, "body") && !l.name.n && !l.has_color);
	ck_assert(l.has_own_key);
	ck_assert(catalog_label_by_id(k, &i, 7, &l));
	ck_assert(equal(l.key, "tube") && equal(l.name, "A \xc3\xa4"));
	ck_assert(l.has_color);
	ck_assert_mem_eq(l.color, "\1\2\3\4", 4);
	ck_assert_uint_eq(l.nparent, 2);
	ck_assert_uint_eq(l.parent[0], 1);
	ck_assert_uint_eq(l.parent[1], 2);
	ck_assert(catalog_label_by_id(k, &i, 2, &l));
	ck_assert(!l.key.n && !l.has_own_key && l.has_color);
	ck_assert_mem_eq(l.color, "\11\10\7\377", 4);
	ck_assert(!catalog_label_by_id(k, &i, 3, &l));
	ck_assert(!holds("SECRET"));
}
END_TEST

/* A key names a class if it is of no other, wherever these are. */
START_TEST(test_own_keys)
{
	static const bool own[] = {false, true, false, false, false, true};
	struct sample_info i;
	struct label_info l;

	sample(0, "{\"label_set\": {\"classes\": ["
		  "{\"id\": 1, \"key\": \"same\"},"
		  "{\"id\": 2, \"key\": \"sam\"},"
		  "{\"id\": 3, \"key\": \"same\"},"
		  "{\"id\": 4, \"key\": \"\"},"
		  "{\"id\": 5, \"key\": \"same\"},"
		  "{\"id\": 6, \"key\": \"samey\"}]}}");
	apply();
	catalog_sample(k, 0, &i);
	ck_assert_uint_eq(i.nlabel, 6);
	for (unsigned n = 0; n < 6; n++) {
		catalog_label(k, &i, n, &l);
		ck_assert_uint_eq(l.id, n + 1);
		ck_assert_int_eq(l.has_own_key, own[n]);
	}
}
END_TEST

static void expect_meta(const char *meta, const char *problem)
{
	struct sample_info i;

	teardown();
	setup();
	sample(0, meta);
	apply();
	ck_assert_msg(said(problem), "%s: not %s", meta, problem);
	catalog_sample(k, 0, &i);
	ck_assert_uint_eq(i.splits.n + i.group_id.n, 0);
}

START_TEST(test_bad_meta)
{
	char *deep = malloc(100001);

	expect_meta("", "no JSON document");
	expect_meta("[]", "no JSON document");
	expect_meta("null", "no JSON document");
	expect_meta("{\"a\": \"unfinished", "no JSON document");
	expect_meta("{\"a\": \"\\", "no JSON document");
	expect_meta("{\"a\": NaNs}", "no JSON document");
	expect_meta("{\"label_set\": {\"classes\": [{}, 5, null, []]}}",
		    "have no id");
	expect_meta("{\"label_set\": {\"classes\": [{\"id\": 0},"
		    "{\"id\": 65535}, {\"id\": 1.5}]}}",
		    "have no id");
	expect_meta("{\"label_set\": {\"classes\": [{\"id\": 1}, {\"id\": 1}]"
		    "}, \"splits\": 5, \"cohort\": []}",
		    "twice");
	memset(deep, '[', 100000);
	deep[100000] = '\0';
	expect_meta(deep, "no JSON document");
	free(deep);
	teardown();
	setup();
	text(0, "medh5_version", "1.0");
	group(0, "meta");
	apply();
	ck_assert(said("meta cannot be read"));
	ck_assert(!has("meta"));
}
END_TEST

START_TEST(test_collection)
{
	uint32_t samples, other, none;
	struct sample_info i;
	struct place_info p;

	text(0, "medh5_version", "1.0");
	text(0, "medh5_kind", "collection");
	samples = group(0, "samples");
	for (unsigned n = 0; n < 2; n++) {
		struct sample s =
			sample(group(samples, n ? "b" : "a.1"), LABELS);

		array(s.images, "CT", 'i', 2, 3, shape);
		text((uint32_t)r.objects - 1, "grid", "ct");
	}
	other = group(samples, "other");
	text(other, "medh5_version", "2.0");
	document(other, "meta", "SECRET");
	none = group(samples, "none");
	document(none, "meta", "SECRET");
	apply();
	ck_assert_int_eq(catalog_medh5(k), MEDH5_COLLECTION);
	ck_assert_uint_eq(catalog_samples(k), 2);
	catalog_sample(k, 1, &i);
	ck_assert_uint_eq(i.root, at("samples/b"));
	ck_assert(has("samples/a.1/images/CT") && !has("samples/a.1/meta"));
	ck_assert(!has("samples/other"));
	ck_assert(said("other is left out: medh5_version 2.0"));
	ck_assert(has("samples/none") && !has("samples/none/meta"));
	ck_assert(said("none is no medh5 sample"));
	ck_assert(!holds("SECRET"));
	ck_assert(catalog_place(k, at("samples/b/images/CT"), &p));
	ck_assert_uint_eq(p.sample, 1);
	ck_assert_uint_eq(p.grid, at("samples/b/grids/ct"));
	teardown();
	setup();
	text(0, "medh5_version", "1.0");
	text(0, "medh5_kind", "collection");
	apply();
	ck_assert_uint_eq(catalog_samples(k), 0);
	ck_assert(said("no samples"));
}
END_TEST

/* Members that are one group, or the root itself. */
START_TEST(test_aliased_samples)
{
	uint32_t samples, a;

	text(0, "medh5_version", "1.0");
	text(0, "medh5_kind", "collection");
	samples = group(0, "samples");
	a = group(samples, "a");
	sample(a, LABELS);
	records_link(&r, samples, "b", a);
	records_link(&r, samples, "root", 0);
	records_link(&r, samples, "self", samples);
	records_symlink(&r, samples, "soft", "a", NULL);
	apply();
	ck_assert_uint_ge(catalog_samples(k), 1);
	ck_assert(has("samples/a/images") && has("samples/b/images"));
	ck_assert(!has("samples/b/meta"));
}
END_TEST

START_TEST(test_limit)
{
	size_t need;

	sample(0, LABELS);
	apply();
	for (need = 4096;; need += 64) {
		struct catalog_builder b;
		struct scan_end end = {.objects = r.objects, .links = r.links};
		void *out = NULL;
		int err = catalog_builder_init(&b, FILE_SIZE, need);

		if (!err)
			err = catalog_builder_page(&b, r.p, r.n);
		if (!err)
			err = catalog_builder_finish(&b, &end, &out, &size);
		if (!err)
			err = medh5_apply(&b, NULL, &out, &size, NULL);
		ck_assert(!err || (err == -EFBIG && *b.why));
		catalog_builder_fini(&b);
		free(out);
		if (!err)
			break;
	}
	ck_assert_uint_le(need, 2 * size + 4096);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("samples");
	TCase *c = tcase_create("samples");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, test_versions);
	tcase_add_test(c, test_plain);
	tcase_add_test(c, test_private);
	tcase_add_loop_test(c, test_private_elsewhere, 0, 4);
	tcase_add_test(c, test_meta);
	tcase_add_test(c, test_own_keys);
	tcase_add_test(c, test_bad_meta);
	tcase_add_test(c, test_collection);
	tcase_add_test(c, test_aliased_samples);
	tcase_add_test(c, test_limit);
	suite_add_tcase(s, c);
	return s;
}

UNIT_MAIN(suite)
