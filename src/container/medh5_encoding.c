/* SPDX-License-Identifier: MIT */

/*
 * What an annotation of a medh5 sample declares, and whether its data agree
 * with it: shapes, tables and types are all compared here, so that whoever
 * computes values from it can rely on them. Reads nothing but tables.
 */

#include <config.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container/medh5_impl.h"
#include "util/checked.h"
#include "util/cleanup.h"

static void fail(char why[WHY_MAX], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void fail(char why[WHY_MAX], const char *fmt, ...)
{
	va_list ap;

	/* The first reason stays. */
	if (*why)
		return;
	va_start(ap, fmt);
	vsnprintf(why, WHY_MAX, fmt, ap);
	va_end(ap);
}

static int find_encoding(struct bytes kind, enum label_encoding *out)
{
	static const struct {
		const char *name;
		enum label_encoding encoding; /* 0: no voxels */
	} known[] = {
		{"labelmap", LABELS_MAP},
		{"layers", LABELS_LAYERS},
		{"bitmask", LABELS_BITMASK},
		{"probmap", LABELS_PROBMAP},
		{"instances", LABELS_INSTANCES},
		{"mask", LABELS_MASK},
		{"boxes", 0},
		{"obb", 0},
		{"keypoints", 0},
		{"points", 0},
		{"contours", 0},
		{"polylines", 0},
		{"mesh", 0},
		{"classification", 0},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (medh5_text_is(kind, known[i].name)) {
			*out = known[i].encoding;
			return *out ? 0 : -ENOENT;
		}
	return -ESRCH;
}

/*
 * Of each id its position in class_ids and 1; 0: not declared. Caller frees;
 * NULL: no memory. Most of it is never touched, and so no memory.
 */
static uint32_t *positions(const struct medh5_annotation *a)
{
	uint32_t *at = calloc(65536, sizeof(*at));

	for (unsigned i = 0; at && i < a->nclass; i++)
		at[a->class[i].id] = i + 1;
	return at;
}

static int read_classes(struct medh5_annotation *a, const struct catalog *k)
{
	CLEANUP(cleanup_freep) uint8_t *seen = NULL;
	struct attr ids;
	int64_t v;

	if (a->encoding == LABELS_MASK)
		return 0;
	if (!catalog_attr_find(k, a->object, "class_ids", &ids) ||
	    ids.class != CAT_NUMBERS || ids.rank != 1 ||
	    ids.count > MEDH5_ID_MAX) {
		/* A list of none may be stored as no elements at all. */
		if (!catalog_attr_find(k, a->object, "class_ids", &ids) ||
		    ids.class != CAT_EMPTY)
			fail(a->broken, "its class_ids cannot be read");
		return 0;
	}
	a->class = calloc(ids.count + 1, sizeof(*a->class));
	seen = calloc(65536, 1);
	if (!a->class || !seen)
		return -ENOMEM;
	for (uint64_t i = 0; i < ids.count; i++) {
		if (!medh5_nth_int(&ids, i, &v) || v < 1 || v > MEDH5_ID_MAX) {
			fail(a->broken, "a class id is not in 1 to 65534");
			continue;
		}
		if (seen[v]) {
			fail(a->broken, "class %d is declared twice", (int)v);
			continue;
		}
		seen[v] = 1;
		a->class[a->nclass++].id = (uint16_t)v;
	}
	if (seen[a->info.ignore_id])
		fail(a->broken, "its ignore_id %u is a class",
		     a->info.ignore_id);
	return 0;
}

static void read_ignore(struct medh5_annotation *a, const struct medh5 *x)
{
	struct bytes mask;
	struct attr attr;
	int64_t v;
	int err = medh5_int(x->k, a->object, "ignore_id", &v);

	a->info.ignore_id = 65535;
	if (!err && v >= 1 && v <= 65535)
		a->info.ignore_id = (uint16_t)v;
	else if (err != -ENOENT)
		fail(a->broken, "its ignore_id is not in 1 to 65535");
	if (!catalog_attr_find(x->k, a->object, "ignore_mask", &attr) ||
	    attr.class == CAT_EMPTY)
		return;
	a->can_ignore = true;
	if (a->has_grid && catalog_text(x->k, a->object, "ignore_mask", &mask))
		a->info.ignore_mask = medh5_mask(x, mask, &a->grid);
	if (a->info.ignore_mask == OBJECT_NONE)
		fail(a->ignore_broken,
		     "its ignore_mask is no mask on the same grid");
}

/* An array of the annotation; OBJECT_NONE. */
static uint32_t part(const struct medh5_annotation *a, const struct catalog *k,
		     const char *name, struct array_info *out)
{
	uint32_t object = medh5_named(k, a->object, name);

	if (object == OBJECT_NONE || catalog_kind(k, object) != OBJECT_ARRAY)
		return OBJECT_NONE;
	catalog_array(k, object, out);
	return object;
}

/* Whether the data are of these planes (0: none) over the spatial grid. */
static bool has_shape(const struct medh5_annotation *a,
		      const struct array_info *data, uint64_t planes)
{
	unsigned n = a->grid.nspatial, lead = planes ? 1 : 0;

	if (data->is_null || data->rank != n + lead ||
	    (lead && data->dim[0] != planes))
		return false;
	return !memcmp(data->dim + lead, a->grid.shape + a->grid.rank - n,
		       n * sizeof(*data->dim));
}

static void check_ids_type(struct medh5_annotation *a,
			   const struct array_info *data)
{
	if (data->kind != 'u' || data->item_size > 2) {
		fail(a->broken, "its data are not uint8 or uint16");
		return;
	}
	a->info.ignore_in_band =
		data->item_size == 2 || a->info.ignore_id <= 255;
	a->can_ignore |= a->info.ignore_in_band;
}

/*
 * A table that maps each class to one place: rows of the given length, 0
 * where is nothing; a class is in the plane of its row, or of its element.
 */
static int place_classes(struct medh5_annotation *a, const struct attr *t,
			 const char *name, uint64_t rows)
{
	CLEANUP(cleanup_freep) uint32_t *at = positions(a);
	CLEANUP(cleanup_freep) uint8_t *seen = calloc(a->nclass + 1u, 1);
	unsigned rank = t->rank;
	uint32_t placed = 0;

	if (!at || !seen)
		return -ENOMEM;
	if (t->dim[0] != rows) {
		fail(a->broken, "its %s does not have %llu rows", name,
		     (unsigned long long)rows);
		return 0;
	}
	for (uint64_t i = 0; i < t->count; i++) {
		uint64_t row = rank == 2 ? i / t->dim[1] : i;
		uint32_t c;
		int64_t v;

		if (!medh5_nth_int(t, i, &v) || v < 0 || v > MEDH5_ID_MAX ||
		    (v && !at[v]) || (!v && rank == 1)) {
			fail(a->broken, "its %s has ids that are no classes",
			     name);
			return 0;
		}
		if (!v)
			continue;
		c = at[v] - 1;
		if (seen[c]) {
			fail(a->broken, "its %s has class %d twice", name,
			     (int)v);
			return 0;
		}
		seen[c] = 1;
		placed++;
		a->class[c].plane = (uint32_t)row;
	}
	if (placed != a->nclass)
		fail(a->broken, "its %s does not have all classes", name);
	return 0;
}

static int read_table(struct medh5_annotation *a, struct medh5 *x,
		      const char *name, unsigned rank, uint64_t rows)
{
	CLEANUP(medh5_table_fini) struct medh5_table t = {.own = NULL};
	struct array_info info;
	uint32_t object = part(a, x->k, name, &info);
	int err = -ENOENT;

	if (object != OBJECT_NONE)
		err = medh5_table_init(&t, x, object);
	if (!err && t.value.rank == rank)
		return place_classes(a, &t.value, name, rows);
	if (err && err != -ENOENT)
		return err;
	fail(a->broken, "its %s cannot be read%s%s", name, *t.why ? ": " : "",
	     t.why);
	return 0;
}

static int read_planes(struct medh5_annotation *a, struct medh5 *x)
{
	const struct catalog *k = x->k;
	struct array_info data;
	uint64_t planes = a->nclass;
	int64_t p;

	a->info.data = part(a, k, "data", &data);
	if (a->info.data == OBJECT_NONE) {
		fail(a->broken, "it has no data");
		return 0;
	}
	if (a->encoding == LABELS_MAP || a->encoding == LABELS_MASK)
		planes = 0;
	else if (a->encoding == LABELS_BITMASK)
		planes = a->nclass ? div_up(a->nclass, 64) : 1;
	else if (a->encoding == LABELS_LAYERS)
		planes = data.rank ? data.dim[0] : 0;
	if (a->encoding == LABELS_LAYERS
		    ? !planes || !has_shape(a, &data, planes)
	    : a->encoding == LABELS_PROBMAP && !planes
		    ? data.rank != a->grid.nspatial + 1 || data.dim[0]
		    : !has_shape(a, &data, planes)) {
		fail(a->broken, "the shape of its data is not that of its grid "
				"and classes");
		return 0;
	}
	switch (a->encoding) {
	case LABELS_MAP:
		check_ids_type(a, &data);
		return 0;
	case LABELS_LAYERS:
		check_ids_type(a, &data);
		return read_table(a, x, "layer_class_ids", 2, planes);
	case LABELS_BITMASK:
		if (data.kind != 'u' || data.item_size != 8)
			fail(a->broken, "its data are not uint64");
		return read_table(a, x, "bit_class_ids", 1, a->nclass);
	case LABELS_PROBMAP:
		if (data.kind != 'f' || data.item_size > 4)
			fail(a->broken, "its data are not float16 or float32");
		for (unsigned i = 0; i < a->nclass; i++)
			a->class[i].plane = i;
		a->info.threshold = 0.5;
		if (medh5_real(k, a->object, "threshold", &a->info.threshold) ==
		    -EINVAL)
			fail(a->broken, "its threshold is no number");
		return 0;
	case LABELS_MASK:
		p = data.kind == 'b' || data.kind == 'u' || data.kind == 'i';
		if (!p || data.item_size != 1)
			fail(a->broken, "its data are not boolean");
		return 0;
	case LABELS_INSTANCES:
		break;
	}
	return 0;
}

/* A column of an instances annotation: its type and its length. */
static uint32_t column(struct medh5_annotation *a, const struct catalog *k,
		       const char *name, char kind, unsigned item_size,
		       unsigned rank, const uint64_t *dim, bool optional)
{
	struct array_info info;
	uint32_t object = part(a, k, name, &info);

	if (object == OBJECT_NONE) {
		if (!optional)
			fail(a->broken, "it has no %s", name);
		return OBJECT_NONE;
	}
	if (info.is_null || info.kind != kind || info.item_size != item_size)
		fail(a->broken, "its %s are of another type", name);
	else if (info.rank != rank ||
		 (dim && memcmp(info.dim, dim, rank * sizeof(*dim)) != 0))
		fail(a->broken, "the shape of its %s disagrees", name);
	return object;
}

static void read_instances(struct medh5_annotation *a, const struct catalog *k)
{
	uint64_t n[3] = {0, a->grid.nspatial, 2}, offsets;
	struct array_info boxes;

	a->info.boxes = part(a, k, "boxes", &boxes);
	if (a->info.boxes == OBJECT_NONE || boxes.rank != 3) {
		fail(a->broken, "it has no boxes");
		return;
	}
	n[0] = boxes.dim[0];
	a->info.boxes = column(a, k, "boxes", 'f', 4, 3, n, false);
	a->info.class_ids = column(a, k, "class_ids", 'u', 2, 1, n, false);
	a->info.data = column(a, k, "mask_data", 'u', 1, 1, NULL, true);
	if (a->info.data == OBJECT_NONE)
		return;
	if (!checked_add(n[0], 1, &offsets)) {
		fail(a->broken, "it has too many boxes");
		return;
	}
	a->info.mask_offsets =
		column(a, k, "mask_offsets", 'u', 8, 1, &offsets, false);
	a->info.mask_shapes = column(a, k, "mask_shapes", 'i', 4, 2, n, false);
}

int medh5_annotation_init(struct medh5_annotation *a, struct medh5 *x,
			  uint32_t object)
{
	struct bytes text;
	int err;

	*a = (struct medh5_annotation){
		.object = object,
		.info = {MEDH5_NO_SOURCES},
	};
	if (!catalog_text(x->k, object, "kind", &text))
		return -ESRCH;
	err = find_encoding(text, &a->encoding);
	if (err)
		return err;
	a->info.encoding = a->encoding;
	a->has_grid = catalog_text(x->k, object, "grid", &text) &&
		      medh5_grid_find(x, text, &a->grid);
	if (!a->has_grid)
		fail(a->broken, "its grid is not there or not sound");
	a->is_implicit = catalog_text(x->k, object, "closure", &text) &&
			 medh5_text_is(text, "implicit");
	read_ignore(a, x);
	err = read_classes(a, x->k);
	if (err || !a->has_grid || *a->broken)
		return err;
	if (a->encoding != LABELS_INSTANCES)
		return read_planes(a, x);
	read_instances(a, x->k);
	return 0;
}

void medh5_annotation_fini(struct medh5_annotation *a)
{
	free(a->class);
	a->class = NULL;
}
