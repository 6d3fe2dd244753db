/* SPDX-License-Identifier: MIT */

/*
 * Numbers of small arrays that say what large ones mean. Most come with the
 * catalog. One that its writer has compressed with a codec that libhdf5 does
 * not have, as medh5 does from 64 KiB on, is read and decoded here, from where
 * the scanner has found its chunks. What a file can make of that is bounded:
 * the memory of one table, and the work of all. One thread.
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container/medh5_impl.h"
#include "util/checked.h"
#include "util/cleanup.h"
#include "util/swap.h"

#define TABLE_MAX (UINT64_C(4) << 20)
/* In bytes, stored and decoded; a chunk is as much work as CHUNK_WORK. */
#define WORK_MAX (UINT64_C(256) << 20)
#define CHUNK_WORK 4096

/* A table that is put together: of rank 1 it is a row. */
struct load {
	struct medh5 *x;
	struct array_info info;
	struct codec_chain chain;
	struct chunk_index *index;
	uint64_t rows, columns, chunk_rows, chunk_columns;
	uint64_t chunk_bytes, bytes;
	uint8_t *in, *chunk, *out;
	size_t room; /* of in */
	char *why;   /* MEDH5_WHY_MAX bytes */
};

static void load_fini(struct load *l)
{
	free(l->index);
	free(l->in);
	free(l->chunk);
	free(l->out);
	medh5_memory(l->x, 0);
}

static int refuse(struct load *l, const char *why, const char *what)
{
	snprintf(l->why, MEDH5_WHY_MAX, "%s%s", why, what);
	return -ENOENT;
}

/* ---------------------------------------------------------------- index */

static int make_index(struct load *l, struct bytes chunks)
{
	struct index_builder b;
	struct scan_end end = {.allocated = -1};
	void *out = NULL;
	char *note = NULL;
	size_t size;
	int err = index_builder_init(&b, &l->info, 0, l->x->b->file_size,
				     TABLE_MAX);

	if (!err)
		err = index_builder_chunks(&b, chunks.p, chunks.n);
	if (!err) {
		/* What is not there is lost. */
		end.located = b.located;
		err = index_builder_finish(&b, &end, &out, &size, &note);
	}
	index_builder_fini(&b);
	free(note);
	l->index = out;
	return err == -ENOMEM ? err : err ? refuse(l, "", "") : 0;
}

static int measure(struct load *l)
{
	const struct array_info *a = &l->info;
	bool is_row = a->rank == 1;

	if (a->refused.n || !a->chunk || !a->kind || a->rank < 1 || a->rank > 2)
		return refuse(l, "", "");
	l->rows = is_row ? 1 : a->dim[0];
	l->columns = a->dim[a->rank - 1];
	l->chunk_rows = is_row ? 1 : a->chunk[0];
	l->chunk_columns = a->chunk[a->rank - 1];
	if (!checked_mul(l->rows, l->columns, &l->bytes) ||
	    !checked_mul(l->bytes, a->item_size, &l->bytes) ||
	    !checked_mul(l->chunk_rows, l->chunk_columns, &l->chunk_bytes) ||
	    !checked_mul(l->chunk_bytes, a->item_size, &l->chunk_bytes) ||
	    l->bytes > TABLE_MAX || l->chunk_bytes > TABLE_MAX)
		return refuse(l, "it is over 4 MiB", "");
	return 0;
}

/* --------------------------------------------------------------- chunks */

static int reserve(struct load *l, size_t n)
{
	uint8_t *p;

	medh5_memory(l->x,
		     (size_t)(l->bytes + l->chunk_bytes) + n +
			     codec_scratch(&l->chain, (size_t)l->chunk_bytes));
	if (n <= l->room)
		return 0;
	p = realloc(l->in, n);
	if (!p)
		return -ENOMEM;
	l->in = p;
	l->room = n;
	return 0;
}

static int read_chunk(struct load *l, const struct stored *at)
{
	size_t n = (size_t)at->n;
	struct codec_note note;
	int err;

	l->x->table_work += n + l->chunk_bytes + CHUNK_WORK;
	if (l->x->table_work > WORK_MAX)
		return refuse(l, "there are too many such tables", "");
	err = reserve(l, n);
	if (err)
		return err;
	err = store_read(l->x->store, at->off, n, l->in);
	/* Nothing that would be made of this is worth waiting for. */
	if (err)
		return catalog_builder_fail(l->x->b, err, source_why(err));
	err = codec_decode_note(&l->chain, at->skip, l->in, n, l->chunk,
				(size_t)l->chunk_bytes, &note);
	if (err == -ENOMEM)
		return err;
	if (err == -EOPNOTSUPP)
		return refuse(l, "it uses ",
			      note.what ? note.what
					: "a filter that is not supported");
	return err ? refuse(l, "it is damaged", "") : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Row and column of the chunk; what reaches beyond the table is left out. */
static void copy_chunk(const struct load *l, uint64_t row, uint64_t column)
{
	size_t item = l->info.item_size;
	uint64_t rows = least(l->chunk_rows, l->rows - row);
	size_t n = (size_t)least(l->chunk_columns, l->columns - column) * item;

	for (uint64_t i = 0; i < rows; i++)
		memcpy(l->out + ((row + i) * l->columns + column) * item,
		       l->chunk + i * l->chunk_columns * item, n);
}

static int read_chunks(struct load *l)
{
	uint64_t slot = 0;

	for (uint64_t r = 0; r < l->rows; r += l->chunk_rows) {
		for (uint64_t c = 0; c < l->columns; c += l->chunk_columns) {
			struct stored at;
			int err;

			if (chunk_index_locate(l->index, slot++, &at) || !at.n)
				return refuse(l, "it is damaged", "");
			err = read_chunk(l, &at);
			if (err)
				return err;
			copy_chunk(l, r, c);
		}
	}
	return 0;
}

/* -------------------------------------------------------------- the whole */

static int load(struct load *l, struct bytes chunks)
{
	int err = measure(l);

	if (!err)
		err = make_index(l, chunks);
	if (err)
		return err;
	catalog_chain(l->x->k, &l->info, &l->chain);
	l->chunk = malloc((size_t)l->chunk_bytes);
	l->out = malloc((size_t)l->bytes + 1);
	if (!l->chunk || !l->out)
		return -ENOMEM;
	err = read_chunks(l);
	/* Catalogs have numbers in little endian. */
	if (!err && l->info.order == '>')
		swap_items(l->out, l->bytes / l->info.item_size,
			   l->info.item_size);
	return err;
}

int medh5_table_init(struct medh5_table *t, struct medh5 *x, uint32_t object)
{
	CLEANUP(load_fini) struct load l = {.x = x, .why = t->why};
	struct bytes chunks;
	int err;

	*t = (struct medh5_table){.own = NULL};
	if (catalog_value(x->k, object, &t->value))
		return t->value.class == CAT_NUMBERS ? 0 : -ENOENT;
	if (!x->store || !catalog_value_places(x->k, object, &chunks))
		return -ENOENT;
	catalog_array(x->k, object, &l.info);
	err = load(&l, chunks);
	if (err)
		return err;
	memcpy(t->dim, l.info.dim, l.info.rank * sizeof(*t->dim));
	t->own = take_ptr(l.out);
	t->value = (struct attr){
		.class = CAT_NUMBERS,
		.kind = l.info.kind,
		.item_size = l.info.item_size,
		.rank = l.info.rank,
		.dim = t->dim,
		.count = l.bytes / l.info.item_size,
		.data = {(const char *)t->own, (size_t)l.bytes},
	};
	return 0;
}

void medh5_table_fini(struct medh5_table *t)
{
	free(t->own);
	t->own = NULL;
}
