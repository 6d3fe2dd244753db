/* SPDX-License-Identifier: MIT */

/*
 * The sampling indices that medh5 samples carry: whether one was made of what
 * its annotation holds now, and whether it is laid out as one. Not what is in
 * its tables, for that is not in the catalog. Pure.
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container/medh5_impl.h"
#include "util/cleanup.h"
#include "util/hash.h"
#include "util/text.h"

#define MAX_COORDS 4096 /* unless the index says otherwise */

/* Names come from the file; longer ones are cut. */
#define CUT(b) (b).n < 40 ? (int)(b).n : 40, (b).p

static void cleanup_hash(struct hash **h)
{
	hash_free(*h);
}

static int say(struct carried_index *x, enum carried_state state,
	       const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static int say(struct carried_index *x, enum carried_state state,
	       const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(x->why, sizeof(x->why), fmt, ap);
	va_end(ap);
	x->state = state;
	return 0;
}

/* The first name under which the group has it. */
static struct bytes name_of(const struct catalog *k, uint32_t group,
			    uint32_t object)
{
	struct member m;

	for (uint32_t i = 0; i < catalog_members(k, group); i++) {
		catalog_member(k, group, i, &m);
		if (m.kind == CAT_HARD && m.target == object)
			return m.name;
	}
	return (struct bytes){NULL, 0};
}

static bool is_group(const struct catalog *k, uint32_t object)
{
	return object != OBJECT_NONE && catalog_kind(k, object) == OBJECT_GROUP;
}

/* -------------------------------------------------------------- freshness */

struct source_digest {
	char algorithm[HASH_NAME_MAX];
	struct bytes hex;
};

/* What is walked over: the arrays directly in an annotation. */
struct lines {
	const struct catalog *k;
	struct carried_index *x;
	const struct source_digest *source;
	struct hash *hash;
	carried_digest_fn *compute;
	void *arg;
};

static int add(struct lines *l, struct bytes b, const char *end)
{
	int err = hash_add(l->hash, b.p, b.n);

	return err ? err : hash_add(l->hash, end, 1);
}

/* The digest of an array that has none. 0 also where state was set. */
static int add_computed(struct lines *l, uint32_t array, struct bytes name)
{
	CLEANUP(cleanup_freep) char *path = NULL;
	const char *algorithm = l->source->algorithm;
	char hex[HASH_HEX_MAX];
	int err;

	if (!l->compute)
		return say(l->x, CARRIED_UNKNOWN,
			   "%.*s of the annotation has no digest", CUT(name));
	path = text_new("annotations/%.*s/%.*s", (int)l->x->name.n,
			l->x->name.p, (int)name.n, name.p);
	if (!path)
		return -ENOMEM;
	err = l->compute(l->arg, array, path, algorithm, hex);
	if (err == -EOPNOTSUPP)
		return say(l->x, CARRIED_STALE,
			   "%.*s of the annotation has no digest, nor can one "
			   "be computed",
			   CUT(name));
	if (!err)
		err = hash_add(l->hash, algorithm, strlen(algorithm));
	if (!err)
		err = hash_add(l->hash, ":", 1);
	return err ? err : add(l, (struct bytes){hex, strlen(hex)}, "\n");
}

/* Members are sorted by their bytes, as the lines are. */
static int add_lines(struct lines *l, uint32_t annotation)
{
	int err = 0;

	for (uint32_t i = 0; i < catalog_members(l->k, annotation) && !err &&
			     l->x->state == CARRIED_FRESH;
	     i++) {
		struct array_info a;
		struct bytes digest;
		struct member m;

		catalog_member(l->k, annotation, i, &m);
		if (m.kind != CAT_HARD ||
		    catalog_kind(l->k, m.target) != OBJECT_ARRAY)
			continue;
		catalog_array(l->k, m.target, &a);
		if (a.layout == CAT_DERIVED)
			continue;
		err = add(l, m.name, "\t");
		if (err)
			break;
		err = catalog_text(l->k, m.target, "digest", &digest)
			      ? add(l, digest, "\n")
			      : add_computed(l, m.target, m.name);
	}
	return err;
}

static int check_digest(const struct catalog *k, uint32_t group,
			uint32_t annotation, carried_digest_fn *compute,
			void *arg, struct carried_index *x)
{
	CLEANUP(cleanup_hash) struct hash *h = NULL;
	struct source_digest source;
	struct lines l = {k, x, &source, NULL, compute, arg};
	char hex[HASH_HEX_MAX];
	struct bytes text;
	struct attr a;
	int err;

	if (!catalog_attr_find(k, group, "source_digest", &a))
		return say(x, CARRIED_STALE, "it has no source_digest");
	if (!catalog_text(k, group, "source_digest", &text) ||
	    !hash_split(text.p, text.n, source.algorithm, &source.hex.p,
			&source.hex.n))
		return say(x, CARRIED_STALE, "its source_digest is malformed");
	err = hash_new(source.algorithm, &h);
	l.hash = h;
	if (!err)
		err = add_lines(&l, annotation);
	if (err || x->state != CARRIED_FRESH)
		return err;
	err = hash_hex(h, hex);
	if (!err && !medh5_text_is(source.hex, hex))
		return say(x, CARRIED_STALE,
			   "it was made of other data than the annotation's");
	return err;
}

/* ----------------------------------------------------------------- layout */

/* An array of that name in a group, or OBJECT_NONE. */
static uint32_t array_named(const struct catalog *k, uint32_t group,
			    struct bytes name, struct array_info *a)
{
	uint32_t o = medh5_member(k, group, name);

	if (o == OBJECT_NONE || catalog_kind(k, o) != OBJECT_ARRAY)
		return OBJECT_NONE;
	catalog_array(k, o, a);
	return a->is_null || a->refused.n || a->layout == CAT_DERIVED
		       ? OBJECT_NONE
		       : o;
}

static bool is_of(const struct array_info *a, char kind, unsigned item_size,
		  unsigned rank)
{
	return a->kind == kind && a->item_size == item_size && a->rank == rank;
}

static uint32_t table(const struct catalog *k, uint32_t group, const char *name,
		      char kind, unsigned item_size, unsigned rank,
		      struct array_info *a)
{
	uint32_t o =
		array_named(k, group, (struct bytes){name, strlen(name)}, a);

	return o != OBJECT_NONE && is_of(a, kind, item_size, rank)
		       ? o
		       : OBJECT_NONE;
}

static int malformed(struct carried_index *x, const char *name)
{
	return say(x, CARRIED_MALFORMED,
		   "%s is missing, or not of the type and shape it has to be",
		   name);
}

static int check_tables(const struct catalog *k, uint32_t group,
			struct carried_index *x)
{
	struct array_info a;

	x->class_ids = table(k, group, "class_ids", 'u', 2, 1, &a);
	if (x->class_ids == OBJECT_NONE || a.dim[0] > MEDH5_ID_MAX)
		return malformed(x, "class_ids");
	x->nclass = (uint32_t)a.dim[0];
	x->voxel_counts = table(k, group, "voxel_counts", 'i', 8, 1, &a);
	if (x->voxel_counts == OBJECT_NONE || a.dim[0] != x->nclass)
		return malformed(x, "voxel_counts");
	x->class_bboxes = table(k, group, "class_bboxes", 'f', 4, 3, &a);
	if (x->class_bboxes == OBJECT_NONE || a.dim[0] != x->nclass ||
	    a.dim[1] != x->nspatial || a.dim[2] != 2)
		return malformed(x, "class_bboxes");
	x->coords = medh5_named(k, group, "fg_coords");
	return is_group(k, x->coords) ? 0 : malformed(x, "fg_coords");
}

static int check_layout(const struct catalog *k, uint32_t root, uint32_t group,
			uint32_t annotation, struct carried_index *x)
{
	const struct medh5 in = {.k = k, .root = root};
	int64_t most = MAX_COORDS;
	struct medh5_grid g;
	struct bytes name;
	int err;

	if (!catalog_text(k, annotation, "grid", &name) ||
	    !medh5_grid_find(&in, name, &g))
		return say(x, CARRIED_MALFORMED, "its annotation has no grid");
	x->nspatial = g.nspatial;
	for (unsigned i = 0; i < g.nspatial; i++)
		x->shape[i] = g.shape[g.rank - g.nspatial + i];
	err = medh5_int(k, group, "max_coords", &most);
	if (err == -EINVAL || most < 1)
		return say(x, CARRIED_MALFORMED,
			   "its max_coords is not a number above 0");
	x->max_coords = (uint64_t)most;
	return check_tables(k, group, x);
}

/* -------------------------------------------------------------- an index */

static int judge(const struct catalog *k, uint32_t root, uint32_t annotation,
		 struct bytes name, carried_digest_fn *compute, void *arg,
		 struct carried_index *out)
{
	struct carried_index x = {.state = CARRIED_ABSENT, .name = name};
	uint32_t indices = medh5_named(k, root, "index"), group;
	int err = 0;

	group = name.n && is_group(k, indices) ? medh5_member(k, indices, name)
					       : OBJECT_NONE;
	if (group != OBJECT_NONE && !is_group(k, group)) {
		err = say(&x, CARRIED_MALFORMED, "it is no group");
	} else if (group != OBJECT_NONE) {
		x.state = CARRIED_FRESH;
		err = check_digest(k, group, annotation, compute, arg, &x);
		if (!err && x.state != CARRIED_STALE)
			err = check_layout(k, root, group, annotation, &x);
	}
	if (!err)
		*out = x;
	return err;
}

uint32_t catalog_carried_coords(const struct catalog *k,
				const struct carried_index *x, uint32_t id,
				uint64_t rows)
{
	char name[16];
	int n = snprintf(name, sizeof(name), "%" PRIu32, id);
	struct array_info a;
	uint32_t o =
		array_named(k, x->coords, (struct bytes){name, (size_t)n}, &a);

	return o != OBJECT_NONE && is_of(&a, 'i', 4, 2) && a.dim[0] == rows &&
			       a.dim[1] == x->nspatial
		       ? o
		       : OBJECT_NONE;
}

int catalog_carried(const struct catalog *k, uint32_t sample,
		    uint32_t annotation, carried_digest_fn *compute, void *arg,
		    struct carried_index *out)
{
	struct bytes name = {NULL, 0};
	struct sample_info s;
	uint32_t all;

	catalog_sample(k, sample, &s);
	all = medh5_named(k, s.root, "annotations");
	if (is_group(k, all))
		name = name_of(k, all, annotation);
	return judge(k, s.root, annotation, name, compute, arg, out);
}

void catalog_carried_line(enum medh5_kind kind, enum carried_state state,
			  const char *why, char line[CARRIED_LINE])
{
	snprintf(line, CARRIED_LINE,
		 "W905: its sampling index is %s and not used: %s; %srun "
		 "`medh5 index build` on %s",
		 state == CARRIED_MALFORMED ? "malformed" : "stale", why,
		 kind == MEDH5_COLLECTION ? "unpack the collection and " : "",
		 kind == MEDH5_COLLECTION ? "the sample" : "the file");
}

/* --------------------------------------------------------------- the pass */

/* Of an annotation, beyond what has its derived arrays. */
#define LOOKED_AT 2

int medh5_indices(struct medh5 *x, enum medh5_kind kind)
{
	uint32_t all = medh5_named(x->k, x->root, "annotations");
	uint32_t indices = medh5_named(x->k, x->root, "index");
	int err = 0;

	if (!is_group(x->k, indices))
		return 0;
	for (uint32_t i = 0; i < catalog_members(x->k, indices) && !err; i++) {
		struct carried_index c = {.why = "there is no annotation of "
						 "that name"};
		char line[CARRIED_LINE];
		struct member m;
		uint32_t a;

		catalog_member(x->k, indices, i, &m);
		if (m.kind != CAT_HARD || x->hidden[m.target])
			continue;
		a = is_group(x->k, all) ? medh5_member(x->k, all, m.name)
					: OBJECT_NONE;
		if (a == OBJECT_NONE) {
			c.state = CARRIED_STALE;
			a = m.target;
		} else if (is_group(x->k, a) && x->done[a] != LOOKED_AT) {
			/* Once, however many names it has. */
			x->done[a] = LOOKED_AT;
			err = judge(x->k, x->root, a, m.name, NULL, NULL, &c);
		}
		if (err ||
		    (c.state != CARRIED_STALE && c.state != CARRIED_MALFORMED))
			continue;
		catalog_carried_line(kind, c.state, c.why, line);
		err = medh5_say(x, a, "%s", line);
	}
	return err == -ENOMEM ? catalog_builder_no_memory(x->b) : err;
}
