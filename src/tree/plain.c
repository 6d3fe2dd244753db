/* SPDX-License-Identifier: MIT */

/*
 * Source files as they are, passed through. Those that are no containers are
 * held open while they are read, and then until others need the room. The lock
 * of the sources protects who reads what, and the list of the idle ones.
 */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>

#include "container/file.h"
#include "tree/tree_impl.h"

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
	err = source_open_file(t, number, w, &mine);
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
	int err = source_know(t, number, w);

	if (err < 0)
		return err;
	n = read_clip(n, off, (uint64_t)s->st.st_size);
	if (n == 0)
		return 0;
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
