/* SPDX-License-Identifier: MIT */

/*
 * Source files. Nothing is opened, read or scanned with the lock held: what
 * two threads found out at once is compared under it, and one of them wins.
 */

#include <config.h>

#include "tree/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "container/file.h"
#include "tree/tree_impl.h"

#define TIMEOUTS_MAX 3 /* scans that may time out before it is for good */
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

uint32_t sources_count(const struct sources *s)
{
	return rows_count(&s->rows);
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

/* The file that was listed, opened; the same one that its attributes tell. */
static int open_store(struct tree *t, uint32_t number, struct wait *w,
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

/* Errors that say nothing about what the file is. */
static bool is_passing(int err)
{
	switch (-err) {
	case EAGAIN:
	case ERESTART:
	case EINTR:
	case EIO:
	case EMFILE:
	case ENFILE:
	case ENOMEM:
	case ESTALE:
	case ETIMEDOUT:
		return true;
	default:
		return false;
	}
}

/* Remember and say why the file cannot be looked into. */
static void mark_failed(struct tree *t, uint32_t number, int err, bool told,
			const char *why)
{
	struct source *s = source_at(t, number);
	char path[PATH_MAX];
	char *copy = strdup(why);

	source_label(t, number, path, sizeof(path));
	if (told)
		problem_tell(t->conf.problems, err, "%s: %s", path, why);
	pthread_mutex_lock(&t->sources.lock);
	if (err == -ETIMEDOUT && ++s->timeouts >= TIMEOUTS_MAX)
		err = -EBADMSG;
	if (copy && !is_passing(err) && !s->failed && !s->scanned) {
		s->why = copy;
		copy = NULL;
		atomic_store_explicit(&s->failed, err, memory_order_release);
	} else if (copy && s->entry == ROW_NONE && !s->scanned && !s->why) {
		/* SRC itself, before the tree is: said by tree_new. */
		s->why = copy;
		copy = NULL;
	}
	pthread_mutex_unlock(&t->sources.lock);
	free(copy);
}

bool source_is_failed(const struct tree *t, uint32_t number)
{
	return atomic_load_explicit(&source_at(t, number)->failed,
				    memory_order_acquire) != 0;
}

/*
 * c is that of s from now on, or of another name of the same file, unless too
 * many are open. What is not needed is returned. Called with the lock held.
 */
static struct container *adopt(struct tree *t, uint32_t number,
			       struct container *c)
{
	struct sources *all = &t->sources;
	struct source *s = source_at(t, number), *first;
	struct container *lost = NULL;

	if (s->container)
		return c;
	s->first = number;
	first = files_first(all, s);
	if (first == s && all->ncontainers >= all->max_containers) {
		files_remove(all, s);
		return c;
	}
	if (first != s) {
		s->first = first->first;
		lost = c;
		c = first->container;
	} else {
		all->ncontainers++;
	}
	atomic_store_explicit(&s->container, c, memory_order_release);
	return lost;
}

uint32_t source_key(const struct tree *t, uint32_t number)
{
	return source_at(t, number)->first;
}

/* No more can be opened: said once, for all. */
static int too_many(struct tree *t, uint32_t number)
{
	struct sources *all = &t->sources;
	char path[PATH_MAX];

	pthread_mutex_lock(&all->lock);
	bool was_told = all->told_full;

	all->told_full = true;
	pthread_mutex_unlock(&all->lock);
	if (was_told)
		return -ENFILE;
	if (source_path(t, number, path, sizeof(path)) < 0)
		strcpy(path, "?");
	return problem_tell(t->conf.problems, -ENFILE,
			    "%s: cannot be opened, nor can further containers: "
			    "%u are, as many as the limit of %" PRIu64
			    " open files allows; raise it (ulimit -Hn, or "
			    "LimitNOFILE= of systemd) and mount again",
			    path, all->max_containers, all->max_files);
}

int source_container(struct tree *t, uint32_t number, bool told, struct wait *w,
		     struct container **out)
{
	struct source *s = source_at(t, number);
	struct container *c, *lost;
	struct store *store;
	char why[128];
	int err;

	c = atomic_load_explicit(&s->container, memory_order_acquire);
	if (c) {
		*out = c;
		return 0;
	}
	err = atomic_load_explicit(&s->failed, memory_order_acquire);
	if (err)
		return err;
	err = open_store(t, number, w, &store);
	if (err < 0) {
		snprintf(why, sizeof(why), "cannot be opened: %s",
			 strerror(-err));
	} else {
		err = container_open(store, &t->conf.container, &c);
		if (err < 0)
			file_close(store);
		if (err == -EOPNOTSUPP)
			strcpy(why, "not a container: it has no HDF5 "
				    "signature");
		else if (err < 0)
			snprintf(why, sizeof(why), "cannot be read: %s",
				 strerror(-err));
	}
	if (err < 0) {
		if (err != -EAGAIN && err != -ERESTART && err != -ESTALE)
			mark_failed(t, number, err, told, why);
		return err;
	}
	pthread_mutex_lock(&t->sources.lock);
	lost = adopt(t, number, c);
	*out = s->container;
	pthread_mutex_unlock(&t->sources.lock);
	container_close(lost);
	return *out ? 0 : too_many(t, number);
}

struct scan_failure {
	struct tree *t;
	uint32_t number;
};

static void scan_failed(void *arg, int err, char *why)
{
	struct scan_failure *f = arg;
	const struct source *s = source_at(f->t, f->number);

	/* Of SRC itself tree_new says it, to its caller alone. */
	mark_failed(f->t, f->number, err, s->entry != ROW_NONE || s->scanned,
		    why ? why : "cannot be scanned");
	free(why);
}

/* What a scan under another name has found holds for this one too. */
static int known_failure(struct tree *t, uint32_t number)
{
	struct source *s = source_at(t, number);
	const struct source *first = source_at(t, s->first);
	int err = atomic_load_explicit(&first->failed, memory_order_acquire);

	if (err && first != s && !source_is_failed(t, number))
		mark_failed(t, number, err, true, first->why);
	return atomic_load_explicit(&s->failed, memory_order_acquire);
}

int source_catalog(struct tree *t, uint32_t number, struct wait *w,
		   struct container **c, struct cached *out)
{
	struct source *s = source_at(t, number);
	struct scan_failure f = {t, number};
	int err = source_container(t, number, true, w, c);

	if (err == 0 && !s->scanned)
		err = known_failure(t, number);
	if (err == 0)
		err = cached_catalog(&t->env, *c, s->first, scan_failed, &f, w,
				     out);
	if (err < 0 && s->container && !s->scanned)
		known_failure(t, number);
	if (err == 0 && !s->scanned && !atomic_exchange(&s->scanned, true))
		problems_tell_scan(t, number, out->data);
	return err == -ETIMEDOUT ? -EIO : err;
}

/* ------------------------------------------------------- plain files */

static void idle_remove(struct sources *all, struct source *s)
{
	if (s->older)
		s->older->newer = s->newer;
	else
		all->oldest = s->newer;
	if (s->newer)
		s->newer->older = s->older;
	else
		all->newest = s->older;
	s->older = s->newer = NULL;
}

static void idle_add(struct sources *all, struct source *s)
{
	s->older = all->newest;
	s->newer = NULL;
	if (all->newest)
		all->newest->newer = s;
	else
		all->oldest = s;
	all->newest = s;
}

/* With the lock held: the open file, kept open until plain_put. */
static struct store *plain_pin(struct sources *all, struct source *s)
{
	if (s->plain && s->readers++ == 0)
		idle_remove(all, s);
	return s->plain;
}

static int plain_get(struct tree *t, uint32_t number, struct wait *w,
		     struct store **out)
{
	struct sources *all = &t->sources;
	struct source *s = source_at(t, number);
	struct store *mine, *spare = NULL;
	int err;

	pthread_mutex_lock(&all->lock);
	*out = plain_pin(all, s);
	pthread_mutex_unlock(&all->lock);
	if (*out)
		return 0;
	err = open_store(t, number, w, &mine);
	if (err < 0)
		return err;
	pthread_mutex_lock(&all->lock);
	if (s->plain) {
		spare = mine;
		*out = plain_pin(all, s);
	} else {
		*out = s->plain = mine;
		s->readers = 1;
		if (++all->nplain > all->max_plain && all->oldest) {
			struct source *old = all->oldest;

			idle_remove(all, old);
			spare = old->plain;
			old->plain = NULL;
			all->nplain--;
		}
	}
	pthread_mutex_unlock(&all->lock);
	if (spare)
		file_close(spare);
	return 0;
}

static void plain_put(struct tree *t, uint32_t number)
{
	struct sources *all = &t->sources;
	struct source *s = source_at(t, number);

	LOCK_SCOPE(&all->lock);
	if (--s->readers == 0)
		idle_add(all, s);
}

/* What a read of the file as it is has come to; trouble is told. */
static ssize_t passed_through(struct tree *t, uint32_t number, size_t n,
			      int err)
{
	char path[PATH_MAX];

	if (err == 0)
		return (ssize_t)n;
	if (err != -EIO && err != -ESTALE)
		return err;
	source_label(t, number, path, sizeof(path));
	return problem_tell(t->conf.problems, err, "%s: %s", path,
			    err == -ESTALE ? "changed since it was opened; "
					     "mount again to see it"
					   : "its bytes cannot be read");
}

ssize_t source_read(struct tree *t, uint32_t number, void *buf, size_t n,
		    uint64_t off, struct wait *w)
{
	struct source *s = source_at(t, number);
	struct container *c;
	struct store *store;
	uint64_t size;
	int err = source_know(t, number, w);

	if (err < 0)
		return err;
	size = (uint64_t)s->st.st_size;
	if (off >= size)
		return 0;
	if (n > size - off)
		n = (size_t)(size - off);
	err = tree_admit(t, number, w);
	if (err < 0)
		return err;
	c = atomic_load_explicit(&s->container, memory_order_acquire);
	if (c) {
		err = container_read(c, off, n, buf);
		return passed_through(t, number, n, err);
	}
	err = plain_get(t, number, w, &store);
	if (err < 0)
		return err;
	err = file_read(store, off, n, buf);
	plain_put(t, number);
	return passed_through(t, number, n, err);
}
