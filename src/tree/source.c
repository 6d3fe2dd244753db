/* SPDX-License-Identifier: MIT */

/*
 * The table of source files: where each is, and what it was when it was first
 * looked at. As containers: opened.c; as they are: plain.c. Nothing is
 * opened, read or scanned with the lock held: what two threads found out at
 * once is compared under it, and one of them wins.
 */

#include <config.h>

#include "tree/source.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "container/file.h"
#include "tree/tree_impl.h"

/* Descriptors for all else: the mount itself, scanners, listings. */
#define FILES_RESERVED 48

/* How many files may be held open, so that what else needs one finds one. */
static void set_maxima(struct sources *s)
{
	struct rlimit limit;
	uint64_t n = 1024;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		n = limit.rlim_cur < INT_MAX ? limit.rlim_cur : INT_MAX;
	s->max_files = n;
	s->max_plain = n > 16384 ? 1024 : (unsigned)n / 16 + 4;
	s->max_containers = 1;
	if (n > s->max_plain + FILES_RESERVED + 1)
		s->max_containers = (unsigned)n - s->max_plain - FILES_RESERVED;
}

int sources_init(struct sources *s)
{
	pthread_mutex_init(&s->lock, NULL);
	set_maxima(s);
	return rows_init(&s->rows, sizeof(struct source), NODE_DIRS_MAX);
}

void sources_fini(struct sources *s)
{
	files_fini(s);
	for (uint32_t i = 0; s->rows.segment && i < rows_count(&s->rows); i++) {
		struct source *one = rows_at(&s->rows, i);

		if (one->container && one->first == i)
			container_close(one->container);
		if (one->plain)
			file_close(one->plain);
		free(one->why);
	}
	rows_fini(&s->rows);
	pthread_mutex_destroy(&s->lock);
}

struct source *source_at(const struct tree *t, uint32_t number)
{
	return rows_at(&t->sources.rows, number);
}

int source_add(struct tree *t, uint32_t dir, uint32_t entry, uint32_t *number)
{
	struct sources *s = &t->sources;
	struct source *one;
	void *row;
	int err;

	pthread_mutex_lock(&s->lock);
	err = rows_next(&s->rows, &row);
	if (err == 0) {
		one = row;
		one->dir = dir;
		one->entry = entry;
		*number = rows_publish(&s->rows);
	}
	pthread_mutex_unlock(&s->lock);
	/* Files are many where directories are few. */
	if (err == 0)
		array_env_charge(&t->env, sizeof(*one));
	return err;
}

int source_path(const struct tree *t, uint32_t number, char *buf, size_t size)
{
	const struct source *s = source_at(t, number);
	const struct listing *l;
	size_t len;
	int n;

	if (s->entry == ROW_NONE) {
		const char *name = strrchr(t->conf.src, '/');

		n = snprintf(buf, size, "%s", name ? name + 1 : t->conf.src);
		return (size_t)n < size ? 0 : -ENAMETOOLONG;
	}
	l = srcdir_of(t, dirs_at(t->dirs, s->dir))->listing;
	if (s->dir == DIR_ROOT) {
		n = snprintf(buf, size, "%s", l->entry[s->entry].name);
		return (size_t)n < size ? 0 : -ENAMETOOLONG;
	}
	n = srcdir_path(t, s->dir, buf, size);
	if (n < 0)
		return n;
	len = strlen(buf);
	n = snprintf(buf + len, size - len, "/%s", l->entry[s->entry].name);
	return (size_t)n < size - len ? 0 : -ENAMETOOLONG;
}

void source_label(const struct tree *t, uint32_t number, char *buf, size_t size)
{
	if (source_path(t, number, buf, size) < 0)
		snprintf(buf, size, "?");
}

static void know(struct tree *t, struct source *s, const struct stat *st)
{
	LOCK_SCOPE(&t->sources.lock);
	if (s->known)
		return;
	s->st = *st;
	atomic_store_explicit(&s->known, true, memory_order_release);
}

int source_know(struct tree *t, uint32_t number, struct wait *w)
{
	struct source *s = source_at(t, number);
	char path[PATH_MAX];
	struct stat st;
	int err;

	if (atomic_load_explicit(&s->known, memory_order_acquire))
		return 0;
	err = tree_admit(t, number, w);
	if (err < 0)
		return err;
	if (s->entry == ROW_NONE) {
		know(t, s, &t->root_st);
		return 0;
	}
	err = source_path(t, number, path, sizeof(path));
	if (err == 0)
		err = src_stat(t, path, &st);
	if (err < 0)
		return err;
	if (!S_ISREG(st.st_mode))
		return -ENOENT;
	know(t, s, &st);
	return 0;
}

int source_open_file(struct tree *t, uint32_t number, struct wait *w,
		     struct store **out)
{
	struct source *s = source_at(t, number);
	char path[PATH_MAX], full[2 * PATH_MAX];
	struct store *store;
	int err = source_know(t, number, w);

	if (err == 0)
		err = tree_admit(t, number, w);
	if (err == 0)
		err = source_path(t, number, path, sizeof(path));
	if (err < 0)
		return err;
	if (s->entry == ROW_NONE) {
		err = file_open(t->conf.src, -1, &store);
	} else if (t->conf.allow_other) {
		err = file_open(path, t->root_fd, &store);
	} else {
		snprintf(full, sizeof(full), "%s/%s", t->conf.src, path);
		err = file_open(full, -1, &store);
	}
	if (err < 0)
		return err;
	if (file_compare(&s->st, file_stat(store))) {
		file_close(store);
		return problem_tell(t->conf.problems, -ESTALE,
				    "%s: changed after it was listed; mount "
				    "again to see it",
				    path);
	}
	*out = store;
	return 0;
}
