/* SPDX-License-Identifier: MIT */

/*
 * Writing the block of an index, class by class and run by run. Whatever the
 * voxels came from, equal sets of voxels become equal bytes. One thread.
 */

#include <config.h>

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "index/index_impl.h"
#include "util/checked.h"
#include "util/cleanup.h"

#define FIRST_ROOM 4096

int writer_init(struct label_writer *w, const struct shape *s, uint64_t classes,
		size_t max)
{
	struct label_index head = {
		.magic = LABEL_MAGIC,
		.version = LABEL_VERSION,
	};
	uint64_t elements, size;
	int err;

	memset(w, 0, sizeof(*w));
	err = shape_count(s, &elements);
	if (err)
		return err;
	w->shape = *s;
	w->width = label_width(elements);
	w->max = max;
	if (classes > UINT32_MAX ||
	    !checked_mul(classes, sizeof(struct label_record), &size) ||
	    !checked_add(size, sizeof(head), &size) || size > max)
		return -EFBIG;
	w->room = (uint32_t)classes;
	w->size = size;
	w->capacity = size + FIRST_ROOM;
	w->data = malloc(w->capacity);
	if (!w->data)
		return -ENOMEM;
	/* Padding of the shape too. */
	memset(&head.shape, 0, sizeof(head.shape));
	head.width = w->width;
	head.shape.ndim = s->ndim;
	for (unsigned k = 0; k < s->ndim; k++)
		head.shape.dim[k] = s->dim[k];
	memcpy(w->data, &head, sizeof(head));
	return 0;
}

void writer_fini(struct label_writer *w)
{
	free(w->data);
	w->data = NULL;
}

void writer_class(struct label_writer *w, int64_t id)
{
	w->now = (struct label_record){.id = id, .offset = w->size};
	for (unsigned k = 0; k < w->shape.ndim; k++)
		w->now.start[k] = UINT64_MAX;
	w->first = w->stop = 0;
	w->row = w->row_end = 0;
}

/* Room for n more bytes. */
static int reserve(struct label_writer *w, size_t n)
{
	size_t capacity = w->capacity;
	void *data;

	if (w->max - w->size < n)
		return -EFBIG;
	if (capacity - w->size >= n)
		return 0;
	capacity += capacity / 2;
	capacity = capacity < w->size + n ? w->size + n : capacity;
	data = realloc(w->data, capacity);
	if (!data)
		return -ENOMEM;
	w->data = data;
	w->capacity = capacity;
	return 0;
}

/* The run into the box of its class. */
static void add_to_box(struct label_writer *w)
{
	const unsigned last = w->shape.ndim - 1;
	struct label_record *r = &w->now;

	if (w->shape.ndim == 0)
		return;
	if (w->first >= w->row && w->stop <= w->row_end) {
		/* In the row of the run before, as in noise: no division. */
		if (w->stop - w->row > r->stop[last])
			r->stop[last] = w->stop - w->row;
		if (w->first - w->row < r->start[last])
			r->start[last] = w->first - w->row;
		return;
	}
	box_add(&w->shape, w->first, w->stop, r->start, r->stop);
	w->row = (w->stop - 1) - (w->stop - 1) % w->shape.dim[last];
	w->row_end = w->row + w->shape.dim[last];
}

static int put_run(struct label_writer *w)
{
	const uint32_t narrow[2] = {(uint32_t)w->first, (uint32_t)w->now.count};
	const uint64_t wide[2] = {w->first, w->now.count};
	const size_t n = (size_t)2 * w->width;
	int err = reserve(w, n);

	if (err)
		return err;
	memcpy(w->data + w->size,
	       w->width == 4 ? (const void *)narrow : (const void *)wide, n);
	w->size += n;
	w->now.runs++;
	w->now.count += w->stop - w->first;
	add_to_box(w);
	return 0;
}

int writer_span(struct label_writer *w, uint64_t first, uint64_t stop)
{
	int err = 0;

	if (first <= w->stop && w->stop > w->first) {
		w->stop = stop > w->stop ? stop : w->stop;
		return 0;
	}
	if (w->stop > w->first)
		err = put_run(w);
	w->first = first;
	w->stop = stop;
	return err;
}

int writer_class_end(struct label_writer *w)
{
	int err;

	if (w->stop == w->first)
		return 0;
	assert(w->nclass < w->room);
	err = put_run(w);
	if (err)
		return err;
	memcpy(w->data + sizeof(struct label_index) +
		       w->nclass * sizeof(struct label_record),
	       &w->now, sizeof(w->now));
	w->nclass++;
	return 0;
}

/* What was kept free for classes that turned out to have no voxels. */
static void close_gap(struct label_writer *w)
{
	const size_t unused =
		(size_t)(w->room - w->nclass) * sizeof(struct label_record);
	unsigned char *records = w->data + sizeof(struct label_index);
	const size_t head = sizeof(struct label_index) +
			    (size_t)w->nclass * sizeof(struct label_record);

	if (!unused)
		return;
	memmove(w->data + head, w->data + head + unused,
		w->size - head - unused);
	w->size -= unused;
	for (uint32_t i = 0; i < w->nclass; i++) {
		struct label_record r;

		memcpy(&r, records + i * sizeof(r), sizeof(r));
		r.offset -= unused;
		memcpy(records + i * sizeof(r), &r, sizeof(r));
	}
}

void writer_finish(struct label_writer *w, void **out, size_t *size)
{
	struct label_index head;
	void *less;

	close_gap(w);
	memcpy(&head, w->data, sizeof(head));
	head.size = w->size;
	head.nclass = w->nclass;
	memcpy(w->data, &head, sizeof(head));
	less = realloc(w->data, w->size);
	*size = w->size;
	*out = less ? less : w->data;
	w->data = NULL;
}
