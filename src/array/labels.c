/* SPDX-License-Identifier: MIT */

/*
 * Dense labels: one id a voxel. Classes are painted in an order, later over
 * earlier; here each has a rank and the highest rank at a voxel stays, so that
 * planes and objects may come in any order. Where ids rise with ranks the ids
 * are the ranks. What is to be ignored comes over all of it.
 */

#include <config.h>

#include "array/derived_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "util/cleanup.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define IDS (UINT16_MAX + 1u)
/* Above all ranks: the voxel is to be ignored. */
#define RANK_IGNORED UINT16_MAX

struct painting {
	const struct derived *d;
	const struct class_at *class; /* by plane */
	bool is_in_band;	      /* layers may hold ignore_id */
	bool has_ranks;		      /* that are no ids */
	uint16_t *id;		      /* of each rank, if they are no ids */
	uint16_t *rank; /* of each id, in the plane at hand; else 0 */
};

/* The classes of a plane at hand, for its rows. */
struct layer {
	const struct painting *all;
	const struct class_at *class;
	unsigned n, size;
	uint16_t bit_rank[64]; /* BITMASK */
};

/* ------------------------------------------------------------------ ranks */

static bool is_listed(const struct derived *d, unsigned n, uint16_t id)
{
	for (unsigned i = 0; i < n; i++)
		if (d->priority[i] == id)
			return true;
	return false;
}

/*
 * Number the classes in the order in which they are painted: those with a
 * priority last, the first of the list after all others.
 */
static void number(const struct derived *d, uint16_t *rank_of_id)
{
	uint16_t next = 1;

	for (unsigned i = 0; i < d->info.nclass; i++)
		if (!is_listed(d, d->npriority, d->info.class[i].id))
			rank_of_id[d->info.class[i].id] = next++;
	for (unsigned i = d->npriority; i-- > 0;) {
		uint16_t id = d->priority[i];

		for (unsigned k = 0; k < d->info.nclass; k++) {
			if (d->info.class[k].id != id || is_listed(d, i, id))
				continue;
			rank_of_id[id] = next++;
			break;
		}
	}
}

/* Whether ids may stand for the ranks. */
static bool ids_rise(const struct derived *d, bool is_in_band)
{
	unsigned n = d->info.nclass;
	const struct derived_class *c = d->info.class;

	for (unsigned i = 1; i < n; i++)
		if (c[i].id <= c[i - 1].id)
			return false;
	if (is_in_band && n > 0 && d->info.ignore_id <= c[n - 1].id)
		return false;
	return d->npriority == 0;
}

/* Above all ids that tables are looked up by: the less to clear, each time. */
static size_t ids_above(const struct painting *g)
{
	const struct derived *d = g->d;

	if (d->info.encoding != LABELS_LAYERS || g->has_ranks ||
	    d->source[SOURCE_DATA]->item_size > 1)
		return IDS;
	for (unsigned i = 0; i < d->info.nclass; i++)
		if (d->info.class[i].id > UINT8_MAX)
			return IDS;
	if (g->is_in_band && d->info.ignore_id > UINT8_MAX)
		return IDS;
	return UINT8_MAX + 1;
}

/* Its tables in one block; caller frees. */
static int painting_init(struct painting *g, const struct derived *d,
			 struct class_at *class, void **block)
{
	size_t ids;

	*g = (struct painting){
		.d = d,
		.class = class,
		.is_in_band = d->info.ignore_in_band &&
			      d->info.encoding == LABELS_LAYERS,
	};
	g->has_ranks = !ids_rise(d, g->is_in_band);
	ids = ids_above(g);
	*block = g->rank =
		calloc(g->has_ranks ? 2 * ids : ids, sizeof(*g->rank));
	if (!g->rank)
		return -ENOMEM;
	if (g->has_ranks) {
		g->id = g->rank + ids;
		number(d, g->rank);
	}
	for (unsigned i = 0; i < d->info.nclass; i++) {
		uint16_t id = class[i].id;

		class[i].rank = g->has_ranks ? g->rank[id] : id;
	}
	for (unsigned i = 0; i < d->info.nclass; i++) {
		g->rank[class[i].id] = 0;
		if (g->has_ranks)
			g->id[class[i].rank] = class[i].id;
	}
	if (g->has_ranks)
		g->id[RANK_IGNORED] = d->info.ignore_id;
	return 0;
}

/* ------------------------------------------------------------------- rows */

static void raise_to(unsigned char *out, uint16_t rank)
{
	if (get16(out) < rank)
		put16(out, rank);
}

/* Values that are looked at together: a multiple of 8. */
#define GROUP 16

/* Each of a group of voxels to its own rank. */
static void raise_group(unsigned char *out, const uint16_t *rank)
{
#ifdef __SSE2__
	for (unsigned i = 0; i < GROUP; i += 8) {
		__m128i *at = (__m128i *)(out + 2 * i);
		__m128i now = _mm_loadu_si128(at);
		__m128i to = _mm_loadu_si128((const __m128i *)(rank + i));

		/* Of unsigned numbers the larger. */
		to = _mm_adds_epu16(now, _mm_subs_epu16(to, now));
		_mm_storeu_si128(at, to);
	}
#else
	for (unsigned i = 0; i < GROUP; i++)
		raise_to(out + 2 * i, rank[i]);
#endif
}

/* Most of a layer is no class: zeros are passed over. */
static void paint_ids(const void *arg, void *out, const void *in, uint64_t n)
{
	const struct layer *l = arg;
	const uint16_t *rank = l->all->rank;
	uint16_t found[GROUP];
	const uint8_t *p = in;
	unsigned char *to = out;
	uint64_t i = 0;

	for (; n - i >= GROUP; i += GROUP) {
		const uint8_t *at = p + i * l->size;
		uint64_t any = get64(at) | get64(at + 8);

		if (l->size == 2)
			any |= get64(at + 16) | get64(at + 24);
		if (any == 0)
			continue;
		if (l->size == 1)
			for (unsigned k = 0; k < GROUP; k++)
				found[k] = rank[at[k]];
		else
			for (unsigned k = 0; k < GROUP; k++)
				found[k] = rank[get16(at + 2 * k)];
		raise_group(to + 2 * i, found);
	}
	for (; i < n; i++)
		raise_to(to + 2 * i,
			 rank[l->size == 1 ? p[i] : get16(p + 2 * i)]);
}

static void paint_bits(const void *arg, void *out, const void *in, uint64_t n)
{
	const struct layer *l = arg;
	const uint8_t *p = in;
	unsigned char *to = out;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t v = get64(p + 8 * i);

		for (; v != 0; v &= v - 1)
			raise_to(to + 2 * i, l->bit_rank[__builtin_ctzll(v)]);
	}
}

/* Where a run of marks is not 0. */
static void raise_marked(const struct layer *l, unsigned char *to,
			 const uint8_t *is, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		for (unsigned k = 0; is[i] && k < l->n; k++)
			raise_to(to + 2 * i, l->class[k].rank);
}

static void paint_above(const void *arg, void *out, const void *in, uint64_t n)
{
	const struct layer *l = arg;
	uint8_t is[512];

	for (uint64_t i = 0, part; i < n; i += part) {
		part = n - i < sizeof(is) ? n - i : sizeof(is);
		memset(is, 0, part);
		voxels_above(is, (const uint8_t *)in + i * l->size, part,
			     l->size, l->all->d->info.threshold);
		raise_marked(l, (unsigned char *)out + 2 * i, is, part);
	}
}

/* Ranks become ids. */
static void to_ids(const void *arg, void *out, const void *in, uint64_t n)
{
	const struct painting *g = arg;
	unsigned char *to = out;

	(void)in;
	for (uint64_t i = 0; i < n; i++)
		if (get16(to + 2 * i))
			put16(to + 2 * i, g->id[get16(to + 2 * i)]);
}

static void ignore(const void *arg, void *out, const void *in, uint64_t n)
{
	const struct piece *p = arg;
	const uint8_t *is = in;
	unsigned char *to = out;

	for (uint64_t i = 0; i < n; i++, is += p->in_size) {
		bool any = false;

		for (unsigned b = 0; b < p->in_size; b++)
			any |= is[b] != 0;
		if (any)
			put16(to + 2 * i, p->d->info.ignore_id);
	}
}

static void widen(const void *arg, void *out, const void *in, uint64_t n)
{
	const uint8_t *p = in;
	unsigned char *to = out;
	uint64_t i = 0;

	(void)arg;
#ifdef __SSE2__
	for (; n - i >= 16; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(p + i));
		__m128i zero = _mm_setzero_si128();

		_mm_storeu_si128((__m128i *)(to + 2 * i),
				 _mm_unpacklo_epi8(v, zero));
		_mm_storeu_si128((__m128i *)(to + 2 * i + 16),
				 _mm_unpackhi_epi8(v, zero));
	}
#endif
	for (; i < n; i++)
		put16(to + 2 * i, p[i]);
}

/* ----------------------------------------------------------------- pieces */

static int load_ignored(struct piece *p)
{
	const struct array *mask = p->d->source[SOURCE_IGNORE];
	int err = mask ? piece_load(p, mask, NULL) : 0;

	if (!err && mask)
		piece_rows(p, ignore, p);
	return err;
}

/* The data as they are. */
static int map_piece(struct piece *p)
{
	const struct array *a = p->d->source[SOURCE_DATA];
	int err;

	if (a->item_size == 2) {
		err = a->ops->read_box(a, p->item, &p->box, p->out, p->stride,
				       p->w);
	} else {
		err = piece_load(p, a, NULL);
		if (!err)
			piece_rows(p, widen, NULL);
	}
	return err ? err : load_ignored(p);
}

static void set_ranks(const struct layer *l, bool is)
{
	const struct painting *g = l->all;

	if (g->d->info.encoding != LABELS_LAYERS)
		return;
	for (unsigned i = 0; i < l->n; i++)
		g->rank[l->class[i].id] = is ? l->class[i].rank : 0;
	if (g->is_in_band)
		g->rank[g->d->info.ignore_id] = !is ? 0
						: g->has_ranks
							? RANK_IGNORED
							: g->d->info.ignore_id;
}

static piece_row_fn *row_fn(enum label_encoding e)
{
	return e == LABELS_BITMASK   ? paint_bits
	       : e == LABELS_PROBMAP ? paint_above
				     : paint_ids;
}

/* Voxels of n classes that plane has. */
static int add_plane(struct piece *p, uint64_t plane,
		     const struct class_at *class, unsigned n)
{
	const struct array *a = p->d->source[SOURCE_DATA];
	struct layer l = {
		.all = p->arg,
		.class = class,
		.n = n,
		.size = a->item_size,
	};
	int err = piece_load(p, a, &plane);

	if (err)
		return err;
	for (unsigned i = 0; i < n; i++)
		if (l.bit_rank[class[i].plane % 64] < class[i].rank)
			l.bit_rank[class[i].plane % 64] = class[i].rank;
	set_ranks(&l, true);
	piece_rows(p, row_fn(p->d->info.encoding), &l);
	set_ranks(&l, false);
	return 0;
}

static int finish_piece(struct piece *p)
{
	const struct painting *g = p->arg;

	if (g->has_ranks)
		piece_rows(p, to_ids, g);
	return load_ignored(p);
}

static int planes_piece(struct piece *p)
{
	const struct painting *g = p->arg;
	unsigned left = p->d->info.nclass;
	const struct class_at *c = g->class;
	uint64_t next = 0; /* plane that may have to be ignored */
	int err = 0;

	piece_clear(p);
	while (left > 0 && !err) {
		uint64_t plane = classes_plane(p->d, c);
		unsigned n = classes_same(p->d, c, left);

		for (; g->is_in_band && next < plane && !err; next++)
			err = add_plane(p, next, NULL, 0);
		if (!err)
			err = add_plane(p, plane, c, n);
		next = plane + 1;
		c += n;
		left -= n;
	}
	for (; g->is_in_band && !err &&
	       next < p->d->source[SOURCE_DATA]->shape.dim[0];
	     next++)
		err = add_plane(p, next, NULL, 0);
	return err ? err : finish_piece(p);
}

/* ---------------------------------------------------------------- objects */

static int paint_objects(const struct painting *g, const struct region *item,
			 const struct region *box, void *out,
			 const uint64_t stride[NDIM_MAX], struct wait *w)
{
	const struct derived *d = g->d;
	struct piece all = {.d = d, .box = *box, .out = out, .stride = stride};
	int err;

	for (unsigned i = 0; i < d->info.nclass; i++)
		g->rank[g->class[i].id] = g->class[i].rank;
	piece_clear(&all);
	err = instances_paint(d, box, out, stride, w, g->rank, IDS);
	return err ? err
		   : piece_each(d, item, box, out, stride, w, finish_piece, g);
}

static int labels_read_box(const struct array *a, const struct region *item,
			   const struct region *box, void *out,
			   const uint64_t stride[NDIM_MAX], struct wait *w)
{
	const struct derived *d = (const struct derived *)a;
	CLEANUP(cleanup_freep) struct class_at *class = NULL;
	CLEANUP(cleanup_freep) void *block = NULL;
	struct painting g;
	int err;

	if (d->info.encoding == LABELS_MAP)
		return piece_each(d, item, box, out, stride, w, map_piece,
				  NULL);
	class = classes_by_plane(d);
	if (!class)
		return -ENOMEM;
	err = painting_init(&g, d, class, &block);
	if (err)
		return err;
	if (d->info.encoding == LABELS_INSTANCES)
		return paint_objects(&g, item, box, out, stride, w);
	return piece_each(d, item, box, out, stride, w, planes_piece, &g);
}

static uint64_t labels_decode_bytes(const struct array *a,
				    const struct region *box)
{
	const struct derived *d = (const struct derived *)a;
	const struct array *data = d->source[SOURCE_DATA];
	const struct array *mask = d->source[SOURCE_IGNORE];
	uint64_t n;

	if (d->info.encoding == LABELS_LAYERS && d->info.ignore_in_band)
		n = planes_cost(data, data->shape.dim[0], box);
	else
		n = classes_cost(d, box);
	return mask ? add_cost(n, mask->ops->decode_bytes(mask, box)) : n;
}

static const char *labels_check(const struct derived *d)
{
	const char *why = derived_check_voxels(d);

	if (!why && d->info.encoding == LABELS_MASK)
		why = "a mask has no classes";
	return why ? why : derived_check_mask(d, SOURCE_IGNORE);
}

const struct derived_kind_ops derived_labels = {
	.ops = {.name = "labels",
		.read_box = labels_read_box,
		.decode_bytes = labels_decode_bytes},
	.kind = 'u',
	.item_size = 2,
	.check = labels_check,
};
