/* SPDX-License-Identifier: MIT */

/*
 * Something with a shape, a dtype and values: stored in units of a container,
 * or derived from other arrays.
 *
 * A struct array lives on the stack of one request: it borrows the catalog,
 * which its maker keeps pinned meanwhile. Any thread.
 */

#ifndef ARRAY_ARRAY_H
#define ARRAY_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "container/container.h"
#include "util/shape.h"
#include "util/wait.h"

struct cache;
struct metrics;
struct problems;
struct array;

struct array_ops {
	const char *name;
	/*
	 * Values of the box, which lies inside the shape, little endian, to
	 * out: element (i, j, ...) of the box at out + item_size *
	 * sum(i_k * stride[k]), stride in elements. item is the whole of
	 * which box is a part, inside the shape too: a hint at what to keep.
	 * 0, or -errno with anything at out; util/wait.h.
	 */
	int (*read_box)(const struct array *a, const struct region *item,
			const struct region *box, void *out,
			const uint64_t stride[NDIM_MAX], struct wait *w);
	/*
	 * Bytes that reading the box cold decodes: what info.json and
	 * `patchfs info` say of a view's cost. Reads nothing, and does not
	 * depend on what was read: of chunks that turn out to be cut into
	 * blocks it is the worst case, one block each.
	 */
	uint64_t (*decode_bytes)(const struct array *a,
				 const struct region *box);
};

struct array {
	const struct array_ops *ops;
	struct shape shape;
	char kind; /* 'i' 'u' 'f' 'b' */
	unsigned item_size;
	/*
	 * Who reads all of it reads each piece once if its boxes end at
	 * multiples of these extents. 0: the axis is not cut.
	 */
	uint64_t unit[NDIM_MAX];
	/* Chunks may be read block by block: decode_bytes is far too high. */
	bool in_blocks;
};

void array_metrics(struct metrics *m);

/*
 * What a virtual file shows: a box of an array, in the array's axis order. An
 * axis that the item drops has extent 1.
 */
struct view {
	const struct array *array;
	int64_t start[NDIM_MAX]; /* may lie outside: what overhangs is pad */
	uint64_t extent[NDIM_MAX];
	const void *pad; /* one item, served byte order; NULL: no overhang */
};

/* Bytes of the view's values; -EOVERFLOW. */
int view_bytes(const struct view *v, uint64_t *out);

/*
 * Bytes [off, off + n) of the view laid out in C order, to out. Fetches and
 * decodes each unit it needs at most once. Never short: 0 or -errno
 * (-EBADMSG, -EIO, -ESTALE, -EOPNOTSUPP, -EFBIG, -ENOMEM; each was told to
 * the problems by whoever found it), -EAGAIN and -ERESTART of util/wait.h.
 */
int array_read(const struct view *v, uint64_t off, size_t n, void *out,
	       struct wait *w);

/* ------------------------------------------------------------- stored */

/*
 * What the arrays of a mount share; array/cached.h makes it. Constant once
 * there are threads; borrowed by each array.
 */
struct array_env {
	struct cache *cache;
	struct problems *problems;
	bool direct_io; /* nobody else keeps what was read: do not let it go */
	/*
	 * Called before a unit is loaded, tests count with it; may be NULL.
	 * part: 0, or 1 + the number of the block.
	 */
	void (*on_decode)(void *arg, const struct array_info *a, uint64_t unit,
			  uint32_t part);
	void *on_decode_arg;
	struct verdicts *verdicts; /* on ambiguous arrays; NULL: forgotten */
};

/* How chunks are read whose blocks may lie in one of two orders. */
enum array_reading {
	ARRAY_DECIDED, /* as is found out, see array/ambiguous.c */
	ARRAY_BOXES,   /* as they say */
	ARRAY_PLAIN,   /* one after the other */
};

struct stored_array {
	struct array base; /* first */
	const struct array_env *env;
	struct container *container;
	uint64_t source;   /* number of the source, for cache keys */
	uint64_t device;   /* of the source: what loads occupy, util/wait.h */
	const char *label; /* "path: array", for messages; borrowed */
	struct array_info info;
	struct codec_chain chain;
	struct shape grid, chunk; /* chunked: counts and extents of chunks */
	uint64_t grid_stride[NDIM_MAX], chunk_stride[NDIM_MAX];
	uint64_t chunk_bytes; /* of a unit, decoded */
	uint64_t bytes;	      /* of all values */
	bool swap;	      /* stored big endian */
	enum array_reading reading;
	const struct catalog *catalog; /* borrowed; NULL once it may be gone */
	uint32_t object;	       /* in it */
	unsigned char fill[8];	       /* as served */
};

/*
 * Array `object` of a pinned catalog, on memory of the caller; nothing to be
 * undone. 0; -EOPNOTSUPP: listed, not served (info.refused says why), not told;
 * -EBADMSG: data beyond the file, told; -EOVERFLOW.
 */
int stored_array_init(struct stored_array *s, const struct array_env *env,
		      struct container *c, uint64_t source,
		      const struct catalog *k, uint32_t object,
		      const char *label);

/*
 * Add up the index of the whole array, page by page; for chunks.json.
 * 0 or -errno; -EOPNOTSUPP: more than 2^28 chunks, told; util/wait.h.
 */
int stored_array_counts(const struct stored_array *s, struct chunk_counts *out,
			struct wait *w);

/* ------------------------------------------------------------ derived */

/* What a derived array is made of. */
enum derived_source {
	SOURCE_DATA, /* derived_info.data, and so on */
	SOURCE_IGNORE,
	SOURCE_BOXES,
	SOURCE_CLASS_IDS,
	SOURCE_OFFSETS,
	SOURCE_SHAPES,
	SOURCES,
};

/*
 * Computes its values from those of its sources, whose units are cached; what
 * it computes is not. Reading a box takes that and a scratch buffer of at most
 * 256 KiB, and for labels tables of another 256 KiB. What is wrong with the
 * annotation is what reading gives: -EIO, told to the problems.
 */
struct derived {
	struct array base;	  /* first */
	struct derived_info info; /* its object numbers are not used */
	const struct array *source[SOURCES]; /* NULL: none */
	struct problems *problems;
	const char *label; /* borrowed */
	/*
	 * LABELS: of voxels of several classes the first of these wins, and
	 * then any other. Borrowed; may be set once open.
	 */
	const uint16_t *priority;
	unsigned npriority;
	/* private: what every read gives if not 0, and why */
	int error;
	struct bytes why;
};

/* With its sources, which are stored arrays. */
struct derived_array {
	struct derived derived; /* first */
	struct stored_array stored[SOURCES];
	char text[4096]; /* their labels */
};

/* A declared threshold as the stored floats of so many bytes have it. */
double derived_threshold(double threshold, unsigned item_size);

/* ---------------------------------------------------------------- any */

/* Whatever array an object of a catalog is. May not be moved. */
struct any_array {
	struct array *base;
	bool is_derived;
	union {
		struct stored_array stored;
		struct derived_array derived;
	};
};

/*
 * Array `object` of a pinned catalog, as stored_array_init, whose errors it
 * has. A derived array opens whatever its sources are.
 */
int array_open(const struct array_env *env, struct container *c,
	       uint64_t source, const struct catalog *k, uint32_t object,
	       const char *label, struct any_array *out);
/*
 * Of the dense labels of instances instead the mask of each class of info,
 * bool, one after the other along a first axis: where its own objects are.
 * -EINVAL: the object is nothing of that kind.
 */
int array_open_masks(const struct array_env *env, struct container *c,
		     uint64_t source, const struct catalog *k, uint32_t object,
		     const char *label, struct any_array *out);
/*
 * Where in the mask of class i its objects are, at most; extents 0: nowhere.
 * bound has room for info.nclass regions. Blocks. 0; -ENOMEM; errors of reads.
 */
int array_masks_bounds(const struct any_array *masks, struct region *bound);
#endif
