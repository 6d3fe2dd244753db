/* SPDX-License-Identifier: MIT */

/*
 * The run directory: the log of each background mount, and a file that a
 * server keeps locked while it lives, by which umount sees that it has ended.
 * It may be /tmp/patchfs-UID, so it is believed only if it is ours alone.
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd_impl.h"
#include "util/cleanup.h"
#include "util/hash.h"
#include "util/text.h"

int run_directory(char **out)
{
	const char *base = getenv("XDG_RUNTIME_DIR");
	CLEANUP(cleanup_freep) char *path = NULL;
	struct stat st;

	if (base && base[0] == '/' && stat(base, &st) == 0 &&
	    S_ISDIR(st.st_mode))
		path = text_new("%s/patchfs", base);
	else
		path = text_new("/tmp/patchfs-%lu", (unsigned long)geteuid());
	if (!path)
		return -ENOMEM;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	if (lstat(path, &st) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 077))
		return -EPERM;
	*out = take_ptr(path);
	return 0;
}

int run_file(const char *mountpoint, const char *suffix, char **out)
{
	CLEANUP(cleanup_freep) char *dir = NULL;
	const char *base = strrchr(mountpoint, '/');
	uint64_t h = hash_bytes(mountpoint, strlen(mountpoint));
	char name[65];
	int r = run_directory(&dir);

	if (r)
		return r;
	snprintf(name, sizeof(name), "%s", base ? base + 1 : mountpoint);
	for (char *at = name; *at; at++) {
		if ((unsigned char)*at <= ' ' || *at == 0x7f)
			*at = '_';
	}
	*out = text_new("%s/%s-%016" PRIx64 ".%s", dir, name, h, suffix);
	return *out ? 0 : -ENOMEM;
}

static int lock_path(const char *mountpoint, const char *dev, char **out)
{
	char suffix[32];

	if (snprintf(suffix, sizeof(suffix), "%s.lock", dev) >=
	    (int)sizeof(suffix))
		return -ENAMETOOLONG;
	return run_file(mountpoint, suffix, out);
}

int run_lock(const char *mountpoint, const char *dev)
{
	CLEANUP(cleanup_freep) char *path = NULL;
	int r = lock_path(mountpoint, dev, &path), fd;

	if (r)
		return r;
	/* One that a killed server left is unlocked: taken over. */
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	return fd;
}

void run_unlock(const char *mountpoint, const char *dev, int fd)
{
	CLEANUP(cleanup_freep) char *path = NULL;

	if (fd < 0)
		return;
	if (lock_path(mountpoint, dev, &path) == 0)
		unlink(path);
	/* Not closed: the lock goes with the process. */
}

int run_watch(const char *mountpoint, const char *dev)
{
	CLEANUP(cleanup_freep) char *path = NULL;

	if (lock_path(mountpoint, dev, &path))
		return -1;
	return open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
}

bool run_wait(int fd, int ms)
{
	const struct timespec pause = {0, 10 * 1000 * 1000};

	for (; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0; ms -= 10) {
		if (ms <= 0)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}
