/* SPDX-License-Identifier: MIT */

/*
 * jansson holds the values and escapes the text; the layout on the page is
 * ours, since jansson prints 0.1 as 0.10000000000000001 and breaks shapes into
 * a line an axis.
 */

#include <config.h>

#include "util/json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A struct json is a json_t; NULL is one that could not be made. */
static struct json *from(json_t *j)
{
	return (struct json *)j;
}

static json_t *to(struct json *j)
{
	return (json_t *)j;
}

static const json_t *to_const(const struct json *j)
{
	return (const json_t *)j;
}

struct json *json_object_new(void)
{
	return from(json_object());
}

struct json *json_array_new(void)
{
	return from(json_array());
}

struct json *json_null_new(void)
{
	return from(json_null());
}

struct json *json_bool_new(bool v)
{
	return from(json_boolean(v));
}

struct json *json_int_new(int64_t v)
{
	return from(json_integer(v));
}

struct json *json_uint_new(uint64_t v)
{
	char buf[24];

	if (v <= INT64_MAX)
		return json_int_new((int64_t)v);
	snprintf(buf, sizeof(buf), "%llu", (unsigned long long)v);
	return json_str_new(buf);
}

struct json *json_real_new(double v, bool single)
{
	char buf[40];

	if (isnan(v))
		return json_str_new("NaN");
	if (isinf(v))
		return json_str_new(v > 0 ? "Infinity" : "-Infinity");
	if (single) {
		/* The double nearest to the shortest decimal of the float. */
		for (int p = 6; p <= 9; p++) {
			snprintf(buf, sizeof(buf), "%.*g", p, v);
			if (strtof(buf, NULL) == (float)v)
				break;
		}
		v = strtod(buf, NULL);
	}
	return from(json_real(v));
}

/* Length of the valid UTF-8 sequence at s, 0 if there is none. */
static size_t utf8_length(const unsigned char *s, size_t n)
{
	size_t len = s[0] < 0x80   ? 1
		     : s[0] < 0xc2 ? 0
		     : s[0] < 0xe0 ? 2
		     : s[0] < 0xf0 ? 3
		     : s[0] < 0xf5 ? 4
				   : 0;

	if (len == 0 || len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/* Valid UTF-8 of any bytes; malloc'ed. Bytes that are none become \xNN. */
static char *clean_text(const char *s, size_t n, size_t *out_n)
{
	const unsigned char *p = (const unsigned char *)s;
	char *out = malloc(4 * n + 1);
	size_t k = 0;

	if (!out)
		return NULL;
	for (size_t i = 0; i < n;) {
		size_t len = utf8_length(p + i, n - i);

		if (len == 0) {
			k += (size_t)sprintf(out + k, "\\x%02x", p[i]);
			i++;
			continue;
		}
		memcpy(out + k, p + i, len);
		k += len;
		i += len;
	}
	out[k] = '\0';
	*out_n = k;
	return out;
}

struct json *json_text_new(const char *s, size_t n)
{
	size_t k;
	char *text = clean_text(s, n, &k);
	json_t *j = text ? json_stringn_nocheck(text, k) : NULL;

	free(text);
	return from(j);
}

struct json *json_str_new(const char *s)
{
	return json_text_new(s, strlen(s));
}

/*
 * Where a member could not be made its container gets this mark instead, and
 * dumping it fails.
 */
static const char failed_mark[] = "\xff"; /* in no clean text */

static void mark_failed(json_t *j)
{
	if (!j)
		return;
	if (json_is_object(j))
		json_object_set_new_nocheck(j, failed_mark, json_true());
	else
		json_array_append_new(j, json_string_nocheck(failed_mark));
}

void json_set_n(struct json *object, const char *key, size_t n, struct json *v)
{
	size_t k;
	char *text = clean_text(key, n, &k);

	/* A NUL cannot stand in a jansson key. */
	for (size_t i = 0; text && i < k; i++) {
		if (!text[i])
			text[i] = '?';
	}
	if (!object || !v || !text ||
	    json_object_set_new_nocheck(to(object), text, to(v)) < 0) {
		if (!object || !text)
			json_decref(to(v));
		mark_failed(to(object));
	}
	free(text);
}

void json_set(struct json *object, const char *key, struct json *v)
{
	json_set_n(object, key, strlen(key), v);
}

void json_append(struct json *array, struct json *v)
{
	if (!array) {
		json_decref(to(v));
		return;
	}
	if (!v || json_array_append_new(to(array), to(v)) < 0)
		mark_failed(to(array));
}

static bool is_flat(const json_t *j)
{
	size_t i;
	json_t *v;

	json_array_foreach(j, i, v)
	{
		if (json_is_object(v) || json_is_array(v) ||
		    (json_is_string(v) && json_string_length(v) > 16))
			return false;
	}
	return true;
}

static void write_real(double v, FILE *f)
{
	char buf[40];

	for (int p = 15; p <= 17; p++) {
		snprintf(buf, sizeof(buf), "%.*g", p, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	fputs(buf, f);
	if (!strpbrk(buf, ".e"))
		fputs(".0", f);
}

static bool write_string(const json_t *j, FILE *f)
{
	char *text = json_dumps(j, JSON_ENCODE_ANY);

	if (!text)
		return false;
	fputs(text, f);
	free(text);
	return true;
}

static void line_break(FILE *f, unsigned depth)
{
	fprintf(f, "\n%*s", (int)(2 * depth), "");
}

static bool write_value(const json_t *j, unsigned depth, FILE *f);

static bool write_object(const json_t *j, unsigned depth, FILE *f)
{
	const char *key, *sep = "";
	json_t *v;

	fputc('{', f);
	/* jansson keeps the order of insertion when iterated. */
	json_object_foreach((json_t *)j, key, v)
	{
		json_t *name = json_string_nocheck(key);
		bool ok = name && key[0] != failed_mark[0];

		fputs(sep, f);
		line_break(f, depth + 1);
		ok = ok && write_string(name, f);
		json_decref(name);
		fputs(": ", f);
		if (!ok || !write_value(v, depth + 1, f))
			return false;
		sep = ",";
	}
	if (*sep)
		line_break(f, depth);
	fputc('}', f);
	return true;
}

static bool write_array(const json_t *j, unsigned depth, FILE *f)
{
	bool flat = is_flat(j);
	const char *sep = "";
	size_t i;
	json_t *v;

	fputc('[', f);
	json_array_foreach(j, i, v)
	{
		if (json_is_string(v) &&
		    json_string_value(v)[0] == failed_mark[0])
			return false;
		fputs(sep, f);
		if (!flat)
			line_break(f, depth + 1);
		if (!write_value(v, depth + 1, f))
			return false;
		sep = flat ? ", " : ",";
	}
	if (*sep && !flat)
		line_break(f, depth);
	fputc(']', f);
	return true;
}

static bool write_value(const json_t *j, unsigned depth, FILE *f)
{
	switch (json_typeof(j)) {
	case JSON_OBJECT:
		return write_object(j, depth, f);
	case JSON_ARRAY:
		return write_array(j, depth, f);
	case JSON_STRING:
		return write_string(j, f);
	case JSON_INTEGER:
		fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(j));
		return true;
	case JSON_REAL:
		write_real(json_real_value(j), f);
		return true;
	case JSON_TRUE:
		fputs("true", f);
		return true;
	case JSON_FALSE:
		fputs("false", f);
		return true;
	case JSON_NULL:
		fputs("null", f);
		return true;
	}
	return false;
}

int json_dump(const struct json *j, char **out, size_t *n)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = j ? open_memstream(&text, &len) : NULL;

	if (!f)
		return -ENOMEM;
	bool ok = write_value(to_const(j), 0, f);

	fputc('\n', f);
	if (fclose(f) != 0 || !ok) {
		free(text);
		return -ENOMEM;
	}
	*out = text;
	*n = len;
	return 0;
}

void json_free(struct json *j)
{
	json_decref(to(j));
}

/* ------------------------------------------------------------- reading */

/* Length of a string with its quotes, or of what is left of one. */
static size_t skip_string(const char *s, size_t n)
{
	size_t i = 1;

	while (i < n && s[i] != '"')
		i += s[i] == '\\' ? 2 : 1;
	return i < n ? i + 1 : n;
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
}

/* Whether jansson refuses a word that stands for a number. */
static bool is_beyond(const char *s, size_t n)
{
	static const char *const word[] = {"NaN", "Infinity", "-Infinity"};
	size_t digits = 0;

	for (size_t i = 0; i < sizeof(word) / sizeof(*word); i++)
		if (n == strlen(word[i]) && !memcmp(s, word[i], n))
			return true;
	for (size_t i = *s == '-'; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		digits++;
	}
	return digits > 18;
}

int json_parse(const char *s, size_t n, struct json **out)
{
	char *copy = malloc(2 * n + 1);
	size_t k = 0, len;
	json_error_t why;
	json_t *j;

	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < n; i += len) {
		len = 1;
		if (s[i] == '"') {
			len = skip_string(s + i, n - i);
		} else if (is_word(s[i])) {
			while (i + len < n && is_word(s[i + len]))
				len++;
			if (is_beyond(s + i, len)) {
				memcpy(copy + k, "null", 4);
				k += 4;
				continue;
			}
		}
		memcpy(copy + k, s + i, len);
		k += len;
	}
	j = json_loadb(copy, k, JSON_ALLOW_NUL | JSON_DECODE_ANY, &why);
	free(copy);
	if (!j)
		return json_error_code(&why) == json_error_out_of_memory
			       ? -ENOMEM
			       : -EINVAL;
	*out = from(j);
	return 0;
}

const struct json *json_get(const struct json *object, const char *key)
{
	return from(json_object_get(to_const(object), key));
}

size_t json_length(const struct json *array)
{
	return json_array_size(to_const(array));
}

const struct json *json_at(const struct json *array, size_t i)
{
	return from(json_array_get(to_const(array), i));
}

bool json_is_members(const struct json *j)
{
	return json_is_object(to_const(j));
}

bool json_read_text(const struct json *j, const char **s, size_t *n)
{
	if (!json_is_string(to_const(j)))
		return false;
	*s = json_string_value(to_const(j));
	*n = json_string_length(to_const(j));
	return true;
}

bool json_read_int(const struct json *j, int64_t *out)
{
	if (!json_is_integer(to_const(j)))
		return false;
	*out = json_integer_value(to_const(j));
	return true;
}
