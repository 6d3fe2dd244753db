/* SPDX-License-Identifier: MIT */

/*
 * A local file, read with pread where it is. That it did not change is looked
 * at by store_read, before and after.
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/store_impl.h"
#include "util/cleanup.h"

static int file_read(struct store *s, uint64_t off, size_t n, void *out)
{
	char *p = out;

	while (n) {
		ssize_t got = pread(s->fd, p, n, (off_t)off);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return -EIO;
		p += got;
		off += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

static void file_close(struct store *s)
{
	store_fini(s);
	free(s);
}

static const struct store_ops store_file = {
	.read = file_read,
	.close = file_close,
};

int store_file_open(int fd, const char *path, struct store **out)
{
	CLEANUP(cleanup_freep) struct store *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	err = store_init(s, &store_file, fd, path);
	if (err)
		return err;
	*out = take_ptr(s);
	return 0;
}
