/* SPDX-License-Identifier: MIT */

/*
 * Whether SRC can be mounted on MNT. What is on MNT is asked of mountinfo
 * first: looking into a dead or a stuck mount fails or hangs.
 */

#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "cmd/cmd_impl.h"
#include "fuse/mounts.h"
#include "util/cleanup.h"
#include "util/text.h"

#define PROBE_MS 5000

static int say(char **why, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int say(char **why, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*why = text_vnew(fmt, ap);
	va_end(ap);
	return err;
}

/* Nothing of ours is on MNT, or it is dead and then taken away. */
static int clear_mount(const char *mnt, char **why)
{
	for (int i = 0; i < 16; i++) {
		CLEANUP(mount_fini) struct mount m = {.path = NULL};
		CLEANUP(cleanup_freep) char *text = NULL;
		int r = mounts_at(mnt, &m);

		if (r == -ENOENT || (r == 0 && !mount_is_patchfs(&m)))
			return 0;
		if (r)
			return say(why, r, "/proc/self/mountinfo: %s",
				   strerror(-r));
		switch (mounts_probe(mnt, PROBE_MS)) {
		case MOUNT_ALIVE:
			return say(why, -EBUSY,
				   "%s: %s is mounted there (to undo: patchfs "
				   "umount %s)",
				   mnt, m.source, mnt);
		case MOUNT_SILENT:
			return say(why, -EBUSY,
				   "%s: a mount of %s is there and does not "
				   "answer (to undo: patchfs umount %s)",
				   mnt, m.source, mnt);
		case MOUNT_DEAD:
			break;
		}
		r = mounts_detach(mnt, true, &text);
		if (r)
			return say(why, r,
				   "%s: a dead mount is there and cannot be "
				   "detached: %s",
				   mnt, text ? text : strerror(-r));
	}
	return say(why, -EBUSY, "%s: too many dead mounts", mnt);
}

/*
 * Only one process at a time mounts there: the lock of the directory below
 * goes with *lock. What was mounted since the last look is found again.
 */
static int take_place(const char *mnt, int *lock, char **why)
{
	*lock = open(mnt, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) < 0 &&
	    errno == EWOULDBLOCK)
		return say(why, -EBUSY,
			   "%s: another process is just mounting there", mnt);
	return clear_mount(mnt, why);
}

static int check_empty(const char *mnt, char **why)
{
	CLEANUP(cleanup_closedirp) DIR *d = opendir(mnt);
	struct dirent *e;

	if (!d && errno == ENOENT)
		return say(why, -ENOENT,
			   "%s: no such directory (to make it: mkdir -p %s)",
			   mnt, mnt);
	if (!d && errno == ENOTDIR)
		return say(why, -ENOTDIR, "%s: not a directory", mnt);
	if (!d)
		return say(why, -errno, "%s: %s", mnt, strerror(errno));
	while ((e = readdir(d))) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			return say(why, -ENOTEMPTY,
				   "%s: the directory is not empty (%s)", mnt,
				   e->d_name);
	}
	return 0;
}

static int check_source(const char *src, char **why)
{
	CLEANUP(mount_fini) struct mount m = {.path = NULL};
	CLEANUP(cleanup_freep) char *path = NULL;
	int r = mounts_resolve(src, &path);

	if (r)
		return say(why, r, "%s: %s", src, strerror(-r));
	if (mounts_over(path, &m) == 0 && mount_is_patchfs(&m))
		return say(why, -EDEADLK,
			   "%s: is itself shown by patchfs (from %s): mount "
			   "that",
			   src, m.source);
	return 0;
}

int place_check(const char *src, const char *mnt, char **mnt_out, int *lock,
		char **why)
{
	CLEANUP(cleanup_freep) char *real = NULL, *at = NULL, *full = NULL;
	int r;

	*why = NULL;
	r = check_source(src, why);
	if (r)
		return r;
	real = realpath(src, NULL);
	if (!real)
		return say(why, -errno, "%s: %s", src, strerror(errno));
	if (strncmp(mnt, "/dev/fd/", 8) == 0) {
		*mnt_out = strdup(mnt);
		return *mnt_out ? 0 : -ENOMEM;
	}
	r = mounts_resolve(mnt, &at);
	if (r)
		return say(why, r, "%s: %s", mnt, strerror(-r));
	r = clear_mount(at, why);
	if (r == 0 && mounts_lies_in(at, real))
		r = say(why, -EINVAL, "%s: lies inside %s, which it would show",
			at, src);
	else if (r == 0 && mounts_lies_in(real, at))
		r = say(why, -EINVAL, "%s: would hide %s, which lies inside it",
			at, src);
	if (r == 0)
		r = check_empty(at, why);
	if (r == 0)
		r = take_place(at, lock, why);
	if (r)
		return r;
	full = realpath(at, NULL);
	if (!full)
		return say(why, -errno, "%s: %s", mnt, strerror(errno));
	*mnt_out = take_ptr(full);
	return 0;
}

int place_index_dir(const char *dir, const char *mnt, char **why)
{
	CLEANUP(cleanup_freep) char *at = NULL;

	*why = NULL;
	if (!dir)
		return 0;
	/* What it lies in may have to be made yet. */
	if (mounts_lies_in(dir, mnt) ||
	    (mounts_resolve(dir, &at) == 0 && mounts_lies_in(at, mnt)))
		return say(
			why, -EINVAL,
			"--index-dir=%s: lies inside %s, which would hide it",
			dir, mnt);
	return 0;
}

const char *place_source_note(const char *src)
{
	struct statfs st;

	if (statfs(src, &st) < 0)
		return NULL;
	switch ((unsigned long)st.f_type) {
	case NFS_SUPER_MAGIC:
		return "on NFS";
	case SMB_SUPER_MAGIC:
	case 0xff534d42ul: /* cifs */
	case 0xfe534d42ul: /* smb2 */
		return "on SMB";
	case FUSE_SUPER_MAGIC:
		return "on FUSE";
	default:
		return NULL;
	}
}
