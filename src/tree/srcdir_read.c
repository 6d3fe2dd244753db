/* SPDX-License-Identifier: MIT */

/*
 * Reading the source's directories. What the file system says is collected
 * with no lock held; the first to come back with a listing has made it.
 */

#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tree/tree_impl.h"
#include "util/log.h"

/* A descriptor of a path relative to SRC. */
static int src_open(const struct tree *t, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)flags,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long fd;

	if (!t->conf.allow_other)
		fd = openat(t->root_fd, path, flags);
	else
		fd = syscall(SYS_openat2, t->root_fd, path, &how, sizeof(how));
	return fd < 0 ? -errno : (int)fd;
}

int src_stat(const struct tree *t, const char *path, struct stat *st)
{
	CLEANUP(cleanup_closep) int fd = -1;

	if (!t->conf.allow_other)
		return fstatat(t->root_fd, path, st, 0) < 0 ? -errno : 0;
	fd = src_open(t, path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return fd;
	return fstat(fd, st) < 0 ? -errno : 0;
}

static void know(struct tree *t, struct srcdir *d, const struct stat *st)
{
	LOCK_SCOPE(&t->srcdirs.lock);
	if (d->known)
		return;
	d->st = *st;
	atomic_store_explicit(&d->known, true, memory_order_release);
}

/* What tree_admit is told of a directory: apart from all files. */
static uint64_t need_of(uint32_t dir)
{
	return (UINT64_C(1) << 32) + dir;
}

int srcdir_know(struct tree *t, uint32_t dir, struct wait *w,
		const struct stat **st)
{
	struct srcdir *d = srcdir_of(t, dirs_at(t->dirs, dir));
	char path[PATH_MAX];
	struct stat now;
	int err;

	if (atomic_load_explicit(&d->known, memory_order_acquire)) {
		*st = &d->st;
		return 0;
	}
	err = tree_admit(t, need_of(dir), w);
	if (err == 0)
		err = srcdir_path(t, dir, path, sizeof(path));
	if (err == 0)
		err = src_stat(t, path, &now);
	if (err < 0)
		return err;
	if (!S_ISDIR(now.st_mode))
		return -ENOENT;
	know(t, d, &now);
	*st = &d->st;
	return 0;
}

/* ------------------------------------------------------------- reading */

struct reading {
	struct tree *t;
	uint32_t dir;
	char path[PATH_MAX];
	struct found *found;
	size_t n, room;
};

static void reading_fini(struct reading *r)
{
	for (size_t i = 0; i < r->n; i++)
		free((char *)r->found[i].name);
	free(r->found);
}

static int keep(struct reading *r, const char *name, bool is_dir)
{
	char *copy;

	if (r->n == r->room) {
		size_t room = r->room ? 2 * r->room : 64;
		struct found *more = realloc(r->found, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		r->found = more;
		r->room = room;
	}
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	r->found[r->n].name = copy;
	r->found[r->n++].is_dir = is_dir;
	return 0;
}

/*
 * Whether a directory is one of those that lead here, by its inode number;
 * device NULL: on any device, which is a suspicion only.
 */
static bool is_above(const struct reading *r, ino_t ino, const dev_t *device)
{
	const struct tree *t = r->t;
	uint32_t at = r->dir;

	for (;;) {
		const struct dir *d = dirs_at(t->dirs, at);
		const struct srcdir *s = srcdir_of(t, d);

		if (s->known && s->st.st_ino == ino &&
		    (!device || s->st.st_dev == *device))
			return true;
		if (at == DIR_ROOT)
			return false;
		at = d->parent;
	}
}

/* An entry that is, or may be, something else than its type says. */
static int look(struct reading *r, const char *name)
{
	char path[PATH_MAX + 260];
	struct stat st;
	int err;

	if (r->dir == DIR_ROOT)
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%s/%s", r->path, name);
	err = src_stat(r->t, path, &st);
	if (err < 0) {
		if (err == -ENOMEM)
			return err;
		/* A link to nothing, or to itself, hides nothing. */
		if (err == -ENOENT || err == -ELOOP)
			return 0;
		problem_note(r->t->conf.problems, "%s: not shown: %s", path,
			     err == -EXDEV ? "it leads out of the source"
					   : strerror(-err));
		return 0;
	}
	if (S_ISREG(st.st_mode))
		return keep(r, name, false);
	if (!S_ISDIR(st.st_mode))
		return 0;
	/* What it leads to is above it, and shown there. */
	if (is_above(r, st.st_ino, &st.st_dev)) {
		log_info("%s: not shown: it leads back to where it is", path);
		return 0;
	}
	return keep(r, name, true);
}

static int read_entry(struct reading *r, const struct dirent *e)
{
	if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
		return 0;
	if (r->dir == DIR_ROOT && strcmp(e->d_name, CONTROL_DIR) == 0) {
		problem_note(r->t->conf.problems, CONTROL_DIR
			     ": not shown: the name is the mount's");
		return 0;
	}
	switch (e->d_type) {
	case DT_REG:
		return keep(r, e->d_name, false);
	case DT_DIR:
		if (!is_above(r, e->d_ino, NULL))
			return keep(r, e->d_name, true);
		return look(r, e->d_name);
	case DT_LNK:
	case DT_UNKNOWN:
		return look(r, e->d_name);
	default:
		return 0;
	}
}

static int read_all(struct reading *r)
{
	int err = 0;
	struct dirent *e;
	struct stat st;
	DIR *d;
	int fd = src_open(r->t, r->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return fd;
	d = fdopendir(fd);
	if (!d || fstat(fd, &st) < 0) {
		err = -errno;
		if (d)
			closedir(d);
		else
			close(fd);
		return err;
	}
	know(r->t, srcdir_of(r->t, dirs_at(r->t->dirs, r->dir)), &st);
	while (err == 0) {
		errno = 0;
		e = readdir(d);
		if (!e) {
			err = -errno;
			break;
		}
		err = read_entry(r, e);
	}
	closedir(d);
	return err;
}

int srcdir_listing(struct tree *t, uint32_t dir, struct wait *w,
		   const struct listing **out)
{
	struct srcdir *d = srcdir_of(t, dirs_at(t->dirs, dir));
	struct reading r = {.t = t, .dir = dir};
	struct listing *l, *first;
	int err;

	l = atomic_load_explicit(&d->listing, memory_order_acquire);
	if (l) {
		*out = l;
		return 0;
	}
	err = tree_admit(t, need_of(dir), w);
	if (err == 0)
		err = srcdir_path(t, dir, r.path, sizeof(r.path));
	if (err == 0)
		err = read_all(&r);
	if (err == 0) {
		l = listing_make(r.found, r.n, t->conf.ext);
		if (!l)
			err = -ENOMEM;
	}
	reading_fini(&r);
	if (err < 0)
		return err;
	pthread_mutex_lock(&t->srcdirs.lock);
	first = d->listing;
	if (!first)
		atomic_store_explicit(&d->listing, l, memory_order_release);
	pthread_mutex_unlock(&t->srcdirs.lock);
	if (first)
		listing_free(l);
	else
		array_env_charge(&t->env, (int64_t)l->bytes);
	*out = first ? first : l;
	return 0;
}
