/* SPDX-License-Identifier: MIT */

/*
 * Reading a file of the mount, whatever it is. The walk over the segments of
 * an item or an array, values behind a header, is here and nowhere else.
 */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "tree/foreground.h"
#include "tree/tree_impl.h"

static ssize_t read_item_json(struct tree *t, const struct node *node,
			      void *buf, size_t n, uint64_t off, struct wait *w)
{
	const struct dir *d = dirs_at(t->dirs, node->dir);
	CLEANUP(cleanup_freep) char *text = NULL;
	int err;

	if (d->kind != DIR_VIEW || node->item >= d->count)
		return -ENOENT;
	n = read_clip(n, off, d->json_size);
	if (n == 0)
		return 0;
	err = item_json(t, d, node->item, w, &text);
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

/* The box that an item shows; the view must last as long as g. */
static int set_box(struct tree *t, const struct dir *d, uint64_t item,
		   struct wait *w, struct view_geometry *g, struct view *v)
{
	struct view_spec s;
	struct drawn drawn;
	int err;

	view_spec_of(t, d, &s);
	view_geometry(t, d, g);
	for (unsigned k = 0; k < g->sampling.ndim; k++)
		v->extent[k] = g->sampling.axis[k].extent;
	v->pad = g->pad;
	if (s.kind != VIEW_FOREGROUND) {
		sample_start(&g->sampling, item, v->start);
		return 0;
	}
	err = foreground_draw(t, d, &s, g, item, w, &drawn);
	if (err == 0)
		memcpy(v->start, drawn.start, sizeof(v->start));
	return err;
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
		part = read_clip(n, off, s->len);
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

/* Of a view or an array. */
static int read_values(struct tree *t, uint32_t dir, struct view *v,
		       const struct layout *layout, char *buf, size_t n,
		       uint64_t off, struct wait *w)
{
	const struct dir *of = dirs_at(t->dirs, dir);
	uint32_t array = of->kind == DIR_VIEW ? of->parent : dir;
	const struct dir *d = dirs_at(t->dirs, array);
	uint16_t priority[VIEW_CLASSES_MAX];
	struct any_array values;
	char label[PATH_MAX];
	struct pin pin;
	int err = pin_get(t, d, w, &pin);

	if (err < 0)
		return err;
	tree_label(t, array, label, sizeof(label));
	err = pin_check(&pin, d);
	if (err == 0)
		err = pin_array(&pin, d, label, &values);
	if (err == 0)
		err = priority_use(t, &pin, of, &values, priority);
	if (err == 0) {
		v->array = values.base;
		err = read_segments(layout, v, buf, n, off, w);
	}
	pin_put(&pin);
	return err;
}

static ssize_t read_item(struct tree *t, const struct node *node, void *buf,
			 size_t n, uint64_t off, struct wait *w)
{
	const struct dir *d = dirs_at(t->dirs, node->dir);
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
	n = read_clip(n, off, layout.size);
	if (n == 0)
		return 0;
	if (d->kind == DIR_VIEW) {
		err = set_box(t, d, node->item, w, &g, &v);
		if (err < 0)
			return err;
	} else {
		set_whole(&v, &type->shape);
	}
	err = read_values(t, node->dir, &v, &layout, buf, n, off, w);
	return err < 0 ? err : (ssize_t)n;
}

ssize_t vfile_read(struct tree *t, uint64_t ino, void *buf, size_t n,
		   uint64_t off, struct wait *w)
{
	const struct dir *d;
	struct node node;
	int err = tree_node(t, ino, &node, &d);

	if (err < 0)
		return err;
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
		return fixed_read(t, &node, buf, n, off, w);
	case NODE_SOURCE:
		return read_source(t, &node, buf, n, off, w);
	case NODE_ITEM_JSON:
		return read_item_json(t, &node, buf, n, off, w);
	case NODE_CONTROL:
		return control_read(t, node.item, buf, n, off);
	default:
		return read_item(t, &node, buf, n, off, w);
	}
}
