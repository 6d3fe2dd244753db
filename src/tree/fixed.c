/* SPDX-License-Identifier: MIT */

/*
 * Files of fixed names that the tree makes: info.json and others, made whole
 * when one is asked for and cached, and index.csv, any part of which can be
 * had by itself.
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#include "tree/tree_impl.h"

static const char *const fixed_names[FIXED_FILES] = {
	[FIXED_INFO] = "info.json",
	[FIXED_CHUNKS] = "chunks.json",
	[FIXED_STRINGS] = "array.json",
	[FIXED_CSV] = "index.csv",
};

const char *fixed_name(enum fixed_file f)
{
	return fixed_names[f];
}

static bool has_csv(const struct tree *t, const struct dir *d)
{
	struct view_spec s;

	view_spec_of(t, d, &s);
	return view_has_csv(&s);
}

static bool has_fixed(const struct tree *t, const struct dir *d,
		      enum fixed_file f)
{
	switch (f) {
	case FIXED_INFO:
		return d->kind == DIR_CONTAINER || d->kind == DIR_ARRAY ||
		       (d->kind == DIR_GROUP && d->flags & DIR_SAMPLE);
	case FIXED_CHUNKS:
		return d->kind == DIR_ARRAY && d->type != ROW_NONE;
	case FIXED_STRINGS:
		return d->kind == DIR_ARRAY && (d->flags & DIR_STRINGS);
	case FIXED_CSV:
		return d->kind == DIR_VIEW && has_csv(t, d);
	case FIXED_FILES:
		break;
	}
	return false;
}

int fixed_by_name(const struct tree *t, const struct dir *d, const char *name)
{
	for (int f = 0; f < FIXED_FILES; f++)
		if (strcmp(name, fixed_names[f]) == 0 &&
		    has_fixed(t, d, (enum fixed_file)f))
			return f;
	return -ENOENT;
}

struct making {
	struct tree *t;
	uint32_t dir;
	enum fixed_file file;
};

static int make(void *arg, struct wait *w, void **data, size_t *size)
{
	const struct making *m = arg;

	switch (m->file) {
	case FIXED_INFO:
		if (dirs_at(m->t->dirs, m->dir)->kind == DIR_ARRAY)
			return make_array_info(m->t, m->dir, w, data, size);
		if (dirs_at(m->t->dirs, m->dir)->kind == DIR_GROUP)
			return make_sample_info(m->t, m->dir, w, data, size);
		return make_container_info(m->t, m->dir, w, data, size);
	case FIXED_CHUNKS:
		return make_chunks(m->t, m->dir, w, data, size);
	case FIXED_STRINGS:
		return make_strings(m->t, m->dir, w, data, size);
	case FIXED_CSV:
	case FIXED_FILES:
		break;
	}
	return -EINVAL;
}

static int fixed_get(struct tree *t, uint32_t dir, enum fixed_file f,
		     struct wait *w, struct cached *out)
{
	struct dir *d = dirs_at(t->dirs, dir);
	struct making m = {.t = t, .dir = dir, .file = f};
	int err = cached_file(&t->env, d->source, dir, f, t->device, make, &m,
			      w, out);

	if (err == 0 && f <= FIXED_CHUNKS)
		atomic_store_explicit(&d->rendered[f], out->size,
				      memory_order_relaxed);
	return err;
}

static uint64_t known_size(const struct dir *d, enum fixed_file f)
{
	return f <= FIXED_CHUNKS ? atomic_load_explicit(&d->rendered[f],
							memory_order_relaxed)
				 : 0;
}

bool fixed_at_hand(const struct dir *d, uint64_t file)
{
	return file < FIXED_FILES &&
	       (file == FIXED_CSV || known_size(d, (enum fixed_file)file) != 0);
}

int fixed_size(struct tree *t, uint32_t dir, enum fixed_file f, struct wait *w,
	       uint64_t *size)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	struct view_geometry g;
	struct cached cached;
	int err;

	if (!has_fixed(t, d, f))
		return -ENOENT;
	if (f == FIXED_CSV) {
		view_geometry(t, d, &g);
		*size = csv_size(&g);
		return 0;
	}
	*size = known_size(d, f);
	if (*size)
		return 0;
	err = fixed_get(t, dir, f, w, &cached);
	if (err < 0)
		return err;
	*size = cached.size;
	cached_put(&t->env, &cached);
	return 0;
}

static ssize_t read_csv(struct tree *t, const struct dir *d, void *buf,
			size_t n, uint64_t off)
{
	struct view_geometry g;

	view_geometry(t, d, &g);
	n = read_clip(n, off, csv_size(&g));
	csv_read(&g, off, n, buf);
	return (ssize_t)n;
}

ssize_t fixed_read(struct tree *t, const struct node *node, void *buf, size_t n,
		   uint64_t off, struct wait *w)
{
	const struct dir *d = dirs_at(t->dirs, node->dir);
	enum fixed_file f = (enum fixed_file)node->item;
	struct cached cached;
	int err;

	if (node->item >= FIXED_FILES || !has_fixed(t, d, f))
		return -ENOENT;
	if (f == FIXED_CSV)
		return read_csv(t, d, buf, n, off);
	err = fixed_get(t, node->dir, f, w, &cached);
	if (err < 0)
		return err;
	n = read_clip(n, off, cached.size);
	if (n)
		memcpy(buf, (const char *)cached.data + off, n);
	cached_put(&t->env, &cached);
	return (ssize_t)n;
}
