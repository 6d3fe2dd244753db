/* SPDX-License-Identifier: MIT */

/*
 * A source file as one array of bytes: what passes through a mount as it is,
 * and what a container is opened on. For those above, who do not see the store.
 */

#ifndef CONTAINER_FILE_H
#define CONTAINER_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct store;

/* Contracts of store_open, store_close, store_read, store_stat. */
int file_open(const char *path, int beneath_fd, struct store **out);
void file_close(struct store *s);
int file_read(struct store *s, uint64_t off, size_t n, void *out);
const struct stat *file_stat(const struct store *s);

#endif
