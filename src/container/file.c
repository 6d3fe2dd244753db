/* SPDX-License-Identifier: MIT */

/* A plain file: the store as it is. No state; any thread. */

#include <config.h>

#include "container/file.h"

#include "store/store.h"

int file_open(const char *path, int beneath_fd, struct store **out)
{
	return store_open(path, beneath_fd, out);
}

void file_close(struct store *s)
{
	store_close(s);
}

int file_read(struct store *s, uint64_t off, size_t n, void *out)
{
	return store_read(s, off, n, out);
}

const struct stat *file_stat(const struct store *s)
{
	return store_stat(s);
}
