/* SPDX-License-Identifier: MIT */

/* Catalogs of medh5 samples by hand, and the pass over them. */

#ifndef TESTS_UNIT_MEDH5_FIXTURE_H
#define TESTS_UNIT_MEDH5_FIXTURE_H

#include <stdio.h>

#include "catalog_fixture.h"

static inline uint32_t group(uint32_t parent, const char *name)
{
	uint32_t g = records_group(&r);

	records_link(&r, parent, name, g);
	return g;
}

static inline void put_texts(uint32_t type, uint32_t owner, const char *name,
			     unsigned n, const char *const *text)
{
	static char data[8 << 20];
	uint64_t dim = n;
	struct cat_attr a = {.owner = owner, .class = CAT_STRINGS};

	a.rank = n == 1 ? 0 : 1;
	for (unsigned i = 0; i < n; i++) {
		uint32_t len = (uint32_t)strlen(text[i]);

		memcpy(data + a.data_len, &len, 4);
		memcpy(data + a.data_len + 4, text[i], len);
		a.data_len += 4 + len;
	}
	records_attr(&r, type, &a, &dim, name, data);
}

static inline void text(uint32_t owner, const char *name, const char *s)
{
	put_texts(CAT_ATTR, owner, name, 1, &s);
}

static inline void numbers(uint32_t type, uint32_t owner, const char *name,
			   char kind, unsigned item_size, unsigned rank,
			   const uint64_t *dim, const void *data)
{
	struct cat_attr a = {
		.owner = owner,
		.class = CAT_NUMBERS,
		.kind = (uint8_t)kind,
		.item_size = (uint8_t)item_size,
		.rank = rank,
		.data_len = item_size,
	};

	for (unsigned i = 0; i < rank; i++)
		a.data_len *= (uint32_t)dim[i];
	records_attr(&r, type, &a, dim, name, data);
}

static inline void ids(uint32_t owner, const char *name, unsigned n,
		       const uint16_t *id)
{
	uint64_t dim = n;

	numbers(CAT_ATTR, owner, name, 'u', 2, 1, &dim, id);
}

static inline void integer(uint32_t owner, const char *name, int32_t v)
{
	numbers(CAT_ATTR, owner, name, 'i', 4, 0, NULL, &v);
}

static inline void real(uint32_t owner, const char *name, double v)
{
	numbers(CAT_ATTR, owner, name, 'f', 8, 0, NULL, &v);
}

static inline uint32_t array(uint32_t parent, const char *name, char kind,
			     unsigned item_size, unsigned rank,
			     const uint64_t *dim)
{
	struct record_array v = record_array();
	uint32_t o;

	v.a.kind = (uint8_t)kind;
	v.a.item_size = item_size;
	v.a.order = item_size > 1 ? '<' : '|';
	v.a.layout = CAT_NO_STORAGE;
	v.a.rank = rank;
	for (unsigned i = 0; i < rank; i++)
		v.dim[i] = dim[i];
	o = records_array(&r, &v);
	records_link(&r, parent, name, o);
	return o;
}

/* An array of strings with one value. */
static inline uint32_t document(uint32_t parent, const char *name,
				const char *s)
{
	struct record_array v = record_array();
	uint32_t o;

	v.a.kind = 0;
	v.a.order = 0;
	v.a.rank = 0;
	v.a.layout = CAT_NO_STORAGE;
	v.type = "string";
	o = records_array(&r, &v);
	records_link(&r, parent, name, o);
	put_texts(CAT_VALUE, o, "", 1, &s);
	return o;
}

static const uint64_t shape[] = {4, 5, 6};

static inline uint32_t grid(uint32_t grids, const char *name, unsigned rank,
			    const uint64_t *dim)
{
	static const char *const kinds[] = {"channel", "spatial", "spatial",
					    "spatial"};
	uint32_t g = group(grids, name);
	uint64_t n = rank;

	numbers(CAT_ATTR, g, "shape", 'i', 8, 1, &n, dim);
	put_texts(CAT_ATTR, g, "axis_kinds", rank,
		  kinds + (rank > 3 ? 0 : 4 - rank));
	return g;
}

/* A sample with a grid "ct" of shape; images and annotations are empty. */
struct sample {
	uint32_t root, meta, grids, ct, images, annotations;
};

#define LABELS                                                                 \
	"{\"identity\": {\"sample_id\": \"SECRET\"}, \"x\": [NaN, -Infinity]," \
	" \"label_set\": {\"id\": \"set\", \"classes\": ["                     \
	"{\"id\": 1, \"key\": \"body\", \"name\": \"Body\"},"                  \
	"{\"id\": 3, \"key\": \"spot\", \"parents\": [2],"                     \
	" \"color\": [1, 2, 3]},"                                              \
	"{\"id\": 2, \"key\": \"part\", \"parents\": [1]}]}}"

static inline struct sample sample(uint32_t root, const char *meta)
{
	struct sample s = {.root = root};

	text(root, "medh5_version", "1.0");
	s.meta = document(root, "meta", meta);
	s.grids = group(root, "grids");
	s.ct = grid(s.grids, "ct", 3, shape);
	s.images = group(root, "images");
	s.annotations = group(root, "annotations");
	return s;
}

static inline uint32_t annotation(const struct sample *s, const char *name,
				  const char *kind, unsigned nclass,
				  const uint16_t *id)
{
	uint32_t a = group(s->annotations, name);

	text(a, "kind", kind);
	text(a, "grid", "ct");
	if (id)
		ids(a, "class_ids", nclass, id);
	return a;
}

/* Build the catalog and pass over it. */
static inline int apply_limited(size_t max)
{
	struct catalog_builder b;
	struct scan_end end = {.objects = r.objects, .links = r.links};
	void *out = NULL;
	int err;

	ck_assert_int_eq(catalog_builder_init(&b, FILE_SIZE, max), 0);
	ck_assert_int_eq(catalog_builder_page(&b, r.p, r.n), 0);
	ck_assert_int_eq(catalog_builder_finish(&b, &end, &out, &size), 0);
	err = medh5_apply(&b, NULL, &out, &size, NULL);
	memcpy(why, b.why, sizeof(why));
	catalog_builder_fini(&b);
	free(k);
	k = out;
	return err;
}

static inline void apply(void)
{
	int err = apply_limited(64 << 20);

	ck_assert_msg(err == 0, "%d: %s", err, why);
}

/* The object at a path, by catalog_find alone; OBJECT_NONE. */
static inline uint32_t at(const char *path)
{
	uint32_t o = 0;

	while (*path) {
		size_t n = strcspn(path, "/");
		int64_t i = catalog_find(k, o, path, n);
		struct member m;

		if (i < 0)
			return OBJECT_NONE;
		catalog_member(k, o, (uint32_t)i, &m);
		if (m.kind != CAT_HARD)
			return OBJECT_NONE;
		o = m.target;
		path += n + (path[n] == '/');
	}
	return o;
}

static inline bool has(const char *path)
{
	return at(path) != OBJECT_NONE;
}

static inline struct derived_info derived(const char *path)
{
	struct derived_info d;
	uint32_t o = at(path);

	ck_assert_msg(o != OBJECT_NONE, "no %s", path);
	catalog_derived(k, o, &d);
	return d;
}

/* Whether some problem has that text; how many lines there are, in all. */
static inline bool said(const char *what)
{
	for (uint32_t i = 0; i < catalog_problems(k); i++) {
		struct bytes b;
		uint32_t o;

		catalog_problem(k, i, &o, &b);
		if (memmem(b.p, b.n, what, strlen(what)))
			return true;
	}
	return false;
}

#endif
