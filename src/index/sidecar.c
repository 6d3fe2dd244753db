/* SPDX-License-Identifier: MIT */

/*
 * Index files: a header, then the block of the index. The header has a digest
 * of the block and one of itself, so that no byte of a file can differ
 * unnoticed; what passes is checked as an index besides, since whoever can
 * write the file can write digests. A file gets its name when it is whole and
 * on the disk. No state, no locks.
 */

#define _GNU_SOURCE
#include <config.h>

#include "index/sidecar.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "index/index.h"
#include "util/cleanup.h"
#include "util/hash.h"

#define FILE_MAGIC UINT64_C(0x7865646e69736670) /* tells the byte order too */
#define FILE_VERSION 1
#define HEX 64
#define SUFFIX ".index"
#define NAME_SIZE (HEX + sizeof(SUFFIX))
#define TEMPORARY ".tmp" /* ends the name of a file that is being written */
#define TEMPORARY_SIZE 64
#define SWEEP_AFTER 86400 /* seconds */

/* No padding. */
struct head {
	uint64_t magic;
	uint32_t version, reserved;
	uint64_t size; /* of the block */
	uint8_t key[32];
	char block[HEX]; /* SHA-256 in hex of the block, */
	char self[HEX];	 /* and of all above */
};

static void name_of(const struct sidecar_key *key, char name[NAME_SIZE])
{
	for (unsigned i = 0; i < sizeof(key->digest); i++)
		snprintf(name + 2 * i, 3, "%02x", key->digest[i]);
	memcpy(name + HEX, SUFFIX, sizeof(SUFFIX));
}

static int digest(const void *data, size_t n, char out[HEX])
{
	char hex[HEX + 1];
	int err = hash_sha256_hex(data, n, hex);

	if (!err)
		memcpy(out, hex, HEX);
	return err;
}

/* ------------------------------------------------------------- directory */

/* All directories on the way, those that are missing. */
static int make_dirs(const char *path)
{
	CLEANUP(cleanup_freep) char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	for (char *p = copy; *p; p++) {
		if (*p != '/' || p == copy)
			continue;
		*p = '\0';
		if (mkdir(copy, 0700) < 0 && errno != EEXIST &&
		    errno != EROFS && errno != EACCES)
			return -errno;
		*p = '/';
	}
	return mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

/* NULL: it cannot be read. */
static DIR *open_stream(int dir)
{
	CLEANUP(cleanup_closep) int fd = openat(dir, ".", O_RDONLY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (d)
		fd = -1; /* the stream's */
	return d;
}

/* What writers left behind that were killed, long after. */
static void sweep(int dir)
{
	DIR *d = open_stream(dir);
	const time_t now = time(NULL);
	struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d))) {
		const size_t n = strlen(e->d_name);
		struct stat st;

		if (e->d_name[0] != '.' || n < sizeof(TEMPORARY) ||
		    strcmp(e->d_name + n - strlen(TEMPORARY), TEMPORARY) != 0)
			continue;
		if (fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && now - st.st_mtime > SWEEP_AFTER)
			unlinkat(dir, e->d_name, 0);
	}
	closedir(d);
}

int sidecar_dir(const char *path)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	CLEANUP(cleanup_closep) int fd = open(path, flags);
	struct stat st;
	int err, ready;

	if (fd < 0 && errno == ENOENT) {
		err = make_dirs(path);
		if (err)
			return err;
		fd = open(path, flags);
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return -EPERM;
	sweep(fd);
	ready = fd;
	fd = -1;
	return ready;
}

uint64_t sidecar_count(int dir)
{
	DIR *d = open_stream(dir);
	struct dirent *e;
	uint64_t n = 0;

	if (!d)
		return 0;
	while ((e = readdir(d)))
		n += strlen(e->d_name) == NAME_SIZE - 1 &&
		     strcmp(e->d_name + HEX, SUFFIX) == 0;
	closedir(d);
	return n;
}

/* --------------------------------------------------------------- loading */

static int read_all(int fd, void *data, size_t n)
{
	unsigned char *p = data;

	while (n > 0) {
		ssize_t r = read(fd, p, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (r == 0) /* shorter than it was */
			return -EBADMSG;
		p += r;
		n -= (size_t)r;
	}
	return 0;
}

/* Neither links nor anything that could wait or be endless. */
static int open_file(int dir, const char *name, struct stat *st)
{
	CLEANUP(cleanup_closep)
	int fd = openat(dir, name,
			O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	int ready;

	if (fd < 0)
		return errno == ELOOP || errno == ENXIO ? -EBADMSG : -errno;
	if (fstat(fd, st) < 0)
		return -errno;
	if (!S_ISREG(st->st_mode) || st->st_uid != geteuid())
		return -EBADMSG;
	ready = fd;
	fd = -1;
	return ready;
}

static int read_head(int fd, const struct stat *st,
		     const struct sidecar_key *key, struct head *h)
{
	char self[HEX];
	int err;

	if (st->st_size < (off_t)sizeof(*h))
		return -EBADMSG;
	err = read_all(fd, h, sizeof(*h));
	if (err)
		return err;
	err = digest(h, offsetof(struct head, self), self);
	if (err)
		return err;
	if (memcmp(self, h->self, HEX) != 0 || h->magic != FILE_MAGIC ||
	    h->version != FILE_VERSION || h->reserved != 0 ||
	    memcmp(h->key, key->digest, sizeof(h->key)) != 0 ||
	    h->size != (uint64_t)st->st_size - sizeof(*h))
		return -EBADMSG;
	return 0;
}

int sidecar_load(int dir, const struct sidecar_key *key,
		 const struct shape *shape, size_t max, void **out,
		 size_t *size)
{
	CLEANUP(cleanup_freep) void *data = NULL;
	CLEANUP(cleanup_closep) int fd = -1;
	char name[NAME_SIZE], block[HEX];
	struct stat st;
	struct head h;
	int err;

	name_of(key, name);
	fd = open_file(dir, name, &st);
	if (fd < 0)
		return fd;
	err = read_head(fd, &st, key, &h);
	if (err)
		return err;
	if (h.size > max)
		return -EFBIG;
	data = malloc(h.size ? h.size : 1);
	if (!data)
		return -ENOMEM;
	err = read_all(fd, data, h.size);
	if (!err)
		err = digest(data, h.size, block);
	if (err)
		return err;
	if (memcmp(block, h.block, HEX) != 0)
		return -EBADMSG;
	err = label_index_check(data, h.size, shape);
	if (err)
		return err;
	*out = take_ptr(data);
	*size = h.size;
	return 0;
}

/* --------------------------------------------------------------- storing */

static int write_all(int fd, const void *data, size_t n)
{
	const unsigned char *p = data;

	while (n > 0) {
		ssize_t r = write(fd, p, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		p += r;
		n -= (size_t)r;
	}
	return 0;
}

/* A file that nobody else has. */
static int open_temporary(int dir, char name[TEMPORARY_SIZE])
{
	static _Atomic unsigned counter;

	for (unsigned tries = 0; tries < 100; tries++) {
		struct timespec t;
		int fd;

		clock_gettime(CLOCK_REALTIME, &t);
		snprintf(name, TEMPORARY_SIZE, ".%ld-%u-%lx" TEMPORARY,
			 (long)getpid(), atomic_fetch_add(&counter, 1),
			 (unsigned long)t.tv_nsec ^ (unsigned long)t.tv_sec);
		fd = openat(dir, name,
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
				    O_CLOEXEC,
			    0600);
		if (fd >= 0 || errno != EEXIST)
			return fd < 0 ? -errno : fd;
	}
	return -EEXIST;
}

static int write_file(int fd, const struct head *h, const void *index,
		      size_t size)
{
	int err = write_all(fd, h, sizeof(*h));

	if (!err)
		err = write_all(fd, index, size);
	if (!err && fsync(fd) < 0)
		err = -errno;
	return err;
}

int sidecar_store(int dir, const struct sidecar_key *key, const void *index,
		  size_t size)
{
	struct head h = {
		.magic = FILE_MAGIC, .version = FILE_VERSION, .size = size};
	char name[NAME_SIZE], temporary[TEMPORARY_SIZE];
	int fd, err;

	memcpy(h.key, key->digest, sizeof(h.key));
	err = digest(index, size, h.block);
	if (!err)
		err = digest(&h, offsetof(struct head, self), h.self);
	if (err)
		return err;
	name_of(key, name);
	fd = open_temporary(dir, temporary);
	if (fd < 0)
		return fd;
	err = write_file(fd, &h, index, size);
	/* A network file system may tell of a full disk only here. */
	if (close(fd) < 0 && !err)
		err = -errno;
	if (!err && renameat(dir, temporary, dir, name) < 0)
		err = -errno;
	if (err) {
		unlinkat(dir, temporary, 0);
		return err;
	}
	/* The name lasts too; where it cannot be made to, the file is whole. */
	fsync(dir);
	return 0;
}
