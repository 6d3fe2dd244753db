/* SPDX-License-Identifier: MIT */

/*
 * The indices of a mount, under a budget of their own: those used last stay.
 * An index is read from its sidecar or else built, and kept as a sidecar then;
 * one caller does so while others who want it wait or are parked.
 * Threads: new and free from one; everything else from any, in parallel.
 */

#ifndef INDEX_INDICES_H
#define INDEX_INDICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/index.h"
#include "index/sidecar.h"
#include "util/wait.h"

struct cache_entry;
struct indices;
struct metrics;

/* Constant. */
struct indices_conf {
	size_t size;	      /* --index-size: bytes of all that are kept */
	unsigned threads;     /* that build one, >= 1 */
	size_t memory;	      /* bytes of the buffers of one build */
	unsigned max_classes; /* of an index; more: -E2BIG */
	int dir;	      /* of sidecar_dir, borrowed; < 0: none are kept */
};

/* indices_built, indices_loaded, index_bytes. */
void indices_metrics(struct metrics *m);

/* NULL: out of memory. */
struct indices *indices_new(const struct indices_conf *conf);
/* All pins must have been put. */
void indices_free(struct indices *x);
/* Builds that run and those to come end with -ECANCELED. */
void indices_stop(struct indices *x);
/* False once a sidecar could not be written, which was told. */
bool indices_are_kept(struct indices *x);

/* What to build from. Borrowed until the call that asked for it returns. */
struct index_origin {
	struct label_source label;
	struct sidecar_key key; /* digests of all that label says */
	bool has_key;		/* else no sidecar is read or written */
};

struct index_ask {
	/* Which: the label's source and object, and which planes of it. */
	uint64_t source, object, variant;
	uint64_t device; /* of the source: what loading occupies */
	/* Called if there is no index yet. 0 or -errno; util/wait.h. */
	int (*origin)(void *arg, struct wait *w, struct index_origin *out);
	/*
	 * In its place if not NULL: make an index that is not all of a label's
	 * voxels, such as a trimmed one, of at most max bytes. *data is
	 * malloc'ed. 0 or -errno; util/wait.h.
	 */
	int (*make)(void *arg, struct wait *w, size_t max, void **data,
		    size_t *size);
	/* As in struct index_conf; may be NULL. */
	void (*progress)(void *arg, uint64_t done, uint64_t all);
	void *arg;
};

/* An index, pinned until put. */
struct index_pin {
	struct cache_entry *entry; /* private */
	const struct label_index *index;
};

/*
 * 0: *out is pinned. Errors of label_index_build: what the label itself is the
 * cause of (-EINVAL, -EOVERFLOW, -E2BIG, -EFBIG: above half the budget) is
 * remembered as an index would be, others for a second. -EAGAIN, -ERESTART:
 * util/wait.h.
 */
int indices_get(struct indices *x, const struct index_ask *ask, struct wait *w,
		struct index_pin *out);
/* The same if it is at hand. False: it is not. Never waits, never loads. */
bool indices_peek(struct indices *x, uint64_t source, uint64_t object,
		  uint64_t variant, struct index_pin *out);
/*
 * The index of a sidecar, past all that is kept: *out is malloc'ed, caller
 * frees. 0; errors of sidecar_load, -ENOENT also where none are kept.
 */
int indices_read_sidecar(const struct indices *x, const struct sidecar_key *key,
			 const struct shape *shape, void **out, size_t *size);
void indices_put(struct indices *x, struct index_pin *pin);

#endif
