/* SPDX-License-Identifier: MIT */

/*
 * Runs a fuzz target over files and directories of files, with any compiler.
 * Each input lies in a buffer of just its length, so that a sanitizer sees an
 * overread of one byte.
 */

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long ran;

static void run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;

	if (!f || fstat(fileno(f), &st) < 0) {
		perror(path);
		exit(1);
	}
	uint8_t *buf = malloc(st.st_size ? (size_t)st.st_size : 1);

	if (!buf ||
	    fread(buf, 1, (size_t)st.st_size, f) != (size_t)st.st_size) {
		fprintf(stderr, "%s: cannot read\n", path);
		exit(1);
	}
	fclose(f);
	LLVMFuzzerTestOneInput(buf, (size_t)st.st_size);
	free(buf);
	ran++;
}

static void run(const char *path)
{
	struct dirent *e;
	DIR *d = opendir(path);

	if (!d) {
		run_file(path);
		return;
	}
	while ((e = readdir(d))) {
		char sub[4096];

		if (e->d_name[0] == '.')
			continue;
		snprintf(sub, sizeof(sub), "%s/%s", path, e->d_name);
		run_file(sub);
	}
	closedir(d);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		run(argv[i]);
	printf("%lu inputs\n", ran);
	return ran ? 0 : 1;
}
