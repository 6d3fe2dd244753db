/* SPDX-License-Identifier: MIT */

/*
 * The decode ceiling: the codecs of the program on the chunks of a file, by
 * as many threads as asked for, with nothing else. Prints chunks a second.
 *
 *     bench_decode FILE THREADS CHUNK_BYTES FILTER[:PARAM]... <LIST
 *
 * LIST has a line "OFFSET SIZE" for each chunk, in the order to decode.
 */

#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "codec/codec.h"

struct chunk {
	uint64_t off, size;
};

#define BLOCK 2

static struct {
	int fd;
	size_t bytes, n, largest;
	struct chunk *chunks;
	struct codec_chain chain;
	uint32_t param[CODEC_STEPS_MAX];
	double *seconds; /* of each block */
	atomic_size_t next;
	atomic_int failed;
} job; /* constant once the threads run, but for the last three */

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int decode_block(size_t first, char *in, char *out)
{
	for (size_t i = first; i < first + BLOCK; i++) {
		const struct chunk *c = &job.chunks[i];

		if (pread(job.fd, in, c->size, (off_t)c->off) !=
			    (ssize_t)c->size ||
		    codec_decode(&job.chain, 0, in, c->size, out, job.bytes))
			return -1;
	}
	return 0;
}

static void *worker(void *arg)
{
	char *in = malloc(job.largest), *out = malloc(job.bytes);
	size_t i;

	while (in && out && (i = atomic_fetch_add(&job.next, 1)) < job.n) {
		double t = now(CLOCK_MONOTONIC);

		if (decode_block(i * BLOCK, in, out))
			atomic_store(&job.failed, 1);
		job.seconds[i] = now(CLOCK_MONOTONIC) - t;
	}
	if (!in || !out)
		atomic_store(&job.failed, 1);
	free(in);
	free(out);
	return arg;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Seconds of a block: the mean of the fastest quarter. */
static double fastest(void)
{
	size_t n = (job.n + 3) / 4;
	double sum = 0;

	qsort(job.seconds, job.n, sizeof(*job.seconds), compare);
	for (size_t i = 0; i < n; i++)
		sum += job.seconds[i];
	return sum / (double)n;
}

static int parse(int argc, char **argv)
{
	size_t room = 0;
	struct chunk c;

	job.fd = open(argv[1], O_RDONLY);
	job.bytes = strtoul(argv[3], NULL, 10);
	for (int i = 4; i < argc; i++) {
		struct codec_step *s = &job.chain.step[job.chain.n];
		char *end;

		s->h5_filter = (unsigned)strtoul(argv[i], &end, 10);
		s->ops = codec_by_h5_filter(s->h5_filter);
		if (*end == ':') {
			job.param[job.chain.n] =
				(uint32_t)strtoul(end + 1, NULL, 10);
			s->param = &job.param[job.chain.n];
			s->nparam = 1;
		}
		job.chain.n++;
	}
	while (scanf("%" SCNu64 " %" SCNu64, &c.off, &c.size) == 2) {
		if (job.n == room) {
			room = 2 * room + 64;
			job.chunks = realloc(job.chunks, room * sizeof(c));
			if (!job.chunks)
				return -1;
		}
		if (c.size > job.largest)
			job.largest = c.size;
		job.chunks[job.n++] = c;
	}
	job.n /= BLOCK;
	job.seconds = calloc(job.n + 1, sizeof(*job.seconds));
	return job.fd < 0 || !job.n || !job.seconds ? -1 : 0;
}

int main(int argc, char **argv)
{
	pthread_t thread[64];
	unsigned n;
	double t;

	if (argc < 5 || argc - 4 > CODEC_STEPS_MAX || parse(argc, argv)) {
		fprintf(stderr, "usage: bench_decode FILE THREADS BYTES "
				"FILTER[:PARAM]... <LIST\n");
		return EXIT_FAILURE;
	}
	n = (unsigned)strtoul(argv[2], NULL, 10);
	n = n < 1 ? 1 : n > 64 ? 64 : n;
	t = now(CLOCK_PROCESS_CPUTIME_ID);
	for (unsigned i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, worker, NULL))
			return EXIT_FAILURE;
	for (unsigned i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	t = now(CLOCK_PROCESS_CPUTIME_ID) - t;
	if (atomic_load(&job.failed)) {
		fprintf(stderr, "a chunk could not be decoded\n");
		return EXIT_FAILURE;
	}
	printf("%.1f %.3f\n", n * BLOCK / fastest(),
	       1000 * t / (double)(job.n * BLOCK));
	return EXIT_SUCCESS;
}
