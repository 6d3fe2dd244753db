/* SPDX-License-Identifier: MIT */

/*
 * Reading a file of the mount, whatever it is: files that are made whole,
 * values behind a header, files of the source. The walk over the segments of
 * a file is here and nowhere else.
 */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tree/tree_impl.h"

/* ------------------------------------------------------ files made whole */

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

static bool has_fixed(const struct tree *t, const struct dir *d,
		      enum fixed_file f)
{
	switch (f) {
	case FIXED_INFO:
		return d->kind == DIR_CONTAINER || d->kind == DIR_ARRAY;
	case FIXED_CHUNKS:
		return d->kind == DIR_ARRAY && d->type != ROW_NONE;
	case FIXED_STRINGS:
		return d->kind == DIR_ARRAY && (d->flags & DIR_STRINGS);
	case FIXED_CSV:
		return d->kind == DIR_VIEW &&
		       view_has_csv(dirs_spec(t->dirs, d->params));
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

int fixed_get(struct tree *t, uint32_t dir, enum fixed_file f, struct wait *w,
	      struct cached *out)
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
		*size = csv_size(dirs_spec(t->dirs, d->params), &g);
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

/* How much of a read lies in a file of that size. */
static size_t clip(size_t n, uint64_t off, uint64_t size)
{
	if (off >= size)
		return 0;
	return n < size - off ? n : (size_t)(size - off);
}

static ssize_t read_csv(struct tree *t, const struct dir *d, void *buf,
			size_t n, uint64_t off)
{
	const struct view_spec *s = dirs_spec(t->dirs, d->params);
	struct view_geometry g;

	view_geometry(t, d, &g);
	n = clip(n, off, csv_size(s, &g));
	csv_read(s, &g, off, n, buf);
	return (ssize_t)n;
}

static ssize_t read_fixed(struct tree *t, const struct node *node, void *buf,
			  size_t n, uint64_t off, struct wait *w)
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
	n = clip(n, off, cached.size);
	if (n)
		memcpy(buf, (const char *)cached.data + off, n);
	cached_put(&t->env, &cached);
	return (ssize_t)n;
}

static ssize_t read_item_json(struct tree *t, const struct node *node,
			      void *buf, size_t n, uint64_t off)
{
	const struct dir *d = dirs_at(t->dirs, node->dir);
	CLEANUP(cleanup_freep) char *text = NULL;
	int err;

	if (d->kind != DIR_VIEW || node->item >= d->count)
		return -ENOENT;
	n = clip(n, off, d->json_size);
	if (n == 0)
		return 0;
	err = item_json(t, d, node->item, &text);
	if (err < 0)
		return err;
	memcpy(buf, text + off, n);
	return (ssize_t)n;
}

static ssize_t read_source(struct tree *t, const struct node *node, void *buf,
			   size_t n, uint64_t off, struct wait *w)
{
	uint32_t number;
	int err = srcdir_file(t, node, w, &number);

	return err < 0 ? err : source_read(t, number, buf, n, off, w);
}

/* ---------------------------------------------------------------- values */

/* The box that an item shows. */
static void set_box(struct view *v, const struct view_geometry *g,
		    uint64_t item)
{
	sample_start(&g->sampling, item, v->start);
	for (unsigned k = 0; k < g->sampling.ndim; k++)
		v->extent[k] = g->sampling.axis[k].extent;
	v->pad = g->pad;
}

static void set_whole(struct view *v, const struct shape *s)
{
	for (unsigned k = 0; k < s->ndim; k++)
		v->extent[k] = s->dim[k];
}

/* Bytes [off, off + n), which lie in the file, segment by segment. */
static int read_segments(const struct layout *layout, const struct view *v,
			 char *buf, size_t n, uint64_t off, struct wait *w)
{
	for (unsigned i = 0; i < layout->n && n > 0; i++) {
		const struct segment *s = &layout->seg[i];
		size_t part;
		int err;

		if (off >= s->len) {
			off -= s->len;
			continue;
		}
		part = clip(n, off, s->len);
		switch (s->kind) {
		case SEGMENT_MEM:
			memcpy(buf, (const char *)s->mem + off, part);
			break;
		case SEGMENT_VALUES:
			err = array_read(v, off, part, buf, w);
			if (err < 0)
				return err;
			break;
		}
		buf += part;
		n -= part;
		off = 0;
	}
	return 0;
}

int tree_array(struct tree *t, const struct pin *p, const struct dir *d,
	       const char *label, struct stored_array *out)
{
	struct array_info a;
	int err = stored_array_init(out, &t->env, p->container,
				    source_key(t, d->source), p->k, d->object,
				    label);

	if (err != -EOPNOTSUPP)
		return err;
	catalog_array(p->k, d->object, &a);
	return problem_tell(t->conf.problems, err, "%s: %.*s", label,
			    a.refused.n > 512 ? 512 : (int)a.refused.n,
			    a.refused.n ? a.refused.p : "");
}

static int read_values(struct tree *t, uint32_t array, struct view *v,
		       const struct layout *layout, char *buf, size_t n,
		       uint64_t off, struct wait *w)
{
	const struct dir *d = dirs_at(t->dirs, array);
	struct stored_array stored;
	char label[PATH_MAX];
	struct pin pin;
	int err = pin_get(t, d, w, &pin);

	if (err < 0)
		return err;
	tree_label(t, array, label, sizeof(label));
	err = pin_check(&pin, d);
	if (err == 0)
		err = tree_array(t, &pin, d, label, &stored);
	if (err == 0) {
		v->array = &stored.base;
		err = read_segments(layout, v, buf, n, off, w);
	}
	pin_put(&pin);
	return err;
}

static ssize_t read_item(struct tree *t, const struct node *node, void *buf,
			 size_t n, uint64_t off, struct wait *w)
{
	const struct dir *d = dirs_at(t->dirs, node->dir);
	uint32_t array = node->dir;
	const struct item_type *type;
	struct view v = {.array = NULL};
	struct view_geometry g;
	struct layout layout;
	int err;

	if ((d->kind != DIR_VIEW && d->kind != DIR_ARRAY) ||
	    d->type == ROW_NONE)
		return -ENOENT;
	type = dirs_type_at(t->dirs, d->type);
	if (node->item >= (d->kind == DIR_VIEW ? d->count : 1) ||
	    item_layout(type, node->format, &layout) < 0)
		return -ENOENT;
	n = clip(n, off, layout.size);
	if (n == 0)
		return 0;
	if (d->kind == DIR_VIEW) {
		array = d->parent;
		view_geometry(t, d, &g);
		set_box(&v, &g, node->item);
	} else {
		set_whole(&v, &type->shape);
	}
	err = read_values(t, array, &v, &layout, buf, n, off, w);
	return err < 0 ? err : (ssize_t)n;
}

ssize_t vfile_read(struct tree *t, uint64_t ino, void *buf, size_t n,
		   uint64_t off, struct wait *w)
{
	struct node node;

	if (node_unpack(ino, &node) < 0 || !dirs_at(t->dirs, node.dir))
		return -ENOENT;
	if (n > SSIZE_MAX)
		n = SSIZE_MAX;
	switch (node.format) {
	case NODE_DIR:
		return -EISDIR;
	case NODE_SOURCE_LINK:
	case NODE_MEMBER_LINK:
	case NODE_VIEW_LINK:
		return -EINVAL;
	case NODE_FIXED:
		return read_fixed(t, &node, buf, n, off, w);
	case NODE_SOURCE:
		return read_source(t, &node, buf, n, off, w);
	case NODE_ITEM_JSON:
		return read_item_json(t, &node, buf, n, off);
	case NODE_CONTROL:
		return control_read(t, node.item, buf, n, off);
	default:
		return read_item(t, &node, buf, n, off, w);
	}
}
