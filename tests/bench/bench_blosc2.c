/* SPDX-License-Identifier: MIT */

/*
 * Blosc2 chunks of a file, decoded block by block and whole, on one core, with
 * nothing else.
 *
 *     bench_blosc2 FILE ROUNDS ITEM_SIZE EXTENT... <LIST
 *
 * LIST has a line "OFFSET SIZE" for each chunk. Prints seconds of the fastest
 * round: opening, opening and decoding each block, decoding whole chunks; the
 * number of blocks; the sum of the bytes of all, as blocks and as chunks.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "codec/codec.h"

struct stored {
	uint8_t *data;
	size_t n;
	struct stored *next;
};

struct result {
	double seconds;
	uint64_t blocks, sum;
};

static const struct codec_block_ops *ops;
static struct codec_chain chain = {.n = 1};
static struct codec_chunk chunk = {0};
static uint8_t *out;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fetch(void *arg, uint64_t off, size_t n, void *to)
{
	const struct stored *s = arg;

	memcpy(to, s->data + off, n);
	return 0;
}

static uint64_t sum(const uint8_t *p, size_t n)
{
	uint64_t s = 0;

	for (size_t i = 0; i < n; i++)
		s += p[i];
	return s;
}

static int blocks(struct stored *s, int only_open, int add, struct result *r)
{
	struct codec_frame *f;
	const char *what;
	int err;

	chunk.stored = s->n;
	err = ops->open(&chunk, fetch, s, &f, &what);
	for (uint32_t i = 0; !err && !only_open && i < f->nblock; i++) {
		uint64_t off = 0;
		size_t n = 0;

		ops->stored(f, i, &off, &n);
		err = ops->decode(f, i, s->data + off, n, out);
		r->blocks++;
		if (add)
			r->sum += sum(out, i == f->nblock - 1 ? f->last_bytes
							      : f->block_bytes);
	}
	if (!err)
		free(f);
	return err;
}

static int whole(struct stored *s, int add, struct result *r)
{
	int err = codec_decode(&chain, 0, s->data, s->n, out, chunk.bytes);

	if (add && !err)
		r->sum += sum(out, chunk.bytes);
	return err;
}

/* kind: 0 opening, 1 blocks, 2 whole chunks. Sums in a round that is not timed.
 */
static void run(struct stored *all, unsigned kind, unsigned rounds,
		struct result *best)
{
	for (unsigned i = 0; i <= rounds; i++) {
		struct result r = {0};
		double begin = now();
		int err = 0;

		for (struct stored *s = all; s && !err; s = s->next)
			err = kind == 2 ? whole(s, !i, &r)
					: blocks(s, kind == 0, !i, &r);
		r.seconds = now() - begin;
		if (err) {
			fprintf(stderr, "a chunk could not be decoded\n");
			exit(EXIT_FAILURE);
		}
		if (!i)
			*best = r;
		else if (i == 1 || r.seconds < best->seconds)
			best->seconds = r.seconds;
	}
}

int main(int argc, char **argv)
{
	struct stored *all = NULL;
	struct result open, one, many;
	uint64_t dim[NDIM_MAX], off, n;
	unsigned rounds;
	FILE *f;

	if (argc < 5 || argc - 4 > NDIM_MAX || !(f = fopen(argv[1], "rb"))) {
		fprintf(stderr, "usage: bench_blosc2 FILE ROUNDS ITEM_SIZE "
				"EXTENT... <LIST\n");
		return EXIT_FAILURE;
	}
	rounds = (unsigned)strtoul(argv[2], NULL, 10);
	chunk.item_size = (unsigned)strtoul(argv[3], NULL, 10);
	chunk.bytes = chunk.item_size;
	chunk.dim = dim;
	for (int i = 4; i < argc; i++) {
		dim[chunk.ndim] = strtoul(argv[i], NULL, 10);
		chunk.bytes *= dim[chunk.ndim++];
	}
	while (scanf("%" SCNu64 " %" SCNu64, &off, &n) == 2) {
		struct stored *s = malloc(sizeof(*s));

		if (!s || !(s->data = malloc(n)) ||
		    fseek(f, (long)off, SEEK_SET) ||
		    fread(s->data, 1, n, f) != n) {
			perror(argv[1]);
			return EXIT_FAILURE;
		}
		s->n = n;
		s->next = all;
		all = s;
	}
	fclose(f);
	out = malloc(chunk.bytes);
	chain.step[0].ops = codec_by_h5_filter(32026);
	ops = codec_blocks(&chain, 0);
	if (!out || !ops)
		return EXIT_FAILURE;
	run(all, 0, rounds, &open);
	run(all, 1, rounds, &many);
	run(all, 2, rounds, &one);
	printf("%.9f %.9f %.9f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
	       open.seconds, many.seconds, one.seconds, many.blocks, many.sum,
	       one.sum);
	return EXIT_SUCCESS;
}
