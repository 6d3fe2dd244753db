/* SPDX-License-Identifier: MIT */

/*
 * Megabytes of output a second of each codec and of the usual chains, on one
 * core, over chunks like those of a CT: a 512 x 512 slice of a phantom with
 * noise, as int16 and as float32, and its labels. Prints "name value unit".
 */

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "codec/codec.h"
#include "encode.h"

#define SIDE 512
#define SECONDS 0.25

static const struct bench {
	const char *name;
	unsigned type; /* bytes an element; 1 is labels */
	unsigned n, filter[3];
	uint32_t param[3];
} benches[] = {
	{"deflate_i2", 2, 1, {1}, {1}},
	{"deflate_f4", 4, 1, {1}, {1}},
	{"deflate_u1", 1, 1, {1}, {1}},
	{"shuffle_deflate_i2", 2, 2, {2, 1}, {2, 1}},
	{"shuffle_deflate_f4", 4, 2, {2, 1}, {4, 1}},
	{"shuffle_deflate_fletcher32_i2", 2, 3, {2, 1, 3}, {2, 1}},
	{"shuffle_i2", 2, 1, {2}, {2}},
	{"shuffle_f4", 4, 1, {2}, {4}},
	{"shuffle_8", 4, 1, {2}, {8}},
	{"shuffle_3", 4, 1, {2}, {3}},
	{"fletcher32_i2", 2, 1, {3}, {0}},
	{"lz4_i2", 2, 1, {32004}, {1 << 30}},
	{"shuffle_lz4_i2", 2, 2, {2, 32004}, {2, 1 << 30}},
	{"shuffle_lz4_f4", 4, 2, {2, 32004}, {4, 1 << 30}},
	{"lz4_u1", 1, 1, {32004}, {1 << 30}},
	{"zstd_i2", 2, 1, {32015}, {3}},
	{"shuffle_zstd_i2", 2, 2, {2, 32015}, {2, 3}},
	{"shuffle_zstd_f4", 4, 2, {2, 32015}, {4, 3}},
};

static double noise(uint32_t *state)
{
	double sum = 0;

	for (unsigned i = 0; i < 12; i++) {
		*state = *state * 1664525 + 1013904223;
		sum += *state / 4294967296.0;
	}
	return sum - 6;
}

/* Air, a body with fat and two organs; 14 HU of noise. */
static uint8_t *phantom(unsigned type, size_t *n)
{
	uint8_t *out;
	uint32_t state = 1;

	*n = (size_t)SIDE * SIDE * type;
	out = encode_room(*n);
	for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
		const double x = (double)(i % SIDE) / SIDE - 0.5;
		const double y = (double)(i / SIDE) / SIDE - 0.5;
		const bool body = x * x / 0.16 + y * y / 0.09 < 1;
		const bool lung = fabs(fabs(x) - 0.18) < 0.1 && fabs(y) < 0.15;
		const bool spine = x * x + (y - 0.2) * (y - 0.2) < 0.003;
		const double hu = spine ? 600 : lung ? -800 : body ? 40 : -1000;
		const int16_t v = (int16_t)lrint(hu + 14 * noise(&state));
		const float f = (float)(v + 1024) / 4096;
		const uint8_t label = (uint8_t)(spine ? 3 : lung ? 2 : body);

		if (type == 2)
			memcpy(out + 2 * i, &v, 2);
		else if (type == 4)
			memcpy(out + 4 * i, &f, 4);
		else
			out[i] = label;
	}
	return out;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int run(const struct bench *b)
{
	struct codec_chain chain = {.n = b->n};
	uint8_t *data, *in, *out, *next;
	unsigned long times = 0;
	double begin, took;
	size_t n, nin;
	int r = 0;

	data = phantom(b->type, &n);
	in = encode_room(n);
	memcpy(in, data, n);
	nin = n;
	for (unsigned i = 0; i < b->n; i++) {
		chain.step[i] = (struct codec_step){
			.ops = codec_by_h5_filter(b->filter[i]),
			.h5_filter = b->filter[i],
			.nparam = 1,
			.param = &b->param[i],
		};
		next = encode_step(b->filter[i],
				   b->filter[i] == 32004 && b->param[i] > n
					   ? (uint32_t)n
					   : b->param[i],
				   in, nin, &nin);
		free(in);
		in = next;
	}
	out = encode_room(n);
	if (codec_decode(&chain, 0, in, nin, out, n) || memcmp(out, data, n)) {
		fprintf(stderr, "%s: wrong result\n", b->name);
		r = 1;
	}
	begin = now();
	do {
		r |= codec_decode(&chain, 0, in, nin, out, n) != 0;
		times++;
		took = now() - begin;
	} while (took < SECONDS);
	printf("codec_%s %.0f MB/s\n", b->name,
	       (double)times * (double)n / took / 1e6);
	printf("codec_%s_ratio %.2f -\n", b->name, (double)n / (double)nin);
	free(out);
	free(in);
	free(data);
	return r;
}

int main(void)
{
	int r = 0;

	for (size_t i = 0; i < sizeof(benches) / sizeof(benches[0]); i++)
		r |= run(&benches[i]);
	return r;
}
