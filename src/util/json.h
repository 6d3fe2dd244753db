/* SPDX-License-Identifier: MIT */

/*
 * Glue to jansson; no other file sees its types. A json value is built up,
 * dumped once and freed. Functions that build never fail visibly: out of
 * memory is remembered and json_dump then returns -ENOMEM.
 *
 * Text: bytes that are not valid UTF-8 are written as \xNN (backslash, x, two
 * hex digits, as characters), NUL bytes end nothing. NaN and infinities become
 * the strings "NaN", "Infinity", "-Infinity"; integers beyond 2^63 - 1 become
 * decimal strings.
 * Threads: one value, one thread.
 */

#ifndef UTIL_JSON_H
#define UTIL_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json; /* an object or an array, or a value */

struct json *json_object_new(void);
struct json *json_array_new(void);
struct json *json_null_new(void);
struct json *json_bool_new(bool v);
struct json *json_int_new(int64_t v);
struct json *json_uint_new(uint64_t v);
/* The shortest decimal number that reads back as v (as a float if single). */
struct json *json_real_new(double v, bool single);
struct json *json_text_new(const char *s, size_t n);
struct json *json_str_new(const char *s); /* NUL-terminated */

/* Both take v. A key is text as above; the last of two equal keys stays. */
void json_set(struct json *object, const char *key, struct json *v);
void json_set_n(struct json *object, const char *key, size_t n, struct json *v);
void json_append(struct json *array, struct json *v);

/*
 * Text with two-space indent and a final newline, members in the order they
 * were set, arrays of numbers and short strings on one line. *out is malloc'ed,
 * caller frees; NUL-terminated; *n without the NUL. 0 or -ENOMEM.
 */
int json_dump(const struct json *j, char **out, size_t *n);
void json_free(struct json *j);

/*
 * What n bytes of text say; json_free. 0; -EINVAL: they are no JSON, or nested
 * too deeply; -ENOMEM. NaN, Infinity and -Infinity, which Python writes, and
 * integers of over 18 digits are read as null.
 */
int json_parse(const char *s, size_t n, struct json **out);
/* A member of an object; NULL: there is none, or it is no object. Borrowed. */
const struct json *json_get(const struct json *object, const char *key);
/* Elements of an array; 0 for what is none. */
size_t json_length(const struct json *array);
/* i < json_length. Borrowed. */
const struct json *json_at(const struct json *array, size_t i);
/* Whether it is an object. */
bool json_is_members(const struct json *j);
/* The value of a text or an integer, if it is one. s is borrowed. */
bool json_read_text(const struct json *j, const char **s, size_t *n);
bool json_read_int(const struct json *j, int64_t *out);

#endif
