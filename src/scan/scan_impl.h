/* SPDX-License-Identifier: MIT */

/*
 * What the files of the scanner share. The scanner is a program with one
 * thread; it serves requests about one file. Every function that can fail for
 * good (the server is gone, no memory, a source that cannot be read) ends the
 * process through wire_fail or _exit and does not return.
 */

#ifndef SCAN_SCAN_IMPL_H
#define SCAN_SCAN_IMPL_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "container/catalog.h"

/* Closes any HDF5 identifier; for CLEANUP. */
static inline void cleanup_hidp(hid_t *id)
{
	if (*id >= 0)
		H5Idec_ref(*id);
}

/* malloc and friends that end the scan with -ENOMEM. */
void *scan_malloc(size_t n);
void *scan_realloc(void *p, size_t n);

/* ------------------------------------------------------- text.c: words */

/* One line of text: control characters become '?', what is too long ends
 * in "...". Starts as {0}. */
struct text {
	size_t n;
	char s[480];
};

void text_add(struct text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* ": " and why the last call of libhdf5 failed, from its error stack. */
void text_add_why(struct text *t);

/* ------------------------------------------------- wire.c: the protocol */

/* The next request; does not return if there is none. */
void wire_request(struct scan_request *req);
void wire_send(enum scan_type type, const void *payload, size_t n);
/* Ask for [off, off + n); 0 or the server's -errno. After 0 the n bytes must
 * be taken, in any number of pieces. */
int wire_read(uint64_t off, size_t n);
void wire_take(void *buf, size_t n);
/* The request is answered; does not return if it has to be the last. */
void wire_end(struct scan_end *end);
_Noreturn void wire_fail(int error, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* ------------------------------------------ pages.c: bytes of the source */

struct pages;

struct pages *pages_new(uint64_t file_size);
uint64_t pages_file_size(const struct pages *p);
/* What lies past the end reads as zeros, as libhdf5's own driver has it.
 * 0 or -errno; an error stays: every later read reports it again. */
int pages_read(struct pages *p, uint64_t off, size_t n, void *out);
/* Ends the scan if a read has failed: what libhdf5 made of it is no fact
 * about the file. */
void pages_check(const struct pages *p);

/* ------------------------------------------------ vfd.c: libhdf5's driver */

struct vfd {
	struct pages *pages;
	bool is_open;
	/* While capture is set, reads of raw data are noted, not done. */
	bool capture;
	unsigned nraw;
	uint64_t addr, size;
};

/* Starts libhdf5 and registers the driver; -1: it cannot. No sandbox yet. */
hid_t vfd_start(void);
/* The file, read-only; -1 with libhdf5's error stack. */
hid_t vfd_open_file(hid_t driver, struct vfd *v);
/* All elements of a dataset, in its own type; 0, or -1 as above. */
int vfd_read_all(hid_t dset, hid_t type, void *buf);
/*
 * Whether any call of libhdf5 has. In what state that leaves it with a damaged
 * file nobody knows: the answer stands, but no other is asked of it.
 */
bool vfd_has_failed(void);

/* ------------------------------------------------------------ the rest */

/* sandbox.c: what libc does once, before the first scanner is forked. */
void sandbox_warm_up(void);
/* From here on little more than read, write and memory. */
void sandbox_enter(void);

/* super.c: refuses what is not HDF5, cut off, or open for writing. */
void super_check(struct pages *p, bool allow_live);

/* tree.c, index.c */
void scan_tree(hid_t file, const struct scan_request *req, struct vfd *v);
void scan_index(hid_t file, const struct scan_request *req, struct vfd *v);
/* Where the chunks of dset are. 0: not all are found, or they are over max. */
unsigned index_few(struct vfd *v, hid_t dset, unsigned max,
		   struct scan_chunk *out);

/* ------------------------------------------------ out.c: catalog pages */

struct out {
	uint8_t *buf;
	size_t used, start; /* of the record that is being made */
	uint32_t objects;
	uint64_t links;
};

void out_init(struct out *o);
void out_fini(struct out *o);
/* A record of fixed part head, n bytes, whose cat_record is filled in. */
void out_begin(struct out *o, enum cat_type type, void *head, size_t n);
void out_add(struct out *o, const void *bytes, size_t n);
void out_pad(struct out *o);
void out_end(struct out *o);
void out_flush(struct out *o);

/* A CAT_GROUP or CAT_OTHER; its number. */
uint32_t out_object(struct out *o, enum cat_type type, uint64_t addr);
void out_problem(struct out *o, uint32_t owner, const struct text *t);

/* ---------------------------------------------------- type.c: datatypes */

struct elem {
	char kind; /* 'i' 'u' 'f' 'b'; 0: none of these */
	char order;
	uint32_t size;
};

/* The types that arrays are served in. */
bool type_is_served(hid_t type, struct elem *e);
/* Also what can be shown as numbers: any enumeration, bit fields. */
bool type_is_number(hid_t type, struct elem *e);
void type_words(hid_t type, struct text *t);

/* --------------------------------------------- value.c: attributes, values */

#define VALUE_MAX 65536u /* bytes of an attribute or value that is shown */

/* All attributes of obj, object number owner, of up to max bytes. */
void value_attributes(struct out *o, hid_t obj, uint32_t owner, size_t max);
/* CAT_VALUE of a dataset that is a scalar or strings, if it fits max. */
void value_dataset(struct out *o, hid_t dset, uint32_t owner, size_t max);

/* ------------------------- medh5.c: what is sent of medh5 files beside that */

/* Of medh5 samples: what an object is, by the names that lead to it. */
enum role {
	ROLE_NONE,
	ROLE_SAMPLE,	  /* a group with an attribute medh5_version */
	ROLE_ANNOTATIONS, /* its group of that name */
	ROLE_ANNOTATION,  /* a member of that */
	ROLE_META,	  /* the document of a sample */
	ROLE_TABLE,	  /* where an annotation keeps its classes */
};

/* The role of a group that has none by its name. */
enum role role_of_group(hid_t group);
/* Of a member by its name. */
enum role role_of_member(enum role group, const char *name, size_t n);
/* How much of its attributes and of its value is sent; max: as a rule. */
size_t role_attribute_max(enum role r);
size_t role_value_max(enum role r, size_t max);
/*
 * A CAT_VALUE of a table that says where it is stored, for one that is
 * compressed as libhdf5 alone cannot read it, or is large. False: it is not
 * such a one.
 */
bool table_send(struct out *o, struct vfd *v, hid_t dset, uint32_t owner);

/* --------------------------------------------------- array.c: datasets */

/*
 * Sends the CAT_ARRAY of dset. 0 with *can_read set if H5Dread may be called
 * on it; -1 with *why said: nothing was sent, it cannot be described.
 */
int array_send(struct out *o, hid_t dset, uint64_t addr, uint32_t *number,
	       bool *can_read, struct text *why);

#endif
