/* SPDX-License-Identifier: MIT */

/*
 * The tables of a catalog, made when all records are there: members by group
 * and name, attributes by owner, the shortest path to each object, arrays in
 * the order of a listing. One thread.
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container/container_impl.h"
#include "util/cleanup.h"

/* What is worked on at the end: one malloc, cut up. */
struct tables {
	uint32_t *member_start, *member, *attr_start, *attr;
	uint32_t *value, *problem, *parent, *array, *queue;
	uint32_t nmember, nvalue, nproblem, narray;
};

static const struct cat_link *link_at(const struct catalog_builder *b,
				      uint32_t at)
{
	return (const struct cat_link *)(b->blob + (size_t)at * 8);
}

static uint32_t owner_at(const struct catalog_builder *b, uint32_t at)
{
	return ((const struct cat_attr *)(b->blob + (size_t)at * 8))->owner;
}

static int name_compare(const struct cat_link *x, const struct cat_link *y)
{
	size_t n = x->name_len < y->name_len ? x->name_len : y->name_len;
	int d = memcmp(x + 1, y + 1, n);

	if (d)
		return d;
	return (x->name_len > y->name_len) - (x->name_len < y->name_len);
}

/* Of two equal names, the first sent is first. */
static int member_compare(const void *x, const void *y, void *arg)
{
	uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;
	int d = name_compare(link_at(arg, i), link_at(arg, j));

	return d ? d : (i > j) - (i < j);
}

static int value_compare(const void *x, const void *y, void *arg)
{
	const struct catalog_builder *b = arg;
	uint32_t i = owner_at(b, *(const uint32_t *)x);
	uint32_t j = owner_at(b, *(const uint32_t *)y);

	return (i > j) - (i < j);
}

/* Sums of counts, so that start[i] is where the entries of i begin. */
static void starts(uint32_t *start, uint32_t n)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i <= n; i++) {
		uint32_t count = i < n ? start[i] : 0;

		start[i] = sum;
		sum += count;
	}
}

/* Walk all records; pass 0 counts, pass 1 puts them in their places. */
static void place(struct catalog_builder *b, struct tables *t, int pass)
{
	for (size_t at = sizeof(struct catalog); at < b->len;) {
		const struct cat_record *r =
			(const struct cat_record *)(b->blob + at);
		const struct cat_link *l = (const struct cat_link *)r;
		const struct cat_attr *a = (const struct cat_attr *)r;
		uint32_t off = (uint32_t)(at / 8);

		if (r->type == CAT_LINK && !pass)
			t->member_start[l->parent]++;
		else if (r->type == CAT_LINK)
			t->member[t->member_start[l->parent]++] = off;
		else if (r->type == CAT_ATTR && !pass)
			t->attr_start[a->owner]++;
		else if (r->type == CAT_ATTR)
			t->attr[t->attr_start[a->owner]++] = off;
		else if (r->type == CAT_VALUE && pass)
			t->value[t->nvalue++] = off;
		at += r->size;
	}
}

/* After place() each start stands at its end: back by one. */
static void shift_back(uint32_t *start, uint32_t n)
{
	memmove(start + 1, start, n * sizeof(*start));
	start[0] = 0;
}

static int drop_member(struct catalog_builder *b, const struct cat_link *l,
		       const char *reason)
{
	int n = l->name_len < 120 ? (int)l->name_len : 120;
	char text[WHY_MAX];

	snprintf(text, sizeof(text), "member \"%.*s\" is left out: %s", n,
		 (const char *)(l + 1), reason);
	return catalog_builder_problem(b, l->parent, text);
}

/* Sort the members of each group; drop what no directory can hold. */
static int sort_members(struct catalog_builder *b, struct tables *t)
{
	uint32_t kept = 0, begin = 0;

	for (uint32_t g = 0; g < b->object.n; g++) {
		uint32_t end = t->member_start[g + 1], i;

		for (i = begin; i + 1 < end; i++)
			if (member_compare(&t->member[i], &t->member[i + 1],
					   b) > 0)
				break;
		if (i + 1 < end)
			qsort_r(t->member + begin, end - begin,
				sizeof(*t->member), member_compare, b);
		t->member_start[g] = kept;
		for (i = begin; i < end; i++) {
			uint32_t at = t->member[i];
			const struct cat_link *l = link_at(b, at);
			const char *reason = NULL;
			int err;

			if (memchr(l + 1, '/', l->name_len))
				reason = "its name has a slash";
			else if (kept > t->member_start[g] &&
				 !name_compare(link_at(b, t->member[kept - 1]),
					       l))
				reason = "the name is there twice";
			if (!reason) {
				t->member[kept++] = at;
				continue;
			}
			err = drop_member(b, l, reason);
			if (err)
				return err;
		}
		begin = end;
	}
	t->member_start[b->object.n] = kept;
	t->nmember = kept;
	return 0;
}

/* Breadth first from the root: the shortest path to each object, no cycle. */
static void find_parents(const struct catalog_builder *b, struct tables *t)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t i = 0; i < b->object.n; i++)
		t->parent[i] = NO_PARENT;
	t->queue[tail++] = 0;
	while (head < tail) {
		uint32_t g = t->queue[head++];

		for (uint32_t m = t->member_start[g];
		     m < t->member_start[g + 1]; m++) {
			const struct cat_link *l = link_at(b, t->member[m]);

			/* Arrays have members too: what is derived from them.
			 */
			if (l->kind != CAT_HARD || !l->target ||
			    t->parent[l->target] != NO_PARENT)
				continue;
			t->parent[l->target] = m;
			if (catalog_builder_type(b, l->target) != CAT_OTHER)
				t->queue[tail++] = l->target;
		}
	}
}

/* Along the tree of parents, depth first: the order of a listing. */
static void list_arrays(const struct catalog_builder *b, struct tables *t)
{
	uint32_t g = 0, m = t->member_start[0];

	for (;;) {
		const struct cat_link *l;

		if (m == t->member_start[g + 1]) {
			if (!g)
				return;
			m = t->parent[g];
			g = link_at(b, t->member[m])->parent;
			m++;
			continue;
		}
		l = link_at(b, t->member[m]);
		if (l->kind == CAT_HARD && t->parent[l->target] == m) {
			if (catalog_builder_type(b, l->target) == CAT_ARRAY)
				t->array[t->narray++] = l->target;
			if (catalog_builder_type(b, l->target) != CAT_OTHER) {
				g = l->target;
				m = t->member_start[g];
				continue;
			}
		}
		m++;
	}
}

static void list_problems(const struct catalog_builder *b, struct tables *t)
{
	for (size_t at = sizeof(struct catalog); at < b->len;) {
		const struct cat_record *r =
			(const struct cat_record *)(b->blob + at);

		if (r->type == CAT_PROBLEM)
			t->problem[t->nproblem++] = (uint32_t)(at / 8);
		at += r->size;
	}
}

/* One value an array, by owner. */
static int sort_values(struct catalog_builder *b, struct tables *t)
{
	qsort_r(t->value, t->nvalue, sizeof(*t->value), value_compare, b);
	for (uint32_t i = 1; i < t->nvalue; i++)
		if (owner_at(b, t->value[i - 1]) == owner_at(b, t->value[i]))
			return catalog_builder_fail(
				b, -EBADMSG,
				"the HDF5 scanner gave a bad answer: two "
				"values of one array");
	return 0;
}

/* Copy a table to the end of the block. */
static uint32_t put(struct catalog_builder *b, const uint32_t *p, uint32_t n)
{
	uint32_t at = (uint32_t)(b->len / 8);

	memcpy(b->blob + b->len, p, n * sizeof(*p));
	b->len += n * sizeof(*p);
	if (n % 2) {
		memset(b->blob + b->len, 0, sizeof(*p));
		b->len += sizeof(*p);
	}
	return at;
}

static int lay_out(struct catalog_builder *b, const struct tables *t,
		   void **out, size_t *size)
{
	uint64_t total = b->len + catalog_builder_tables(b);
	uint32_t n = b->object.n;
	struct catalog *k;
	char *p;

	if (total > b->max)
		return catalog_builder_too_large(b);
	p = realloc(b->blob, (size_t)total);
	if (!p)
		return catalog_builder_no_memory(b);
	b->blob = p;
	struct catalog head = {
		.nobject = n,
		.narray = t->narray,
		.nmember = t->nmember,
		.nattr = b->nattr,
		.nvalue = t->nvalue,
		.nproblem = t->nproblem,
		.object_at = put(b, b->object.p, n),
		.member_start_at = put(b, t->member_start, n + 1),
		.member_at = put(b, t->member, t->nmember),
		.attr_start_at = put(b, t->attr_start, n + 1),
		.attr_at = put(b, t->attr, b->nattr),
		.value_at = put(b, t->value, t->nvalue),
		.problem_at = put(b, t->problem, t->nproblem),
		.parent_at = put(b, t->parent, n),
		.array_at = put(b, t->array, t->narray),
		.medh5_at = b->medh5,
	};
	head.size = b->len;
	k = realloc(b->blob, b->len);
	if (!k)
		k = (struct catalog *)b->blob;
	*k = head;
	*size = b->len;
	*out = k;
	b->blob = NULL;
	return 0;
}

int catalog_builder_finish(struct catalog_builder *b,
			   const struct scan_end *end, void **out, size_t *size)
{
	CLEANUP(cleanup_freep) uint32_t *room = NULL;
	uint64_t n = b->object.n;
	struct tables t = {0};
	int err;

	b->finished_len = b->len;
	b->finished_said = b->nsaid;
	if (!n)
		return catalog_builder_fail(
			b, -EBADMSG,
			"the HDF5 scanner gave a bad answer: no root");
	if (end->objects != n || end->links != b->nlink)
		return catalog_builder_fail(
			b, -EBADMSG,
			"the HDF5 scanner gave a bad answer: records are "
			"missing");
	room = calloc(5 * n + 2 + b->nlink + b->nattr + b->nvalue +
			      b->nproblem + CATALOG_SAID_MAX + 1,
		      sizeof(*room));
	if (!room)
		return catalog_builder_no_memory(b);
	t.member_start = room;
	t.attr_start = t.member_start + n + 1;
	t.parent = t.attr_start + n + 1;
	t.array = t.parent + n;
	t.queue = t.array + n;
	t.member = t.queue + n;
	t.attr = t.member + b->nlink;
	t.value = t.attr + b->nattr;
	t.problem = t.value + b->nvalue;
	place(b, &t, 0);
	starts(t.member_start, b->object.n);
	starts(t.attr_start, b->object.n);
	place(b, &t, 1);
	shift_back(t.member_start, b->object.n);
	shift_back(t.attr_start, b->object.n);
	err = sort_values(b, &t);
	if (!err)
		err = sort_members(b, &t);
	if (err)
		return err;
	find_parents(b, &t);
	list_arrays(b, &t);
	list_problems(b, &t);
	return lay_out(b, &t, out, size);
}

int catalog_builder_finish_all(struct catalog_builder *b, void **out,
			       size_t *size)
{
	const struct scan_end end = {.objects = b->object.n, .links = b->nlink};

	return catalog_builder_finish(b, &end, out, size);
}
