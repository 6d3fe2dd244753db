/* SPDX-License-Identifier: MIT */

/* Catalog records by hand, as a scanner would send them. */

#ifndef TESTS_UNIT_RECORDS_H
#define TESTS_UNIT_RECORDS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "container/catalog.h"

struct records {
	char *p;
	size_t n, room;
	uint64_t objects, links;
	size_t last; /* where the last record begins */
};

static inline void records_free(struct records *r)
{
	free(r->p);
	*r = (struct records){0};
}

/* n bytes and zeros up to a multiple of 8; NULL: nothing. */
static inline void records_put(struct records *r, const void *p, size_t n)
{
	size_t padded = p ? (n + 7) & ~(size_t)7 : 0;

	if (r->n + padded > r->room) {
		r->room = (r->room + padded) * 2;
		r->p = realloc(r->p, r->room);
		if (!r->p)
			abort();
	}
	if (padded) {
		memset(r->p + r->n, 0, padded);
		memcpy(r->p + r->n, p, n);
	}
	r->n += padded;
}

/* Begin a record with its fixed part; the head is filled in at the end. */
static inline void records_begin(struct records *r, uint32_t type,
				 const void *fixed, size_t n)
{
	struct cat_record head = {type, 0};

	r->last = r->n;
	records_put(r, fixed, n);
	memcpy(r->p + r->last, &head, sizeof(head));
}

static inline void records_end(struct records *r)
{
	((struct cat_record *)(r->p + r->last))->size =
		(uint32_t)(r->n - r->last);
}

static inline uint32_t records_object(struct records *r, uint32_t type,
				      uint64_t addr)
{
	struct cat_object o = {.addr = addr};

	records_begin(r, type, &o, sizeof(o));
	records_end(r);
	return (uint32_t)r->objects++;
}

static inline uint32_t records_group(struct records *r)
{
	return records_object(r, CAT_GROUP, 96 + r->objects * 8);
}

static inline void records_link(struct records *r, uint32_t parent,
				const char *name, uint32_t target)
{
	struct cat_link l = {
		.parent = parent,
		.kind = CAT_HARD,
		.target = target,
		.name_len = (uint32_t)strlen(name),
	};

	records_begin(r, CAT_LINK, &l, sizeof(l));
	records_put(r, name, l.name_len);
	records_end(r);
	r->links++;
}

/* file NULL: a soft link. */
static inline void records_symlink(struct records *r, uint32_t parent,
				   const char *name, const char *path,
				   const char *file)
{
	struct cat_link l = {
		.parent = parent,
		.kind = file ? CAT_EXTERNAL_LINK : CAT_SOFT,
		.name_len = (uint32_t)strlen(name),
		.target_len = (uint32_t)strlen(path),
		.file_len = file ? (uint32_t)strlen(file) : 0,
	};
	char all[1024];

	strcpy(all, name);
	strcat(all, path);
	strcat(all, file ? file : "");
	records_begin(r, CAT_LINK, &l, sizeof(l));
	records_put(r, all, strlen(all));
	records_end(r);
	r->links++;
}

/* An array to be varied: int16, 10 x 20 x 30 in chunks of 4 x 4 x 4. */
struct record_array {
	struct cat_array a;
	uint64_t dim[CAT_RANK_MAX], chunk[CAT_RANK_MAX];
	struct cat_filter filter[40];
	uint32_t param[40][4];
	const char *filter_name, *type, *refused;
	char fill[8];
	size_t longer; /* bytes too many */
};

static inline struct record_array record_array(void)
{
	return (struct record_array){
		.a =
			{
				.addr = 800,
				.kind = 'i',
				.order = '<',
				.layout = CAT_CHUNKED,
				.item_size = 2,
				.rank = 3,
			},
		.dim = {10, 20, 30},
		.chunk = {4, 4, 4},
	};
}

static inline uint32_t records_array(struct records *r,
				     const struct record_array *v)
{
	struct cat_array a = v->a;
	static const char none[70000];

	if (v->type)
		a.type_len = (uint32_t)strlen(v->type);
	if (v->refused)
		a.refused_len = (uint32_t)strlen(v->refused);
	records_begin(r, CAT_ARRAY, &a, sizeof(a));
	for (unsigned i = 0; i < a.rank && i < CAT_RANK_MAX; i++)
		records_put(r, &v->dim[i], 8);
	for (unsigned i = 0;
	     a.layout == CAT_CHUNKED && i < a.rank && i < CAT_RANK_MAX; i++)
		records_put(r, &v->chunk[i], 8);
	for (unsigned i = 0; i < a.nfilter && i < 40; i++) {
		struct cat_filter f = v->filter[i];
		char tail[64] = "";

		if (v->filter_name)
			f.name_len = (uint32_t)strlen(v->filter_name);
		records_put(r, &f, sizeof(f));
		memcpy(tail, v->param[i], f.nparam * 4);
		if (v->filter_name)
			memcpy(tail + f.nparam * 4, v->filter_name, f.name_len);
		records_put(r, tail, f.nparam * 4 + f.name_len);
	}
	records_put(r, v->fill, a.fill_size < 8 ? a.fill_size : 8);
	records_put(r, none, a.compact_size < 70000 ? a.compact_size : 70000);
	records_put(r, v->type, a.type_len);
	records_put(r, v->refused, a.refused_len);
	records_put(r, none, v->longer);
	records_end(r);
	return (uint32_t)r->objects++;
}

static inline void records_attr(struct records *r, uint32_t type,
				const struct cat_attr *fixed,
				const uint64_t *dim, const char *name,
				const void *data)
{
	struct cat_attr a = *fixed;

	a.name_len = (uint32_t)strlen(name);
	records_begin(r, type, &a, sizeof(a));
	for (unsigned i = 0; i < a.rank && i < CAT_RANK_MAX; i++)
		records_put(r, &dim[i], 8);
	records_put(r, name, a.name_len);
	records_put(r, data, a.data_len);
	records_end(r);
}

static inline void records_problem(struct records *r, uint32_t owner,
				   const char *text)
{
	struct cat_problem p = {.owner = owner,
				.text_len = (uint32_t)strlen(text)};

	records_begin(r, CAT_PROBLEM, &p, sizeof(p));
	records_put(r, text, p.text_len);
	records_end(r);
}

#endif
