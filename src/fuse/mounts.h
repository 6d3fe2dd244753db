/* SPDX-License-Identifier: MIT */

/*
 * What is mounted where, asked of /proc/self/mountinfo alone: the mounts
 * themselves, which may be dead or stuck, are never touched.
 */

#ifndef FUSE_MOUNTS_H
#define FUSE_MOUNTS_H

#include <stdbool.h>

/* Strings malloc'ed; mount_fini frees them, at the end of a scope too. */
struct mount {
	char *path, *type, *source, *dev; /* dev: "0:57" */
	char *root;  /* what of the file system is shown there */
	char *super; /* options of the file system */
};

void mount_fini(struct mount *m);
bool mount_is_patchfs(const struct mount *m);

/* The topmost mount at exactly that path. 0; -ENOENT: none; -errno. */
int mounts_at(const char *path, struct mount *out);
/* The mount that path lies in or is the root of. */
int mounts_over(const char *path, struct mount *out);
/* The first mount of that type whose super options have that word. */
int mounts_of_type(const char *type, const char *word, struct mount *out);

/* Whether a path is dir or below it, by the text alone; both are absolute. */
bool mounts_lies_in(const char *path, const char *dir);

/*
 * Absolute form of a path without looking at what it names: its directory is
 * resolved, it itself only if it is a symbolic link. *out is malloc'ed.
 */
int mounts_resolve(const char *path, char **out);

/*
 * Unmount what is on top at path, an absolute path: by umount2, else by
 * fusermount3. 0; -EBUSY; another -errno with one line in *why (malloc'ed,
 * caller frees).
 */
int mounts_detach(const char *path, bool is_lazy, char **why);

/* Whether the mount's server has gone: asks it, and waits at most ms. */
enum mount_state { MOUNT_ALIVE, MOUNT_DEAD, MOUNT_SILENT };
enum mount_state mounts_probe(const char *path, int ms);

#endif
