/* SPDX-License-Identifier: MIT */

/*
 * Which names are one file: hard links, and symbolic links that were followed.
 * A file by itself, since <search.h> has names that others have too. The lock
 * of the sources protects the table.
 */

#include <config.h>

#include <search.h>

#include "tree/source.h"

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int file_compare(const struct stat *a, const struct stat *b)
{
	int d = compare(a->st_ino, b->st_ino);

	if (!d)
		d = compare(a->st_dev, b->st_dev);
	if (!d)
		d = compare((uint64_t)a->st_size, (uint64_t)b->st_size);
	if (!d)
		d = compare((uint64_t)a->st_mtim.tv_sec,
			    (uint64_t)b->st_mtim.tv_sec);
	if (!d)
		d = compare((uint64_t)a->st_mtim.tv_nsec,
			    (uint64_t)b->st_mtim.tv_nsec);
	return d;
}

static int source_compare(const void *a, const void *b)
{
	return file_compare(&((const struct source *)a)->st,
			    &((const struct source *)b)->st);
}

struct source *files_first(struct sources *all, struct source *s)
{
	struct source **at = tsearch(s, &all->files, source_compare);

	/* Out of memory: a file of its own, then. */
	return at ? *at : s;
}

void files_remove(struct sources *all, struct source *s)
{
	tdelete(s, &all->files, source_compare);
}

static void keep(void *source)
{
	(void)source;
}

void files_fini(struct sources *all)
{
	tdestroy(all->files, keep);
	all->files = NULL;
}
