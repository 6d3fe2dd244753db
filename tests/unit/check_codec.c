/* SPDX-License-Identifier: MIT */

/*
 * Each codec against its encoder, over cut input, room too small and flipped
 * bytes; the chain runner over all chains of up to three steps and all masks.
 */

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "codec/codec.h"
#include "encode.h"
#include "unit.h"
#include "util/metric.h"

static const struct {
	unsigned filter;
	uint32_t param;
} steps[] = {
	{1, 1}, {2, 2}, {3, 0}, {32004, 100}, {32015, 3},
};

#define STEPS (sizeof(steps) / sizeof(steps[0]))

static void fill(uint8_t *p, size_t n, unsigned kind)
{
	uint32_t x = 12345 + kind;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = kind == 0   ? 0
		       : kind == 1 ? (uint8_t)(i / 7)
		       : kind == 2 ? (uint8_t)(x >> 24)
				   : 255;
	}
}

static struct codec_step step_of(unsigned i)
{
	return (struct codec_step){
		.ops = codec_by_h5_filter(steps[i].filter),
		.h5_filter = steps[i].filter,
		.nparam = 1,
		.param = &steps[i].param,
	};
}

static int decode_one(unsigned i, const void *in, size_t nin, void *out,
		      size_t nout)
{
	const struct codec_chain chain = {.n = 1, .step = {step_of(i)}};

	return codec_decode(&chain, 0, in, nin, out, nout);
}

START_TEST(test_table)
{
	static const unsigned all[] = {1, 2, 3, 32004, 32015, 32026};
	unsigned n = 0;

	for (; codec_at(n); n++) {
		const struct codec_ops *ops = codec_at(n);

		ck_assert_ptr_eq(codec_by_h5_filter(ops->h5_filter), ops);
		ck_assert_str_eq(codec_h5_filter_name(ops->h5_filter),
				 ops->name);
		ck_assert(ops->decode && ops->bound);
	}
	ck_assert_uint_eq(n, 6);
	ck_assert_ptr_null(codec_at(n + 1));
	for (unsigned i = 0; i < n; i++)
		ck_assert_ptr_nonnull(codec_by_h5_filter(all[i]));
	ck_assert_ptr_null(codec_by_h5_filter(0));
	ck_assert_ptr_null(codec_by_h5_filter(32001));
	ck_assert_str_eq(codec_h5_filter_name(32001), "blosc");
	ck_assert_ptr_null(codec_h5_filter_name(0));
	ck_assert_ptr_null(codec_h5_filter_name(60000));
}
END_TEST

/* Round trips of many sizes; room for one byte less and more is an error. */
START_TEST(test_round_trip)
{
	static const size_t sizes[] = {0,  1,  2,  3,	5,   15,  16,	17,
				       31, 32, 33, 100, 255, 256, 1000, 70001};
	const unsigned i = (unsigned)_i / 4, kind = (unsigned)_i % 4;

	for (unsigned k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		const size_t n = sizes[k];
		uint8_t *data = encode_room(n), *in, *out;
		size_t nin;

		fill(data, n, kind);
		in = encode_step(steps[i].filter, steps[i].param, data, n,
				 &nin);
		out = encode_room(n);
		memset(out, 0x55, n);
		ck_assert_int_eq(decode_one(i, in, nin, out, n), 0);
		ck_assert_int_eq(memcmp(out, data, n), 0);
		if (n) {
			free(out);
			out = encode_room(n - 1);
			ck_assert_int_eq(decode_one(i, in, nin, out, n - 1),
					 -EBADMSG);
		}
		free(out);
		out = encode_room(n + 1);
		ck_assert_int_eq(decode_one(i, in, nin, out, n + 1), -EBADMSG);
		free(out);
		free(in);
		free(data);
	}
}
END_TEST

/* Cut anywhere: an error. A byte flipped: never out of bounds. */
START_TEST(test_cut_and_flip)
{
	const bool has_sum = steps[_i].filter == 1 || steps[_i].filter == 3;
	uint8_t data[700], *in, *out = encode_room(sizeof(data));
	size_t nin;

	fill(data, sizeof(data), 1);
	in = encode_step(steps[_i].filter, steps[_i].param, data, sizeof(data),
			 &nin);
	for (size_t cut = 0; cut < nin; cut++) {
		uint8_t *part = encode_room(cut);

		memcpy(part, in, cut);
		ck_assert_int_eq(
			decode_one((unsigned)_i, part, cut, out, sizeof(data)),
			-EBADMSG);
		free(part);
	}
	for (size_t at = 0; at < nin; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			int r;

			in[at] ^= (uint8_t)(1 << bit);
			r = decode_one((unsigned)_i, in, nin, out,
				       sizeof(data));
			ck_assert(r == 0 || r == -EBADMSG);
			if (has_sum && r == 0)
				ck_assert_mem_eq(out, data, sizeof(data));
			in[at] ^= (uint8_t)(1 << bit);
		}
	free(in);
	free(out);
}
END_TEST

START_TEST(test_shuffle_sizes)
{
	for (uint32_t s = 1; s <= 40; s++)
		for (size_t n = 0; n < 40 * s; n += 1 + n / 7) {
			const struct codec_chain chain = {
				.n = 1,
				.step = {{.ops = codec_by_h5_filter(2),
					  .nparam = 1,
					  .param = &s}},
			};
			uint8_t *data = encode_room(n), *in;
			uint8_t *out = encode_room(n);
			size_t nin;

			fill(data, n, 2);
			in = encode_shuffle(s, data, n, &nin);
			ck_assert_int_eq(
				codec_decode(&chain, 0, in, nin, out, n), 0);
			ck_assert_int_eq(memcmp(out, data, n), 0);
			free(out);
			free(in);
			free(data);
		}
}
END_TEST

START_TEST(test_shuffle_bad)
{
	const uint32_t zero = 0, huge = UINT32_MAX;
	struct codec_chain chain = {
		.n = 1,
		.step = {{.ops = codec_by_h5_filter(2),
			  .nparam = 1,
			  .param = &zero}},
	};
	uint8_t in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8];

	ck_assert_int_eq(codec_decode(&chain, 0, in, 8, out, 8), -EBADMSG);
	chain.step[0].nparam = 0;
	ck_assert_int_eq(codec_decode(&chain, 0, in, 8, out, 8), -EBADMSG);
	/* Larger than the data: all of it is left over. */
	chain.step[0].nparam = 1;
	chain.step[0].param = &huge;
	ck_assert_int_eq(codec_decode(&chain, 0, in, 8, out, 8), 0);
	ck_assert_mem_eq(out, in, 8);
}
END_TEST

/* Known sums, from HDF5 and from the definition. */
START_TEST(test_fletcher32)
{
	static const uint8_t abc[] = {'a', 'b', 'c', 0x62, 0x61, 0x24, 0xc4};
	uint8_t ff[132], out[128], big[40000];

	memset(ff, 0xff, sizeof(ff));
	ck_assert_int_eq(decode_one(2, ff, 132, out, 128), 0);
	/* "abc": words 6162, 6300: sums c462, 2625 (after 16125 folds). */
	ck_assert_uint_eq(encode_sum(abc, 3), 0x25c5c462);
	ff[131] = 0xfe;
	ck_assert_int_eq(decode_one(2, ff, 132, out, 128), -EBADMSG);
	/* All zero: only 0 will do. */
	memset(ff, 0, sizeof(ff));
	ck_assert_int_eq(decode_one(2, ff, 132, out, 128), 0);
	memset(ff + 128, 0xff, 4);
	ck_assert_int_eq(decode_one(2, ff, 132, out, 128), -EBADMSG);
	/* No data at all; not even a sum. */
	ck_assert_int_eq(decode_one(2, ff, 4, out, 0), 0);
	ck_assert_int_eq(decode_one(2, ff, 3, out, 0), -EBADMSG);
	ck_assert_int_eq(decode_one(2, ff, 0, out, 0), -EBADMSG);

	/* Against the loop, with each length and with much data. */
	for (unsigned kind = 0; kind < 4; kind++)
		for (size_t n = 0; n < sizeof(big); n += n < 200 ? 1 : 1999) {
			uint8_t *in, *to = encode_room(n), swap;
			size_t nin;

			fill(big, n, kind);
			in = encode_fletcher32(big, n, &nin);
			ck_assert_int_eq(decode_one(2, in, nin, to, n), 0);
			/* As HDF5 1.6.2 wrote it on little endian. */
			for (unsigned i = 0; i < 4; i += 2) {
				swap = in[n + i];
				in[n + i] = in[n + i + 1];
				in[n + i + 1] = swap;
			}
			ck_assert_int_eq(decode_one(2, in, nin, to, n), 0);
			in[n + 1] ^= 0x40;
			ck_assert_int_eq(decode_one(2, in, nin, to, n),
					 -EBADMSG);
			free(in);
			free(to);
		}
}
END_TEST

START_TEST(test_lz4_frames)
{
	static const struct {
		int result;
		size_t nin, nout;
		uint8_t in[32];
	} frames[] = {
		/* Two raw blocks of 2 and 1. */
		{0, 23, 3, {0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 2,
			    0, 0, 0, 2, 7, 8, 0, 0, 0, 1, 9}},
		/* The same, with a byte behind. */
		{0, 24, 3, {0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 2,
			    0, 0, 0, 2, 7, 8, 0, 0, 0, 1, 9, 9}},
		/* A block size above the total is the total. */
		{0,
		 19,
		 3,
		 {0, 0, 0, 0, 0, 0, 0, 3, 0x40, 0, 0, 0, 0, 0, 0, 3, 7, 8, 9}},
		/* Literals of an LZ4 block that is longer than its result. */
		{0, 20, 3, {0, 0, 0, 0, 0, 0, 0,    3, 0, 0,
			    0, 3, 0, 0, 0, 4, 0x30, 7, 8, 9}},
		/* Nothing, in blocks of nothing. */
		{0, 12, 0, {0}},
		/* Block size 0. */
		{-EBADMSG,
		 19,
		 3,
		 {0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 3, 7, 8, 9}},
		/* A stored length of 0; one beyond the end; none at all. */
		{-EBADMSG,
		 19,
		 3,
		 {0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 0, 7, 8, 9}},
		{-EBADMSG,
		 19,
		 3,
		 {0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 4, 0x30, 7, 8}},
		{-EBADMSG,
		 19,
		 3,
		 {0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 3, 255, 255, 255, 255, 7, 8,
		  9}},
		{-EBADMSG, 14, 3, {0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0}},
		/* An LZ4 block of one byte less than the block. */
		{-EBADMSG,
		 19,
		 4,
		 {0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 3, 0x20, 7, 8}},
		/* A total beyond all memory. */
		{-EBADMSG,
		 19,
		 3,
		 {255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 3, 0, 0, 0,
		  3, 7, 8, 9}},
	};
	static const uint8_t want[] = {7, 8, 9};

	for (unsigned i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		uint8_t *in = encode_room(frames[i].nin);
		uint8_t *out = encode_room(frames[i].nout);

		memcpy(in, frames[i].in, frames[i].nin);
		ck_assert_int_eq(
			decode_one(3, in, frames[i].nin, out, frames[i].nout),
			frames[i].result);
		if (!frames[i].result)
			ck_assert_int_eq(memcmp(out, want, frames[i].nout), 0);
		free(in);
		free(out);
	}
}
END_TEST

START_TEST(test_zstd_frames)
{
	static const uint8_t skippable[] = {0x5a, 0x2a, 0x4d, 0x18, 3, 0,
					    0,	  0,	1,    2,    3};
	/* The magic of zstd 0.7. */
	static const uint8_t legacy[] = {0x27, 0xb5, 0x2f, 0xfd, 0, 0, 0, 0};
	uint8_t data[600], out[1200], *frame, *in;
	size_t n, total;

	fill(data, sizeof(data), 1);
	frame = encode_zstd(1, data, sizeof(data), &n);
	total = 2 * n + sizeof(skippable);
	in = encode_room(total + 1);
	memcpy(in, frame, n);
	memcpy(in + n, skippable, sizeof(skippable));
	memcpy(in + n + sizeof(skippable), frame, n);
	ck_assert_int_eq(decode_one(4, in, total, out, 1200), 0);
	ck_assert_mem_eq(out, data, 600);
	ck_assert_mem_eq(out + 600, data, 600);
	/* The second frame has no room; bytes behind it are no frame. */
	ck_assert_int_eq(decode_one(4, in, total, out, 600), -EBADMSG);
	in[total] = 0;
	ck_assert_int_eq(decode_one(4, in, total + 1, out, 1200), -EBADMSG);
	ck_assert_int_eq(decode_one(4, legacy, sizeof(legacy), out, 0),
			 -EBADMSG);
	ck_assert_int_eq(decode_one(4, skippable, 11, out, 0), 0);
	free(in);
	free(frame);
}
END_TEST

START_TEST(test_deflate_trailing)
{
	uint8_t data[600], out[600], *in, *more;
	size_t n;

	fill(data, sizeof(data), 1);
	in = encode_deflate(1, data, sizeof(data), &n);
	more = encode_room(n + 7);
	memset(more, 0x99, n + 7);
	memcpy(more, in, n);
	ck_assert_int_eq(decode_one(0, more, n + 7, out, 600), 0);
	ck_assert_mem_eq(out, data, 600);
	more[n - 1] ^= 1; /* of the Adler-32 */
	ck_assert_int_eq(decode_one(0, more, n + 7, out, 600), -EBADMSG);
	free(in);
	free(more);
}
END_TEST

/* All chains of up to three steps, each under all masks. */
START_TEST(test_chains)
{
	const size_t n = 999;
	uint8_t data[999], out[999];

	fill(data, n, 1);
	for (unsigned c = 0; c < STEPS * STEPS * STEPS; c++)
		for (unsigned len = 1; len <= 3; len++)
			for (uint32_t skip = 0; skip < 1u << len; skip++) {
				const unsigned pick[] = {c % STEPS,
							 c / STEPS % STEPS,
							 c / STEPS / STEPS};
				struct codec_chain chain = {.n = len};
				uint8_t *in = encode_room(n), *next;
				size_t nin = n;

				memcpy(in, data, n);
				for (unsigned i = 0; i < len; i++) {
					const unsigned p = pick[i];

					chain.step[i] = step_of(p);
					if (skip >> i & 1)
						continue;
					next = encode_step(steps[p].filter,
							   steps[p].param, in,
							   nin, &nin);
					free(in);
					in = next;
				}
				memset(out, 0, n);
				/* Bits beyond the chain mean nothing. */
				ck_assert_int_eq(codec_decode(&chain,
							      skip | ~0u << len,
							      in, nin, out, n),
						 0);
				ck_assert_mem_eq(out, data, n);
				free(in);
			}
}
END_TEST

START_TEST(test_chain_errors)
{
	struct codec_chain chain = {.n = 2, .step = {step_of(1), step_of(4)}};
	struct codec_ops unbuilt = {.name = "szip", .h5_filter = 4};
	uint8_t data[64], out[64];

	fill(data, sizeof(data), 1);
	chain.step[1].ops = NULL;
	ck_assert_int_eq(codec_decode(&chain, 0, data, 64, out, 64),
			 -EOPNOTSUPP);
	chain.step[1].ops = &unbuilt;
	ck_assert_int_eq(codec_decode(&chain, 0, data, 64, out, 64),
			 -EOPNOTSUPP);
	/* Left out, it does not matter. */
	ck_assert_int_eq(codec_decode(&chain, 2, data, 64, out, 64), 0);
	ck_assert_int_eq(codec_decode(&chain, 3, data, 64, out, 64), 0);
	ck_assert_mem_eq(out, data, 64);
	ck_assert_int_eq(codec_decode(&chain, 3, data, 63, out, 64), -EBADMSG);
	ck_assert_int_eq(codec_decode(&chain, 3, data, 64, out, 63), -EBADMSG);
	chain.n = 0;
	ck_assert_int_eq(codec_decode(&chain, 0, data, 64, out, 64), 0);
	ck_assert_int_eq(codec_decode(&chain, 0, NULL, 0, NULL, 0), 0);
}
END_TEST

/* A bomb inside a chain ends at the bound, not at what it says. */
START_TEST(test_bomb)
{
	const struct codec_chain chain = {
		.n = 2,
		.step = {step_of(4), step_of(0)},
	};
	const size_t n = 64 << 20;
	uint8_t *zeros = calloc(1, n), *in, out[100];
	size_t nin;

	ck_assert_ptr_nonnull(zeros);
	in = encode_deflate(1, zeros, n, &nin);
	ck_assert_int_eq(codec_decode(&chain, 0, in, nin, out, 100), -EBADMSG);
	ck_assert_uint_le(codec_scratch(&chain, 100), 200 + (64 << 10));
	free(in);
	free(zeros);
}
END_TEST

/* 32 steps that each may grow: what is held stays bounded. */
START_TEST(test_scratch)
{
	struct codec_chain chain = {.n = CODEC_STEPS_MAX};
	const struct codec_chain usual = {
		.n = 3,
		.step = {step_of(1), step_of(0), step_of(2)},
	};
	uint8_t data[100], out[100];

	for (unsigned i = 0; i < chain.n; i++)
		chain.step[i] = step_of(3);
	ck_assert_uint_le(codec_scratch(&chain, 1000),
			  2 * (8 * 1000 + (64 << 10)));
	fill(data, 100, 2);
	ck_assert_int_eq(codec_decode(&chain, 0, data, 100, out, 100),
			 -EBADMSG);
	/* Shuffle, deflate, fletcher32: one buffer of the chunk's size. */
	ck_assert_uint_eq(codec_scratch(&usual, 1000), 1000);
	chain.n = 1;
	ck_assert_uint_eq(codec_scratch(&chain, 1000), 0);
	chain.n = 0;
	ck_assert_uint_eq(codec_scratch(&chain, 1000), 0);
}
END_TEST

static void *scratch_thread(void *arg)
{
	const struct codec_chain chain = {
		.n = 3,
		.step = {step_of(1), step_of(0), step_of(2)},
	};
	const struct metric *held = arg;
	const size_t n = 300000;
	uint8_t *data = encode_room(n), *in[3];
	size_t nin[3];

	fill(data, n, 1);
	in[0] = encode_shuffle(2, data, n, &nin[0]);
	in[1] = encode_deflate(1, in[0], n, &nin[1]);
	in[2] = encode_fletcher32(in[1], nin[1], &nin[2]);
	ck_assert_int_eq(codec_decode(&chain, 0, in[2], nin[2], data, n), 0);
	ck_assert_int_eq(metric_get(held), (int64_t)n);
	codec_trim(n);
	ck_assert_int_eq(metric_get(held), (int64_t)n);
	codec_trim(n - 1);
	ck_assert_int_eq(metric_get(held), 0);
	ck_assert_int_eq(codec_decode(&chain, 0, in[2], nin[2], data, n), 0);
	ck_assert_int_eq(metric_get(held), (int64_t)n);
	for (unsigned i = 0; i < 3; i++)
		free(in[i]);

	/* Small chunks for long: the large buffer goes by itself. */
	in[0] = encode_deflate(1, data, 100, &nin[0]);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_int_eq(
			codec_decode(&chain, 4, in[0], nin[0], data, 100), 0);
	ck_assert_int_lt(metric_get(held), 1000);
	ck_assert_int_gt(metric_get(held), 0);
	free(in[0]);
	free(data);
	return NULL;
}

/* Scratch comes and goes with use, not with the thread. */
START_TEST(test_thread)
{
	struct metrics m = {0};
	const struct metric *held;
	pthread_t t;

	codec_metrics(&m);
	held = metric_find(&m, "codec_scratch_bytes");
	ck_assert_ptr_nonnull(held);
	codec_trim(0);
	ck_assert_int_eq(metric_get(held), 0);
	ck_assert_int_eq(pthread_create(&t, NULL, scratch_thread, (void *)held),
			 0);
	ck_assert_int_eq(pthread_join(t, NULL), 0);
	ck_assert_int_gt(metric_get(held), 0);
	codec_trim(0);
	ck_assert_int_eq(metric_get(held), 0);
}
END_TEST

static Suite *codec_suite(void)
{
	Suite *s = suite_create("codec");
	TCase *t = tcase_create("codec");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, test_table);
	tcase_add_loop_test(t, test_round_trip, 0, 4 * STEPS);
	tcase_add_loop_test(t, test_cut_and_flip, 0, STEPS);
	tcase_add_test(t, test_shuffle_sizes);
	tcase_add_test(t, test_shuffle_bad);
	tcase_add_test(t, test_fletcher32);
	tcase_add_test(t, test_lz4_frames);
	tcase_add_test(t, test_zstd_frames);
	tcase_add_test(t, test_deflate_trailing);
	tcase_add_test(t, test_chains);
	tcase_add_test(t, test_chain_errors);
	tcase_add_test(t, test_bomb);
	tcase_add_test(t, test_scratch);
	tcase_add_test(t, test_thread);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(codec_suite)
