/* SPDX-License-Identifier: MIT */

/*
 * Source files as containers: opened once, however many names a file has, and
 * what is remembered of those that are none. Locks: source.c.
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container/file.h"
#include "tree/tree_impl.h"

#define TIMEOUTS_MAX 3 /* scans cut short before it is for good */

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
	bool was_told;

	pthread_mutex_lock(&all->lock);
	was_told = all->told_full;
	all->told_full = true;
	pthread_mutex_unlock(&all->lock);
	if (was_told)
		return -ENFILE;
	source_label(t, number, path, sizeof(path));
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
	err = source_open_file(t, number, w, &store);
	if (err < 0) {
		snprintf(why, sizeof(why), "cannot be opened: %s",
			 strerror(-err));
	} else {
		err = container_open(store, &t->conf.container, &c);
		if (err < 0)
			file_close(store);
		if (err == -EOPNOTSUPP && source_at(t, number)->st.st_size == 0)
			strcpy(why, "empty; copy it again");
		else if (err == -EOPNOTSUPP)
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
	if (err != -EINTR)
		mark_failed(f->t, f->number, err,
			    s->entry != ROW_NONE || s->scanned,
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
