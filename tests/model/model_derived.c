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

#include "annotation.h"
#include "array/derived_impl.h"
#include "util/problem.h"

#define SCRATCH (256u << 10)

static struct problems *problems;

static void fail(const char *what)
{
	printf("not ok 1 - %s\n", what);
	problems_write(problems, stdout);
	exit(EXIT_FAILURE);
}

/* ------------------------------------------------------ what is expected */

static bool mask_bit(const struct object *o, uint64_t bit)
{
	const struct memory_array *m = &g.source[SOURCE_DATA];

	return !g.has[SOURCE_DATA] ||
	       m->data[o->at + bit / 8] >> (7 - bit % 8) & 1;
}

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
	annotation_seed(start);
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
