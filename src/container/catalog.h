/* SPDX-License-Identifier: MIT */

/*
 * The catalog of a container, and the protocol between the server and the
 * scanner. This header is shared with the scanner and holds no code.
 *
 * The program is started once, with file descriptor 3 on one end of a
 * SOCK_SEQPACKET socketpair, no arguments. It sends an int32_t: the pid of a
 * scanner, a child of its own parent, with the other end of the scanner's
 * socket (SCM_RIGHTS), or -errno without. For each byte that comes there it
 * sends another. It ends, and all its scanners, with its socket.
 *
 * Scanner: has one end of a SOCK_STREAM socketpair as file descriptor 3. It
 * reads one struct scan_request, then sends messages: a struct scan_msg and len
 * bytes of payload. To a SCAN_READ the server answers struct scan_data and n
 * bytes. After a SCAN_END that says so it waits for another
 * request about the same file; else, or when there is none, it exits with 0.
 * All numbers are native: both ends are one build (SCAN_VERSION).
 *
 * The catalog is what the pages of a SCAN_TREE reply hold, end to end: records
 * of 8-byte aligned size. The server believes none of it: catalog_build
 * checks every field.
 */

#ifndef CONTAINER_CATALOG_H
#define CONTAINER_CATALOG_H

#include <stdint.h>

#define SCAN_VERSION 2
#define SCAN_FD 3
#define SCAN_PAYLOAD_MAX (1u << 20) /* of one message */
#define SCAN_READ_MAX (4u << 20)    /* of one SCAN_READ */

enum scan_what { SCAN_TREE = 1, SCAN_INDEX = 2 };

struct scan_request {
	uint32_t version; /* SCAN_VERSION */
	uint32_t what;	  /* enum scan_what */
	uint64_t file_size;
	uint64_t object; /* SCAN_INDEX: address of the array's object header */
	uint64_t first;	 /* SCAN_INDEX: slots [first, first + count) of the */
	uint64_t count;	 /* chunk grid of the current extent, row-major */
	uint32_t value_max;  /* SCAN_TREE: largest value put into CAT_VALUE */
	uint32_t allow_live; /* open although a writer has the file open */
};

enum scan_type {
	SCAN_READ = 1, /* payload: struct scan_read */
	SCAN_PAGE,     /* payload: whole catalog records (SCAN_TREE), > 0 */
	SCAN_CHUNKS,   /* payload: struct scan_chunk[] by rising slot, > 0 */
	SCAN_END,      /* payload: struct scan_end */
	SCAN_FAIL, /* payload: struct scan_fail, then text, not terminated */
};

struct scan_msg {
	uint32_t type;
	uint32_t len; /* of the payload, <= SCAN_PAYLOAD_MAX */
};

struct scan_read {
	uint64_t off;
	uint64_t n; /* <= SCAN_READ_MAX; what lies past the end reads as 0 */
};

struct scan_data {
	int32_t error; /* 0 or -errno; then no bytes follow */
	uint32_t n;
};

#define SCAN_CHUNK_BROKEN 1u /* the index could not be read here */

struct scan_chunk {
	uint64_t slot;
	uint64_t addr; /* absolute, the base address included */
	uint64_t size; /* stored bytes, > 0 unless broken */
	uint32_t mask; /* HDF5 filter mask */
	uint32_t flags;
};

struct scan_end {
	uint64_t objects, links; /* SCAN_TREE: records sent */
	uint64_t located; /* SCAN_INDEX: chunks sent, broken not counted */
	/* H5Dget_num_chunks; -1: the index is broken. Not asked where no slot
	 * is missing: then it is the count of the request. */
	int64_t allocated;
	uint64_t stays; /* 1: the scanner waits for another request */
};

struct scan_fail {
	int32_t error; /* -errno for whoever asked */
	uint32_t pad;
};

/* ------------------------------------------------------------ records */

#define CAT_RANK_MAX 32
#define CAT_NAME_MAX 65535 /* bytes of a link or attribute name */

enum cat_type {
	CAT_GROUP = 1,
	CAT_ARRAY,
	CAT_OTHER, /* committed datatype, or an object that cannot be opened */
	CAT_LINK,
	CAT_ATTR,
	CAT_VALUE,
	CAT_PROBLEM,
};

/*
 * Objects (group, array, other) are numbered from 0 in the order of their
 * records; 0 is the root group. An object is sent once, however many hard
 * links lead to it, and before any record that names it.
 */
struct cat_record {
	uint32_t type;
	uint32_t size; /* of the record with this head, a multiple of 8 */
};

struct cat_object { /* CAT_GROUP, CAT_OTHER */
	struct cat_record head;
	uint64_t addr;
};

enum cat_layout {
	CAT_CONTIGUOUS = 1,
	CAT_COMPACT,
	CAT_CHUNKED,
	CAT_VIRTUAL,
	CAT_EXTERNAL,	/* raw data in other files */
	CAT_NO_STORAGE, /* contiguous, never allocated; or a NULL dataspace */
	CAT_DERIVED,	/* computed from others; the server's own, never sent */
};

/* Flags of an array. */
#define CAT_NULL_SPACE 1u      /* no elements at all, not even a scalar */
#define CAT_EDGE_UNFILTERED 2u /* H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS */
#define CAT_FILL_UNDEFINED 4u  /* or fill time never: reads as zeros */

enum cat_index { /* H5D_chunk_index_t, plus one */
		 CAT_INDEX_BTREE = 0,
		 CAT_INDEX_SINGLE,
		 CAT_INDEX_NONE,
		 CAT_INDEX_FARRAY,
		 CAT_INDEX_EARRAY,
		 CAT_INDEX_BT2,
};

/*
 * Followed, without gaps, by
 *   uint64_t dim[rank];
 *   uint64_t chunk[rank];            if layout is CAT_CHUNKED
 *   nfilter times: struct cat_filter, uint32_t param[nparam],
 *                  name_len bytes, padding to 8
 *   fill_size bytes, padding to 8    one element as stored
 *   compact_size bytes, padding to 8 the values (CAT_COMPACT)
 *   type_len bytes, padding to 8     a type that is not served, in words
 *   refused_len bytes, padding to 8  why the array is not served; 0: it is
 */
struct cat_array {
	struct cat_record head;
	uint64_t addr;	    /* of the object header: the array's identity */
	uint64_t data_addr; /* CAT_CONTIGUOUS; absolute */
	uint64_t data_size;
	uint8_t kind;  /* 'i' 'u' 'f' 'b'; 0 if the type is not served */
	uint8_t order; /* '<' '>', '|' for one byte, 0 if not served */
	uint8_t layout;
	uint8_t index;	    /* enum cat_index, of CAT_CHUNKED */
	uint32_t item_size; /* as stored */
	uint32_t rank;
	uint32_t flags;
	uint32_t nfilter;
	uint32_t fill_size; /* 0: default, all bits zero */
	uint32_t compact_size;
	uint32_t type_len;
	uint32_t refused_len;
	uint32_t refused_at; /* of the server's own reason instead; 0: none */
};

struct cat_filter {
	uint32_t id;
	uint32_t flags; /* H5Z_FLAG_OPTIONAL is bit 0 */
	uint32_t nparam;
	uint32_t name_len;
};

enum cat_link_kind { CAT_HARD = 1, CAT_SOFT, CAT_EXTERNAL_LINK, CAT_UD_LINK };

/*
 * A member of a group. Followed by name_len bytes of name, target_len bytes
 * of the soft link's path, or of an external link's object path, then
 * file_len bytes of its file name; then padding to 8. Raw bytes, unchecked.
 */
struct cat_link {
	struct cat_record head;
	uint32_t parent; /* a group */
	uint32_t kind;
	uint32_t target; /* CAT_HARD: an object */
	uint32_t name_len, target_len, file_len;
};

enum cat_class {
	CAT_NUMBERS = 1, /* data: elements, kind and item_size, little endian */
	CAT_STRINGS,	 /* data: for each element uint32_t length, bytes */
	CAT_EMPTY,	 /* a NULL dataspace */
	CAT_UNSHOWN,	 /* data: what it is, in words, for the reader */
	CAT_PLACES,	 /* data: a struct scan_chunk for each of its chunks */
};

#define CAT_PLACES_MAX 4096 /* chunks of a value that is not here itself */

/*
 * CAT_ATTR: an attribute of object owner. CAT_VALUE: the value of the small
 * array owner, or where it is stored (CAT_PLACES); name_len is 0. Followed by
 * uint64_t dim[rank], name_len bytes and padding to 8, data_len bytes and
 * padding to 8. Elements in C order.
 */
struct cat_attr {
	struct cat_record head;
	uint32_t owner;
	uint8_t class; /* enum cat_class */
	uint8_t kind;  /* CAT_NUMBERS, CAT_PLACES: 'i' 'u' 'f' 'b' */
	uint8_t item_size;
	uint8_t pad;
	uint32_t rank;
	uint32_t name_len;
	uint32_t data_len;
	uint32_t pad2;
};

/* Text about object owner, text_len bytes, padding to 8. */
struct cat_problem {
	struct cat_record head;
	uint32_t owner;
	uint32_t text_len;
};

#endif
