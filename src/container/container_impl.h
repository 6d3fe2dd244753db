/* SPDX-License-Identifier: MIT */

/* What the files of the layer container share. */

#ifndef CONTAINER_CONTAINER_IMPL_H
#define CONTAINER_CONTAINER_IMPL_H

#include <sys/types.h>
#include <time.h>

#include "container/container.h"
#include "store/store.h"

/* ------------------------------------------------------------ back ends */

/* Contracts of catalog and index: container.h. Any thread. */
struct container_ops {
	const char *name;
	/* 0..100: how sure that this back end reads the file; or -errno. */
	int (*bid)(struct store *s);
	int (*catalog)(struct container *c, size_t max, void **out,
		       size_t *size, char **why);
	int (*index)(struct container *c, const struct array_info *a,
		     uint64_t page, size_t max, void **out, size_t *size,
		     char **why);
};

/* Constant once open. */
struct container {
	const struct container_ops *ops;
	const struct container_conf *conf;
	struct store *store;
	uint64_t key; /* no other of this process has it */
};

extern const struct container_ops container_hdf5;

/* What an error of store_read or store_check means, for people. */
const char *source_why(int err);

/* What one scan holds, as its conf was told. One thread. */
struct scan_memory {
	const struct container_conf *conf;
	size_t held;
};
/* It holds so many bytes now. */
void scan_memory_set(struct scan_memory *m, size_t bytes);
void scan_memory_fini(struct scan_memory *m);

/* ------------------------------------------------------------ catalog */

#define WHY_MAX 256

/* Records of the server's own among those of the scanner. */
#define CAT_TEXT 100	   /* bare text */
#define CAT_DERIVATION 101 /* struct cat_derived */

/*
 * What a derived array is. Followed by nclass times struct derived_class and
 * broken_len bytes, padding to 8. Found through data_addr of its CAT_ARRAY:
 * where this begins, in units of 8 bytes.
 */
struct cat_derived {
	struct cat_record head;
	uint32_t kind, encoding;
	uint32_t data, ignore_mask;
	uint32_t boxes, class_ids, mask_offsets, mask_shapes;
	uint16_t ignore_id;
	uint16_t ignore_in_band;
	uint32_t nclass;
	uint32_t broken_len;
	uint32_t pad;
	double threshold, slope, intercept;
};

/* What is known of samples: in units of 8 bytes, of the whole block. */
#define CAT_MEDH5 102

/*
 * Followed by nplace times struct place_info, by rising object, then by nsample
 * times uint32_t, where the record of each begins, padding to 8.
 */
struct cat_medh5 {
	struct cat_record head;
	uint32_t kind; /* enum medh5_kind */
	uint32_t nsample, nplace;
	uint32_t pad;
};

#define CAT_SAMPLE 103
#define SAMPLE_TEXTS 5 /* set id, version, sha256; group_id; splits */

/*
 * Followed by nlabel times struct cat_label, by rising id, then by nparent
 * times uint32_t, ids, then by the texts: those of the sample, then of each
 * label its key and its name, end to end; padding to 8.
 */
struct cat_sample {
	struct cat_record head;
	uint32_t root;
	uint32_t nlabel, nparent;
	uint32_t text_len[SAMPLE_TEXTS];
};

struct cat_label {
	uint32_t id;
	uint8_t color[4];
	uint16_t has_color, has_own_key;
	uint32_t first_parent, nparent; /* in the list of parents */
	uint32_t text;			/* of the key, from the first text */
	uint32_t key_len, name_len;	/* the name follows the key */
};

#define CAT_HIDDEN 104 /* a record taken out, wiped */

/* Addresses of objects that are in no file: with their numbers. */
#define CAT_OWN_ADDR (UINT64_C(1) << 63)

/* Where the data of an array are that are nowhere: no file has such offsets. */
#define CAT_NOWHERE (UINT64_C(1) << 63)

#define CATALOG_SAID_MAX 200

/* Offsets of records and tables, in units of 8 bytes. */
struct u32_list {
	uint32_t *p;
	uint32_t n, room;
};

/* One thread. */
struct catalog_builder {
	uint64_t file_size;
	size_t max;
	char *blob; /* struct catalog, then records */
	size_t len, room;
	struct u32_list object; /* their records */
	uint32_t nlink, nattr, nvalue, nproblem;
	uint32_t nsaid;	  /* problem records made here */
	uint32_t refused; /* the text record made last */
	uint32_t medh5;	  /* the record of samples; 0: none */
	/* Of the last finish, before it added anything. */
	size_t finished_len;
	uint32_t finished_said;
	char why[WHY_MAX]; /* of the last failure */
};

int catalog_builder_init(struct catalog_builder *b, uint64_t file_size,
			 size_t max);
void catalog_builder_fini(struct catalog_builder *b);
/* Check and add the payload of a SCAN_PAGE. 0; -EBADMSG, -EFBIG, -ENOMEM. */
int catalog_builder_page(struct catalog_builder *b, const void *page, size_t n);
/* *out is malloc'ed, caller frees. The builder is spent. */
int catalog_builder_finish(struct catalog_builder *b,
			   const struct scan_end *end, void **out,
			   size_t *size);
/*
 * After a finish: go on with a copy of the records of its block, as if that
 * had not been called. For what has to look at a whole catalog to add to it
 * (catalog_own.c); records stay where they were. 0; -EFBIG, -ENOMEM.
 */
int catalog_builder_reopen(struct catalog_builder *b, const void *block);
/* Finish with the records that are there by now. */
int catalog_builder_finish_all(struct catalog_builder *b, void **out,
			       size_t *size);

/*
 * Add an object, a hard link, or a derived array, of what the server knows.
 * References must be good. 0; -EFBIG, -ENOMEM.
 */
int catalog_builder_group(struct catalog_builder *b, uint32_t *object);
int catalog_builder_link(struct catalog_builder *b, uint32_t parent,
			 struct bytes name, uint32_t target);
int catalog_builder_derived(struct catalog_builder *b, unsigned rank,
			    const uint64_t *dim,
			    const struct derived_info *info, uint32_t *object);

/*
 * Take out what leads to an object that is hidden, and all that is said of it;
 * and the values of arrays that are in no_value. Both have a byte for each of
 * the first n objects; what was added since stays.
 */
void catalog_builder_hide(struct catalog_builder *b, const uint8_t *hidden,
			  const uint8_t *no_value, uint32_t n);

/* Between the files of the builder. The first three fill in why. */
/* n zero bytes, a multiple of 8, at the end of the records. */
int catalog_builder_room(struct catalog_builder *b, size_t n, size_t *at);
/* The record at this offset is an object's. -ENOMEM. */
int catalog_builder_number(struct catalog_builder *b, size_t at);
int catalog_builder_fail(struct catalog_builder *b, int err, const char *what);
int catalog_builder_too_large(struct catalog_builder *b);
int catalog_builder_no_memory(struct catalog_builder *b);
/* A problem found here; past CATALOG_SAID_MAX only that there are more. */
int catalog_builder_problem(struct catalog_builder *b, uint32_t owner,
			    const char *text);
/* enum cat_type of an object. */
uint32_t catalog_builder_type(const struct catalog_builder *b, uint32_t object);
/* Bytes that the tables will take at most. */
uint64_t catalog_builder_tables(const struct catalog_builder *b);
/* Bytes of memory in use, with what finish will need. */
size_t catalog_builder_bytes(const struct catalog_builder *b);

/*
 * Check one record, head.size bytes of which are there (a multiple of 8, not
 * less than the head). References to objects are the builder's to check. NULL,
 * or what is wrong. An array that is sound but not served leaves the reason in
 * refuse, one whose data are not in the file in problem; else both are empty.
 * May change the record where its numbers would lead outside the file.
 */
const char *catalog_check(struct cat_record *r, uint64_t file_size,
			  char refuse[WHY_MAX], char problem[WHY_MAX]);

/*
 * medh5.c: if that finished catalog is one of a medh5 file, instead of it one
 * that hides what is private and shows what is meant. 0; -EOPNOTSUPP: of a
 * version that is refused, and why says so; -EFBIG, -ENOMEM, errors of
 * store_read. On failure *block stays the caller's. s is read where a table of
 * classes is not in the catalog itself; NULL: such tables are not read. memory
 * is told what is held; it may be NULL.
 */
int medh5_apply(struct catalog_builder *b, struct store *s, void **block,
		size_t *size, struct scan_memory *memory);

/* The header of the block. */
struct catalog {
	uint64_t size; /* of the block */
	uint32_t nobject, narray, nmember, nattr, nvalue, nproblem;
	/* Tables, where they begin, in units of 8 bytes. */
	uint32_t object_at;	  /* record of each object */
	uint32_t member_start_at; /* nobject + 1: its first member */
	uint32_t member_at;	  /* record, by group, then name */
	uint32_t attr_start_at;	  /* nobject + 1 */
	uint32_t attr_at;	  /* record, by owner */
	uint32_t value_at;	  /* record, by owner */
	uint32_t problem_at;	  /* record */
	uint32_t parent_at;	  /* the member that leads to each object */
	uint32_t array_at;	  /* objects, in listing order */
	uint32_t medh5_at;	  /* record; 0: none */
};

static inline const void *catalog_rec(const struct catalog *k, uint32_t at)
{
	return (const char *)k + (size_t)at * 8;
}

static inline const uint32_t *catalog_table(const struct catalog *k,
					    uint32_t at)
{
	return (const uint32_t *)catalog_rec(k, at);
}

#define NO_PARENT UINT32_MAX

/*
 * The chunks of an array whose value is not in the catalog: whole struct
 * scan_chunk, otherwise as the scanner sent them. False: there are none.
 */
bool catalog_value_places(const struct catalog *k, uint32_t object,
			  struct bytes *chunks);

/* -------------------------------------------------------------- index */

/* HDF5 filter masks are kept in 28 bits. */
#define INDEX_FILTERS_MAX 28

/* One thread. */
struct index_builder {
	const struct array_info *a;
	uint64_t file_size;
	size_t max;
	uint64_t chunk_bytes;
	uint64_t grid[CAT_RANK_MAX]; /* chunks along each axis */
	uint64_t slots;		     /* of the whole grid */
	uint64_t first, count;	     /* of this page */
	uint64_t next;		     /* the lowest slot that may come */
	struct chunk_index *block;   /* an entry for each slot */
	uint32_t n;		     /* entries written */
	uint64_t touched;	     /* the end of the last page written */
	size_t bytes;		     /* of pages written */
	uint64_t located, stored_bytes;
	uint64_t broken, masked;
	char why[WHY_MAX];
};

/* 0; -EINVAL: no such page; -EOVERFLOW. a is borrowed until fini. */
int index_builder_init(struct index_builder *b, const struct array_info *a,
		       uint64_t page, uint64_t file_size, size_t max);
void index_builder_fini(struct index_builder *b);
/* The payload of a SCAN_CHUNKS. */
int index_builder_chunks(struct index_builder *b, const void *data, size_t n);
/* Bytes of memory in use, with what finish will need. */
size_t index_builder_bytes(const struct index_builder *b);
/* *note: what is wrong with it all the same, malloc'ed, or NULL. */
int index_builder_finish(struct index_builder *b, const struct scan_end *end,
			 void **out, size_t *size, char **note);

/* ------------------------------------------------------------ scanner */

/* A running scanner. One thread. */
struct scan_process {
	pid_t pid;	 /* 0: none */
	int fd;		 /* our end of the socketpair, non-blocking; -1 */
	clockid_t clock; /* its CPU time */
	int status;	 /* of waitpid, -1: not known; after end */
	bool is_ours;	 /* the signal that ended it was that of end */
};

/*
 * Limits of one that has just been made: memory in bytes (0: none), CPU in
 * seconds. 0; on -errno it has been ended.
 */
int scan_process_begin(struct scan_process *p, uint64_t memory, uint64_t cpu_s);
/*
 * Kill and reap it, close the socket. With grace_ms it may end by itself
 * before. Fine on what never started or has ended.
 */
void scan_process_end(struct scan_process *p, unsigned grace_ms);
/* Another limit of CPU time, up to that it was started with. */
void scan_process_limit_cpu(const struct scan_process *p, uint64_t cpu_s);
/* CPU time used, in nanoseconds. */
uint64_t scan_process_cpu(const struct scan_process *p);

/*
 * Scanners that wait for another request about the file of the container that
 * has the key, not 0. Any thread.
 */
struct parked;
struct parked *parked_new(void); /* NULL: no memory */
void parked_free(struct parked *k);
/* True: the caller's, as if it had been started. Else it will start one. */
bool parked_take(struct parked *k, uint64_t key, struct scan_process *out);
/* Takes *p, which has answered and was not told to end. */
void parked_put(struct parked *k, uint64_t key, struct scan_process *p);
/* When a scan is over: those that had to make room are gone by now. */
void parked_reap(struct parked *k);

/*
 * Make a scanner, a child of this process, with its limits as above. 0 or
 * -errno, of which -EAGAIN is none; -ELIBACC: the program ends before it has
 * said anything. Any thread.
 */
int scanners_start(struct scanners *s, uint64_t memory, uint64_t cpu_s,
		   struct scan_process *out);
struct parked *scanners_parked(struct scanners *s);

#define SCAN_TEXT_MAX 512

/* What is said and heard of a running scanner, and for how long. One thread. */
struct scan_wire {
	const struct container_conf *conf;
	struct scan_process process;
	uint64_t cpu_s, wall_s; /* limits without a result */
	uint64_t total_s;	/* limit of CPU time in all */
	/* wire.c's own; in ns */
	uint64_t waited, waited_total; /* since the last result; in all */
	uint64_t cpu_mark;	       /* CPU time at the last result */
	char why[SCAN_TEXT_MAX + 1];   /* of the last failure */
};

/* Says why; returns err. */
int wire_fail(struct scan_wire *x, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A result has come. */
void wire_progress(struct scan_wire *x);
/* 0; -EINTR: nobody waits for it any more. */
int wire_check_over(struct scan_wire *x);
/* 0; -EBADMSG, -ETIMEDOUT: it has used up its time. */
int wire_check_limits(struct scan_wire *x);
/*
 * All n bytes, or -errno with why: of the checks above, which go on while
 * waiting, or -EBADMSG if it ended, -EIO if it could not be started.
 */
int wire_receive(struct scan_wire *x, void *buf, size_t n);
int wire_transmit(struct scan_wire *x, const void *buf, size_t n);

/* What becomes of results. Both return 0 or -errno with a reason in why. */
struct scan_sink {
	enum scan_type type; /* SCAN_PAGE or SCAN_CHUNKS */
	int (*data)(void *arg, const void *data, size_t n, char why[WHY_MAX]);
	void *arg;
};

/*
 * Have a scanner answer req about c. 0 with its totals in *end; else as
 * container_catalog says. What it leaves behind is parked, or nothing.
 */
int scan_run(struct container *c, const struct scan_request *req,
	     const struct scan_sink *sink, struct scan_end *end, char **why);

#endif
