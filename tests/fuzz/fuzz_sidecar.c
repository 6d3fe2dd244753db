/* SPDX-License-Identifier: MIT */

/*
 * An index file of an earlier run. The input is
 *
 *   1 byte    0x01: lengths and digests are made to fit, as whoever can write
 *             the file could; 0x02: only that of the head
 *   1 byte    rank of the array that the file is said to be of
 *   1 byte    each extent
 *   the rest  the file
 *
 * What is accepted is an index of that shape, and stored again the same file.
 */

#define _GNU_SOURCE
#include <config.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../must.h"
#include "index/index.h"
#include "index/sidecar.h"
#include "util/hash.h"

/* Where the head has the length of the block, digests, and where it ends. */
#define HEAD_SIZE 16
#define HEAD_BLOCK 56
#define HEAD_SELF 120
#define HEAD_END 184
#define MOST ((size_t)1 << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct sidecar_key key = {.digest = {1, 2, 3}};
static const char name[] = "0102030000000000000000000000000000000000000000000"
			   "000000000000000.index";
static char root[] = "/tmp/fuzz_sidecar.XXXXXX";
static int dir = -1;

static void remove_root(void)
{
	unlinkat(dir, name, 0);
	rmdir(root);
}

static void make_root(void)
{
	MUST(mkdtemp(root));
	atexit(remove_root);
	dir = sidecar_dir(root);
	MUST(dir >= 0);
}

static void digest(const uint8_t *p, size_t n, uint8_t *out)
{
	char hex[HASH_HEX_MAX];

	MUST(hash_sha256_hex(p, n, hex) == 0);
	memcpy(out, hex, 64);
}

static void mend(uint8_t *p, size_t n, bool has_block)
{
	uint64_t block = n - HEAD_END;

	if (has_block) {
		memcpy(p + HEAD_SIZE, &block, sizeof(block));
		digest(p + HEAD_END, block, p + HEAD_BLOCK);
	}
	digest(p, HEAD_SELF, p + HEAD_SELF);
}

static void write_file(const uint8_t *p, size_t n)
{
	int fd = openat(dir, name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	MUST(fd >= 0 && write(fd, p, n) == (ssize_t)n);
	close(fd);
}

static void is_same(const uint8_t *p, size_t n)
{
	int fd = openat(dir, name, O_RDONLY);
	uint8_t *again = malloc(n + 1);

	MUST(fd >= 0 && again && read(fd, again, n + 1) == (ssize_t)n);
	MUST(memcmp(p, again, n) == 0);
	close(fd);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shape shape = {0};
	uint8_t *file, how;
	size_t head, n;
	void *x;

	if (dir < 0)
		make_root();
	if (size < 2)
		return 0;
	how = data[0];
	shape.ndim = data[1] % (NDIM_MAX + 1);
	head = 2 + shape.ndim;
	if (size < head || size > MOST)
		return 0;
	for (unsigned k = 0; k < shape.ndim; k++)
		shape.dim[k] = data[2 + k];
	size -= head;
	file = malloc(size + 1);
	MUST(file);
	memcpy(file, data + head, size);
	if ((how & 3) && size >= HEAD_END)
		mend(file, size, how & 1);
	write_file(file, size);
	if (sidecar_load(dir, &key, &shape, MOST, &x, &n) == 0) {
		MUST(n == size - HEAD_END);
		MUST(memcmp(x, file + HEAD_END, n) == 0);
		MUST(label_index_check(x, n, &shape) == 0);
		MUST(unlinkat(dir, name, 0) == 0);
		MUST(sidecar_store(dir, &key, x, n) == 0);
		is_same(file, size);
		free(x);
	}
	free(file);
	return 0;
}
