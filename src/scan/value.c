/* SPDX-License-Identifier: MIT */

/*
 * Attributes, and the values of scalars and strings. They are read in the
 * type that they have in the file, so that nothing is converted by libhdf5;
 * bytes are swapped here. What cannot be shown is said in words, and no
 * attribute ever fails its container.
 */

#include <config.h>

#include "scan/scan_impl.h"

#include <stdlib.h>
#include <string.h>

#include "util/checked.h"
#include "util/cleanup.h"
#include "util/swap.h"

/* What is read from: an attribute or a dataset. */
struct source {
	hid_t id;
	bool is_attribute;
	size_t max; /* bytes that are shown */
};

struct value {
	struct cat_attr rec;
	uint64_t dim[CAT_RANK_MAX];
	uint64_t count;
	void *data;	 /* rec.data_len bytes */
	struct text why; /* data of CAT_UNSHOWN */
};

static int unshown(struct value *v)
{
	v->rec.class = CAT_UNSHOWN;
	return 0;
}

static int too_large(struct value *v, uint64_t n)
{
	text_add(&v->why, "too large: %llu bytes", (unsigned long long)n);
	return unshown(v);
}

static int read_raw(const struct source *s, hid_t type, void *buf)
{
	if (s->is_attribute)
		return H5Aread(s->id, type, buf) < 0 ? -1 : 0;
	return vfd_read_all(s->id, type, buf);
}

static void add_dims(struct value *v, const hsize_t *dim, int n)
{
	for (int i = 0; i < n; i++) {
		v->dim[v->rec.rank++] = dim[i];
		if (!checked_mul(v->count, dim[i], &v->count))
			v->count = UINT64_MAX;
	}
}

/* The extent of the dataspace: 0, 1 if there is none, -1. */
static int load_space(const struct source *s, struct value *v)
{
	CLEANUP(cleanup_hidp)
	hid_t space =
		s->is_attribute ? H5Aget_space(s->id) : H5Dget_space(s->id);
	hsize_t dim[H5S_MAX_RANK];
	int n;

	v->count = 1;
	if (space < 0)
		return -1;
	if (H5Sget_simple_extent_type(space) == H5S_NULL)
		return 1;
	n = H5Sget_simple_extent_dims(space, dim, NULL);
	if (n < 0 || n > CAT_RANK_MAX)
		return -1;
	add_dims(v, dim, n);
	return 0;
}

static int load_numbers(const struct source *s, hid_t type,
			const struct elem *e, struct value *v)
{
	uint64_t n;

	if (!checked_mul(v->count, e->size, &n))
		n = UINT64_MAX;
	if (n > s->max)
		return too_large(v, n);
	v->rec.class = CAT_NUMBERS;
	v->rec.kind = (uint8_t)e->kind;
	v->rec.item_size = (uint8_t)e->size;
	v->rec.data_len = (uint32_t)n;
	v->data = scan_malloc(n);
	memset(v->data, 0, n);
	if (n && read_raw(s, type, v->data) < 0)
		return -1;
	if (e->order == '>')
		swap_items(v->data, v->count, e->size);
	return 0;
}

static void put_string(struct value *v, const char *s, size_t n)
{
	uint8_t *p = (uint8_t *)v->data + v->rec.data_len;
	uint32_t len = (uint32_t)n;

	memcpy(p, &len, sizeof(len));
	if (n)
		memcpy(p + sizeof(len), s, n);
	v->rec.data_len += (uint32_t)(sizeof(len) + n);
}

/* Without what only fills it up. */
static size_t fixed_length(const char *s, size_t n, H5T_str_t pad)
{
	if (pad == H5T_STR_NULLTERM)
		return strnlen(s, n);
	while (n && s[n - 1] == (pad == H5T_STR_SPACEPAD ? ' ' : '\0'))
		n--;
	return n;
}

static int load_fixed(const struct source *s, hid_t type, struct value *v)
{
	CLEANUP(cleanup_freep) char *raw = NULL;
	size_t size = H5Tget_size(type);
	H5T_str_t pad = H5Tget_strpad(type);
	uint64_t n = 0, all;

	if (!checked_mul(v->count, size, &n) ||
	    !checked_mul(v->count, sizeof(uint32_t), &all) ||
	    !checked_add(all, n, &all))
		all = UINT64_MAX;
	if (all > s->max)
		return too_large(v, all);
	v->rec.class = CAT_STRINGS;
	raw = scan_malloc(n);
	memset(raw, 0, n);
	if (n && read_raw(s, type, raw) < 0)
		return -1;
	v->data = scan_malloc(all);
	for (uint64_t i = 0; i < v->count; i++) {
		const char *p = raw + i * size;

		put_string(v, p, fixed_length(p, size, pad));
	}
	return 0;
}

static int pack_variable(const struct source *s, char *const *raw,
			 struct value *v)
{
	uint64_t all = v->count * sizeof(uint32_t);

	for (uint64_t i = 0; i < v->count; i++)
		if (raw[i])
			all += strlen(raw[i]);
	if (all > s->max)
		return too_large(v, all);
	v->rec.class = CAT_STRINGS;
	v->data = scan_malloc(all);
	for (uint64_t i = 0; i < v->count; i++)
		put_string(v, raw[i], raw[i] ? strlen(raw[i]) : 0);
	return 0;
}

static int load_variable(const struct source *s, hid_t type, struct value *v)
{
	CLEANUP(cleanup_freep) char **raw = NULL;
	CLEANUP(cleanup_hidp) hid_t space = -1;
	uint64_t lengths;
	int r;

	if (!checked_mul(v->count, sizeof(uint32_t), &lengths))
		lengths = UINT64_MAX;
	if (lengths > s->max)
		return too_large(v, lengths);
	raw = scan_malloc(v->count * sizeof(*raw));
	memset(raw, 0, v->count * sizeof(*raw));
	if (v->count && read_raw(s, type, raw) < 0)
		return -1;
	r = pack_variable(s, raw, v);
	space = s->is_attribute ? H5Aget_space(s->id) : H5Dget_space(s->id);
	if (space >= 0 && v->count)
		H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw);
	return r;
}

static int load_strings(const struct source *s, hid_t type, struct value *v)
{
	htri_t variable = H5Tis_variable_str(type);

	if (variable < 0)
		return -1;
	return variable ? load_variable(s, type, v) : load_fixed(s, type, v);
}

/* An array type over numbers: its axes are more axes. */
static int load_array(const struct source *s, hid_t type, struct value *v)
{
	CLEANUP(cleanup_hidp) hid_t base = H5Tget_super(type);
	hsize_t dim[H5S_MAX_RANK];
	int n = H5Tget_array_ndims(type);
	struct elem e;

	if (base < 0 || n < 0 || n > H5S_MAX_RANK ||
	    H5Tget_array_dims2(type, dim) < 0)
		return -1;
	if (v->rec.rank + (unsigned)n > CAT_RANK_MAX ||
	    !type_is_number(base, &e)) {
		type_words(type, &v->why);
		return unshown(v);
	}
	add_dims(v, dim, n);
	return load_numbers(s, type, &e, v);
}

/* 0, or -1 if libhdf5 failed. */
static int load(const struct source *s, struct value *v)
{
	CLEANUP(cleanup_hidp)
	hid_t type = s->is_attribute ? H5Aget_type(s->id) : H5Dget_type(s->id);
	struct elem e;
	int r;

	if (type < 0)
		return -1;
	r = load_space(s, v);
	if (r < 0)
		return -1;
	if (r > 0) {
		v->rec.class = CAT_EMPTY;
		return 0;
	}
	if (type_is_number(type, &e))
		return load_numbers(s, type, &e, v);
	if (H5Tget_class(type) == H5T_STRING)
		return load_strings(s, type, v);
	if (H5Tget_class(type) == H5T_ARRAY)
		return load_array(s, type, v);
	type_words(type, &v->why);
	return unshown(v);
}

static void send(struct out *o, enum cat_type type, struct value *v,
		 const char *name)
{
	size_t nname = strlen(name);

	if (v->rec.class == CAT_UNSHOWN)
		v->rec.data_len = (uint32_t)v->why.n;
	v->rec.name_len = (uint32_t)nname;
	out_begin(o, type, &v->rec, sizeof(v->rec));
	out_add(o, v->dim, v->rec.rank * sizeof(v->dim[0]));
	out_add(o, name, nname);
	out_pad(o);
	out_add(o, v->rec.class == CAT_UNSHOWN ? v->why.s : v->data,
		v->rec.data_len);
	out_end(o);
}

static void send_attribute(struct out *o, hid_t obj, uint32_t owner,
			   const char *name, size_t max)
{
	struct value v = {.rec.owner = owner};
	CLEANUP(cleanup_hidp) hid_t id = H5Aopen(obj, name, H5P_DEFAULT);
	struct source s = {.id = id, .is_attribute = true, .max = max};

	if (id < 0 || load(&s, &v) < 0) {
		v.rec = (struct cat_attr){.owner = owner, .class = CAT_UNSHOWN};
		v.why = (struct text){0};
		text_add(&v.why, "cannot be read");
		text_add_why(&v.why);
	}
	send(o, CAT_ATTR, &v, name);
	free(v.data);
}

struct names {
	char **name;
	size_t n, room;
};

static herr_t each_attribute(hid_t obj, const char *name,
			     const H5A_info_t *info, void *arg)
{
	struct names *all = arg;
	size_t size = strlen(name) + 1;

	(void)obj;
	(void)info;
	if (all->n == all->room) {
		all->room = all->room ? all->room * 2 : 64;
		all->name =
			scan_realloc(all->name, all->room * sizeof(*all->name));
	}
	all->name[all->n] = memcpy(scan_malloc(size), name, size);
	all->n++;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * Sorted here: for another than the native order libhdf5 makes a table, and
 * frees what it never set when that fails.
 */
void value_attributes(struct out *o, hid_t obj, uint32_t owner, size_t max)
{
	struct names all = {0};
	struct text t = {0};

	if (H5Aiterate2(obj, H5_INDEX_NAME, H5_ITER_NATIVE, NULL,
			each_attribute, &all) < 0) {
		text_add(&t, "attributes cannot be read");
		text_add_why(&t);
	}
	if (all.n)
		qsort(all.name, all.n, sizeof(*all.name), by_name);
	for (size_t i = 0; i < all.n; i++) {
		if (strlen(all.name[i]) <= CAT_NAME_MAX)
			send_attribute(o, obj, owner, all.name[i], max);
		else if (!t.n)
			text_add(&t, "an attribute's name is too long");
		free(all.name[i]);
	}
	free(all.name);
	if (t.n)
		out_problem(o, owner, &t);
}

void value_dataset(struct out *o, hid_t dset, uint32_t owner, size_t max)
{
	struct source s = {.id = dset, .max = max};
	struct value v = {.rec.owner = owner};

	if (load(&s, &v) < 0) {
		struct text t = {0};

		text_add(&t, "value cannot be read");
		text_add_why(&t);
		out_problem(o, owner, &t);
	} else if (v.rec.class == CAT_STRINGS || v.rec.class == CAT_NUMBERS) {
		send(o, CAT_VALUE, &v, "");
	}
	free(v.data);
}
