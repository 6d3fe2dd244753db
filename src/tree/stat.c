/* SPDX-License-Identifier: MIT */

/*
 * Attributes. Sizes of items follow from the record of their directory; only
 * a file that is made whole has to be made to know its size, once.
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#include "tree/tree_impl.h"

#define BLOCK_MIN 4096u
#define FILE_BLOCK_MAX (128u << 10)
/*
 * glibc's opendir takes the block size of a directory for its buffer, within
 * 32 KiB and 1 MiB: large where it saves requests, not where it wastes memory.
 */
#define DIR_BLOCK_MIN (32u << 10)
#define DIR_BLOCK_MAX (1u << 20)
#define DIR_ENTRY_BYTES 32 /* about what the kernel hands out for one */

static blksize_t block_size(uint64_t bytes, unsigned low, unsigned high)
{
	blksize_t b = (blksize_t)low;

	while (b < (blksize_t)high && (uint64_t)b < bytes)
		b *= 2;
	return b;
}

/* Times, owner and permissions of what everything in dir was made from. */
static int stat_origin(struct tree *t, const struct dir *d, struct wait *w,
		       struct stat *origin)
{
	int err;

	switch ((enum dir_kind)d->kind) {
	case DIR_SOURCE:
	case DIR_CONTROL:
		*origin = t->root_st;
		return 0;
	case DIR_CONTAINER:
	case DIR_GROUP:
	case DIR_ARRAY:
	case DIR_VIEW:
		err = source_know(t, d->source, w);
		if (err == 0)
			*origin = source_at(t, d->source)->st;
		return err;
	}
	return -ENOENT;
}

static void fill(const struct tree *t, uint64_t ino, mode_t type, uint64_t size,
		 const struct stat *origin, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_ino = ino;
	st->st_nlink = 1;
	st->st_size = (off_t)size;
	st->st_blocks = (blkcnt_t)(size / 512 + (size % 512 != 0));
	st->st_blksize = block_size(size, BLOCK_MIN, FILE_BLOCK_MAX);
	st->st_mtim = origin->st_mtim;
	st->st_atim = origin->st_mtim;
	st->st_ctim = origin->st_ctim;
	st->st_uid = t->conf.allow_other ? origin->st_uid : t->conf.uid;
	st->st_gid = t->conf.allow_other ? origin->st_gid : t->conf.gid;
	st->st_mode = 0444;
	if (t->conf.allow_other)
		st->st_mode = origin->st_mode & 0444;
	if (S_ISDIR(type)) {
		/* Whoever may read the file may walk what is made of it. */
		st->st_mode |= st->st_mode >> 2;
		if (t->conf.allow_other && S_ISDIR(origin->st_mode))
			st->st_mode = origin->st_mode & 0555;
	}
	if (S_ISLNK(type))
		st->st_mode = 0777;
	st->st_mode |= type;
}

static uint64_t entries_of(struct tree *t, const struct dir *d)
{
	const struct listing *l;

	switch ((enum dir_kind)d->kind) {
	case DIR_VIEW:
		return d->listed;
	case DIR_SOURCE:
		l = atomic_load_explicit(&srcdir_of(t, d)->listing,
					 memory_order_acquire);
		return l ? l->n : 0;
	case DIR_CONTROL:
	case DIR_CONTAINER:
	case DIR_GROUP:
	case DIR_ARRAY:
		break;
	}
	return 0;
}

static int stat_dir(struct tree *t, uint32_t dir, struct stat *st,
		    struct wait *w)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	const struct stat *own;
	struct stat origin;
	int err;

	if (d->kind == DIR_SOURCE) {
		err = srcdir_know(t, dir, w, &own);
		if (err < 0)
			return err;
		origin = *own;
	} else {
		err = stat_origin(t, d, w, &origin);
		if (err < 0)
			return err;
	}
	fill(t, node_pack(dir, NODE_DIR, 0), S_IFDIR, 0, &origin, st);
	st->st_blksize = block_size(entries_of(t, d) * DIR_ENTRY_BYTES,
				    DIR_BLOCK_MIN, DIR_BLOCK_MAX);
	return 0;
}

/* A file of the source, as it is. */
static int stat_source(struct tree *t, const struct node *n, struct stat *st,
		       struct wait *w)
{
	const struct source *s;
	uint32_t number;
	int err = srcdir_file(t, n, w, &number);

	if (err == 0)
		err = source_know(t, number, w);
	if (err < 0)
		return err;
	s = source_at(t, number);
	fill(t, node_pack(n->dir, NODE_SOURCE, n->item), S_IFREG,
	     (uint64_t)s->st.st_size, &s->st, st);
	return 0;
}

static int stat_link(struct tree *t, uint64_t ino, const struct dir *d,
		     struct stat *st, struct wait *w)
{
	char target[TARGET_MAX + 1];
	struct stat origin;
	int err = tree_readlink(t, ino, target, sizeof(target), w);

	if (err == 0)
		err = stat_origin(t, d, w, &origin);
	if (err == 0)
		fill(t, ino, S_IFLNK, strlen(target), &origin, st);
	return err;
}

/* Bytes of an item or of a whole array. */
static int values_size(const struct tree *t, const struct dir *d,
		       const struct node *n, uint64_t *size)
{
	struct layout layout;
	uint64_t count = d->kind == DIR_ARRAY ? 1 : d->count;

	if ((d->kind != DIR_VIEW && d->kind != DIR_ARRAY) ||
	    d->type == ROW_NONE || n->item >= count ||
	    item_layout(dirs_type_at(t->dirs, d->type), n->format, &layout) < 0)
		return -ENOENT;
	*size = layout.size;
	return 0;
}

static int file_size(struct tree *t, const struct dir *d, const struct node *n,
		     uint64_t *size, struct wait *w)
{
	switch (n->format) {
	case NODE_FIXED:
		if (n->item >= FIXED_FILES)
			return -ENOENT;
		return fixed_size(t, n->dir, (enum fixed_file)n->item, w, size);
	case NODE_ITEM_JSON:
		if (d->kind != DIR_VIEW || n->item >= d->count)
			return -ENOENT;
		*size = d->json_size;
		return 0;
	case NODE_CONTROL:
		if (d->kind != DIR_CONTROL && d->kind != DIR_ARRAY)
			return -ENOENT;
		return control_size(t, n->item, size);
	default:
		return values_size(t, d, n, size);
	}
}

int tree_stat(struct tree *t, uint64_t ino, struct stat *st, struct wait *w)
{
	const struct dir *d;
	struct stat origin;
	uint64_t size;
	struct node n;
	int err = tree_node(t, ino, &n, &d);

	if (err < 0)
		return err;
	switch (n.format) {
	case NODE_DIR:
		return stat_dir(t, n.dir, st, w);
	case NODE_SOURCE:
		return stat_source(t, &n, st, w);
	case NODE_SOURCE_LINK:
	case NODE_MEMBER_LINK:
	case NODE_VIEW_LINK:
		return stat_link(t, ino, d, st, w);
	default:
		break;
	}
	err = stat_origin(t, d, w, &origin);
	if (err == 0)
		err = file_size(t, d, &n, &size, w);
	if (err < 0)
		return err;
	fill(t, ino, S_IFREG, size, &origin, st);
	return 0;
}

static bool is_known(struct tree *t, const struct dir *d)
{
	switch ((enum dir_kind)d->kind) {
	case DIR_SOURCE:
		return srcdir_of(t, d)->known;
	case DIR_CONTROL:
		return true;
	case DIR_CONTAINER:
	case DIR_GROUP:
	case DIR_ARRAY:
	case DIR_VIEW:
		break;
	}
	return source_at(t, d->source)->known;
}

static bool is_file_known(struct tree *t, uint32_t dir, uint64_t entry)
{
	const struct srcdir *s = srcdir_of(t, dirs_at(t->dirs, dir));
	const struct listing *l = s->listing;
	uint32_t number = l ? l->entry[entry].source : ROW_NONE;

	return number != ROW_NONE && source_at(t, number)->known;
}

bool stat_at_hand(struct tree *t, uint64_t ino, struct stat *st)
{
	const struct dir *d;
	struct node n;

	node_unpack(ino, &n);
	d = dirs_at(t->dirs, n.dir);
	switch (n.format) {
	case NODE_SOURCE:
		if (!is_file_known(t, n.dir, n.item))
			return false;
		break;
	case NODE_FIXED:
		if (!is_known(t, d) || !fixed_at_hand(d, n.item))
			return false;
		break;
	case NODE_CONTROL:
	case NODE_SOURCE_LINK:
	case NODE_MEMBER_LINK:
	case NODE_VIEW_LINK:
		return false;
	default:
		if (!is_known(t, d))
			return false;
		break;
	}
	return tree_stat(t, ino, st, NULL) == 0;
}

bool stat_link_at_hand(struct tree *t, uint32_t dir, uint64_t ino,
		       size_t target_len, struct stat *st)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	struct stat origin;

	if (!is_known(t, d) || stat_origin(t, d, NULL, &origin) < 0)
		return false;
	fill(t, ino, S_IFLNK, target_len, &origin, st);
	return true;
}
