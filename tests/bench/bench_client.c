/* SPDX-License-Identifier: MIT */

/*
 * The cheapest client there is: open, fstat, pread, close of each file that
 * stdin names, one a line, ROUNDS times over; prints files and MB a second.
 *
 *     find DIR -name '*.npy' | bench_client ROUNDS
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Bytes of the file, read whole into a buffer that grows; exits on failure. */
static size_t read_file(const char *path)
{
	static char *buf;
	static size_t room;
	struct stat st;
	size_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		goto fail;
	n = (size_t)st.st_size;
	if (n > room) {
		free(buf);
		buf = malloc(n);
		room = n;
		if (!buf)
			goto fail;
	}
	if (pread(fd, buf, n, 0) != (ssize_t)n)
		goto fail;
	close(fd);
	return n;
fail:
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	char **paths = NULL, *line = NULL;
	size_t n = 0, room = 0, len = 0, bytes = 0;
	double t;

	for (ssize_t m; (m = getline(&line, &len, stdin)) > 0; n++) {
		if (line[m - 1] == '\n')
			line[m - 1] = '\0';
		if (n == room) {
			room = 2 * room + 64;
			paths = realloc(paths, room * sizeof(*paths));
			if (!paths)
				return EXIT_FAILURE;
		}
		paths[n] = strdup(line);
	}
	t = now();
	for (long r = 0; r < rounds; r++)
		for (size_t i = 0; i < n; i++)
			bytes += read_file(paths[i]);
	t = now() - t;
	printf("%.1f %.1f\n", (double)n * (double)rounds / t,
	       (double)bytes / t / 1e6);
	return EXIT_SUCCESS;
}
