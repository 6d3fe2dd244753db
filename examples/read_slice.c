/* SPDX-License-Identifier: MIT */

/*
 * cc -D_GNU_SOURCE -O2 -o read_slice examples/read_slice.c
 * ./read_slice MNT/train_truth/image/slices/000003.npy
 *
 * A slice in C: open, fstat, pread, close; the header of a .npy file is a
 * line of text whose length stands in bytes 8 and 9. Float values only.
 */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned char *data = NULL;
	struct stat st;
	double sum = 0;
	size_t head, n;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: read_slice FILE.npy\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || fstat(fd, &st) < 0)
		goto fail;
	n = (size_t)st.st_size;
	data = malloc(n);
	if (!data || pread(fd, data, n, 0) != (ssize_t)n)
		goto fail;
	close(fd);

	if (n < 10 || memcmp(data, "\x93NUMPY\x01", 7) != 0) {
		fprintf(stderr, "%s: not a .npy file\n", argv[1]);
		return 1;
	}
	head = 10 + data[8] + 256 * (size_t)data[9];
	if (head > n || !memmem(data, head, "'<f4'", 5)) {
		fprintf(stderr, "%s: not of floats\n", argv[1]);
		return 1;
	}
	for (size_t at = head; at + 4 <= n; at += 4) {
		float v;

		memcpy(&v, data + at, 4);
		sum += (double)v;
	}
	printf("%.*s%zu values, sum %.6f\n", (int)(head - 10), data + 10,
	       (n - head) / 4, sum);
	free(data);
	return 0;
fail:
	perror(argv[1]);
	free(data);
	return 1;
}
