/* SPDX-License-Identifier: MIT */

/*
 * The bytes of one source file, read where it is. What the file was at open
 * is kept and compared, so that bytes of before and after a change never mix.
 * Never locked, never mmapped.
 */

#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct metrics;
struct store;

struct store_ops {
	const char *name;
	/* fd is taken. */
	int (*open)(int fd, const char *path, struct store **out);
	/* All n bytes or an error: -EIO short, -ESTALE changed since open. */
	int (*read)(struct store *s, uint64_t off, size_t n, void *out);
	void (*close)(struct store *s);
};

void store_metrics(struct metrics *m);

/*
 * Open the regular file at path (absolute), through symbolic links. With
 * beneath_fd >= 0 path is relative to that directory and may not leave it
 * (openat2, RESOLVE_BENEATH). O_RDONLY|O_CLOEXEC|O_NONBLOCK, then checked to
 * be a regular file. Caller closes with store_close.
 * 0; -errno of open; -EINVAL: not a regular file. Does not log.
 * Any thread.
 */
int store_open(const char *path, int beneath_fd, struct store **out);
void store_close(struct store *s);

/*
 * Read exactly n bytes at off. 0; -EIO: short or the device failed; -ESTALE:
 * size or mtime are no longer those of open (looked at before and after; the
 * first to see it logs one line). A file replaced by rename goes on being
 * served. Any thread, in parallel.
 */
int store_read(struct store *s, uint64_t off, size_t n, void *out);

/* -ESTALE if the file changed since open; one fstat. */
int store_check(struct store *s);

/* As fstat gave it at open. Constant. */
const struct stat *store_stat(const struct store *s);
/* As given to store_open, for messages. Constant. */
const char *store_path(const struct store *s);
/* The open descriptor, for posix_fadvise only. */
int store_fd(const struct store *s);

#endif
