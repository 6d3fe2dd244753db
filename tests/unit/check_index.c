/* SPDX-License-Identifier: MIT */

/* Indexes of hand-made chunks: what is found, missing, broken, refused. */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "container/container_impl.h"
#include "unit.h"

#define FILE_SIZE 1000000

/* 3 x 2 chunks of 4 x 4 bytes, the last of each axis cut. */
static uint64_t dim[CAT_RANK_MAX], chunk[CAT_RANK_MAX];
static struct array_info a;
static struct scan_chunk sent[64];
static unsigned nsent;
static struct chunk_index *x;
static size_t size;
static char *note;
static char why[WHY_MAX];

static void setup(void)
{
	dim[0] = 10;
	dim[1] = 6;
	chunk[0] = chunk[1] = 4;
	a = (struct array_info){
		.rank = 2,
		.dim = dim,
		.chunk = chunk,
		.layout = CAT_CHUNKED,
		.kind = 'u',
		.order = '|',
		.item_size = 1,
		.nfilter = 2,
	};
	nsent = 0;
}

static void teardown(void)
{
	free(x);
	free(note);
	x = NULL;
	note = NULL;
}

static struct scan_chunk *send_chunk(uint64_t slot)
{
	sent[nsent] = (struct scan_chunk){
		.slot = slot,
		.addr = 1000 + slot * 16,
		.size = 16,
	};
	return &sent[nsent++];
}

static int build_page(uint64_t page, int64_t allocated, int64_t located,
		      size_t max)
{
	struct index_builder b;
	struct scan_end end = {.located = (uint64_t)located,
			       .allocated = allocated};
	void *out = NULL;
	int err = index_builder_init(&b, &a, page, FILE_SIZE, max);

	teardown();
	if (!err)
		err = index_builder_chunks(&b, sent, nsent * sizeof(*sent));
	if (!err)
		err = index_builder_finish(&b, &end, &out, &size, &note);
	memcpy(why, b.why, sizeof(why));
	index_builder_fini(&b);
	x = out;
	return err;
}

static int build(int64_t allocated)
{
	int64_t located = 0;

	for (unsigned i = 0; i < nsent; i++)
		located += !(sent[i].flags & SCAN_CHUNK_BROKEN);
	return build_page(0, allocated, located, 1 << 20);
}

static void expect_stored(uint64_t slot, uint64_t off, uint64_t n,
			  uint32_t skip)
{
	struct stored s;

	ck_assert_int_eq(chunk_index_locate(x, slot, &s), 0);
	ck_assert_uint_eq(s.off, off);
	ck_assert_uint_eq(s.n, n);
	ck_assert_uint_eq(s.skip, skip);
}

static void expect_counts(uint64_t stored, uint64_t missing, uint64_t broken,
			  uint64_t masked)
{
	struct chunk_counts c;

	chunk_index_counts(x, &c);
	ck_assert_uint_eq(c.stored, stored);
	ck_assert_uint_eq(c.missing, missing);
	ck_assert_uint_eq(c.broken, broken);
	ck_assert_uint_eq(c.masked, masked);
}

static void expect_hole(uint64_t slot)
{
	expect_stored(slot, 0, 0, 0);
}

static void expect_broken(uint64_t slot)
{
	struct stored s;

	ck_assert_int_eq(chunk_index_locate(x, slot, &s), -EBADMSG);
}

START_TEST(test_full)
{
	for (uint64_t i = 0; i < 6; i++)
		send_chunk(i);
	sent[2].mask = 2;
	sent[3].mask = 0xfffffff4; /* bits of no filter */
	ck_assert_int_eq(build(6), 0);
	expect_stored(0, 1000, 16, 0);
	expect_stored(2, 1032, 16, 2);
	expect_stored(3, 1048, 16, 0);
	expect_stored(5, 1080, 16, 0);
	expect_counts(6, 0, 0, 1);
	ck_assert_ptr_null(note);
}
END_TEST

START_TEST(test_none)
{
	ck_assert_int_eq(build(0), 0);
	for (uint64_t i = 0; i < 6; i++)
		expect_hole(i);
	expect_counts(0, 6, 0, 0);
	ck_assert_ptr_null(note);
}
END_TEST

START_TEST(test_sparse)
{
	send_chunk(1);
	send_chunk(4);
	ck_assert_int_eq(build(2), 0);
	expect_hole(0);
	expect_stored(1, 1016, 16, 0);
	expect_hole(3);
	expect_stored(4, 1064, 16, 0);
	expect_hole(5);
	expect_counts(2, 4, 0, 0);
	ck_assert_ptr_null(note);
}
END_TEST

/* What is not proven missing is not a hole, in a list or in a full page. */
START_TEST(test_not_proven)
{
	static const int64_t allocated[] = {-1, 3, 1, 0};

	send_chunk(1);
	send_chunk(4);
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(build(allocated[i]), 0);
		expect_broken(0);
		expect_stored(1, 1016, 16, 0);
		expect_broken(5);
		expect_counts(2, 0, 4, 0);
		ck_assert_ptr_nonnull(note);
	}
	nsent = 0;
	for (uint64_t i = 0; i < 5; i++)
		send_chunk(i);
	ck_assert_int_eq(build(6), 0);
	expect_stored(4, 1064, 16, 0);
	expect_broken(5);
	ck_assert_ptr_nonnull(strstr(note, "of 6 chunks 5 are found"));
	ck_assert_int_eq(build(5), 0);
	expect_hole(5);
}
END_TEST

START_TEST(test_broken)
{
	for (uint64_t i = 0; i < 6; i++)
		send_chunk(i);
	sent[1].flags = SCAN_CHUNK_BROKEN;
	sent[1].size = 0;
	ck_assert_int_eq(build(5), 0);
	expect_stored(0, 1000, 16, 0);
	expect_broken(1);
	expect_stored(2, 1032, 16, 0);
	expect_counts(5, 0, 1, 0);
	ck_assert_ptr_nonnull(note);
}
END_TEST

/* Each bad place spoils its own chunk only. */
START_TEST(test_bad_places)
{
	static const struct {
		uint64_t addr, size;
		bool is_good;
	} row[] = {
		{FILE_SIZE - 16, 16, true},
		{FILE_SIZE - 15, 16, false},
		{FILE_SIZE, 1, false},
		{UINT64_MAX, 1, false},
		{UINT64_MAX - 15, 16, false},
		{0, 0, false},
		{0, 16, true},
		{0, 8 * 16 + 65536, true},
		{0, 8 * 16 + 65537, false},
		{0, UINT64_MAX, false},
		{UINT64_MAX, UINT64_MAX, false},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		nsent = 0;
		send_chunk(0);
		send_chunk(1);
		sent[0].addr = row[i].addr;
		sent[0].size = row[i].size;
		ck_assert_int_eq(build(2), 0);
		if (row[i].is_good)
			expect_stored(0, row[i].addr, row[i].size, 0);
		else
			expect_broken(0);
		expect_stored(1, 1016, 16, 0);
		expect_hole(2);
		ck_assert_int_eq(note == NULL, row[i].is_good);
	}
}
END_TEST

/* Stored as it is: then it has the size of the chunk. */
START_TEST(test_unfiltered)
{
	send_chunk(0)->size = 15;
	send_chunk(1);
	a.nfilter = 0;
	ck_assert_int_eq(build(2), 0);
	expect_broken(0);
	expect_stored(1, 1016, 16, 0);
	a.nfilter = 2;
	sent[0].mask = 3;
	ck_assert_int_eq(build(2), 0);
	expect_broken(0);
	sent[0].size = 16;
	ck_assert_int_eq(build(2), 0);
	expect_stored(0, 1000, 16, 3);
}
END_TEST

/* Chunks over the edge of the extent are unfiltered, their masks are 0. */
START_TEST(test_edges)
{
	for (uint64_t i = 0; i < 6; i++)
		send_chunk(i);
	a.edge_unfiltered = true;
	ck_assert_int_eq(build(6), 0);
	expect_stored(0, 1000, 16, 0);
	expect_stored(1, 1016, 16, 3);
	expect_stored(2, 1032, 16, 0);
	expect_stored(3, 1048, 16, 3);
	expect_stored(4, 1064, 16, 3);
	expect_stored(5, 1080, 16, 3);
	expect_counts(6, 0, 0, 0);
	dim[1] = 8;
	ck_assert_int_eq(build(6), 0);
	expect_stored(3, 1048, 16, 0);
	expect_stored(4, 1064, 16, 3);
	dim[0] = 12;
	ck_assert_int_eq(build(6), 0);
	expect_stored(5, 1080, 16, 0);
}
END_TEST

START_TEST(test_many_filters)
{
	send_chunk(0)->mask = 0x8000001;
	a.nfilter = 28;
	ck_assert_int_eq(build(1), 0);
	expect_stored(0, 1000, 16, 0x8000001);
	sent[0].size = 8 * 16 + 65536;
	ck_assert_int_eq(build(1), 0);
	expect_stored(0, 1000, 8 * 16 + 65536, 0x8000001);
	a.nfilter = 29;
	ck_assert_int_eq(build(1), -EINVAL);
}
END_TEST

/* The largest size and the highest address that an entry can hold. */
START_TEST(test_large)
{
	struct index_builder b;
	struct scan_end end = {.located = 1, .allocated = 1};
	void *out;

	chunk[0] = chunk[1] = 65536;
	*send_chunk(0) = (struct scan_chunk){
		.addr = UINT64_MAX - 1 - ((UINT64_C(8) << 32) + 65536),
		.size = (UINT64_C(8) << 32) + 65536,
		.mask = 0xfffffff,
	};
	a.nfilter = 28;
	sent[0].mask--;
	ck_assert_int_eq(index_builder_init(&b, &a, 0, UINT64_MAX, 1 << 20), 0);
	ck_assert_int_eq(index_builder_chunks(&b, sent, sizeof(*sent)), 0);
	ck_assert_int_eq(index_builder_finish(&b, &end, &out, &size, &note), 0);
	index_builder_fini(&b);
	x = out;
	expect_stored(0, sent[0].addr, sent[0].size, 0xffffffe);
}
END_TEST

START_TEST(test_lies)
{
	send_chunk(6);
	ck_assert_int_eq(build(1), -EBADMSG);
	sent[0].slot = UINT64_MAX;
	ck_assert_int_eq(build(1), -EBADMSG);
	sent[0].slot = 2;
	send_chunk(2);
	ck_assert_int_eq(build(2), -EBADMSG);
	sent[1].slot = 1;
	ck_assert_int_eq(build(2), -EBADMSG);
	sent[1].slot = 3;
	ck_assert_int_eq(build(2), 0);
	sent[1].flags = 2;
	ck_assert_int_eq(build(2), -EBADMSG);
	sent[1].flags = 0;
	ck_assert_int_eq(build(-2), -EBADMSG);
	ck_assert_int_eq(build(INT64_MIN), -EBADMSG);
	ck_assert_int_eq(build_page(0, 2, 3, 1 << 20), -EBADMSG);
	ck_assert_int_eq(build_page(0, 2, -1, 1 << 20), -EBADMSG);
	ck_assert_int_eq(build_page(0, 2, 2, 64), -EFBIG);
	struct index_builder b;
	ck_assert_int_eq(index_builder_init(&b, &a, 0, FILE_SIZE, 4096), 0);
	ck_assert_int_eq(index_builder_chunks(&b, sent, 33), -EBADMSG);
	index_builder_fini(&b);
}
END_TEST

/* All the same bytes over and over: more than the file can mean. */
START_TEST(test_bomb)
{
	struct index_builder b;
	int err = 0;

	dim[0] = INDEX_PAGE;
	chunk[0] = 1;
	chunk[1] = 60000;
	ck_assert_int_eq(index_builder_init(&b, &a, 0, FILE_SIZE, 1 << 30), 0);
	for (uint64_t i = 0; i < INDEX_PAGE && !err; i++) {
		struct scan_chunk c = {.slot = i, .size = 100000};

		err = index_builder_chunks(&b, &c, sizeof(c));
		ck_assert(err == 0 || i >= 10000);
	}
	ck_assert_int_eq(err, -EBADMSG);
	index_builder_fini(&b);
}
END_TEST

/* What can only be too large is not taken to its end. */
START_TEST(test_too_large)
{
	struct index_builder b;
	int err = 0;

	dim[0] = INDEX_PAGE;
	chunk[0] = 1;
	chunk[1] = 60000;
	ck_assert_int_eq(index_builder_init(&b, &a, 0, UINT64_MAX, 1 << 20), 0);
	ck_assert_uint_eq(index_builder_bytes(&b), 0);
	for (uint64_t i = 0; i < INDEX_PAGE && !err; i += 512) {
		struct scan_chunk c = {.slot = i, .size = 100};

		err = index_builder_chunks(&b, &c, sizeof(c));
		/* A page for each entry, one for the list. */
		ck_assert_uint_ge(index_builder_bytes(&b), (i / 512 + 1) << 12);
	}
	ck_assert_int_eq(err, 0);
	index_builder_fini(&b);
	ck_assert_int_eq(index_builder_init(&b, &a, 0, UINT64_MAX, 1 << 20), 0);
	for (uint64_t i = 0; i < INDEX_PAGE && !err; i++) {
		struct scan_chunk c = {.slot = i, .size = 100};

		err = index_builder_chunks(&b, &c, sizeof(c));
		ck_assert_uint_le(index_builder_bytes(&b), 5 << 19);
	}
	ck_assert_int_eq(err, -EFBIG);
	ck_assert_ptr_nonnull(strstr(b.why, "more than 1048576 bytes"));
	index_builder_fini(&b);
}
END_TEST

START_TEST(test_pages)
{
	uint64_t first = 2 * INDEX_PAGE;

	dim[0] = 4 * (2 * INDEX_PAGE + 10);
	dim[1] = 1;
	chunk[1] = 4;
	send_chunk(first + 3);
	sent[0].addr = 5000;
	/* A page of many: each slot's own record is trusted, ... */
	ck_assert_int_eq(build_page(2, 100, 1, 1 << 20), 0);
	expect_stored(first + 3, 5000, 16, 0);
	expect_hole(first + 4);
	expect_counts(1, 9, 0, 0);
	ck_assert_ptr_null(note);
	/* ... but not if the index cannot be walked. */
	ck_assert_int_eq(build_page(2, -1, 1, 1 << 20), 0);
	expect_broken(first + 4);
	ck_assert_int_eq(build_page(1, 100, 1, 1 << 20), -EBADMSG);
	ck_assert_int_eq(build_page(3, 100, 1, 1 << 20), -EINVAL);
	ck_assert_int_eq(build_page(UINT64_MAX, 100, 1, 1 << 20), -EINVAL);
	dim[1] = 0;
	ck_assert_int_eq(build_page(0, 0, 0, 1 << 20), -EINVAL);
	dim[0] = dim[1] = INT64_MAX;
	chunk[0] = chunk[1] = 1;
	ck_assert_int_eq(build_page(0, 0, 0, 1 << 20), -EOVERFLOW);
	a.refused = (struct bytes){"because", 7};
	ck_assert_int_eq(build_page(0, 0, 0, 1 << 20), -EOPNOTSUPP);
	ck_assert_str_eq(why, "because");
}
END_TEST

/* A whole page, by parts, and 16 bytes a chunk. */
START_TEST(test_large_page)
{
	struct index_builder b;
	struct scan_end end = {.located = INDEX_PAGE, .allocated = INDEX_PAGE};
	static struct scan_chunk part[1024];
	void *out;

	dim[0] = INDEX_PAGE * 4;
	dim[1] = 1;
	ck_assert_int_eq(index_builder_init(&b, &a, 0, UINT64_MAX, 17 << 20),
			 0);
	for (uint64_t i = 0; i < INDEX_PAGE;) {
		for (unsigned j = 0; j < 1024; j++, i++)
			part[j] = (struct scan_chunk){i, i * 3, 16, 0, 0};
		ck_assert_int_eq(index_builder_chunks(&b, part, sizeof(part)),
				 0);
	}
	ck_assert_int_eq(index_builder_finish(&b, &end, &out, &size, &note), 0);
	index_builder_fini(&b);
	x = out;
	ck_assert_uint_le(size, INDEX_PAGE * 16 + 128);
	for (uint64_t i = 0; i < INDEX_PAGE; i += 4095)
		expect_stored(i, i * 3, 16, 0);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *s = suite_create("index");
	TCase *t = tcase_create("index");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_full);
	tcase_add_test(t, test_none);
	tcase_add_test(t, test_sparse);
	tcase_add_test(t, test_not_proven);
	tcase_add_test(t, test_broken);
	tcase_add_test(t, test_bad_places);
	tcase_add_test(t, test_unfiltered);
	tcase_add_test(t, test_edges);
	tcase_add_test(t, test_many_filters);
	tcase_add_test(t, test_large);
	tcase_add_test(t, test_lies);
	tcase_add_test(t, test_bomb);
	tcase_add_test(t, test_too_large);
	tcase_add_test(t, test_pages);
	tcase_add_test(t, test_large_page);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(make_suite)
