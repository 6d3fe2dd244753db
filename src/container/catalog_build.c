/* SPDX-License-Identifier: MIT */

/*
 * Pages of a scanner become a catalog: one block with a header, the checked
 * records as they came, texts of the server's own among them, and tables of
 * 32-bit numbers behind. While pages come, the block only grows; the tables
 * are made at the end (catalog_tables.c). One thread.
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container/container_impl.h"

/* Offsets are counted in 8 bytes and kept in 32 bits. */
#define BLOCK_MAX (UINT64_C(1) << 34)

int catalog_builder_fail(struct catalog_builder *b, int err, const char *what)
{
	snprintf(b->why, WHY_MAX, "%s", what);
	return err;
}

int catalog_builder_too_large(struct catalog_builder *b)
{
	snprintf(b->why, WHY_MAX,
		 "what is in it takes more than %zu bytes of memory; it "
		 "needs a larger --cache-size",
		 b->max);
	return -EFBIG;
}

int catalog_builder_no_memory(struct catalog_builder *b)
{
	return catalog_builder_fail(b, -ENOMEM, "out of memory");
}

static const char *type_name(uint32_t type)
{
	static const char *const name[] = {
		[CAT_GROUP] = "group",	   [CAT_ARRAY] = "array",
		[CAT_OTHER] = "object",	   [CAT_LINK] = "link",
		[CAT_ATTR] = "attribute",  [CAT_VALUE] = "value",
		[CAT_PROBLEM] = "problem",
	};

	return type >= CAT_GROUP && type <= CAT_PROBLEM ? name[type] : "record";
}

static int wrong(struct catalog_builder *b, const struct cat_record *r,
		 const char *what)
{
	snprintf(b->why, WHY_MAX,
		 "the HDF5 scanner gave a bad answer: %s after %u objects: %s",
		 type_name(r->type), b->object.n, what);
	return -EBADMSG;
}

static int list_add(struct u32_list *l, uint32_t v)
{
	if (l->n == l->room) {
		uint32_t room = l->room ? l->room * 2 : 64;
		uint32_t *p = NULL;

		if (room > l->room)
			p = realloc(l->p, room * sizeof(*p));
		if (!p)
			return -ENOMEM;
		l->p = p;
		l->room = room;
	}
	l->p[l->n++] = v;
	return 0;
}

/* What the tables will take. */
uint64_t catalog_builder_tables(const struct catalog_builder *b)
{
	uint64_t n = 5 * (uint64_t)b->object.n + b->nlink + b->nattr +
		     b->nvalue + b->nproblem + b->nsaid + 32;

	return n * sizeof(uint32_t);
}

/* The lists are copied to the end of the block by lay_out. */
size_t catalog_builder_bytes(const struct catalog_builder *b)
{
	return b->len + b->object.room * sizeof(*b->object.p) +
	       2 * (size_t)catalog_builder_tables(b);
}

/* Room for n more bytes of records. */
static int reserve(struct catalog_builder *b, size_t n)
{
	uint64_t want = (uint64_t)b->len + n;
	size_t room;
	char *p;

	if (want + catalog_builder_tables(b) > b->max)
		return catalog_builder_too_large(b);
	if (want <= b->room)
		return 0;
	room = b->room + b->room / 2;
	if (room > b->max)
		room = b->max;
	if (room < want)
		room = (size_t)want;
	p = realloc(b->blob, room);
	if (!p)
		return catalog_builder_no_memory(b);
	b->blob = p;
	b->room = room;
	return 0;
}

int catalog_builder_room(struct catalog_builder *b, size_t n, size_t *at)
{
	int err = reserve(b, n);

	if (err)
		return err;
	memset(b->blob + b->len, 0, n);
	*at = b->len;
	b->len += n;
	return 0;
}

int catalog_builder_number(struct catalog_builder *b, size_t at)
{
	if (list_add(&b->object, (uint32_t)(at / 8)))
		return catalog_builder_no_memory(b);
	return 0;
}

int catalog_builder_init(struct catalog_builder *b, uint64_t file_size,
			 size_t max)
{
	*b = (struct catalog_builder){
		.file_size = file_size,
		.max = max < BLOCK_MAX ? max : (size_t)BLOCK_MAX,
		.room = 4096,
		.len = sizeof(struct catalog),
	};
	if (max < b->room)
		return catalog_builder_too_large(b);
	b->blob = calloc(1, b->room);
	return b->blob ? 0 : catalog_builder_no_memory(b);
}

void catalog_builder_fini(struct catalog_builder *b)
{
	free(b->blob);
	free(b->object.p);
	b->blob = NULL;
	b->object = (struct u32_list){0};
}

static int say(struct catalog_builder *b, uint32_t type, uint32_t owner,
	       const char *text, uint32_t *at)
{
	size_t n = strlen(text), size;
	struct cat_problem p = {.owner = owner, .text_len = (uint32_t)n};
	size_t off;
	int err;

	size = (sizeof(p) + n + 7) & ~(size_t)7;
	p.head.type = type;
	p.head.size = (uint32_t)size;
	err = catalog_builder_room(b, size, &off);
	if (err)
		return err;
	memcpy(b->blob + off, &p, sizeof(p));
	memcpy(b->blob + off + sizeof(p), text, n);
	*at = (uint32_t)(off / 8);
	return 0;
}

/* A problem found here; past a limit only that there are more. */
int catalog_builder_problem(struct catalog_builder *b, uint32_t owner,
			    const char *text)
{
	uint32_t at;
	int err;

	if (b->nsaid > CATALOG_SAID_MAX)
		return 0;
	if (b->nsaid == CATALOG_SAID_MAX)
		text = "more such problems are not listed";
	err = say(b, CAT_PROBLEM, owner, text, &at);
	if (!err)
		b->nsaid++;
	return err;
}

/* The array at this offset is not served; equal reasons share a text. */
static int refuse(struct catalog_builder *b, size_t at, const char *text)
{
	size_t n = strlen(text);
	const struct cat_problem *last =
		(const struct cat_problem *)(b->blob + (size_t)b->refused * 8);
	struct cat_array *a;
	int err;

	if (!b->refused || last->text_len != n || memcmp(last + 1, text, n)) {
		err = say(b, CAT_TEXT, 0, text, &b->refused);
		if (err)
			return err;
	}
	a = (struct cat_array *)(b->blob + at);
	a->refused_at = b->refused;
	a->refused_len = (uint32_t)n;
	return 0;
}

uint32_t catalog_builder_type(const struct catalog_builder *b, uint32_t object)
{
	const struct cat_record *r =
		(const struct cat_record *)(b->blob +
					    (size_t)b->object.p[object] * 8);

	return r->type;
}

/* The numbers of objects in a record; and what it adds to the counts. */
static const char *check_refs(struct catalog_builder *b,
			      const struct cat_record *r)
{
	const struct cat_link *l = (const struct cat_link *)r;
	const struct cat_attr *a = (const struct cat_attr *)r;
	const struct cat_problem *p = (const struct cat_problem *)r;

	switch ((enum cat_type)r->type) {
	case CAT_GROUP:
		return NULL;
	case CAT_ARRAY:
	case CAT_OTHER:
		return b->object.n ? NULL : "the root is not a group";
	case CAT_LINK:
		if (l->parent >= b->object.n ||
		    catalog_builder_type(b, l->parent) != CAT_GROUP)
			return "no such group";
		if (l->kind == CAT_HARD && l->target >= b->object.n)
			return "no such object";
		b->nlink++;
		return NULL;
	case CAT_ATTR:
		if (a->owner >= b->object.n)
			return "no such object";
		b->nattr++;
		return NULL;
	case CAT_VALUE:
		if (a->owner >= b->object.n ||
		    catalog_builder_type(b, a->owner) != CAT_ARRAY)
			return "no such array";
		b->nvalue++;
		return NULL;
	case CAT_PROBLEM:
		if (p->owner >= b->object.n)
			return "no such object";
		b->nproblem++;
		return NULL;
	}
	return "type of the record";
}

static int add_record(struct catalog_builder *b, size_t at)
{
	struct cat_record *r = (struct cat_record *)(b->blob + at);
	char refused[WHY_MAX], problem[WHY_MAX];
	const char *bad = catalog_check(r, b->file_size, refused, problem);
	uint32_t type = r->type;
	int err = 0;

	if (!bad)
		bad = check_refs(b, r);
	if (bad)
		return wrong(b, r, bad);
	if (type == CAT_GROUP || type == CAT_ARRAY || type == CAT_OTHER) {
		err = catalog_builder_number(b, at);
	}
	if (!err && *refused)
		err = refuse(b, at, refused);
	if (!err && *problem)
		err = catalog_builder_problem(b, b->object.n - 1, problem);
	return err;
}

int catalog_builder_page(struct catalog_builder *b, const void *page, size_t n)
{
	const char *p = page;

	if (n % 8)
		return catalog_builder_fail(
			b, -EBADMSG,
			"the HDF5 scanner gave a bad answer: page length");
	while (n) {
		struct cat_record head;
		size_t at = b->len;
		int err;

		memcpy(&head, p, sizeof(head));
		if (head.size < sizeof(head) || head.size % 8 || head.size > n)
			return wrong(b, &head, "length");
		err = reserve(b, head.size);
		if (err)
			return err;
		memcpy(b->blob + at, p, head.size);
		b->len += head.size;
		err = add_record(b, at);
		if (err)
			return err;
		p += head.size;
		n -= head.size;
	}
	return 0;
}

int catalog_builder_reopen(struct catalog_builder *b, const void *block)
{
	size_t n = b->finished_len;
	int err;

	b->len = b->room = 0;
	b->nsaid = b->finished_said;
	err = reserve(b, n);
	if (err)
		return err;
	memcpy(b->blob, block, n);
	b->len = n;
	return 0;
}
