/* SPDX-License-Identifier: MIT */

/*
 * The check of every number in a record of a catalog. The scanner that made
 * it worked on foreign bytes and may have been taken over by them, so nothing
 * it says is believed. What an honest scanner cannot say fails the catalog;
 * an array that a damaged or merely unusual file may hold is marked instead,
 * so that the rest of the file stays readable. Pure; any thread.
 */

#include <config.h>

#include <stdio.h>
#include <string.h>

#include "container/container_impl.h"
#include "util/checked.h"

#define CHUNK_BYTES_MAX (UINT64_C(1) << 32)
#define ITEM_SIZE_MAX 65536u
#define FLAGS_ALL (CAT_NULL_SPACE | CAT_EDGE_UNFILTERED | CAT_FILL_UNDEFINED)

_Static_assert(sizeof(struct cat_object) % 8 == 0, "records are aligned");
_Static_assert(sizeof(struct cat_array) % 8 == 0, "records are aligned");
_Static_assert(sizeof(struct cat_filter) % 8 == 0, "records are aligned");
_Static_assert(sizeof(struct cat_link) % 8 == 0, "records are aligned");
_Static_assert(sizeof(struct cat_attr) % 8 == 0, "records are aligned");
_Static_assert(sizeof(struct cat_problem) % 8 == 0, "records are aligned");

/* What is left of a record. */
struct rest {
	const char *p;
	uint64_t n;
	bool is_short;
};

/* The next n bytes and their padding. n must be far from overflow. */
static const void *rest_take(struct rest *r, uint64_t n)
{
	const char *p = r->p;
	uint64_t padded = (n + 7) & ~UINT64_C(7);

	if (r->is_short || padded > r->n) {
		r->is_short = true;
		return NULL;
	}
	r->p += padded;
	r->n -= padded;
	return p;
}

static bool product(const uint64_t *dim, unsigned rank, uint64_t *out)
{
	uint64_t n = 1;
	bool is_empty = false;

	/* An axis of length 0 makes it 0, whatever the others are. */
	for (unsigned i = 0; i < rank; i++)
		is_empty |= dim[i] == 0;
	for (unsigned i = 0; i < rank && !is_empty; i++)
		if (!checked_mul(n, dim[i], &n))
			return false;
	*out = is_empty ? 0 : n;
	return true;
}

static bool number_is_good(int kind, uint32_t item_size)
{
	switch (kind) {
	case 'i':
	case 'u':
		return item_size == 1 || item_size == 2 || item_size == 4 ||
		       item_size == 8;
	case 'f':
		return item_size == 2 || item_size == 4 || item_size == 8;
	case 'b':
		return item_size == 1;
	default:
		return false;
	}
}

static const char *check_type(const struct cat_array *a)
{
	if (!a->kind)
		return a->order ? "byte order of a type that is not served"
				: NULL;
	if (a->item_size < 1 || a->item_size > ITEM_SIZE_MAX ||
	    !number_is_good(a->kind, a->item_size))
		return "type";
	if (a->item_size == 1 ? a->order != '|'
			      : a->order != '<' && a->order != '>')
		return "byte order";
	if (a->fill_size && a->fill_size != a->item_size)
		return "size of the fill value";
	return NULL;
}

/* Counts of client data; what they mean is the codec's to judge. */
static bool filter_is_whole(const struct cat_filter *f, const uint32_t *param)
{
	switch (f->id) {
	case 1: /* deflate: the level */
		return f->nparam >= 1;
	case 2: /* shuffle: the item size */
		return f->nparam >= 1 && param[0] > 0;
	default:
		return true;
	}
}

static void refuse_filter(const struct cat_filter *f, const uint32_t *param,
			  char refuse[WHY_MAX])
{
	const struct codec_ops *ops = codec_by_h5_filter(f->id);
	const char *known = codec_h5_filter_name(f->id);
	const char *name = (const char *)(param + f->nparam);
	int n = f->name_len < 64 ? (int)f->name_len : 64;
	const char *what = !ops		  ? "is not supported"
			   : !ops->decode ? "is not built in"
					  : "has no parameters";

	if (ops && ops->decode && filter_is_whole(f, param))
		return;
	if (known && !n) {
		name = known;
		n = (int)strlen(name);
	}
	snprintf(refuse, WHY_MAX, "filter %.*s%s%u%s %s", n, name,
		 n ? " (" : "", f->id, n ? ")" : "", what);
}

/* Reasons why a sound array cannot be served. */
static void refuse_array(const struct cat_array *a, const uint64_t *dim,
			 const uint64_t *chunk, const char *type,
			 char refuse[WHY_MAX])
{
	uint64_t count, bytes;

	if (!a->kind)
		snprintf(refuse, WHY_MAX, "type %.*s is not supported",
			 a->type_len < 160 ? (int)a->type_len : 160,
			 a->type_len ? type : "");
	else if (a->layout == CAT_VIRTUAL)
		snprintf(refuse, WHY_MAX, "virtual datasets are not supported");
	else if (a->layout == CAT_EXTERNAL)
		snprintf(refuse, WHY_MAX,
			 "data in external files are not supported");
	else if (a->rank > NDIM_MAX)
		snprintf(refuse, WHY_MAX, "rank %u is over %d", a->rank,
			 NDIM_MAX);
	else if (!product(dim, a->rank, &count) ||
		 !checked_mul(count, a->item_size, &bytes) || bytes > INT64_MAX)
		snprintf(refuse, WHY_MAX, "its size is over 2^63 bytes");
	else if (chunk && (!product(chunk, a->rank, &count) ||
			   !checked_mul(count, a->item_size, &bytes) ||
			   bytes > CHUNK_BYTES_MAX))
		snprintf(refuse, WHY_MAX, "its chunks are over 4 GiB");
	else if (a->nfilter > INDEX_FILTERS_MAX)
		snprintf(refuse, WHY_MAX, "%u filters are over %d", a->nfilter,
			 INDEX_FILTERS_MAX);
}

/* Data of a served array that are not chunked. */
static const char *check_data(struct cat_array *a, const uint64_t *dim,
			      uint64_t file_size, char problem[WHY_MAX])
{
	uint64_t count, bytes, end;

	if (!product(dim, a->rank, &count) ||
	    !checked_mul(count, a->item_size, &bytes))
		return "shape";
	if (a->flags & CAT_NULL_SPACE)
		bytes = 0;
	if (a->layout == CAT_COMPACT && a->compact_size != bytes)
		return "size of compact data";
	if (a->layout != CAT_CONTIGUOUS || !bytes)
		return NULL;
	if (a->data_size < bytes)
		snprintf(problem, WHY_MAX,
			 "its data are shorter than its shape");
	else if (!checked_add(a->data_addr, a->data_size, &end) ||
		 end > file_size)
		snprintf(problem, WHY_MAX,
			 "its data lie beyond the end of the file");
	if (*problem)
		a->data_addr = CAT_NOWHERE;
	return NULL;
}

static const char *check_array(struct cat_array *a, uint64_t file_size,
			       char refuse[WHY_MAX], char problem[WHY_MAX])
{
	struct rest r = {(const char *)(a + 1), a->head.size - sizeof(*a),
			 false};
	const uint64_t *dim, *chunk = NULL;
	const char *type, *bad;

	if (a->rank > CAT_RANK_MAX)
		return "rank";
	if (a->nfilter > CODEC_STEPS_MAX)
		return "number of filters";
	if (a->flags & ~FLAGS_ALL)
		return "flags";
	if (a->flags & CAT_NULL_SPACE && a->rank)
		return "rank of an array without a dataspace";
	if (a->layout < CAT_CONTIGUOUS || a->layout > CAT_NO_STORAGE)
		return "layout";
	if (a->layout == CAT_CHUNKED && (a->index > CAT_INDEX_BT2 || !a->rank))
		return "chunk index";
	dim = rest_take(&r, a->rank * UINT64_C(8));
	if (a->layout == CAT_CHUNKED)
		chunk = rest_take(&r, a->rank * UINT64_C(8));
	for (unsigned i = 0; chunk && i < a->rank; i++)
		if (!chunk[i])
			return "chunk";
	for (unsigned i = 0; i < a->nfilter; i++) {
		const struct cat_filter *f = rest_take(&r, sizeof(*f));
		const uint32_t *param =
			!f ? NULL
			   : rest_take(&r,
				       f->nparam * UINT64_C(4) + f->name_len);

		if (!param && r.is_short)
			return "length";
		if (!*refuse && chunk)
			refuse_filter(f, param, refuse);
	}
	rest_take(&r, a->fill_size);
	rest_take(&r, a->compact_size);
	type = rest_take(&r, a->type_len);
	rest_take(&r, a->refused_len);
	if (r.is_short || r.n)
		return "length";
	bad = check_type(a);
	if (bad)
		return bad;
	a->refused_at = 0; /* the builder's to set */
	/* What is wrong with the whole comes before one of its filters. */
	refuse_array(a, dim, chunk, type, refuse);
	if (a->refused_len)
		*refuse = '\0';
	if (a->refused_len || *refuse)
		return NULL;
	return check_data(a, dim, file_size, problem);
}

static const char *check_link(const struct cat_link *l)
{
	struct rest r = {(const char *)(l + 1), l->head.size - sizeof(*l),
			 false};
	uint64_t n = (uint64_t)l->name_len + l->target_len + l->file_len;
	const char *p = rest_take(&r, n);

	if (r.is_short || r.n)
		return "length";
	if (l->name_len > CAT_NAME_MAX)
		return "length of the name";
	/* All of it comes from C strings. */
	if (n && memchr(p, '\0', n))
		return "a name with a NUL";
	switch (l->kind) {
	case CAT_HARD:
		return l->target_len || l->file_len ? "target" : NULL;
	case CAT_SOFT:
		return l->file_len ? "target" : NULL;
	case CAT_EXTERNAL_LINK:
	case CAT_UD_LINK:
		return NULL;
	default:
		return "kind";
	}
}

/* For each element a length and as many bytes, end to end. */
static bool strings_are_good(const char *p, uint64_t n, uint64_t count)
{
	/* Each takes at least its length, which bounds the loop. */
	for (; count; count--) {
		uint32_t len;

		if (n < sizeof(len))
			return false;
		memcpy(&len, p, sizeof(len));
		p += sizeof(len);
		n -= sizeof(len);
		if (len > n)
			return false;
		p += len;
		n -= len;
	}
	return n == 0;
}

static const char *check_attr(const struct cat_attr *a)
{
	struct rest r = {(const char *)(a + 1), a->head.size - sizeof(*a),
			 false};
	const uint64_t *dim;
	const char *data;
	uint64_t count, bytes;

	if (a->rank > CAT_RANK_MAX)
		return "rank";
	dim = rest_take(&r, a->rank * UINT64_C(8));
	rest_take(&r, a->name_len);
	data = rest_take(&r, a->data_len);
	if (r.is_short || r.n)
		return "length";
	if (a->name_len > CAT_NAME_MAX ||
	    (a->head.type == CAT_VALUE && a->name_len))
		return "length of the name";
	switch (a->class) {
	case CAT_NUMBERS:
		if (!number_is_good(a->kind, a->item_size))
			return "type";
		if (!product(dim, a->rank, &count) ||
		    !checked_mul(count, a->item_size, &bytes) ||
		    bytes != a->data_len)
			return "length of the data";
		return NULL;
	case CAT_STRINGS:
		if (!product(dim, a->rank, &count) ||
		    !strings_are_good(data, a->data_len, count))
			return "length of the data";
		return NULL;
	case CAT_EMPTY:
		return a->rank || a->data_len ? "data" : NULL;
	case CAT_UNSHOWN:
		return NULL;
	case CAT_PLACES:
		if (a->head.type != CAT_VALUE)
			return "class";
		return a->data_len % sizeof(struct scan_chunk) ||
				       a->data_len >
					       CAT_PLACES_MAX *
						       sizeof(struct scan_chunk)
			       ? "length of the data"
			       : NULL;
	default:
		return "class";
	}
}

static const char *check_problem(const struct cat_problem *p)
{
	struct rest r = {(const char *)(p + 1), p->head.size - sizeof(*p),
			 false};

	rest_take(&r, p->text_len);
	return r.is_short || r.n ? "length" : NULL;
}

const char *catalog_check(struct cat_record *r, uint64_t file_size,
			  char refuse[WHY_MAX], char problem[WHY_MAX])
{
	static const size_t least[] = {
		[CAT_GROUP] = sizeof(struct cat_object),
		[CAT_ARRAY] = sizeof(struct cat_array),
		[CAT_OTHER] = sizeof(struct cat_object),
		[CAT_LINK] = sizeof(struct cat_link),
		[CAT_ATTR] = sizeof(struct cat_attr),
		[CAT_VALUE] = sizeof(struct cat_attr),
		[CAT_PROBLEM] = sizeof(struct cat_problem),
	};

	*refuse = *problem = '\0';
	if (r->type < CAT_GROUP || r->type > CAT_PROBLEM)
		return "type of the record";
	if (r->size < least[r->type])
		return "length";
	switch ((enum cat_type)r->type) {
	case CAT_GROUP:
	case CAT_OTHER:
		return r->size == sizeof(struct cat_object) ? NULL : "length";
	case CAT_ARRAY:
		return check_array((struct cat_array *)r, file_size, refuse,
				   problem);
	case CAT_LINK:
		return check_link((struct cat_link *)r);
	case CAT_ATTR:
	case CAT_VALUE:
		return check_attr((struct cat_attr *)r);
	case CAT_PROBLEM:
		return check_problem((struct cat_problem *)r);
	}
	return "type of the record";
}
