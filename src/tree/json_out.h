/* SPDX-License-Identifier: MIT */

/*
 * JSON written as it comes, so that a table of 10^5 arrays is never held as
 * values; small values inside it are made with util/json.h.
 * Threads: one value, one thread.
 */

#ifndef TREE_JSON_OUT_H
#define TREE_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "container/container.h"
#include "util/shape.h"

struct json;

struct json_out {
	FILE *f;
	char *text;
	size_t n;
	unsigned depth;
	bool first; /* of what is open */
	bool failed;
};

/* 0 or -ENOMEM. Begins an object. */
int json_out_init(struct json_out *o);
/* Ends it. *data is malloc'ed. 0 or -ENOMEM. */
int json_out_finish(struct json_out *o, void **data, size_t *size);
/* Instead of finishing. */
void json_out_fini(struct json_out *o);

/* Members of what is open; key is NULL in an array. Takes value. */
void json_out_value(struct json_out *o, const char *key, struct json *value);
/* The same with any text as the key. */
void json_out_member(struct json_out *o, const char *key, size_t n,
		     struct json *value);
void json_out_text(struct json_out *o, const char *key, const char *s,
		   size_t n);
/* The same in an array, as a problem_line_fn. */
void json_out_line(void *o, const char *s, size_t n);
void json_out_open(struct json_out *o, const char *key, char bracket);
void json_out_close(struct json_out *o, char bracket);

/* "key": [[0, 1], [2, 3]] of n pairs. */
void json_out_pairs(struct json_out *o, const char *key,
		    const uint64_t (*pair)[2], unsigned n);

/* A row on one line: begin, fields, end. */
void json_out_row(struct json_out *o);
void json_out_field_text(struct json_out *o, const char *key, const char *s,
			 size_t n);
void json_out_field_shape(struct json_out *o, const char *key, unsigned n,
			  const uint64_t *dim);
void json_out_field_number(struct json_out *o, const char *key, uint64_t v);
void json_out_field_bool(struct json_out *o, const char *key, bool v);
void json_out_field_null(struct json_out *o, const char *key);
void json_out_row_end(struct json_out *o);

/* Values of containers. */
struct json *json_of_attr(const struct attr *a);
struct json *json_of_shape(unsigned n, const uint64_t *dim);
void json_out_attributes(struct json_out *o, const struct catalog *k,
			 uint32_t object);

#endif
