/* SPDX-License-Identifier: MIT */

/*
 * Arrays as they lie in a container: which layout, which chain, which fill.
 * Numbers of the catalog were checked when it was built; what is made of them
 * here is checked again, as all sizes and offsets follow from it.
 */

#include <config.h>

#include "array/array_impl.h"

#include <errno.h>
#include <string.h>

#include "cache/cache.h"
#include "codec/codec.h"
#include "util/checked.h"
#include "util/problem.h"
#include "util/swap.h"

/* Contiguous data is cached in units of so many bytes. */
#define UNIT_BYTES (UINT64_C(1) << 20)
#define UNIT_BYTES_MIN (UINT64_C(4) << 10)
#define COUNTED_MAX (UINT64_C(1) << 28) /* chunks; takes minutes */

/* Nothing is stored: the fill value everywhere. */
static int unstored_read_box(const struct array *a, const struct region *item,
			     const struct region *box, void *out,
			     const uint64_t stride[NDIM_MAX], struct wait *w)
{
	const struct stored_array *s = (const struct stored_array *)a;
	struct copy plan;

	(void)item;
	(void)w;
	copy_plan(&plan, box->ndim, a->item_size, box->extent, stride, stride);
	copy_fill(&plan, out, s->fill, a->item_size);
	return 0;
}

static uint64_t unstored_decode_bytes(const struct array *a,
				      const struct region *box)
{
	(void)a;
	(void)box;
	return 0;
}

/* At most 64 KiB, in the catalog. */
static int compact_read_box(const struct array *a, const struct region *item,
			    const struct region *box, void *out,
			    const uint64_t stride[NDIM_MAX], struct wait *w)
{
	const struct stored_array *s = (const struct stored_array *)a;
	unsigned isz = a->item_size;
	uint64_t src_stride[NDIM_MAX], base = 0;
	struct copy_walk k = {0};
	struct copy plan;

	(void)item;
	(void)w;
	shape_strides(&a->shape, src_stride);
	for (unsigned i = 0; i < box->ndim; i++)
		base += box->start[i] * src_stride[i] * isz;
	copy_plan(&plan, box->ndim, isz, box->extent, stride, src_stride);
	copy_run(&plan, out, s->info.compact.p + base);
	while (s->swap && copy_next(&plan, &k)) {
		unsigned char *to = (unsigned char *)out + k.dst;

		for (uint64_t i = 0; i < k.n; i++, to += k.dst_step)
			swap_items(to, plan.row / isz, isz);
	}
	return 0;
}

static const struct array_ops array_chunked = {
	.name = "chunked",
	.read_box = chunked_read_box,
	.decode_bytes = chunked_decode_bytes,
};
static const struct array_ops array_contiguous = {
	.name = "contiguous",
	.read_box = contiguous_read_box,
	.decode_bytes = contiguous_decode_bytes,
};
static const struct array_ops array_compact = {
	.name = "compact",
	.read_box = compact_read_box,
	.decode_bytes = unstored_decode_bytes,
};
static const struct array_ops array_unstored = {
	.name = "unstored",
	.read_box = unstored_read_box,
	.decode_bytes = unstored_decode_bytes,
};

static int init_chunks(struct stored_array *s)
{
	uint64_t n;

	s->grid.ndim = s->chunk.ndim = s->base.shape.ndim;
	for (unsigned k = 0; k < s->chunk.ndim; k++) {
		s->chunk.dim[k] = s->info.chunk[k];
		if (s->chunk.dim[k] == 0)
			return -EOVERFLOW;
		s->grid.dim[k] = div_up(s->base.shape.dim[k], s->chunk.dim[k]);
		s->base.unit[k] = s->chunk.dim[k];
	}
	if (shape_count(&s->chunk, &n) < 0 ||
	    !checked_mul(n, s->base.item_size, &s->chunk_bytes) ||
	    s->chunk_bytes > INT64_MAX / 16)
		return -EOVERFLOW;
	shape_strides(&s->chunk, s->chunk_stride);
	shape_strides(&s->grid, s->grid_stride);
	s->base.in_blocks = codec_blocks(&s->chain, 0) != NULL;
	return 0;
}

static void init_fill(struct stored_array *s)
{
	unsigned n = s->base.item_size;

	memset(s->fill, 0, sizeof(s->fill));
	if (s->info.fill.n != n || s->info.fill_undefined)
		return;
	memcpy(s->fill, s->info.fill.p, n);
	if (s->swap)
		swap_items(s->fill, 1, n);
}

static bool is_served(const struct array_info *a)
{
	switch (a->kind) {
	case 'i':
	case 'u':
	case 'f':
	case 'b':
		break;
	default:
		return false;
	}
	return a->refused.n == 0 && !a->is_null && a->rank <= NDIM_MAX &&
	       (a->item_size == 1 || a->item_size == 2 || a->item_size == 4 ||
		a->item_size == 8);
}

/* What is stored is all that the shape needs. */
static int init_layout(struct stored_array *s)
{
	uint64_t end;

	switch (s->info.layout) {
	case CAT_CHUNKED:
		s->base.ops = &array_chunked;
		return init_chunks(s);
	case CAT_CONTIGUOUS:
		s->base.ops = &array_contiguous;
		s->chunk_bytes = UNIT_BYTES;
		while (s->chunk_bytes > UNIT_BYTES_MIN &&
		       s->chunk_bytes > cache_size(s->env->cache) / 8)
			s->chunk_bytes /= 2;
		if (s->info.data_size < s->bytes ||
		    !checked_add(s->info.data_addr, s->bytes, &end) ||
		    end > INT64_MAX)
			return problem_tell(s->env->problems, -EBADMSG,
					    "%s: its data lie beyond the file",
					    s->label);
		return 0;
	case CAT_COMPACT:
		s->base.ops = &array_compact;
		if (s->info.compact.n < s->bytes)
			return problem_tell(s->env->problems, -EBADMSG,
					    "%s: its data are too short",
					    s->label);
		return 0;
	case CAT_NO_STORAGE:
		s->base.ops = &array_unstored;
		return 0;
	case CAT_VIRTUAL:
	case CAT_EXTERNAL:
	case CAT_DERIVED:
	default:
		return -EOPNOTSUPP;
	}
}

int stored_array_init(struct stored_array *s, const struct array_env *env,
		      struct container *c, uint64_t source,
		      const struct catalog *k, uint32_t object,
		      const char *label)
{
	struct array_info *a = &s->info;
	uint64_t count;
	int err;

	memset(s, 0, sizeof(*s));
	catalog_array(k, object, a);
	if (!is_served(a))
		return -EOPNOTSUPP;
	s->env = env;
	s->container = c;
	s->source = source;
	s->device = container_device(c);
	s->label = label;
	s->catalog = k;
	s->object = object;
	s->swap = a->order == '>' && a->item_size > 1;
	s->base.kind = a->kind;
	s->base.item_size = a->item_size;
	s->base.shape.ndim = a->rank;
	for (unsigned i = 0; i < a->rank; i++)
		s->base.shape.dim[i] = a->dim[i];
	err = shape_count(&s->base.shape, &count);
	if (err)
		return err;
	if (!checked_mul(count, a->item_size, &s->bytes) ||
	    s->bytes > INT64_MAX)
		return -EOVERFLOW;
	init_fill(s);
	catalog_chain(k, a, &s->chain);
	return init_layout(s);
}

int stored_array_counts(const struct stored_array *s, struct chunk_counts *out,
			struct wait *w)
{
	struct chunk_counts sum = {0};
	uint64_t slots;
	int err;

	if (s->info.layout != CAT_CHUNKED) {
		*out = sum;
		return 0;
	}
	err = shape_count(&s->grid, &slots);
	if (err)
		return err;
	if (slots > COUNTED_MAX)
		return problem_tell(s->env->problems, -EOPNOTSUPP,
				    "%s: more than 2^28 chunks are not counted",
				    s->label);
	for (uint64_t page = 0; page < div_up(slots, INDEX_PAGE); page++) {
		struct chunk_counts one;
		struct cache_entry *e;

		err = index_get(s, page, w, &e);
		if (err)
			return err;
		chunk_index_counts(cache_data(e, NULL), &one);
		cache_put(s->env->cache, e, 0);
		sum.stored += one.stored;
		sum.missing += one.missing;
		sum.broken += one.broken;
		sum.masked += one.masked;
	}
	*out = sum;
	return 0;
}
