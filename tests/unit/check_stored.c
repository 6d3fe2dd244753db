/* SPDX-License-Identifier: MIT */

/*
 * What is checked of a sampling index that a medh5 file carries: its numbers
 * against a plain model, over all short lists of coordinates in and around a
 * small shape; and what the catalog tells of it, of samples made by hand.
 * Digests are of hashlib.
 */

#include <config.h>

#include <math.h>

#include "index/stored_impl.h"
#include "medh5_fixture.h"
#include "unit.h"
#include "util/hash.h"

/* ---------------------------------------------------------------- numbers */

static const struct shape small = {.ndim = 2, .dim = {2, 3}};

static int entry(uint32_t id, int64_t count, uint64_t max, float a, float b,
		 float c, float d, struct stored_record *out)
{
	const float box[] = {a, b, c, d};

	return stored_entry_check(&small, max, id, count, box, out);
}

START_TEST(test_entry)
{
	const float n = NAN, h = 0.5F;
	struct stored_record out;

	ck_assert_int_eq(entry(7, 5, 4, -h, 1.5F, h, 2.5F, &out), -EBADMSG);
	ck_assert_int_eq(entry(7, 4, 3, -h, 1.5F, h, 2.5F, &out), 0);
	ck_assert_uint_eq(out.id, 7);
	ck_assert_uint_eq(out.count, 4);
	ck_assert_uint_eq(out.rows, 3);
	ck_assert_uint_eq(out.start[0], 0);
	ck_assert_uint_eq(out.stop[0], 2);
	ck_assert_uint_eq(out.start[1], 1);
	ck_assert_uint_eq(out.stop[1], 3);
	ck_assert_int_eq(entry(65534, 4, 9, -h, 1.5F, h, 2.5F, &out), 0);
	ck_assert_uint_eq(out.rows, 4);
	ck_assert_int_eq(entry(0, 4, 9, -h, 1.5F, h, 2.5F, &out), -EBADMSG);
	ck_assert_int_eq(entry(65535, 4, 9, -h, 1.5F, h, 2.5F, &out), -EBADMSG);
	ck_assert_int_eq(entry(1, -1, 9, -h, 1.5F, h, 2.5F, &out), -EBADMSG);
	ck_assert_int_eq(entry(1, INT64_MIN, 9, -h, h, h, 1.5F, &out),
			 -EBADMSG);
	ck_assert_int_eq(entry(1, 0, 9, n, n, n, n, &out), 0);
	ck_assert_uint_eq(out.rows, 0);
	ck_assert_int_eq(entry(1, 0, 9, -h, h, h, 1.5F, &out), -EBADMSG);
	ck_assert_int_eq(entry(1, 0, 9, n, n, n, h, &out), -EBADMSG);
	ck_assert_int_eq(entry(1, 1, 9, n, n, n, n, &out), -EBADMSG);
	ck_assert_int_eq(entry(1, 1, 9, -h, h, n, h, &out), -EBADMSG);
	ck_assert_int_eq(entry(1, 1, 9, -h, h, -1.5F, h, &out), -EBADMSG);
	ck_assert_int_eq(entry(1, 1, 9, -h, h, -h, 3.5F, &out), -EBADMSG);
	ck_assert_int_eq(entry(1, 1, 9, -h, h, 0, h, &out), -EBADMSG);
	ck_assert_int_eq(entry(1, 1, 9, -h, h, h, h, &out), -EBADMSG);
	ck_assert_int_eq(entry(1, 1, 9, -h, h, 1.5F, h, &out), -EBADMSG);
	ck_assert_int_eq(entry(1, 1, 9, -h, h, -h, INFINITY, &out), -EBADMSG);
	ck_assert_int_eq(entry(1, 1, 9, -h, h, -INFINITY, h, &out), -EBADMSG);
	ck_assert_int_eq(entry(1, 1, 9, -h, 1e30F, -h, h, &out), -EBADMSG);
	ck_assert_int_eq(entry(1, 1, 9, -h, h, -h, h, &out), 0);
}
END_TEST

/* Candidates for a coordinate: inside, around, and where numbers wrap. */
static const int32_t along[2][5] = {{-1, 0, 1, 2, INT32_MIN}, {-1, 0, 1, 2, 3}};

/* Whether a list is what it should be, in so many words. */
static bool is_right(const struct stored_record *q, const int32_t *at,
		     unsigned n)
{
	int32_t lo[2] = {INT32_MAX, INT32_MAX}, hi[2] = {-1, -1};

	if (n != q->rows)
		return false;
	for (unsigned i = 0; i < n; i++) {
		const int32_t *p = at + 2 * (size_t)i;

		for (unsigned a = 0; a < 2; a++) {
			if (p[a] < (int32_t)q->start[a] ||
			    p[a] >= (int32_t)q->stop[a])
				return false;
			lo[a] = p[a] < lo[a] ? p[a] : lo[a];
			hi[a] = p[a] > hi[a] ? p[a] : hi[a];
		}
		if (i && !(p[0] > p[-2] || (p[0] == p[-2] && p[1] > p[-1])))
			return false;
	}
	if (q->rows < q->count)
		return true;
	for (unsigned a = 0; a < 2; a++)
		if (lo[a] != (int32_t)q->start[a] ||
		    hi[a] + 1 != (int32_t)q->stop[a])
			return false;
	return true;
}

/* In pieces of so many rows. */
static bool is_accepted(const struct stored_record *q, const int32_t *at,
			unsigned n, unsigned piece)
{
	struct stored_rows rows;

	stored_rows_begin(&rows, &small, q);
	for (unsigned i = 0; i < n; i += piece) {
		unsigned m = n - i < piece ? n - i : piece;

		if (stored_rows_check(&rows, at + 2 * (size_t)i, m))
			return false;
	}
	return stored_rows_end(&rows) == 0;
}

static void check_lists(const struct stored_record *q, unsigned n)
{
	unsigned all = 1, right = 0;

	for (unsigned i = 0; i < n; i++)
		all *= 25;
	for (unsigned list = 0; list < all; list++) {
		int32_t at[8];
		unsigned rest = list;
		bool want;

		for (unsigned i = 0; i < n; i++, rest /= 25) {
			at[2 * i] = along[0][rest % 25 / 5];
			at[2 * i + 1] = along[1][rest % 5];
		}
		want = is_right(q, at, n);
		right += want;
		for (unsigned piece = 1; piece <= n; piece++)
			ck_assert_int_eq(is_accepted(q, at, n, piece), want);
	}
	if (n == q->rows)
		ck_assert_uint_gt(right, 0);
}

START_TEST(test_rows)
{
	for (unsigned count = 1; count <= 4; count++) {
		struct stored_record q = {.id = 1, .stop = {2, 3}};

		q.count = count;
		for (unsigned max = 1; max <= 3; max++) {
			q.rows = count < max ? count : max;
			/* All of one voxel fill no box of six. */
			if (q.rows == q.count && count < 2)
				continue;
			for (unsigned n = 1; n <= 3; n++)
				check_lists(&q, n);
		}
	}
	check_lists(&(struct stored_record){.id = 1,
					    .count = 2,
					    .rows = 2,
					    .start = {0, 1},
					    .stop = {2, 2}},
		    2);
	check_lists(&(struct stored_record){.id = 1,
					    .count = 1,
					    .rows = 1,
					    .start = {1, 2},
					    .stop = {2, 3}},
		    1);
}
END_TEST

/* ---------------------------------------------------------------- catalogs */

#define ZEROS                              \
	"00000000000000000000000000000000" \
	"00000000000000000000000000000000"
/* Of "data\tsha256:000...\n". */
#define DATA                               \
	"49de7c078803c7d1b03965c6443d2d7b" \
	"3efc5ee0c82d92f080d750a759300701"
#define DATA_512                           \
	"795fc49f038f7a0167e7d96f2dd54470" \
	"3cca95d5c896fa74b6469f68176a71ca" \
	"c6221ab9ccb1940e92d3e370b3a33eed" \
	"44f5f30fc24f9e97d7b9b3e41b907a02"
#define DATA_2B                            \
	"30d3e05596cec3c55f25c5c72d4e517a" \
	"88c575e6d921e317abae6d85b9ea9ef3" \
	"e184a231c01ea3e8cc668de635ebc197" \
	"189db763cb2bb6c0c7765af4d2cb022a"
/* Of "data\tsha256:aaa...\n". */
#define COMPUTED                           \
	"a2311c15c463b4776a578c2b9755c65f" \
	"e939285081fe9c1fda1f113d0075af1c"

struct parts {
	struct sample s;
	uint32_t annotation, data, index;
};

static const uint64_t two[] = {2}, boxes[] = {2, 3, 2}, rows[] = {5, 3};

/* A sample with one index, of two classes, without a source_digest. */
static struct parts parts(const char *digest)
{
	static const uint16_t id[] = {1, 2};
	struct parts p = {.s = sample(0, LABELS)};
	uint32_t coords;

	p.annotation = annotation(&p.s, "organs", "labelmap", 2, id);
	p.data = array(p.annotation, "data", 'u', 1, 3, shape);
	if (digest)
		text(p.data, "digest", digest);
	p.index = group(group(0, "index"), "organs");
	array(p.index, "class_ids", 'u', 2, 1, two);
	array(p.index, "voxel_counts", 'i', 8, 1, two);
	array(p.index, "class_bboxes", 'f', 4, 3, boxes);
	coords = group(p.index, "fg_coords");
	array(coords, "1", 'i', 4, 2, rows);
	array(coords, "2", 'u', 4, 2, rows);
	return p;
}

static int compute(void *arg, uint32_t object, const char *path,
		   const char *algorithm, char *hex)
{
	int *err = arg;

	ck_assert_uint_eq(object, at("annotations/organs/data"));
	ck_assert_str_eq(path, "annotations/organs/data");
	ck_assert_str_eq(algorithm, "sha256");
	memset(hex, 'a', 64);
	hex[64] = '\0';
	return *err;
}

static struct carried_index carried(carried_digest_fn *fn, int err)
{
	struct carried_index c;

	apply();
	ck_assert_int_eq(
		catalog_carried(k, 0, at("annotations/organs"), fn, &err, &c),
		0);
	teardown();
	setup();
	return c;
}

START_TEST(test_fresh)
{
	static const char *const digest[] = {"sha256:" DATA, "sha512:" DATA_512,
					     "blake2b:" DATA_2B};
	struct carried_index c;
	struct parts p = parts("sha256:" ZEROS);

	text(p.index, "source_digest", digest[_i]);
	apply();
	ck_assert(!said("W905"));
	ck_assert_int_eq(
		catalog_carried(k, 0, at("annotations/organs"), NULL, NULL, &c),
		0);
	ck_assert_int_eq(c.state, CARRIED_FRESH);
	ck_assert_str_eq(c.why, "");
	ck_assert_uint_eq(c.nspatial, 3);
	ck_assert_int_eq(memcmp(c.shape, shape, sizeof(c.shape)), 0);
	ck_assert_uint_eq(c.max_coords, 4096);
	ck_assert_uint_eq(c.nclass, 2);
	ck_assert_uint_eq(c.class_ids, at("index/organs/class_ids"));
	ck_assert_uint_eq(catalog_carried_coords(k, &c, 1, 5),
			  at("index/organs/fg_coords/1"));
	ck_assert_uint_eq(catalog_carried_coords(k, &c, 1, 4), OBJECT_NONE);
	ck_assert_uint_eq(catalog_carried_coords(k, &c, 2, 5), OBJECT_NONE);
	ck_assert_uint_eq(catalog_carried_coords(k, &c, 3, 5), OBJECT_NONE);
}
END_TEST

START_TEST(test_stale)
{
	static const char *const digest[] = {
		"sha256:" ZEROS,
		"SHA256:" DATA,
		"sha256" DATA,
		"sha256:",
		"sha512:" DATA,
		"sha256:" DATA "0",
		":" DATA,
		"sha256:" DATA_2B,
		"blake2b:" DATA_512,
		"",
	};
	struct parts p = parts("sha256:" ZEROS);
	struct carried_index c;

	text(p.index, "source_digest", digest[_i]);
	apply();
	ck_assert(said("W905"));
	ck_assert(said("`medh5 index build` on the file"));
	c = carried(NULL, 0);
	ck_assert_int_eq(c.state, CARRIED_STALE);
	ck_assert_str_ne(c.why, "");
}
END_TEST

/* An array of the annotation that has no digest. */
START_TEST(test_unknown)
{
	struct parts p = parts(NULL);
	struct carried_index c;
	int err = -EIO;

	text(p.index, "source_digest", "sha256:" COMPUTED);
	apply();
	ck_assert(!said("W905"));
	ck_assert_int_eq(catalog_carried(k, 0, at("annotations/organs"),
					 compute, &err, &c),
			 -EIO);
	c = carried(NULL, 0);
	ck_assert_int_eq(c.state, CARRIED_UNKNOWN);
	for (unsigned i = 0; i < 3; i++) {
		p = parts(NULL);
		text(p.index, "source_digest",
		     i == 1 ? "sha256:" DATA : "sha256:" COMPUTED);
		c = carried(compute, i == 2 ? -EOPNOTSUPP : 0);
		ck_assert_int_eq(c.state, i ? CARRIED_STALE : CARRIED_FRESH);
	}
}
END_TEST

START_TEST(test_absent)
{
	struct sample s = sample(0, LABELS);

	annotation(&s, "organs", "labelmap", 0, NULL);
	group(group(0, "index"), "other");
	apply();
	ck_assert(said("W905"));
	ck_assert(said("no annotation of that name"));
	ck_assert_int_eq(carried(NULL, 0).state, CARRIED_ABSENT);
	s = sample(0, LABELS);
	annotation(&s, "organs", "labelmap", 0, NULL);
	ck_assert_int_eq(carried(NULL, 0).state, CARRIED_ABSENT);
	s = sample(0, LABELS);
	annotation(&s, "organs", "labelmap", 0, NULL);
	array(0, "index", 'u', 1, 1, two);
	ck_assert_int_eq(carried(NULL, 0).state, CARRIED_ABSENT);
}
END_TEST

/* In a collection the command is another one. */
START_TEST(test_collection)
{
	struct sample s;

	text(0, "medh5_version", "1.0");
	text(0, "medh5_kind", "collection");
	s = sample(group(group(0, "samples"), "one"), LABELS);
	annotation(&s, "organs", "labelmap", 0, NULL);
	group(group(s.root, "index"), "organs");
	apply();
	ck_assert(said("W905"));
	ck_assert(said("unpack the collection and run `medh5 index build` on "
		       "the sample"));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("stored");
	TCase *c = tcase_create("stored");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, test_entry);
	tcase_add_test(c, test_rows);
	tcase_add_loop_test(c, test_fresh, 0, 3);
	tcase_add_loop_test(c, test_stale, 0, 10);
	tcase_add_test(c, test_unknown);
	tcase_add_test(c, test_absent);
	tcase_add_test(c, test_collection);
	suite_add_tcase(s, c);
	return s;
}
UNIT_MAIN(suite)
