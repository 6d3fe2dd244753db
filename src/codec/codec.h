/* SPDX-License-Identifier: MIT */

/*
 * Stored bytes to values, one codec a file. Codecs have no state of their
 * own; library contexts are kept for whoever runs next. Any thread.
 */

#ifndef CODEC_CODEC_H
#define CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/shape.h"

#define CODEC_STEPS_MAX 32 /* HDF5's own limit */

/*
 * A stored chunk of n decoded bytes, and what is between two steps, is not
 * larger than this. n is below 2^60.
 */
static inline uint64_t codec_stored_max(uint64_t n)
{
	return 8 * n + ((uint64_t)64 << 10);
}

struct codec_block_ops;
struct codec_ops;
struct metrics;

struct codec_step {
	const struct codec_ops *ops; /* NULL: not known or not built */
	unsigned h5_filter;
	unsigned nparam;
	const uint32_t *param; /* borrowed until the catalog is put */
};

/* Steps in storing order; decoding runs them last to first. */
struct codec_chain {
	unsigned n;
	struct codec_step step[CODEC_STEPS_MAX];
};

/* What is to be said of a chunk beside its values. */
struct codec_note {
	/* What it uses that is not served (constant text), or NULL. */
	const char *what;
	/* Decoded as boxes, though it may not hold them: see codec_chunk. */
	bool is_ambiguous;
};

struct codec_ops {
	const char *name;   /* as Zarr spells it: "zstd" */
	unsigned h5_filter; /* HDF5 filter number, 0 if none */
	/*
	 * Decode in[0..nin) to out. *nout is the room on entry, the result on
	 * return. Stays within both bounds whatever the input. NULL: known,
	 * but this build has no library for it. 0, -EBADMSG for bad data,
	 * -ENOSPC if it does not fit, -ENOMEM, -EOPNOTSUPP for what is sound
	 * but not served. Adds to *note.
	 */
	int (*decode)(const struct codec_step *step, const void *in, size_t nin,
		      void *out, size_t *nout, struct codec_note *note);
	/*
	 * NULL unless the result is the front of the input (a checksum is all
	 * that the step adds): checks in[0..nin) and says in *nout how much of
	 * it is the result, so that nothing need be copied. Errors as above.
	 */
	int (*strip)(const struct codec_step *step, const void *in, size_t nin,
		     size_t *nout);
	/*
	 * The largest input that a sane writer makes of nout bytes of result:
	 * the room for what the step that runs before this one gives.
	 */
	size_t (*bound)(size_t nout);
	/*
	 * NULL unless a writer that gains nothing stores values as they are:
	 * whether the first CODEC_HEAD bytes of a stored chunk say so of one
	 * of nin bytes that decodes to nout; *at is where the values begin.
	 */
	bool (*plain)(const void *head, size_t nin, size_t nout, size_t *at);
	/* Buffers as large as the result that decode takes for itself. */
	unsigned scratch;
	/* NULL unless it cuts chunks into blocks that decode alone. */
	const struct codec_block_ops *blocks;
};

#define CODEC_HEAD 16

void codec_metrics(struct metrics *m);

/* NULL if not in the table. An entry may have decode == NULL. */
const struct codec_ops *codec_by_h5_filter(unsigned filter);
/* Name of an HDF5 filter that is registered, in the table or not; else NULL. */
const char *codec_h5_filter_name(unsigned filter);
/* The table in order, NULL at the end of it. For summaries and --version. */
const struct codec_ops *codec_at(unsigned i);

/*
 * Decode a stored chunk: steps last to first, bit i of skip leaves step i out
 * (HDF5's filter mask; bits beyond the chain are ignored). The result must be
 * exactly nout bytes, and nothing in between more than 8 * nout + 64 KiB. Two
 * scratch buffers a call at a time, grown on need and given back when a smaller
 * size serves for long, or at once by codec_trim. 0; -EBADMSG: corrupt;
 * -EOPNOTSUPP: a step that is not skipped is not known or not built, or the
 * chunk uses of it what is not served; -ENOMEM.
 * Does not log.
 */
int codec_decode(const struct codec_chain *chain, uint32_t skip, const void *in,
		 size_t nin, void *out, size_t nout);
/* The same; what is to be said of it, also after a failure, in *note. */
int codec_decode_note(const struct codec_chain *chain, uint32_t skip,
		      const void *in, size_t nin, void *out, size_t nout,
		      struct codec_note *note);

/*
 * Whether the values of a stored chunk of nin bytes can be read without
 * decoding it. codec_may_be_plain asks no bytes; if it says so, codec_is_plain
 * looks at the first CODEC_HEAD of them, and *at is where the nout bytes begin.
 */
bool codec_may_be_plain(const struct codec_chain *chain, uint32_t skip,
			size_t nin, size_t nout);
bool codec_is_plain(const struct codec_chain *chain, uint32_t skip,
		    const void *head, size_t nin, size_t nout, size_t *at);

/* ------------------------------------------------------------- blocks */

/* What the array says of a stored chunk. */
struct codec_chunk {
	uint64_t stored; /* bytes in the file */
	uint64_t bytes;	 /* decoded */
	unsigned ndim;
	unsigned item_size;
	const uint64_t *dim;
	/*
	 * Blocks lie in the chunk one after the other, though the chunk says
	 * that they are boxes: what c-blosc2 2.15.0 to 2.21.1 wrote of some
	 * shapes. Only where the frame's is_ambiguous is set.
	 */
	bool plain;
};

/*
 * What has to be known of a stored chunk to decode one block of it: one
 * malloc'ed record without pointers, so that a cache can hold it. What is the
 * codec's own follows. Immutable.
 */
struct codec_frame {
	size_t size;		  /* bytes of the record */
	uint32_t nblock;	  /* > 0 */
	uint32_t block_bytes;	  /* decoded, > 0 */
	uint32_t last_bytes;	  /* of the last one; less only if ndim is 0 */
	unsigned ndim;		  /* 0: blocks are ranges of C order */
	uint32_t block[NDIM_MAX]; /* extents of a block, in C order inside */
	uint32_t grid[NDIM_MAX];  /* blocks along each axis, row-major; those
				     at the ends reach beyond the chunk, where
				     their values mean nothing */
	bool is_whole;	   /* they need each other: decode the chunk at once */
	bool is_constant;  /* each item is value: nothing need be decoded */
	uint8_t value[8];  /* as stored */
	bool is_ambiguous; /* see codec_chunk */
};

/* n stored bytes at off of the chunk, all or -errno. */
typedef int codec_fetch_fn(void *arg, uint64_t off, size_t n, void *out);

struct codec_block_ops {
	/*
	 * Read what is needed, in two or three pieces. *out is malloc'ed,
	 * caller frees. 0; -EBADMSG: corrupt, or not of this shape;
	 * -EOPNOTSUPP: sound, but uses what is not served, which is named in
	 * *what (constant text, else NULL); -ENOMEM; errors of fetch.
	 */
	int (*open)(const struct codec_chunk *c, codec_fetch_fn *fetch,
		    void *arg, struct codec_frame **out, const char **what);
	/* Where block i < nblock is stored; n == 0: it takes no bytes. */
	void (*stored)(const struct codec_frame *f, uint32_t i, uint64_t *off,
		       size_t *n);
	/*
	 * Decode block i from the bytes that stored() told of, to out:
	 * block_bytes, or last_bytes, exactly. Takes block_bytes of scratch at
	 * most. 0, -EBADMSG, -ENOMEM. Neither of the two if is_whole.
	 */
	int (*decode)(const struct codec_frame *f, uint32_t i, const void *in,
		      size_t nin, void *out);
};

/*
 * The way to single blocks of a chunk stored with that chain and mask; NULL if
 * there is none: another step needs the chunk whole.
 */
const struct codec_block_ops *codec_blocks(const struct codec_chain *chain,
					   uint32_t skip);

/* Scratch bytes codec_decode may hold for chunks of n bytes. */
size_t codec_scratch(const struct codec_chain *chain, size_t n);
/* Free those scratch buffers not in use that are larger than keep bytes. */
void codec_trim(size_t keep);

#endif
