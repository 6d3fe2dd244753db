/* SPDX-License-Identifier: MIT */

#include <config.h>

#include "fake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/encode.h"
#include "util/hash.h"

#define FILE_HEAD 512 /* bytes before the first chunk */

/* The value at coordinates, as the array's element would be computed. */
static uint64_t value_at(const struct fake *f, const uint64_t *at)
{
	uint64_t h = 7;

	for (unsigned k = 0; k < f->shape.ndim; k++)
		h = hash_mix(h, at[k]);
	if (f->layers && at[0] / 4 % 2)
		return at[0] / 4 % 4 == 1 ? 0 : UINT64_C(0x0302010003020001);
	/* Sometimes smooth, so that codecs have something to do. */
	if (f->shape.ndim && f->nfilter)
		return h & UINT64_C(0x0303030303030303);
	return f->kind == 'b' ? h & 1 : h;
}

static void put(uint8_t *out, uint64_t v, unsigned size, bool big)
{
	for (unsigned i = 0; i < size; i++)
		out[big ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

/* Of the chunk at a place of the grid. */
static uint64_t slot_at(const struct fake *f, const uint64_t *where)
{
	uint64_t slot = 0;

	for (unsigned k = 0; k < f->shape.ndim; k++)
		slot = slot * 1000 + where[k];
	return slot;
}

static uint64_t slot_of(const struct fake *f, const uint64_t *at)
{
	uint64_t slot = 0;

	for (unsigned k = 0; k < f->shape.ndim; k++) {
		uint64_t n = (f->shape.dim[k] + f->chunk.dim[k] - 1) /
			     f->chunk.dim[k];

		slot = slot * n + at[k] / f->chunk.dim[k];
	}
	return slot;
}

void fake_voxel(const struct fake *f, const uint64_t *at, uint8_t *out)
{
	bool hole = f->layout == CAT_NO_STORAGE;

	if (f->layout == CAT_CHUNKED)
		hole = f->chunk_at[slot_of(f, at)].hole;
	if (!hole) {
		put(out, value_at(f, at), f->item_size, false);
		return;
	}
	memset(out, 0, f->item_size);
	if (f->has_fill && !f->fill_undefined)
		for (unsigned i = 0; i < f->item_size; i++)
			out[i] = f->fill[f->order == '>' ? f->item_size - 1 - i
							 : i];
}

/* Append to the file; where it begins. */
static uint64_t append(struct fake *f, const uint8_t *p, size_t n)
{
	uint64_t off = f->nfile;

	if (f->nfile + n > f->room) {
		f->room = 2 * (f->nfile + n);
		f->file = realloc(f->file, f->room);
		if (!f->file)
			abort();
	}
	memcpy(f->file + off, p, n);
	f->nfile += n;
	return off;
}

/* Element size, level, or block size. */
static uint32_t param_of(const struct fake *f, unsigned step)
{
	return f->filter[step] == 2	  ? f->item_size
	       : f->filter[step] == 32004 ? 100
					  : 1;
}

static void advance(unsigned ndim, const uint64_t *dim, uint64_t *at)
{
	for (unsigned k = ndim; k-- > 0;) {
		if (++at[k] < dim[k])
			return;
		at[k] = 0;
	}
}

static void store_chunk(struct fake *f, const uint64_t *where,
			struct fake_chunk *c)
{
	uint64_t at[NDIM_MAX] = {0}, voxel[NDIM_MAX];
	bool partial = false;
	uint64_t count;
	uint8_t *data;
	size_t n;

	if (shape_count(&f->chunk, &count) < 0)
		abort();
	n = count * f->item_size;
	data = encode_room(n);
	for (uint64_t i = 0; i < count; i++) {
		bool inside = true;

		for (unsigned k = 0; k < f->shape.ndim; k++) {
			voxel[k] = where[k] * f->chunk.dim[k] + at[k];
			inside = inside && voxel[k] < f->shape.dim[k];
		}
		partial = partial || !inside;
		/* What lies beyond the array is never to be seen. */
		put(data + i * f->item_size, inside ? value_at(f, voxel) : 0xee,
		    f->item_size, f->order == '>');
		if (!inside && f->fill_outside)
			memcpy(data + i * f->item_size, f->fill, f->item_size);
		advance(f->chunk.ndim, f->chunk.dim, at);
	}
	for (unsigned i = 0; i < f->nfilter; i++) {
		uint8_t *out;

		if (c->mask >> i & 1 || (partial && f->edge_unfiltered))
			continue;
		out = f->filter[i] == TOY_FILTER
			      ? toy_encode(&f->toy, &f->chunk, f->item_size,
					   slot_at(f, where), data, n, &n)
			      : encode_step(f->filter[i], param_of(f, i), data,
					    n, &n);
		free(data);
		data = out;
	}
	c->off = append(f, data, n);
	c->n = n;
	free(data);
}

static void store_chunks(struct fake *f, uint64_t (*next)(void *), void *arg)
{
	struct shape grid = {.ndim = f->shape.ndim};
	uint64_t at[NDIM_MAX] = {0};

	for (unsigned k = 0; k < grid.ndim; k++)
		grid.dim[k] = (f->shape.dim[k] + f->chunk.dim[k] - 1) /
			      f->chunk.dim[k];
	if (shape_count(&grid, &f->nchunk) < 0)
		abort();
	f->chunk_at = calloc(f->nchunk + 1, sizeof(*f->chunk_at));
	if (!f->chunk_at)
		abort();
	for (uint64_t i = 0; i < f->nchunk; i++) {
		struct fake_chunk *c = &f->chunk_at[i];

		c->hole = next && next(arg) % 100 < f->holes;
		if (next && next(arg) % 100 < f->masks)
			c->mask = (uint32_t)next(arg);
		if (!c->hole)
			store_chunk(f, at, c);
		advance(grid.ndim, grid.dim, at);
	}
}

void fake_store(struct fake *f, uint64_t (*next)(void *), void *arg)
{
	struct array_info *a = &f->info;
	uint64_t count, at[NDIM_MAX] = {0};
	uint8_t head[FILE_HEAD];
	uint8_t item[8];

	memset(head, 0xdd, sizeof(head));
	append(f, head, sizeof(head));
	*a = (struct array_info){
		.addr = 96,
		.rank = f->shape.ndim,
		.dim = f->shape.dim,
		.layout = f->layout,
		.edge_unfiltered = f->edge_unfiltered,
		.fill_undefined = f->fill_undefined,
		.kind = f->kind,
		.order = f->order,
		.item_size = f->item_size,
		.nfilter = f->nfilter,
	};
	if (f->has_fill)
		a->fill = (struct bytes){(const char *)f->fill, f->item_size};
	f->chunk.ndim = f->shape.ndim;
	f->chain.n = f->nfilter;
	for (unsigned i = 0; i < f->nfilter; i++) {
		f->param[i] = param_of(f, i);
		f->chain.step[i] = (struct codec_step){
			.ops = f->filter[i] == TOY_FILTER
				       ? &codec_toy
				       : codec_by_h5_filter(f->filter[i]),
			.h5_filter = f->filter[i],
			.nparam = 1,
			.param = &f->param[i],
		};
	}
	if (f->layout == CAT_CHUNKED) {
		a->chunk = f->chunk.dim;
		store_chunks(f, next, arg);
		return;
	}
	if (f->layout == CAT_NO_STORAGE || shape_count(&f->shape, &count) < 0)
		return;
	a->data_addr = f->nfile;
	a->data_size = count * f->item_size;
	for (uint64_t i = 0; i < count; i++) {
		put(item, value_at(f, at), f->item_size, f->order == '>');
		append(f, item, f->item_size);
		advance(f->shape.ndim, f->shape.dim, at);
	}
	if (f->layout == CAT_COMPACT)
		a->compact = (struct bytes){(char *)f->file + a->data_addr,
					    a->data_size};
}

void fake_fini(struct fake *f)
{
	free(f->file);
	free(f->chunk_at);
}

/* -------------------------------------------- in place of the container */

/* A page of the index: it only remembers which one it is. */
struct chunk_index {
	const struct fake *fake;
	uint64_t page;
};

static const struct fake *fake_of(const struct catalog *k)
{
	return (const struct fake *)k;
}

void catalog_array(const struct catalog *k, uint32_t object,
		   struct array_info *out)
{
	(void)object;
	*out = fake_of(k)->info;
}

void catalog_chain(const struct catalog *k, const struct array_info *a,
		   struct codec_chain *out)
{
	(void)a;
	*out = fake_of(k)->chain;
}

bool catalog_text(const struct catalog *k, uint32_t object, const char *name,
		  struct bytes *out)
{
	const char *digest = fake_of(k)->digest;

	(void)object;
	if (!digest || strcmp(name, "digest") != 0)
		return false;
	*out = (struct bytes){digest, strlen(digest)};
	return true;
}

unsigned catalog_path(const struct catalog *k, uint32_t object,
		      struct path_step *step, unsigned max)
{
	(void)k;
	(void)object;
	if (max > 0)
		*step = (struct path_step){0, 0};
	return 1;
}

void catalog_member(const struct catalog *k, uint32_t group, uint32_t i,
		    struct member *out)
{
	(void)k;
	(void)group;
	(void)i;
	*out = (struct member){.name = {"x", 1}};
}

uint64_t container_device(const struct container *c)
{
	(void)c;
	return 11;
}

int container_index(struct container *c, const struct array_info *a,
		    uint64_t page, size_t max, void **out, size_t *size,
		    char **why)
{
	struct fake *f = (struct fake *)c;
	struct chunk_index *x;

	(void)a;
	(void)max;
	f->indexes++;
	if (f->index_error) {
		*why = strdup("the index is damaged");
		return f->index_error;
	}
	*why = f->index_note ? strdup(f->index_note) : NULL;
	x = malloc(sizeof(*x));
	if (!x)
		return -ENOMEM;
	*x = (struct chunk_index){.fake = f, .page = page};
	*out = x;
	*size = sizeof(*x);
	return 0;
}

int chunk_index_locate(const struct chunk_index *x, uint64_t slot,
		       struct stored *out)
{
	const struct fake *f = x->fake;
	const struct fake_chunk *c = &f->chunk_at[slot];

	if (slot >= f->nchunk || slot / INDEX_PAGE != x->page)
		abort();
	if (c->broken)
		return -EBADMSG;
	*out = (struct stored){0};
	if (!c->hole)
		*out = (struct stored){c->off, c->n, c->mask};
	return 0;
}

void chunk_index_counts(const struct chunk_index *x, struct chunk_counts *out)
{
	const struct fake *f = x->fake;

	*out = (struct chunk_counts){0};
	for (uint64_t i = x->page * INDEX_PAGE;
	     i < f->nchunk && i / INDEX_PAGE == x->page; i++) {
		const struct fake_chunk *c = &f->chunk_at[i];

		out->broken += c->broken;
		out->missing += c->hole && !c->broken;
		out->stored += !c->hole && !c->broken;
		out->masked += c->mask != 0;
	}
}

int container_read(struct container *c, uint64_t off, size_t n, void *buf)
{
	struct fake *f = (struct fake *)c;

	f->reads++;
	f->bytes_read += n;
	if (f->read_error)
		return f->read_error;
	if (off > f->nfile || n > f->nfile - off)
		return -EIO;
	memcpy(buf, f->file + off, n);
	return 0;
}
