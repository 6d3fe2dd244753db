/* SPDX-License-Identifier: MIT */

/*
 * The table of the source's directories, and what stands behind the entries
 * of their listings. How they are read: srcdir_read.c.
 */

#include <config.h>

#include "tree/srcdir.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "tree/tree_impl.h"

int srcdirs_init(struct srcdirs *s)
{
	pthread_mutex_init(&s->lock, NULL);
	return rows_init(&s->rows, sizeof(struct srcdir), NODE_DIRS_MAX);
}

void srcdirs_fini(struct srcdirs *s)
{
	for (uint32_t i = 0; s->rows.segment && i < rows_count(&s->rows); i++) {
		struct srcdir *d = rows_at(&s->rows, i);

		listing_free(d->listing);
	}
	rows_fini(&s->rows);
	pthread_mutex_destroy(&s->lock);
}

struct srcdir *srcdir_of(const struct tree *t, const struct dir *d)
{
	return rows_at(&t->srcdirs.rows, d->srcdir);
}

int srcdir_add(struct tree *t, uint32_t *number)
{
	void *row;
	int err;

	LOCK_SCOPE(&t->srcdirs.lock);
	err = rows_next(&t->srcdirs.rows, &row);
	if (err == 0)
		*number = rows_publish(&t->srcdirs.rows);
	return err;
}

int srcdir_path(const struct tree *t, uint32_t dir, char *buf, size_t size)
{
	if (dir != DIR_ROOT)
		return dirs_path(t->dirs, DIR_ROOT, dir, buf, size) < size
			       ? 0
			       : -ENAMETOOLONG;
	if (size < 2)
		return -ENAMETOOLONG;
	strcpy(buf, ".");
	return 0;
}

int srcdir_source(struct tree *t, uint32_t dir, const struct listing *l,
		  uint32_t entry, uint32_t *number)
{
	struct entry *e = &l->entry[entry];
	uint32_t n = atomic_load_explicit(&e->source, memory_order_acquire);
	uint32_t none = ROW_NONE;
	int err;

	if (n != ROW_NONE) {
		*number = n;
		return 0;
	}
	/* Of two made at once one is never used. */
	err = source_add(t, dir, entry, &n);
	if (err < 0)
		return err;
	if (!atomic_compare_exchange_strong(&e->source, &none, n))
		n = none;
	*number = n;
	return 0;
}

int srcdir_file(struct tree *t, const struct node *n, struct wait *w,
		uint32_t *number)
{
	const struct listing *l;
	int err;

	if (dirs_at(t->dirs, n->dir)->kind != DIR_SOURCE)
		return -ENOENT;
	err = srcdir_listing(t, n->dir, w, &l);
	if (err < 0)
		return err;
	if (n->item >= l->n || l->entry[n->item].kind != ENTRY_FILE)
		return -ENOENT;
	return srcdir_source(t, n->dir, l, (uint32_t)n->item, number);
}

/* Whether the directory is known already; its number then. */
static bool find_dir(const struct tree *t, const struct dir *d,
		     uint32_t *number)
{
	uint32_t found =
		dirs_find(t->dirs, d->parent, (enum dir_kind)d->kind, d->key);

	if (found == ROW_NONE)
		return false;
	*number = found;
	return true;
}

static struct dir dir_of_entry(uint32_t parent, uint32_t entry,
			       enum dir_kind kind)
{
	return (struct dir){
		.parent = parent,
		.key = entry,
		.params = ROW_NONE,
		.type = ROW_NONE,
		.kind = (uint8_t)kind,
	};
}

int srcdir_child(struct tree *t, uint32_t dir, const struct listing *l,
		 uint32_t entry, uint32_t *number)
{
	struct dir d = dir_of_entry(dir, entry, DIR_SOURCE);
	int err;

	if (find_dir(t, &d, number))
		return 0;
	/* What is made of it before would be made at each try. */
	err = tree_has_room(t);
	if (err == 0)
		err = srcdir_add(t, &d.srcdir);
	if (err < 0)
		return err;
	return tree_add_dir(t, &d, l->entry[entry].name, number);
}

int srcdir_container(struct tree *t, uint32_t dir, const struct listing *l,
		     uint32_t entry, const char *name, uint32_t *number)
{
	struct dir d = dir_of_entry(dir, entry, DIR_CONTAINER);
	int err;

	if (find_dir(t, &d, number))
		return 0;
	err = srcdir_source(t, dir, l, entry, &d.source);
	if (err < 0)
		return err;
	return tree_add_dir(t, &d, name, number);
}
