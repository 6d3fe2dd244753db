/* SPDX-License-Identifier: MIT */

/*
 * Derived arrays of random annotations and images against what is made one
 * class, one object and one voxel at a time, as the specification of medh5
 * tells it: all encodings and types, classes that overlap, ignored voxels in
 * the data and beside them, priorities, boxes of every shape and stride, and
 * sources that fail. Prints its seed; PATCHFS_SEED repeats it, PATCHFS_CASES
 * is how many (600).
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "array/derived_impl.h"
#include "memory_array.h"
#include "util/hash.h"
#include "util/problem.h"

#define CLASSES_MAX 150
#define OBJECTS_MAX 40
#define SCRATCH (256u << 10)

static uint64_t state;
static struct problems *problems;

static uint64_t rnd(void)
{
	state += UINT64_C(0x9e3779b97f4a7c15);
	return hash_mix(state, 1);
}

static uint64_t between(uint64_t low, uint64_t high)
{
	return low + rnd() % (high - low + 1);
}

static bool chance(unsigned percent)
{
	return rnd() % 100 < percent;
}

static void fail(const char *what)
{
	printf("not ok 1 - %s\n", what);
	problems_write(problems, stdout);
	exit(EXIT_FAILURE);
}

/* ------------------------------------------------------------- a case */

struct object {
	int64_t start[4];
	uint64_t extent[4];
	uint16_t id;
	uint64_t at; /* of its mask */
};

static struct {
	struct shape grid;
	uint64_t voxels;
	enum label_encoding encoding;
	struct derived_info info;
	struct derived_class class[CLASSES_MAX];
	unsigned nclass;
	struct memory_array source[SOURCES];
	bool has[SOURCES];
	struct object object[OBJECTS_MAX];
	unsigned nobject;
	uint16_t priority[CLASSES_MAX + 2];
	unsigned npriority;
	double nearest;	  /* to the threshold, of float16 */
	uint8_t *ignored; /* of each voxel */
} g;

static struct memory_array *source(enum derived_source i, const struct shape *s,
				   char kind, unsigned item_size)
{
	memory_array_init(&g.source[i], s, kind, item_size);
	g.has[i] = true;
	return &g.source[i];
}

static void put(struct memory_array *m, uint64_t i, uint64_t v)
{
	memcpy(m->data + i * m->base.item_size, &v, m->base.item_size);
}

static uint64_t get(const struct memory_array *m, uint64_t i)
{
	uint64_t v = 0;

	memcpy(&v, m->data + i * m->base.item_size, m->base.item_size);
	return v;
}

static struct shape with_planes(uint64_t n)
{
	struct shape s = {.ndim = g.grid.ndim + 1, .dim = {n}};

	for (unsigned k = 0; k < g.grid.ndim; k++)
		s.dim[k + 1] = g.grid.dim[k];
	return s;
}

static void make_grid(void)
{
	static const uint64_t most[] = {0, 70000, 300, 50, 14};
	unsigned n = (unsigned)between(1, 4);

	g.grid.ndim = n;
	for (unsigned k = 0; k < n; k++)
		g.grid.dim[k] = between(1, chance(40) ? most[n] : 9);
	if (shape_count(&g.grid, &g.voxels) < 0)
		fail("shape");
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

/* The values of all float16, made from their parts. */
static double half[65536];

static void make_halves(void)
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

static bool mask_bit(const struct object *o, uint64_t bit)
{
	const struct memory_array *m = &g.source[SOURCE_DATA];

	return !g.has[SOURCE_DATA] ||
	       m->data[o->at + bit / 8] >> (7 - bit % 8) & 1;
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

static void make_case(void)
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

static void end_case(void)
{
	for (unsigned i = 0; i < SOURCES; i++)
		if (g.has[i])
			memory_array_fini(&g.source[i]);
	free(g.ignored);
}

/* ------------------------------------------------------ what is expected */

static bool in_objects(uint16_t id, const uint64_t *at)
{
	for (unsigned i = 0; i < g.nobject; i++) {
		const struct object *o = &g.object[i];
		uint64_t bit = 0;
		bool in = o->id == id;

		for (unsigned k = 0; in && k < g.grid.ndim; k++) {
			int64_t d = (int64_t)at[k] - o->start[k];

			in = d >= 0 && d < (int64_t)o->extent[k];
			bit = bit * o->extent[k] + (uint64_t)d;
		}
		if (in && mask_bit(o, bit))
			return true;
	}
	return false;
}

static bool is_above(const struct memory_array *m, uint64_t i)
{
	double t = g.info.threshold;
	float f;
	double d;

	switch (m->base.item_size) {
	case 2:
		return half[get(m, i)] >= g.nearest;
	case 4:
		memcpy(&f, m->data + 4 * i, 4);
		return f >= (float)t;
	default:
		memcpy(&d, m->data + 8 * i, 8);
		return d >= t;
	}
}

/* Of every voxel whether it is stored as of that class. */
static void class_voxels(const struct derived_class *c, uint8_t *out)
{
	const struct memory_array *m = &g.source[SOURCE_DATA];
	uint64_t at[4], base = c->plane * g.voxels, i;

	for (i = 0; i < g.voxels; i++) {
		switch (g.encoding) {
		case LABELS_MAP:
			out[i] = get(m, i) == c->id;
			break;
		case LABELS_LAYERS:
			out[i] = get(m, base + i) == c->id;
			break;
		case LABELS_BITMASK:
			base = c->plane / 64 * g.voxels;
			out[i] = get(m, base + i) >> c->plane % 64 & 1;
			break;
		case LABELS_PROBMAP:
			out[i] = is_above(m, base + i);
			break;
		case LABELS_INSTANCES:
			for (uint64_t k = g.grid.ndim, rest = i; k-- > 0;) {
				at[k] = rest % g.grid.dim[k];
				rest /= g.grid.dim[k];
			}
			out[i] = in_objects(c->id, at);
			break;
		case LABELS_MASK:
		default:
			abort();
		}
	}
}

static void paint(uint16_t *out, uint8_t *is, const struct derived_class *c)
{
	class_voxels(c, is);
	for (uint64_t i = 0; i < g.voxels; i++)
		if (is[i])
			out[i] = c->id;
}

static bool is_listed(uint16_t id)
{
	for (unsigned i = 0; i < g.npriority; i++)
		if (g.priority[i] == id)
			return true;
	return false;
}

static void expect_labels(uint16_t *out, uint8_t *is)
{
	for (uint64_t i = 0; i < g.voxels; i++)
		out[i] = g.encoding == LABELS_MAP
				 ? (uint16_t)get(&g.source[SOURCE_DATA], i)
				 : 0;
	for (unsigned c = 0; c < g.nclass && g.encoding != LABELS_MAP; c++)
		if (!is_listed(g.class[c].id))
			paint(out, is, &g.class[c]);
	for (unsigned i = g.npriority; i-- > 0 && g.encoding != LABELS_MAP;)
		for (unsigned c = 0; c < g.nclass; c++)
			if (g.class[c].id == g.priority[i])
				paint(out, is, &g.class[c]);
	for (uint64_t i = 0; i < g.voxels; i++)
		if (g.ignored[i])
			out[i] = g.info.ignore_id;
}

/* ------------------------------------------------------------- comparing */

static uint64_t offset(const uint64_t *at)
{
	uint64_t n = 0;

	for (unsigned k = 0; k < g.grid.ndim; k++)
		n = n * g.grid.dim[k] + at[k];
	return n;
}

/* A box at strides that leave gaps and mix the axes, element by element. */
static void check_box(const struct derived *d, const uint8_t *want)
{
	struct region box = {.ndim = g.grid.ndim};
	uint64_t stride[NDIM_MAX], at[NDIM_MAX] = {0}, room = 1;
	unsigned size = d->base.item_size, n = box.ndim, k;
	unsigned first = (unsigned)between(0, n - 1);
	uint8_t *out;

	for (unsigned i = 0; i < n; i++) {
		box.start[i] = between(0, g.grid.dim[i] - 1);
		box.extent[i] = between(1, g.grid.dim[i] - box.start[i]);
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned axis = (first + i) % n;

		stride[axis] = room;
		room *= box.extent[axis] + between(0, 1);
	}
	out = malloc(room * size);
	if (!out)
		abort();
	memset(out, 0xa5, room * size);
	if (d->base.ops->read_box(&d->base, &box, &box, out, stride, NULL))
		fail("a box cannot be read");
	do {
		uint64_t to = 0, voxel[NDIM_MAX];

		for (unsigned i = 0; i < n; i++) {
			to += at[i] * stride[i];
			voxel[i] = box.start[i] + at[i];
		}
		if (memcmp(out + to * size, want + offset(voxel) * size, size))
			fail("a box is wrong");
		for (k = n; k-- > 0;) {
			if (++at[k] < box.extent[k])
				break;
			at[k] = 0;
		}
	} while (k < n);
	free(out);
}

/* Some bytes of a whole array, at any alignment. */
static void check_run(const struct derived *d, const uint8_t *want)
{
	struct view v = {.array = &d->base};
	uint64_t all = g.voxels * d->base.item_size;
	uint64_t off = between(0, all), n = between(0, all - off);
	uint8_t *out = malloc(n + 1), *to = out + (n + off) % 2;

	if (!out)
		abort();
	if (chance(30)) {
		off = 0;
		n = all;
		free(out);
		to = out = malloc(n);
	}
	for (unsigned k = 0; k < g.grid.ndim; k++)
		v.extent[k] = g.grid.dim[k];
	if (to != out && n > 0)
		n--;
	if (array_read(&v, off, n, to, NULL))
		fail("a run cannot be read");
	if (memcmp(to, want + off, n))
		fail("a run is wrong");
	free(out);
}

/* Whatever a source says comes up as it is; and little is read at a time. */
static void check_errors(const struct derived *d)
{
	static const int errors[] = {-EAGAIN, -ERESTART, -EBADMSG, -ENOMEM};
	struct region box = {.ndim = g.grid.ndim};
	uint64_t stride[NDIM_MAX];
	int err = errors[rnd() % 4];
	uint8_t *out = malloc(g.voxels * d->base.item_size);
	unsigned i = (unsigned)between(0, SOURCES - 1);
	struct memory_array *m = &g.source[i];

	if (!out)
		abort();
	memcpy(box.extent, g.grid.dim, sizeof(box.extent));
	shape_strides(&g.grid, stride);
	if (d->source[i]) {
		m->bad_read = atomic_load(&m->reads) + between(1, 2);
		m->error = err;
		err = d->base.ops->read_box(&d->base, &box, &box, out, stride,
					    NULL);
		if (err !=
		    (atomic_load(&m->reads) >= m->bad_read ? m->error : 0))
			fail("an error of a source is lost");
		m->bad_read = 0;
		if (atomic_load(&m->largest) > SCRATCH && m->base.item_size < 2)
			fail("a large read");
	}
	free(out);
}

static void check(enum derived_kind kind, const void *want)
{
	struct derived d = {.info = g.info};

	d.info.kind = kind;
	for (unsigned i = 0; i < SOURCES; i++)
		if (g.has[i] && (kind != DERIVED_CLASS || i != SOURCE_IGNORE))
			d.source[i] = &g.source[i].base;
	derived_init(&d, &g.grid, problems, "x");
	if (kind == DERIVED_LABELS) {
		d.priority = g.priority;
		d.npriority = g.npriority;
	}
	for (unsigned i = 0; i < 3; i++) {
		check_box(&d, want);
		check_run(&d, want);
	}
	check_errors(&d);
}

static void check_labels(void)
{
	uint16_t *labels = malloc(g.voxels * 2);
	uint8_t *is = malloc(g.voxels), *mask = calloc(g.voxels, 1);
	struct derived_class some[CLASSES_MAX];
	unsigned n = 0;

	if (!labels || !is || !mask)
		abort();
	g.info.class = g.class;
	g.info.nclass = g.nclass;
	expect_labels(labels, is);
	check(DERIVED_LABELS, labels);
	check(DERIVED_IGNORE, g.ignored);
	for (unsigned i = 0; i < g.nclass; i++) {
		if (n > 0 && chance(70))
			continue;
		some[n++] = g.class[i];
		class_voxels(&g.class[i], is);
		for (uint64_t k = 0; k < g.voxels; k++)
			mask[k] |= is[k];
	}
	g.info.class = some;
	g.info.nclass = n;
	check(DERIVED_CLASS, mask);
	free(labels);
	free(is);
	free(mask);
}

/* ---------------------------------------------------------------- images */

static float value_of(const struct memory_array *m, uint64_t i)
{
	uint64_t v = get(m, i);
	unsigned bits = 8 * m->base.item_size;
	double d;
	float f;

	if (m->base.kind == 'i') {
		int64_t s = (int64_t)(v << (64 - bits)) >> (64 - bits);

		return bits == 64 ? (float)(double)s : (float)s;
	}
	if (m->base.kind != 'f')
		return bits == 64 ? (float)(double)v : (float)v;
	memcpy(&f, &v, 4);
	memcpy(&d, &v, 8);
	return bits == 16 ? (float)half[v] : bits == 32 ? f : (float)d;
}

static void check_image(void)
{
	static const char kinds[] = {'i', 'u', 'f', 'b'};
	struct memory_array *m;
	char kind = kinds[rnd() % 4];
	unsigned size = 1u << between(0, 3);
	float *physical;
	uint8_t *valid;

	memset(&g, 0, sizeof(g));
	make_grid();
	if (kind == 'b' || (kind == 'f' && size == 1))
		size = kind == 'b' ? 1 : 4;
	m = source(SOURCE_DATA, &g.grid, kind, size);
	physical = malloc(g.voxels * 4);
	valid = malloc(g.voxels);
	if (!physical || !valid)
		abort();
	g.info.slope = (double)(int64_t)rnd() * 0x1p-62;
	g.info.intercept = (double)(int64_t)rnd() * 0x1p-53;
	for (uint64_t i = 0; i < g.voxels; i++) {
		/* Rounded in memory, so in no other way. */
		volatile float product, sum;
		uint64_t v = kind == 'b' ? rnd() & 1 : rnd();

		if (kind == 'f' && size == 2 && (v & 0x7c00) == 0x7c00)
			v &= 0x80ff; /* no NaN, whose bits are anyone's */
		if (kind == 'f' && size == 4 && (v >> 23 & 255) == 255)
			v = 0;
		if (kind == 'f' && size == 8 && (v >> 52 & 2047) == 2047)
			v = 0;
		if (chance(10))
			v = 0;
		put(m, i, v);
		valid[i] = get(m, i) != 0;
		product = value_of(m, i) * (float)g.info.slope;
		sum = product + (float)g.info.intercept;
		physical[i] = sum;
	}
	check(DERIVED_PHYSICAL, physical);
	g.info.encoding = LABELS_MASK;
	if (kind != 'f')
		check(DERIVED_VALID, valid);
	free(physical);
	free(valid);
}

int main(void)
{
	const char *seed = getenv("PATCHFS_SEED");
	const char *cases = getenv("PATCHFS_CASES");
	unsigned n = cases ? (unsigned)strtoul(cases, NULL, 0) : 600;
	uint64_t start =
		seed ? strtoull(seed, NULL, 0)
		     : (uint64_t)time(NULL) * 1000 + (uint64_t)getpid();

	printf("1..1\n# PATCHFS_SEED=%" PRIu64 "\n", start);
	make_halves();
	problems = problems_new();
	if (!problems)
		return 1;
	state = start;
	for (unsigned i = 0; i < n; i++) {
		if (i % 4 == 3) {
			check_image();
		} else {
			make_case();
			check_labels();
		}
		end_case();
	}
	if (problems_count(problems))
		fail("something was told");
	problems_free(problems);
	printf("ok 1 - %u random annotations and images\n", n);
	return 0;
}
