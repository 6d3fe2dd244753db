/* SPDX-License-Identifier: MIT */

/*
 * An open file as named arrays cut into chunks. A back end says what is in the
 * file and where chunks are stored; it never decodes and never caches. What it
 * found out is handed over as flat buffers (catalog, index pages) that the
 * caller caches and hands back; a container holds nothing else but its store.
 *
 * Threads: everything from any thread, in parallel, on one container.
 */

#ifndef CONTAINER_CONTAINER_H
#define CONTAINER_CONTAINER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/codec.h"
#include "container/catalog.h"
#include "util/shape.h"

struct metrics;
struct scanners;
struct store;

/*
 * Where scanners come from: a process that is started when the first one is
 * wanted, of the program patchfs-scan at path (borrowed). 0; -ENOMEM.
 */
int scanners_new(const char *path, struct scanners **out);
/* When no scan runs any more. NULL is fine. */
void scanners_free(struct scanners *s);

/* Constant after start; borrowed. Limits are set by tests alone. */
struct container_conf {
	const char *scanner;	   /* path of patchfs-scan */
	struct scanners *scanners; /* of that path */
	unsigned scan_cpu_s;	   /* CPU seconds without a new result; 0: 5 */
	unsigned scan_wall_s; /* seconds without a result or a read; 0: 10 */
	uint64_t scan_memory; /* bytes, RLIMIT_AS of a scanner; 0: its own */
	bool allow_live;      /* open files that a writer has marked */
	/*
	 * Told of the memory that a scan takes, as it grows, and when the scan
	 * is over of all of it as given back: less than 0. May be NULL.
	 */
	void (*charge)(void *arg, int64_t bytes);
	void *charge_arg;
	/* Once set scans end, with -EINTR: nobody waits any more. Or NULL. */
	const atomic_bool *is_over;
};

/* Its own and those of the layers below, store and codec. */
void container_metrics(struct metrics *m);

struct container;

/*
 * Takes the store on success only; conf is borrowed until container_close.
 * 0; -EOPNOTSUPP: no back end bids; -ENOMEM; errors of store_read.
 */
int container_open(struct store *s, const struct container_conf *conf,
		   struct container **out);
void container_close(struct container *c);
const char *container_format(const struct container *c); /* "hdf5" */
/* st_dev of the source: what loads of it occupy (util/wait.h). Constant. */
uint64_t container_device(const struct container *c);

/* ------------------------------------------------------------ catalog */

/*
 * One malloc'ed block without pointers in it, so that a cache can hold it.
 * Built and checked by container_catalog; every offset and number in it is
 * known to be good. Immutable.
 */
struct catalog;

/*
 * Scan the file. *out is malloc'ed (caller frees), *size its bytes. On failure
 * *why is one line for people (malloc'ed, caller frees; NULL when memory ran
 * out) and nothing is logged:
 * -EBADMSG corrupt, truncated, or the scanner died or lied; -EBUSY open for
 * writing; -EIO, -ESTALE from the store; -EOPNOTSUPP not this format;
 * -EFBIG larger than max bytes; -ENOMEM; -EINTR: is_over; -ETIMEDOUT: the
 * scanner hung or somebody killed it (reads as EIO to users; may pass, unlike
 * one that used up its CPU time: -EBADMSG).
 */
int container_catalog(struct container *c, size_t max, void **out, size_t *size,
		      char **why);

enum object_kind { OBJECT_GROUP, OBJECT_ARRAY, OBJECT_OTHER };

/* A name with length: not terminated, any byte but NUL and '/' in links. */
struct bytes {
	const char *p;
	size_t n;
};

struct member { /* of a group */
	struct bytes name;
	enum cat_link_kind kind;
	uint32_t target;   /* CAT_HARD: object number */
	struct bytes path; /* CAT_SOFT, CAT_EXTERNAL_LINK */
	struct bytes file; /* CAT_EXTERNAL_LINK */
};

struct attr {
	struct bytes name;
	enum cat_class class;
	char kind;
	unsigned item_size;
	unsigned rank;
	const uint64_t *dim;
	uint64_t count; /* product of dim */
	struct bytes data;
};

struct filter_info {
	uint32_t id, flags, nparam;
	const uint32_t *param;
	struct bytes name; /* as stored, else as registered; n may be 0 */
};

/* Pointers are borrowed until the catalog is put. */
struct array_info {
	uint64_t addr; /* identity in its file */
	unsigned rank;
	const uint64_t *dim;
	const uint64_t *chunk; /* rank of them; NULL unless chunked */
	enum cat_layout layout;
	enum cat_index index;
	bool is_null; /* NULL dataspace */
	bool edge_unfiltered, fill_undefined;
	char kind;  /* 'i' 'u' 'f' 'b'; 0: not served */
	char order; /* '<' '>' '|' as stored; served as '<' or '|' */
	unsigned item_size;
	struct bytes fill;	       /* n is 0 or item_size; as stored */
	uint64_t data_addr, data_size; /* contiguous */
	struct bytes compact;
	unsigned nfilter;
	struct bytes type_text; /* of a type that is not served */
	struct bytes refused;	/* n > 0: why reads give EOPNOTSUPP */
	/* private */
	uint32_t filters_at;
};

uint32_t catalog_objects(const struct catalog *k);
uint32_t catalog_arrays(const struct catalog *k);
enum object_kind catalog_kind(const struct catalog *k, uint32_t object);
uint64_t catalog_addr(const struct catalog *k, uint32_t object);
/* object must be an array. */
void catalog_array(const struct catalog *k, uint32_t object,
		   struct array_info *out);
/* i < nfilter, in storing order. */
void catalog_filter(const struct catalog *k, const struct array_info *a,
		    unsigned i, struct filter_info *out);
/* The decoding chain; params borrowed until the catalog is put. */
void catalog_chain(const struct catalog *k, const struct array_info *a,
		   struct codec_chain *out);

/*
 * Members of a group, sorted by name as bytes; i < catalog_members. An array
 * can have some too: those derived from it alone.
 */
uint32_t catalog_members(const struct catalog *k, uint32_t group);
void catalog_member(const struct catalog *k, uint32_t group, uint32_t i,
		    struct member *out);
/* Index of the member of that raw name, or -ENOENT. O(log n). */
int64_t catalog_find(const struct catalog *k, uint32_t group, const char *name,
		     size_t n);
/*
 * Arrays in listing order, each once, at the path of catalog_path; those that
 * no path leads to are not counted. i < catalog_arrays.
 */
uint32_t catalog_nth_array(const struct catalog *k, uint32_t i);
/*
 * One path of an object from the root, the shortest, and of these the first:
 * the hard links that lead to it, outermost first, as group numbers and member
 * indexes. Returns the depth; writes at most max steps. 0: the root, or an
 * object that no path leads to.
 */
struct path_step {
	uint32_t group, member;
};
unsigned catalog_path(const struct catalog *k, uint32_t object,
		      struct path_step *step, unsigned max);

/*
 * An array that is computed from stored ones of the same catalog: what a medh5
 * annotation or image means. Its array_info has layout CAT_DERIVED, kind, order
 * '<' or '|', item_size, rank and dim; nothing else of it is set.
 */
enum derived_kind {
	DERIVED_LABELS = 1, /* <u2: dense ids, 0 is background */
	DERIVED_CLASS,	    /* |b1: voxels of the classes listed, united */
	DERIVED_IGNORE,	    /* |b1: the ignore region */
	DERIVED_PHYSICAL,   /* <f4: value * slope + intercept */
	DERIVED_VALID,	    /* |b1: the mask of an image */
};

/* medh5's kinds of voxel annotations (its specification 1.2). */
enum label_encoding {
	LABELS_MAP = 1,	  /* data G: the value is the id */
	LABELS_LAYERS,	  /* data (L, G): plane l has ids of its own */
	LABELS_BITMASK,	  /* data (P, G) uint64: bit p % 64 of plane p / 64 */
	LABELS_PROBMAP,	  /* data (C, G): value >= threshold */
	LABELS_INSTANCES, /* boxes and packed masks */
	LABELS_MASK,	  /* data G: non-zero is true; no classes */
};

/* Where the voxels of a class are. */
struct derived_class {
	uint16_t id;
	uint16_t pad;
	uint32_t plane; /* LAYERS: layer; BITMASK: position; PROBMAP: plane */
};

#define OBJECT_NONE UINT32_MAX

struct derived_info {
	enum derived_kind kind;
	enum label_encoding encoding; /* not of PHYSICAL */
	/* Object numbers of stored arrays, or OBJECT_NONE. */
	uint32_t data;	      /* of INSTANCES mask_data, or none: full boxes */
	uint32_t ignore_mask; /* LABELS, IGNORE: data of the sibling mask */
	uint32_t boxes, class_ids, mask_offsets, mask_shapes; /* INSTANCES */
	uint16_t ignore_id;	 /* written where ignored */
	bool ignore_in_band;	 /* MAP, LAYERS: data may hold ignore_id */
	double threshold;	 /* PROBMAP, as declared */
	double slope, intercept; /* PHYSICAL */
	/*
	 * LABELS: all classes in painting order, later over earlier. CLASS:
	 * the class and those that imply it. Borrowed until the catalog is put.
	 */
	unsigned nclass;
	const struct derived_class *class;
	/* n > 0: the annotation breaks its specification; reads give EIO. */
	struct bytes broken;
};

/* object must be an array with layout CAT_DERIVED. */
void catalog_derived(const struct catalog *k, uint32_t object,
		     struct derived_info *out);

/* ------------------------------------------- medh5: samples and geometry */

enum medh5_kind { MEDH5_NOT, MEDH5_SAMPLE, MEDH5_COLLECTION };
enum medh5_kind catalog_medh5(const struct catalog *k);
/* Of what is in it: "medh5", or NULL: what container_format says. */
const char *catalog_format(const struct catalog *k);

/* A sample: of a file, or a member of a collection. Texts with n 0: none. */
struct sample_info {
	uint32_t root; /* its group */
	/* Of its label table. */
	struct bytes set_id, set_version, set_sha256;
	uint32_t nlabel;
	struct bytes group_id; /* of its cohort */
	struct bytes splits;   /* JSON: what splits it claims to be in */
	/* private */
	uint32_t at;
};

/* A class of a label table. Borrowed until the catalog is put. */
struct label_info {
	uint32_t id; /* 1 to 65534 */
	struct bytes key, name;
	bool has_own_key; /* there is one, and no other class has it */
	bool has_color;
	uint8_t color[4];
	unsigned nparent;
	const uint32_t *parent; /* ids */
};

/* What an array of a sample is part of. Object numbers or OBJECT_NONE. */
struct place_info {
	uint32_t object;     /* the array */
	uint32_t sample;     /* of catalog_sample */
	uint32_t grid;	     /* group with the geometry's attributes */
	uint32_t annotation; /* group */
	uint32_t image;	     /* array, or group of a pyramid */
	/* The spatial axes, the last ones; and the patch that its grid states
	 * for them, each at least 1, if it does. */
	unsigned nspatial, nhint;
	uint64_t hint[3];
};

uint32_t catalog_samples(const struct catalog *k);
void catalog_sample(const struct catalog *k, uint32_t i,
		    struct sample_info *out);
/* Number of the sample whose root is that group, or -ENOENT. O(log n). */
int64_t catalog_sample_at(const struct catalog *k, uint32_t group);
/* i < nlabel, by rising id. */
void catalog_label(const struct catalog *k, const struct sample_info *s,
		   uint32_t i, struct label_info *out);
/* The class of that id; false: the table has none. O(log n). */
bool catalog_label_by_id(const struct catalog *k, const struct sample_info *s,
			 uint32_t id, struct label_info *out);
/* False: not part of a sample as far as is known. O(log n). */
bool catalog_place(const struct catalog *k, uint32_t array,
		   struct place_info *out);

/*
 * The sampling index that a sample carries for an annotation, at index/ID, as
 * far as the catalog tells. index/stored.h reads it.
 */
enum carried_state {
	CARRIED_ABSENT,
	CARRIED_FRESH, /* made of the arrays as they are; its tables may lie */
	CARRIED_STALE,
	CARRIED_MALFORMED,
	CARRIED_UNKNOWN, /* an array of the annotation has no digest */
};

#define CARRIED_WHY 160

/* Borrowed until the catalog is put. FRESH and UNKNOWN alone have it all. */
struct carried_index {
	enum carried_state state;
	char why[CARRIED_WHY]; /* a line; "" if fresh or absent */
	struct bytes name;     /* ID; n 0: the annotation has none */
	unsigned nspatial;     /* 2 or 3; the shape of the annotation */
	uint64_t shape[3];
	uint64_t max_coords; /* >= 1 */
	uint32_t nclass;
	/* Arrays: (nclass) u2, (nclass) i8, (nclass, nspatial, 2) f4. */
	uint32_t class_ids, voxel_counts, class_bboxes;
	uint32_t coords; /* group with an array a class */
};

/*
 * The digest of an array at a path from the root of its sample, as its
 * attribute would be. 0; -EOPNOTSUPP: not of that type; other errors end all.
 */
typedef int carried_digest_fn(void *arg, uint32_t array, const char *path,
			      const char *algorithm, char *hex);
/*
 * compute is asked for digests that the file does not have; NULL: they are
 * unknown. hex: HASH_HEX_MAX bytes. 0, -ENOMEM, errors of compute.
 */
int catalog_carried(const struct catalog *k, uint32_t sample,
		    uint32_t annotation, carried_digest_fn *compute, void *arg,
		    struct carried_index *out);
/* The coordinates of a class of it, (rows, nspatial) i4, or OBJECT_NONE. */
uint32_t catalog_carried_coords(const struct catalog *k,
				const struct carried_index *x, uint32_t id,
				uint64_t rows);
/* The problem that such a state is, for people. */
#define CARRIED_LINE 320
void catalog_carried_line(enum medh5_kind kind, enum carried_state state,
			  const char *why, char line[CARRIED_LINE]);

uint32_t catalog_attrs(const struct catalog *k, uint32_t object);
/* The attribute of that name; false: there is none. O(n). */
bool catalog_attr_find(const struct catalog *k, uint32_t object,
		       const char *name, struct attr *out);
/*
 * The text of the attribute of that name, borrowed as the catalog is; false:
 * there is none, or it is not one text.
 */
bool catalog_text(const struct catalog *k, uint32_t object, const char *name,
		  struct bytes *out);
void catalog_attr(const struct catalog *k, uint32_t object, uint32_t i,
		  struct attr *out);
/* The value of a small array; false if it has none here. */
bool catalog_value(const struct catalog *k, uint32_t object, struct attr *out);
uint32_t catalog_problems(const struct catalog *k);
void catalog_problem(const struct catalog *k, uint32_t i, uint32_t *object,
		     struct bytes *text);

/* -------------------------------------------------------------- index */

/* Slots of a page of the index: the unit in which it is scanned and cached. */
#define INDEX_PAGE (UINT64_C(1) << 20)

/* One malloc'ed block without pointers: where the chunks of a page are. */
struct chunk_index;

/* Where a chunk is stored; n == 0 is a hole, to be read as fill. */
struct stored {
	uint64_t off;
	uint64_t n;
	uint32_t skip; /* codec steps not applied to this chunk */
};

/*
 * Scan slots [page * INDEX_PAGE, ...) of the chunk grid of a. *out is
 * malloc'ed, caller frees. Errors and *why as container_catalog; on success
 * *why is NULL or one line (malloc'ed, caller frees) on what is wrong with the
 * index all the same: chunks that cannot be read.
 */
int container_index(struct container *c, const struct array_info *a,
		    uint64_t page, size_t max, void **out, size_t *size,
		    char **why);
/*
 * The chunk of that slot. 0; -EBADMSG: the index is broken here, or it is not
 * proven that the chunk is missing. Pure; any thread.
 */
int chunk_index_locate(const struct chunk_index *x, uint64_t slot,
		       struct stored *out);
/* Stored, missing, not readable, and with a filter mask; for chunks.json. */
struct chunk_counts {
	uint64_t stored, missing, broken, masked;
};
void chunk_index_counts(const struct chunk_index *x, struct chunk_counts *out);

/* Stored bytes, all n or an error, as store_read. */
int container_read(struct container *c, uint64_t off, size_t n, void *buf);

#endif
