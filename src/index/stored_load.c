/* SPDX-License-Identifier: MIT */

/*
 * Making the table of a sampling index that a medh5 file carries. All numbers
 * are looked at before any is used: were the coordinates of a class looked at
 * when it is drawn, what a draw gives would depend on those before it.
 */

#include <config.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/carried.h"
#include "index/stored_impl.h"
#include "util/cleanup.h"

static enum stored_state state_of(enum carried_state s)
{
	switch (s) {
	case CARRIED_ABSENT:
		return STORED_ABSENT;
	case CARRIED_FRESH:
		return STORED_FRESH;
	case CARRIED_MALFORMED:
		return STORED_MALFORMED;
	case CARRIED_STALE:
	case CARRIED_UNKNOWN:
	default:
		return STORED_STALE;
	}
}

/* All of an array. *out is malloc'ed. */
static int read_whole(const struct carried_ask *ask, uint32_t object,
		      struct wait *w, void **out)
{
	CLEANUP(cleanup_freep) void *data = NULL;
	struct stored_array s;
	struct view v = {.array = &s.base};
	int err = carried_array(ask, object, &s);

	if (err)
		return err;
	memcpy(v.extent, s.base.shape.dim, sizeof(v.extent));
	data = malloc(s.bytes + 1);
	if (!data)
		return -ENOMEM;
	err = array_read(&v, 0, (size_t)s.bytes, data, w);
	if (!err)
		*out = take_ptr(data);
	return err;
}

/* The tables as they are stored. */
struct tables {
	uint16_t *id;
	int64_t *count;
	float *box;
};

static void tables_fini(struct tables *t)
{
	free(t->id);
	free(t->count);
	free(t->box);
}

static int read_tables(const struct carried_ask *ask,
		       const struct carried_index *c, struct wait *w,
		       struct tables *t)
{
	void *p;
	int err = read_whole(ask, c->class_ids, w, &p);

	if (err)
		return err;
	t->id = p;
	err = read_whole(ask, c->voxel_counts, w, &p);
	if (err)
		return err;
	t->count = p;
	err = read_whole(ask, c->class_bboxes, w, &p);
	if (!err)
		t->box = p;
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct stored_record *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* What the tables say, ids ascending. 0 or -EBADMSG. */
static int fill_records(const struct carried_index *c, const struct tables *t,
			struct stored_index *x)
{
	struct stored_record *r = stored_records(x);

	for (uint32_t i = 0; i < c->nclass; i++) {
		int err = stored_entry_check(
			&x->shape, c->max_coords, t->id[i], t->count[i],
			t->box + (size_t)i * 2 * c->nspatial, &r[i]);

		if (err)
			return err;
	}
	qsort(r, c->nclass, sizeof(*r), compare);
	for (uint32_t i = 1; i < c->nclass; i++)
		if (r[i].id == r[i - 1].id)
			return -EBADMSG;
	return 0;
}

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Find the coordinates of each class. Of two classes with the same array one is
 * wrong, and thousands with a large one would take for ever to read. Where they
 * are not as they have to be: an error, and why.
 */
static int find_rows(const struct carried_ask *ask,
		     const struct carried_index *c, struct stored_record *r,
		     char why[CARRIED_WHY])
{
	CLEANUP(cleanup_freep)
	uint64_t *address = malloc(((size_t)c->nclass + 1) * sizeof(*address));
	uint32_t n = 0;

	if (!address)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->nclass; i++) {
		struct stored_array s;
		int err = carried_coords(ask, c, r[i].id, r[i].rows, &s);

		if (err) {
			snprintf(why, CARRIED_WHY,
				 "fg_coords/%u is missing, or not of the type "
				 "and shape it has to be",
				 r[i].id);
			return err;
		}
		r[i].object = s.object;
		r[i].address = s.info.addr;
		if (r[i].rows)
			address[n++] = s.info.addr;
	}
	qsort(address, n, sizeof(*address), compare_addresses);
	for (uint32_t i = 1; i < n; i++) {
		if (address[i] != address[i - 1])
			continue;
		strcpy(why, "two classes have the same fg_coords");
		return -EBADMSG;
	}
	return 0;
}

/* A class of as many coordinates as builders choose by default. */
#define BUFFER ((size_t)48 << 10)

/* Every coordinate of a class. -EBADMSG: they contradict the table. */
static int check_class(const struct carried_ask *ask, const struct shape *shape,
		       const struct stored_record *r, struct wait *w,
		       int32_t *buffer)
{
	const size_t row = shape->ndim * sizeof(int32_t), most = BUFFER / row;
	struct stored_array s;
	struct view v = {.array = &s.base};
	struct stored_rows k;
	int err = carried_array(ask, r->object, &s);

	if (err)
		return err;
	memcpy(v.extent, s.base.shape.dim, sizeof(v.extent));
	stored_rows_begin(&k, shape, r);
	for (uint64_t done = 0; done < r->rows && !err;) {
		size_t n =
			r->rows - done < most ? (size_t)(r->rows - done) : most;

		err = array_read(&v, done * row, n * row, buffer, w);
		if (!err)
			err = stored_rows_check(&k, buffer, n);
		done += n;
	}
	return err ? err : stored_rows_end(&k);
}

static int check_rows(const struct carried_ask *ask,
		      const struct carried_index *c, struct wait *w,
		      struct stored_index *x, char why[CARRIED_WHY])
{
	CLEANUP(cleanup_freep) int32_t *buffer = malloc(BUFFER);
	struct stored_record *r = stored_records(x);
	int err = buffer ? find_rows(ask, c, r, why) : -ENOMEM;

	for (uint32_t i = 0; i < c->nclass && !err; i++) {
		err = check_class(ask, &x->shape, &r[i], w, buffer);
		if (err)
			snprintf(why, CARRIED_WHY,
				 "fg_coords/%u contradicts voxel_counts, "
				 "class_bboxes or the order of coordinates, "
				 "or cannot be read",
				 r[i].id);
	}
	return err;
}

/* *is_wrong: it is malformed, why says in what. */
static int read_all(const struct carried_ask *ask,
		    const struct carried_index *c, struct wait *w,
		    struct stored_index *x, bool *is_wrong,
		    char why[CARRIED_WHY])
{
	CLEANUP(tables_fini) struct tables t = {0};
	int err;

	strcpy(why, "its tables contradict each other or the shape of the "
		    "annotation, or cannot be read");
	x->shape.ndim = c->nspatial;
	memcpy(x->shape.dim, c->shape, c->nspatial * sizeof(*c->shape));
	x->nclass = c->nclass;
	err = read_tables(ask, c, w, &t);
	if (!err)
		err = fill_records(c, &t, x);
	if (!err)
		err = check_rows(ask, c, w, x, why);
	*is_wrong = carried_is_broken(err) || err == -ENOENT;
	return *is_wrong ? 0 : err;
}

int stored_load(const struct carried_ask *ask, struct wait *w, void **data,
		size_t *size)
{
	struct carried_index c;
	struct stored_index *x;
	char why[CARRIED_WHY];
	bool is_wrong;
	int err = carried_read(ask, &c);

	if (err)
		return err;
	if (c.state != CARRIED_FRESH)
		c.nclass = 0;
	*size = sizeof(*x) + c.nclass * sizeof(struct stored_record);
	x = calloc(1, *size);
	if (!x)
		return -ENOMEM;
	*data = x;
	if (c.state == CARRIED_FRESH) {
		err = read_all(ask, &c, w, x, &is_wrong, why);
		if (err)
			return err;
		if (is_wrong) {
			c.state = CARRIED_MALFORMED;
			strcpy(c.why, why);
			carried_tell(ask, c.state, why);
			x->nclass = 0;
		}
	}
	x->state = state_of(c.state);
	_Static_assert(sizeof(x->why) >= sizeof(c.why), "it fits");
	strcpy(x->why, c.why);
	return 0;
}
