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

void store_metrics(struct metrics *m);

/*
 * Open the regular file at path, through symbolic links. With
 * beneath_fd >= 0 path is relative to that directory and may not leave it
 * (openat2, RESOLVE_BENEATH). O_RDONLY|O_CLOEXEC|O_NONBLOCK, then checked to
 * be a regular file. Caller closes with store_close.
 * 0; -errno of open, never -EAGAIN; -EINVAL: not a regular file. Does not log.
 * Any thread.
 */
int store_open(const char *path, int beneath_fd, struct store **out);
void store_close(struct store *s);

/*
 * Read exactly n bytes at off. 0; -EIO: short or the device failed; -ENOMEM;
 * -ESTALE: size or mtime are no longer those of open (looked at before and
 * after). A file replaced by rename goes on being served. Of each of the three
 * the first that is seen of a file is one line of the log; which array and
 * chunk it was is for the caller to tell. Any thread, in parallel.
 */
int store_read(struct store *s, uint64_t off, size_t n, void *out);

/* 0; -ESTALE: the file changed since open; -EIO. One fstat. Any thread. */
int store_check(struct store *s);

/* As fstat gave it at open. Constant. */
const struct stat *store_stat(const struct store *s);

#endif
