/* SPDX-License-Identifier: MIT */

/*
 * Annotations of all encodings and types as their specification has them:
 * classes in any order and plane, that overlap where the encoding lets them,
 * values that are no class, objects that hang over the edge.
 */

#include <config.h>

#include "annotation.h"

#include <math.h>
#include <stdlib.h>

#include "util/hash.h"

struct annotation g;
static uint64_t state;

void annotation_seed(uint64_t seed)
{
	state = seed;
}

uint64_t rnd(void)
{
	state += UINT64_C(0x9e3779b97f4a7c15);
	return hash_mix(state, 1);
}

uint64_t between(uint64_t low, uint64_t high)
{
	return low + rnd() % (high - low + 1);
}

bool chance(unsigned percent)
{
	return rnd() % 100 < percent;
}

struct memory_array *source(enum derived_source i, const struct shape *s,
			    char kind, unsigned item_size)
{
	memory_array_init(&g.source[i], s, kind, item_size);
	g.has[i] = true;
	return &g.source[i];
}

static struct shape with_planes(uint64_t n)
{
	struct shape s = {.ndim = g.grid.ndim + 1, .dim = {n}};

	for (unsigned k = 0; k < g.grid.ndim; k++)
		s.dim[k + 1] = g.grid.dim[k];
	return s;
}

void make_grid(void)
{
	static const uint64_t most[] = {0, 70000, 300, 50, 14};
	unsigned n = (unsigned)between(1, 4);

	g.grid.ndim = n;
	for (unsigned k = 0; k < n; k++)
		g.grid.dim[k] = between(1, chance(40) ? most[n] : 9);
	if (shape_count(&g.grid, &g.voxels) < 0)
		abort();
}

static uint16_t new_id(unsigned most)
{
	for (;;) {
		uint16_t id = (uint16_t)between(1, most);
		bool used = id == g.info.ignore_id;

		for (unsigned i = 0; i < g.nclass; i++)
			used |= g.class[i].id == id;
		if (!used)
			return id;
	}
}

static int by_id(const void *a, const void *b)
{
	return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

static void make_classes(unsigned most, unsigned ids)
{
	g.nclass = (unsigned)between(0, chance(30) ? most : 6);
	for (unsigned i = 0; i < g.nclass; g.class[i++].plane = 0) {
		unsigned n = g.nclass;

		g.nclass = i;
		g.class[i].id = new_id(ids);
		g.nclass = n;
	}
	if (chance(60))
		qsort(g.class, g.nclass, sizeof(*g.class), by_id);
}

/* Planes in any order, each class of a plane of its own or not. */
static void spread(unsigned planes)
{
	for (unsigned i = 0; i < g.nclass; i++)
		g.class[i].plane = (uint32_t)between(0, planes - 1);
}

static uint16_t any_id(unsigned plane, bool has_planes)
{
	if (g.info.ignore_in_band && chance(10))
		return g.info.ignore_id;
	if (g.nclass == 0 || chance(30))
		return (uint16_t)(chance(90) ? 0 : between(0, 65535));
	for (unsigned i = 0; i < 50; i++) {
		unsigned c = (unsigned)between(0, g.nclass - 1);

		if (!has_planes || g.class[c].plane == plane)
			return g.class[c].id;
	}
	return 0;
}

/* Values in runs, so that rows of zeros are passed over. */
static void fill_ids(struct memory_array *m, unsigned planes, bool has_planes)
{
	for (unsigned p = 0; p < planes; p++) {
		uint64_t base = p * g.voxels;

		for (uint64_t i = 0, n; i < g.voxels; i += n) {
			uint16_t id = any_id(p, has_planes);

			n = between(1, chance(50) ? 3 : 40);
			for (uint64_t k = i; k < i + n && k < g.voxels; k++)
				put(m, base + k,
				    m->base.item_size == 1 ? (uint8_t)id : id);
		}
	}
}

static void make_map(void)
{
	unsigned size = chance(50) ? 1 : 2;
	struct memory_array *m;

	g.info.ignore_in_band = chance(50);
	g.info.ignore_id = (uint16_t)(chance(30) ? between(1, 200) : 65535);
	make_classes(20, size == 1 ? 250 : 65534);
	m = source(SOURCE_DATA, &g.grid, 'u', size);
	fill_ids(m, 1, false);
}

static void make_layers(void)
{
	unsigned size = chance(50) ? 1 : 2, n = (unsigned)between(1, 4);
	struct shape s = with_planes(n);

	g.info.ignore_in_band = chance(50);
	g.info.ignore_id = (uint16_t)(chance(30) ? between(1, 200) : 65535);
	make_classes(30, size == 1 ? 250 : 65534);
	spread(n);
	fill_ids(source(SOURCE_DATA, &s, 'u', size), n, true);
}

static void make_bits(void)
{
	unsigned n = (unsigned)between(1, 3);
	struct shape s = with_planes(n);
	struct memory_array *m = source(SOURCE_DATA, &s, 'u', 8);
	bool used[192] = {false};

	make_classes(n * 64 < CLASSES_MAX ? n * 64 : CLASSES_MAX, 65534);
	for (unsigned i = 0; i < g.nclass; i++) {
		do
			g.class[i].plane = (uint32_t)between(0, n * 64 - 1);
		while (used[g.class[i].plane]);
		used[g.class[i].plane] = true;
	}
	for (uint64_t i = 0; i < n * g.voxels; i++)
		put(m, i, chance(50) ? 0 : rnd() & rnd());
}

double half[65536];

void make_halves(void)
{
	for (unsigned h = 0; h < 65536; h++) {
		double m = h & 1023;
		int e = h >> 10 & 31;

		m = e == 0 ? m / 1024 / 16384 : (1 + m / 1024) * pow(2, e - 15);
		if (e == 31)
			m = h & 1023 ? (double)NAN : (double)INFINITY;
		half[h] = h & 0x8000 ? -m : m;
	}
}

/* The nearest of all, the even one of two. */
static double nearest_half(double t)
{
	unsigned best = 0;

	if (isnan(t))
		return t;
	if (fabs(t) >= 65520)
		return t < 0 ? -(double)INFINITY : (double)INFINITY;
	for (unsigned h = 0; h < 0x7c00; h++) {
		double now = fabs(half[h] - fabs(t));
		double old = fabs(half[best] - fabs(t));

		if (now < old || (now == old && h % 2 == 0))
			best = h;
	}
	return t < 0 ? -half[best] : half[best];
}

static void make_prob(void)
{
	unsigned size = chance(40) ? 2 : chance(80) ? 4 : 8;
	struct shape s;
	struct memory_array *m;
	double t = (double)(rnd() >> 11) * 0x1p-53;

	make_classes(5, 65534);
	s = with_planes(g.nclass + 1);
	m = source(SOURCE_DATA, &s, 'f', size);
	spread(g.nclass + 1);
	if (chance(20))
		t = half[rnd() % 65536];
	if (chance(20))
		t = ldexp(t, (int)between(0, 60) - 30);
	if (chance(10))
		t = -t;
	g.info.threshold = t;
	g.nearest = nearest_half(t);
	for (uint64_t i = 0; i < (g.nclass + 1) * g.voxels; i++) {
		float f = chance(30) ? (float)t : (float)(rnd() % 4096) / 4096;
		double d = chance(30) ? t : (double)f;

		if (chance(2))
			d = f = chance(50) ? NAN : -INFINITY;
		if (size == 2)
			put(m, i, rnd());
		else
			memcpy(m->data + i * size, size == 4 ? (void *)&f : &d,
			       size);
	}
	/* Right at it, and on both sides. */
	for (uint64_t i = 0; size == 2 && i < g.voxels && i < 8; i++) {
		for (unsigned h = 0; h < 65536; h++)
			if (half[h] == g.nearest)
				put(m, i, h - 1 + i % 3);
	}
}

static void make_object(struct object *o, uint64_t *bytes)
{
	uint64_t n = 1;

	for (unsigned k = 0; k < g.grid.ndim; k++) {
		int64_t length = (int64_t)g.grid.dim[k];

		o->start[k] = (int64_t)between(0, (uint64_t)length + 4) - 3;
		o->extent[k] = between(chance(5) ? 0 : 1, 7);
		if (chance(5)) {
			o->start[k] = -2;
			o->extent[k] = (uint64_t)length + 3;
		}
		n *= o->extent[k];
	}
	o->id = g.nclass && chance(90) ? g.class[between(0, g.nclass - 1)].id
				       : (uint16_t)between(1, 65534);
	o->at = *bytes;
	*bytes += (n + 7) / 8;
}

/* An end in the file: what rounds to it, half up. */
static void put_end(struct memory_array *m, uint64_t i, int64_t end)
{
	static const float off[] = {-0.5f, 0, 0.25f, -0.4375f};
	float f = (float)end + off[rnd() % 4];

	memcpy(m->data + 4 * i, &f, 4);
}

static void make_instances(void)
{
	unsigned nd = g.grid.ndim, n = (unsigned)between(0, OBJECTS_MAX);
	struct shape boxes = {3, {n, nd, 2}}, one = {1, {n}};
	struct shape more = {1, {n + 1}}, shapes = {2, {n, nd}};
	struct shape data = {1, {0}};
	struct memory_array *m;
	bool has_masks = chance(70);

	make_classes(30, 65534);
	g.nobject = n;
	for (unsigned i = 0; i < n; i++)
		make_object(&g.object[i], &data.dim[0]);
	m = source(SOURCE_BOXES, &boxes, 'f', 4);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < nd; k++) {
			int64_t start = g.object[i].start[k];
			uint64_t at = (i * nd + k) * 2;

			put_end(m, at, start);
			if (g.object[i].extent[k] == 0)
				memcpy(m->data + 4 * (at + 1), m->data + 4 * at,
				       4);
			else
				put_end(m, at + 1,
					start + (int64_t)g.object[i].extent[k]);
		}
	m = source(SOURCE_CLASS_IDS, &one, 'u', chance(80) ? 2 : 4);
	for (unsigned i = 0; i < n; i++)
		put(m, i, g.object[i].id);
	if (!has_masks)
		return;
	m = source(SOURCE_OFFSETS, &more, 'u', 8);
	for (unsigned i = 0; i < n; i++)
		put(m, i, g.object[i].at);
	put(m, n, data.dim[0]);
	m = source(SOURCE_SHAPES, &shapes, 'i', 4);
	for (unsigned i = 0; i < n * nd; i++)
		put(m, i, g.object[i / nd].extent[i % nd]);
	m = source(SOURCE_DATA, &data, 'u', 1);
	for (uint64_t i = 0; i < data.dim[0]; i++)
		put(m, i, rnd() & rnd());
}

static void make_ignored(void)
{
	const struct memory_array *data = &g.source[SOURCE_DATA];
	struct memory_array *m = NULL;

	g.ignored = calloc(g.voxels, 1);
	if (!g.ignored)
		abort();
	if (chance(50))
		m = source(SOURCE_IGNORE, &g.grid, chance(80) ? 'b' : 'u',
			   chance(90) ? 1 : 2);
	for (uint64_t i = 0; i < g.voxels; i++) {
		if (m && chance(20))
			put(m, i, m->base.item_size == 2 ? 256 : 1 + i % 2);
		g.ignored[i] = m && get(m, i) != 0;
		if (!g.info.ignore_in_band)
			continue;
		for (uint64_t k = i; k * data->base.item_size <
				     data->base.item_size * g.voxels *
					     (g.encoding == LABELS_LAYERS
						      ? data->base.shape.dim[0]
						      : 1);
		     k += g.voxels)
			g.ignored[i] |= get(data, k) == g.info.ignore_id;
	}
}

static void make_priority(void)
{
	g.npriority = chance(50) ? 0 : (unsigned)between(1, g.nclass + 2);
	for (unsigned i = 0; i < g.npriority; i++)
		g.priority[i] = g.nclass && chance(80)
					? g.class[between(0, g.nclass - 1)].id
					: (uint16_t)between(1, 65534);
}

void make_case(void)
{
	static void (*const make[])(void) = {make_map, make_layers, make_bits,
					     make_prob, make_instances};
	unsigned i = (unsigned)between(0, 4);

	memset(&g, 0, sizeof(g));
	make_grid();
	g.info.ignore_id = (uint16_t)(chance(30) ? between(1, 200) : 65535);
	g.encoding = g.info.encoding = (enum label_encoding)(LABELS_MAP + i);
	make[i]();
	make_ignored();
	make_priority();
}

void end_case(void)
{
	for (unsigned i = 0; i < SOURCES; i++)
		if (g.has[i])
			memory_array_fini(&g.source[i]);
	free(g.ignored);
}
