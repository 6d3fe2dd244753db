/* SPDX-License-Identifier: MIT */

/*
 * Node ids: 23 bits directory, 5 bits format, 36 bits item. Bijective with
 * what they stand for; nothing else encodes to 0 or 1.
 */

#ifndef TREE_NODE_H
#define TREE_NODE_H

#include <errno.h>
#include <stdint.h>

#define NODE_DIRS_MAX (UINT32_C(1) << 23)
#define NODE_FORMAT_SHIFT 36
#define NODE_DIR_SHIFT 41
#define NODE_ITEM_MASK ((UINT64_C(1) << NODE_FORMAT_SHIFT) - 1)

/*
 * What the five bits say. From 1 on the formats of the layer format: an item
 * of a view, or (item 0) the whole array. From the top what the tree makes.
 */
enum node_format {
	NODE_DIR = 0,	  /* the directory itself; item 0 */
	NODE_FIXED = 24,  /* item: enum fixed_file */
	NODE_SOURCE,	  /* a file of the source; item: entry of the listing */
	NODE_SOURCE_LINK, /* NAME.EXT.d; item: entry of the file */
	NODE_MEMBER_LINK, /* a link of the container; item: member */
	NODE_VIEW_LINK,	  /* another spelling; item: number of the view */
	NODE_ITEM_JSON,	  /* item: as of the item it tells about */
	NODE_CONTROL,	  /* item: snapshot * CONTROL_FILES + file */
};
#define NODE_FORMATS_END NODE_FIXED /* formats of files are below */

enum fixed_file {
	FIXED_INFO,    /* info.json */
	FIXED_CHUNKS,  /* chunks.json */
	FIXED_STRINGS, /* array.json */
	FIXED_CSV,     /* index.csv */
	FIXED_FILES
};

struct node {
	uint32_t dir;
	unsigned format; /* enum node_format or a format's number */
	uint64_t item;
};

/*
 * The kernel hashes ids by bits that lie low, so that ids which differ in their
 * directory alone would share one chain: 10^5 directories, 10^5 steps a lookup.
 * The directory is folded onto the item. Its own inverse; 0 and 1 stay.
 */
static inline uint64_t node_fold(uint64_t ino)
{
	return ino ^ ino >> 35;
}

/* The root is directory 0; its id is 1, which FUSE demands. */
static inline uint64_t node_pack(uint32_t dir, unsigned format, uint64_t item)
{
	uint64_t ino = (uint64_t)dir << NODE_DIR_SHIFT |
		       (uint64_t)format << NODE_FORMAT_SHIFT | item;

	return ino ? node_fold(ino) : 1;
}

/* 0; -ENOENT: never given out. Whether the directory exists is not known. */
static inline int node_unpack(uint64_t ino, struct node *out)
{
	ino = node_fold(ino);
	out->dir = (uint32_t)(ino >> NODE_DIR_SHIFT);
	out->format = ino >> NODE_FORMAT_SHIFT & 31;
	out->item = ino & NODE_ITEM_MASK;
	if (ino == 1)
		out->item = 0;
	else if (ino == 0 || (out->format == NODE_DIR && out->item != 0))
		return -ENOENT;
	return 0;
}

#endif
