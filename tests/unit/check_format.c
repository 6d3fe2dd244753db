/* SPDX-License-Identifier: MIT */

/* Headers to the byte, sizes, and what is refused. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "format/format.h"
#include "unit.h"

static struct item_type item(char kind, unsigned size, unsigned ndim,
			     const uint64_t *dim)
{
	struct item_type t = {
		.shape = {.ndim = ndim}, .kind = kind, .item_size = size};

	for (unsigned a = 0; a < ndim; a++)
		t.shape.dim[a] = dim[a];
	return t;
}

static const struct {
	const char *dict;
	char kind;
	unsigned size, ndim;
	uint64_t dim[NDIM_MAX];
	uint64_t bytes;
} headers[] = {
	{"{'descr': '<i2', 'fortran_order': False, 'shape': (5, 6, 7), }",
	 'i',
	 2,
	 3,
	 {5, 6, 7},
	 548},
	{"{'descr': '|u1', 'fortran_order': False, 'shape': (), }",
	 'u',
	 1,
	 0,
	 {0},
	 129},
	{"{'descr': '|b1', 'fortran_order': False, 'shape': (5,), }",
	 'b',
	 1,
	 1,
	 {5},
	 133},
	{"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 96), }",
	 'f',
	 8,
	 2,
	 {0, 96},
	 128},
	{"{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2, 3, 4), }",
	 'f',
	 2,
	 4,
	 {1, 2, 3, 4},
	 176},
};

START_TEST(test_npy)
{
	const struct item_type t = item(headers[_i].kind, headers[_i].size,
					headers[_i].ndim, headers[_i].dim);
	const struct format_ops *f = format_at(FORMAT_NPY);
	const size_t n = strlen(headers[_i].dict);
	struct layout l;

	ck_assert(f->accepts(&t));
	ck_assert_int_eq(f->layout(&t, &l), 0);
	ck_assert_uint_eq(l.size, headers[_i].bytes);
	ck_assert_uint_eq(l.n, 2);
	ck_assert_uint_eq(l.seg[0].kind, SEGMENT_MEM);
	ck_assert_uint_eq(l.seg[0].len, 128);
	ck_assert_ptr_eq(l.seg[0].mem, l.header);
	ck_assert_uint_eq(l.seg[1].kind, SEGMENT_VALUES);
	ck_assert_uint_eq(l.seg[1].len, l.size - 128);
	ck_assert_mem_eq(l.header, "\x93NUMPY\x01\x00\x76\x00", 10);
	ck_assert_mem_eq(l.header + 10, headers[_i].dict, n);
	for (size_t i = 10 + n; i < 127; i++)
		ck_assert_int_eq(l.header[i], ' ');
	ck_assert_int_eq(l.header[127], '\n');
}
END_TEST

/* The longest dictionary that there is. */
START_TEST(test_npy_longest)
{
	const uint64_t dim[] = {1000, 1000, 100, 100, 100, 100, 100, 100};
	const struct item_type t = item('u', 1, 8, dim);
	const char dict[] = "{'descr': '|u1', 'fortran_order': False, "
			    "'shape': (1000, 1000, 100, 100, 100, 100, 100, "
			    "100), } ";
	struct layout l;

	ck_assert_int_eq(format_at(FORMAT_NPY)->layout(&t, &l), 0);
	ck_assert_uint_eq(l.seg[0].len, 128);
	ck_assert_mem_eq(l.header + 10, dict, strlen(dict));
	ck_assert_int_eq(l.header[127], '\n');
}
END_TEST

START_TEST(test_raw)
{
	const unsigned number = format_by_ext("raw", 3);
	const struct format_ops *f = format_at(number);
	const uint64_t dim[] = {5, 6, 7};
	struct item_type t = item('f', 4, 3, dim);
	struct layout l;

	ck_assert(f->accepts(&t));
	ck_assert_int_eq(f->layout(&t, &l), 0);
	ck_assert_uint_eq(l.n, 1);
	ck_assert_uint_eq(l.seg[0].kind, SEGMENT_VALUES);
	ck_assert_uint_eq(l.seg[0].len, 840);
	ck_assert_uint_eq(l.size, 840);
	t.item_size = 0;
	ck_assert(!f->accepts(&t));
}
END_TEST

START_TEST(test_table)
{
	ck_assert_uint_eq(format_by_ext("npy", 3), FORMAT_NPY);
	ck_assert_uint_eq(format_by_ext("npyx", 3), FORMAT_NPY);
	ck_assert_uint_eq(format_by_ext("npyx", 4), 0);
	ck_assert_uint_eq(format_by_ext("NPY", 3), 0);
	ck_assert_uint_eq(format_by_ext("np", 2), 0);
	ck_assert_uint_eq(format_by_ext("", 0), 0);
	ck_assert_uint_eq(format_by_ext("n\0y", 3), 0);
	ck_assert_ptr_null(format_at(0));
	ck_assert_ptr_null(format_at(format_count() + 1));
	for (unsigned i = 1; i <= format_count(); i++) {
		const struct format_ops *f = format_at(i);

		ck_assert_uint_eq(format_by_ext(f->ext, strlen(f->ext)), i);
		ck_assert(f->help && f->accepts && f->layout);
	}
}
END_TEST

START_TEST(test_accepts)
{
	const struct format_ops *f = format_at(FORMAT_NPY);
	static const char good[] = "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 b1 ";
	unsigned n = 0;

	for (int kind = 0; kind < 128; kind++)
		for (unsigned size = 0; size <= 16; size++) {
			const struct item_type t =
				item((char)kind, size, 0, NULL);
			char name[8];

			snprintf(name, sizeof(name), "%c%u ", kind, size);
			ck_assert_int_eq(f->accepts(&t),
					 kind > ' ' && strstr(good, name) &&
						 size < 10);
			n += f->accepts(&t);
		}
	ck_assert_uint_eq(n, 12);
}
END_TEST

START_TEST(test_overflow)
{
	const uint64_t max[] = {INT64_MAX};
	const uint64_t fits[] = {INT64_MAX - 128};
	const uint64_t beyond[] = {INT64_MAX - 127};
	const uint64_t wide[] = {UINT64_C(1) << 62, 4};
	const uint64_t many[] = {
		9999999999999999999u, 0, 9999999999999999999u, 1, 1, 1, 1, 1};
	struct item_type t = item('u', 1, 1, fits);
	struct layout l;

	ck_assert_int_eq(format_at(FORMAT_NPY)->layout(&t, &l), 0);
	ck_assert_uint_eq(l.size, INT64_MAX);
	t = item('u', 1, 1, beyond);
	ck_assert_int_eq(format_at(FORMAT_NPY)->layout(&t, &l), -EOVERFLOW);
	ck_assert_int_eq(format_at(2)->layout(&t, &l), 0);
	t = item('u', 2, 1, max);
	ck_assert_int_eq(format_at(2)->layout(&t, &l), -EOVERFLOW);
	t = item('u', 1, 2, wide);
	ck_assert_int_eq(format_at(2)->layout(&t, &l), -EOVERFLOW);
	t = item('u', 1, 8, many);
	ck_assert_int_eq(format_at(FORMAT_NPY)->layout(&t, &l), -EOVERFLOW);
}
END_TEST

static Suite *format_suite(void)
{
	Suite *s = suite_create("format");
	TCase *t = tcase_create("format");

	tcase_add_loop_test(t, test_npy, 0,
			    sizeof(headers) / sizeof(headers[0]));
	tcase_add_test(t, test_npy_longest);
	tcase_add_test(t, test_raw);
	tcase_add_test(t, test_table);
	tcase_add_test(t, test_accepts);
	tcase_add_test(t, test_overflow);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(format_suite)
