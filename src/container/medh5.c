/* SPDX-License-Identifier: MIT */

/*
 * HDF5 files that are medh5: which they are, what of them is never shown, and
 * what they mean beyond what they store. A pass over the catalog of a finished
 * scan: the finished one is looked at, a builder with the same records is
 * added to. What breaks the format is said, and costs no more than what
 * depends on it. One thread.
 */

#include <config.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container/medh5_impl.h"
#include "util/cleanup.h"

#define MINOR_KNOWN 2

/* What a byte of JSON takes in memory at most: an object has two of them. */
#define JSON_BYTES 96

int medh5_say(struct medh5 *x, uint32_t object, const char *fmt, ...)
{
	char text[WHY_MAX * 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return catalog_builder_problem(x->b, object, text);
}

int medh5_place(struct medh5 *x, uint32_t array, const struct medh5_grid *g,
		uint32_t annotation, uint32_t image)
{
	struct place_info *p;

	if (x->nplace == x->place_room) {
		size_t room = x->place_room ? x->place_room * 2 : 64;

		p = realloc(x->place, room * sizeof(*p));
		if (!p)
			return catalog_builder_no_memory(x->b);
		x->place = p;
		x->place_room = room;
	}
	p = &x->place[x->nplace++];
	*p = (struct place_info){
		.object = array,
		.sample = x->nsample,
		.grid = g->object,
		.annotation = annotation,
		.image = image,
		.nspatial = g->nspatial,
		.nhint = g->nhint,
	};
	memcpy(p->hint, g->hint, sizeof(p->hint));
	return 0;
}

int medh5_derive(struct medh5 *x, uint32_t parent, struct bytes name,
		 unsigned rank, const uint64_t *dim,
		 const struct derived_info *info, uint32_t *object)
{
	int err = catalog_builder_derived(x->b, rank, dim, info, object);

	return err ? err : catalog_builder_link(x->b, parent, name, *object);
}

int medh5_is_taken(struct medh5 *x, uint32_t group, const char *name,
		   bool *taken)
{
	*taken = catalog_find(x->k, group, name, strlen(name)) >= 0;
	if (!*taken)
		return 0;
	return medh5_say(x, group,
			 "the file has a member %s of its own, which is shown "
			 "instead of what the format means by it",
			 name);
}

/* ------------------------------------------------------------- privacy */

/* All that hard links lead to from an object, but for the sample itself. */
static int hide(struct medh5 *x, uint32_t object)
{
	CLEANUP(cleanup_freep) uint32_t *stack = NULL;
	uint32_t n = 0;

	if (object == x->root || !object || x->hidden[object])
		return 0;
	/* Each object is pushed once. */
	stack = malloc(catalog_objects(x->k) * sizeof(*stack));
	if (!stack)
		return catalog_builder_no_memory(x->b);
	x->hidden[object] = 1;
	stack[n++] = object;
	while (n) {
		uint32_t o = stack[--n];

		for (uint32_t i = 0; i < catalog_members(x->k, o); i++) {
			struct member m;

			catalog_member(x->k, o, i, &m);
			if (m.kind != CAT_HARD || m.target == x->root ||
			    !m.target || x->hidden[m.target])
				continue;
			x->hidden[m.target] = 1;
			stack[n++] = m.target;
		}
	}
	return 0;
}

/* Where a path of hard links leads, or OBJECT_NONE. */
static uint32_t follow(const struct catalog *k, uint32_t from,
		       struct bytes path)
{
	const char *p = path.p, *end = p + path.n;
	uint32_t o = path.n && *p == '/' ? 0 : from;

	while (p < end && o != OBJECT_NONE) {
		const char *stop = memchr(p, '/', (size_t)(end - p));
		size_t n = (size_t)((stop ? stop : end) - p);

		if (n && !(n == 1 && *p == '.'))
			o = medh5_member(k, o, (struct bytes){p, n});
		p += n + (stop ? 1 : 0);
	}
	return o;
}

/* The document and the clinical tables of what is, or should be, a sample. */
static int hide_private(struct medh5 *x, uint32_t root)
{
	static const char *const name[] = {"clinical", "meta"};
	int err = 0;

	x->root = root;
	for (size_t i = 0; i < sizeof(name) / sizeof(*name) && !err; i++) {
		int64_t at = catalog_find(x->k, root, name[i], strlen(name[i]));
		uint32_t o = OBJECT_NONE;
		struct member m;

		if (at < 0)
			continue;
		catalog_member(x->k, root, (uint32_t)at, &m);
		if (m.kind == CAT_HARD)
			o = m.target;
		else if (m.kind == CAT_SOFT)
			o = follow(x->k, root, m.path);
		if (o != OBJECT_NONE)
			err = hide(x, o);
	}
	return err;
}

/* -------------------------------------------------------------- samples */

/* 0; 1: with a minor that is newer than what is known; -EPROTO: refused. */
static int check_version(const struct catalog *k, uint32_t root,
			 struct bytes *version)
{
	struct bytes v;
	int minor = 0;

	*version = (struct bytes){"?", 1};
	if (!catalog_text(k, root, "medh5_version", &v))
		return -EPROTO;
	*version = v;
	if (v.n < 1 || v.p[0] != '1' || (v.n > 1 && v.p[1] != '.'))
		return -EPROTO;
	for (size_t i = 2; i < v.n; i++) {
		if (v.p[i] < '0' || v.p[i] > '9' || minor > MINOR_KNOWN)
			return 1;
		minor = minor * 10 + v.p[i] - '0';
	}
	return v.n < 3 || minor > MINOR_KNOWN;
}

void medh5_memory(struct medh5 *x, size_t more)
{
	if (x->memory)
		scan_memory_set(x->memory,
				x->size + catalog_builder_bytes(x->b) + more);
}

static int add_meta(struct medh5 *x)
{
	uint32_t o = medh5_named(x->k, x->root, "meta");
	struct bytes text;
	struct attr a;
	int err;

	if (o == OBJECT_NONE || catalog_kind(x->k, o) != OBJECT_ARRAY ||
	    !catalog_value(x->k, o, &a) || a.count != 1 ||
	    !medh5_nth_text(&a, 0, &text))
		return medh5_say(x, x->root,
				 "meta cannot be read: classes are shown "
				 "without names");
	medh5_memory(x, text.n * JSON_BYTES);
	err = medh5_meta_init(&x->meta, text);
	if (err)
		return catalog_builder_no_memory(x->b);
	if (x->meta.problem)
		return medh5_say(x, x->root, "meta: %s", x->meta.problem);
	return 0;
}

static int add_record(struct medh5 *x)
{
	if (x->nsample == x->sample_room) {
		uint32_t room = x->sample_room ? x->sample_room * 2 : 16;
		uint32_t *p = realloc(x->sample, room * sizeof(*p));

		if (!p)
			return catalog_builder_no_memory(x->b);
		x->sample = p;
		x->sample_room = room;
	}
	return medh5_meta_put(&x->meta, x->b, x->root, &x->sample[x->nsample]);
}

static int add_sample(struct medh5 *x, uint32_t root, enum medh5_kind in)
{
	struct bytes version;
	int err, newer = check_version(x->k, root, &version);

	x->root = root;
	x->done[root] = 1;
	err = newer <= 0
		      ? 0
		      : medh5_say(x, root,
				  "medh5_version %.*s is newer than 1.%d: what "
				  "is known of it is read (W913)",
				  version.n < 20 ? (int)version.n : 20,
				  version.p, MINOR_KNOWN);
	if (!err)
		err = add_meta(x);
	if (!err)
		err = medh5_images(x);
	if (!err)
		err = medh5_annotations(x);
	if (!err)
		err = medh5_indices(x, in);
	if (!err)
		err = add_record(x);
	x->nsample++;
	medh5_meta_fini(&x->meta);
	medh5_memory(x, 0);
	return err;
}

/* A member that is no sample of version 1 is not shown. */
static int add_member(struct medh5 *x, uint32_t samples, const struct member *m)
{
	struct bytes version;
	int n = m->name.n < 80 ? (int)m->name.n : 80;
	struct attr a;

	if (m->kind != CAT_HARD || x->hidden[m->target] || x->done[m->target] ||
	    catalog_kind(x->k, m->target) != OBJECT_GROUP)
		return 0;
	if (!catalog_attr_find(x->k, m->target, "medh5_version", &a))
		return medh5_say(x, samples, "%.*s is no medh5 sample", n,
				 m->name.p);
	if (check_version(x->k, m->target, &version) >= 0)
		return add_sample(x, m->target, MEDH5_COLLECTION);
	x->root = 0;
	if (hide(x, m->target))
		return -ENOMEM;
	return medh5_say(x, samples,
			 "%.*s is left out: medh5_version %.*s is not "
			 "supported (E002)",
			 n, m->name.p, version.n < 20 ? (int)version.n : 20,
			 version.p);
}

/* Hide first: what is hidden through one member may be linked in another. */
static int add_collection(struct medh5 *x)
{
	uint32_t samples = medh5_named(x->k, 0, "samples");
	struct member m;
	int err = 0;

	if (samples == OBJECT_NONE ||
	    catalog_kind(x->k, samples) != OBJECT_GROUP)
		return medh5_say(x, 0, "the collection has no samples");
	for (uint32_t i = 0; i < catalog_members(x->k, samples) && !err; i++) {
		catalog_member(x->k, samples, i, &m);
		if (m.kind == CAT_HARD &&
		    catalog_kind(x->k, m.target) == OBJECT_GROUP)
			err = hide_private(x, m.target);
	}
	for (uint32_t i = 0; i < catalog_members(x->k, samples) && !err; i++) {
		catalog_member(x->k, samples, i, &m);
		err = add_member(x, samples, &m);
	}
	return err;
}

/* ------------------------------------------------------------- the pass */

static int place_compare(const void *a, const void *b)
{
	const struct place_info *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return (x->sample > y->sample) - (x->sample < y->sample);
}

struct rooted {
	uint32_t root, was;
};

static int root_compare(const void *a, const void *b)
{
	const struct rooted *x = a, *y = b;

	return (x->root > y->root) - (x->root < y->root);
}

/* Number the samples by their roots, so that they are found by these. */
static int sort_samples(struct medh5 *x)
{
	CLEANUP(cleanup_freep) struct rooted *by_root = NULL;
	CLEANUP(cleanup_freep) uint32_t *now = NULL;
	CLEANUP(cleanup_freep) uint32_t *at = NULL;
	uint32_t n = x->nsample;

	if (!n)
		return 0;
	by_root = calloc(n, sizeof(*by_root));
	now = calloc(n, sizeof(*now));
	at = calloc(n, sizeof(*at));
	if (!by_root || !now || !at)
		return catalog_builder_no_memory(x->b);
	for (uint32_t i = 0; i < n; i++) {
		const struct cat_sample *s =
			(const struct cat_sample *)(x->b->blob +
						    (size_t)x->sample[i] * 8);

		by_root[i] = (struct rooted){s->root, i};
	}
	qsort(by_root, n, sizeof(*by_root), root_compare);
	for (uint32_t i = 0; i < n; i++) {
		now[by_root[i].was] = i;
		at[i] = x->sample[by_root[i].was];
	}
	memcpy(x->sample, at, n * sizeof(*at));
	for (size_t i = 0; i < x->nplace; i++)
		x->place[i].sample = now[x->place[i].sample];
	return 0;
}

static int put_record(struct medh5 *x, enum medh5_kind kind)
{
	size_t places = x->nplace * sizeof(*x->place);
	size_t samples = x->nsample * sizeof(*x->sample), at;
	size_t size = sizeof(struct cat_medh5) + places + samples;
	struct cat_medh5 r = {
		.head = {CAT_MEDH5, (uint32_t)((size + 7) & ~(size_t)7)},
		.kind = kind,
		.nsample = x->nsample,
		.nplace = (uint32_t)x->nplace,
	};
	int err = sort_samples(x);

	if (!err)
		err = catalog_builder_room(x->b, r.head.size, &at);
	if (err)
		return err;
	if (x->nplace)
		qsort(x->place, x->nplace, sizeof(*x->place), place_compare);
	memcpy(x->b->blob + at, &r, sizeof(r));
	at += sizeof(r);
	if (places)
		memcpy(x->b->blob + at, x->place, places);
	if (samples)
		memcpy(x->b->blob + at + places, x->sample, samples);
	x->b->medh5 = (uint32_t)((at - sizeof(r)) / 8);
	return 0;
}

static void medh5_fini(struct medh5 *x)
{
	medh5_meta_fini(&x->meta);
	free(x->hidden);
	free(x->no_value);
	free(x->done);
	free(x->place);
	free(x->sample);
}

/* 0: it is none; 1: it is; -EOPNOTSUPP: of a version that is refused. */
static int recognise(struct catalog_builder *b, const struct catalog *k)
{
	struct bytes version;
	struct attr a;

	if (catalog_attr_find(k, 0, "medh5_companion", &a) ||
	    !catalog_attr_find(k, 0, "medh5_version", &a))
		return 0;
	if (check_version(k, 0, &version) >= 0)
		return 1;
	snprintf(b->why, WHY_MAX, "medh5_version %.*s is not supported (E002)",
		 version.n < 20 ? (int)version.n : 20, version.p);
	return -EOPNOTSUPP;
}

int medh5_apply(struct catalog_builder *b, struct store *s, void **block,
		size_t *size, struct scan_memory *memory)
{
	const struct catalog *k = *block;
	CLEANUP(medh5_fini)
	struct medh5 x = {
		.k = k,
		.b = b,
		.store = s,
		.memory = memory,
		.size = *size,
	};
	struct bytes kind;
	size_t n = catalog_objects(k);
	bool is_collection;
	void *out;
	int err = recognise(b, k);

	if (err <= 0)
		return err;
	err = catalog_builder_reopen(b, k);
	if (err)
		return err;
	x.hidden = calloc(n, 1);
	x.no_value = calloc(n, 1);
	x.done = calloc(n, 1);
	if (!x.hidden || !x.no_value || !x.done)
		return catalog_builder_no_memory(b);
	is_collection = catalog_text(k, 0, "medh5_kind", &kind) &&
			medh5_text_is(kind, "collection");
	err = hide_private(&x, 0);
	if (!err)
		err = is_collection ? add_collection(&x)
				    : add_sample(&x, 0, MEDH5_SAMPLE);
	if (!err)
		err = put_record(&x, is_collection ? MEDH5_COLLECTION
						   : MEDH5_SAMPLE);
	if (err)
		return err;
	catalog_builder_hide(b, x.hidden, x.no_value, (uint32_t)n);
	err = catalog_builder_finish_all(b, &out, size);
	if (err)
		return err;
	free(*block);
	*block = out;
	return 0;
}
