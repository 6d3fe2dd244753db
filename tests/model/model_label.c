/* SPDX-License-Identifier: MIT */

/*
 * Indices of random labels against a list of (class, voxel) that is made one
 * voxel and one plane at a time and sorted: all rules and types, planes that
 * share classes, closure, units, little memory, one to four threads; then
 * their trimmed parts. Prints its seed; PATCHFS_SEED repeats it,
 * PATCHFS_CASES is how many (400).
 */

#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "index/index.h"
#include "memory_array.h"
#include "util/hash.h"

#define PLANES_MAX 4
#define IDS_MAX 320

static uint64_t state;

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

/* ------------------------------------------------------ what is expected */

struct pair {
	int64_t id;
	uint64_t voxel;
};

static struct {
	struct pair *p;
	size_t n, room;
} list;

static void expect(int64_t id, uint64_t voxel)
{
	if (list.n == list.room) {
		list.room = 2 * list.room + 1000;
		list.p = realloc(list.p, list.room * sizeof(*list.p));
		if (!list.p)
			abort();
	}
	list.p[list.n++] = (struct pair){id, voxel};
}

static int by_id_and_voxel(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->voxel > y->voxel) - (x->voxel < y->voxel);
}

static void sort_list(void)
{
	size_t kept = 0;

	if (list.n == 0)
		return;
	qsort(list.p, list.n, sizeof(*list.p), by_id_and_voxel);
	for (size_t i = 0; i < list.n; i++)
		if (i == 0 || by_id_and_voxel(&list.p[i], &list.p[i - 1]))
			list.p[kept++] = list.p[i];
	list.n = kept;
}

/* Pairs are added until none is missing. */
static void close_list(const struct label_source *s)
{
	for (unsigned round = 0; round < s->nclosure; round++)
		for (unsigned i = 0; i < s->nclosure; i++) {
			size_t n = list.n;

			for (size_t k = 0; k < n; k++)
				if (list.p[k].id == s->closure[i][0])
					expect(s->closure[i][1],
					       list.p[k].voxel);
			sort_list();
		}
}

/* -------------------------------------------------------------- the input */

struct input {
	struct label_source source;
	struct label_plane plane[PLANES_MAX];
	struct memory_array array[PLANES_MAX];
	int64_t id[PLANES_MAX][IDS_MAX];
	int64_t closure[6][2];
	unsigned narray;
	uint64_t count;
};

static void put(struct memory_array *m, uint64_t i, const void *value)
{
	memcpy(m->data + i * m->base.item_size, value, m->base.item_size);
}

static void put_value(const struct label_plane *p, struct memory_array *m,
		      uint64_t i, uint64_t voxel, int64_t v)
{
	const unsigned bits = 8 * m->base.item_size;
	const uint64_t stored =
		bits == 64 ? (uint64_t)v
			   : (uint64_t)v & ((UINT64_C(1) << bits) - 1);
	bool counts = p->nid == 0;

	put(m, i, &stored);
	if (stored == 0)
		return;
	if (m->base.kind == 'b')
		v = 1;
	else if (m->base.kind == 'u')
		v = (int64_t)stored;
	else if (bits < 64 && stored >> (bits - 1))
		v = (int64_t)stored - (INT64_C(1) << (bits - 1)) * 2;
	else
		v = (int64_t)stored;
	for (unsigned k = 0; k < p->nid; k++)
		counts = counts || p->id[k] == v;
	if (counts)
		expect(v, voxel);
}

static void put_above(const struct label_plane *p, struct memory_array *m,
		      uint64_t i, uint64_t voxel)
{
	static const uint16_t half[] = {0,	0x8000, 0x3800, 0x37ff, 0x3801,
					0x7c00, 0xfc00, 0x7e00, 0x0001, 0xb800};
	static const double value[] = {
		0,	  -0.0,	     0.5, 0.49975586, 0.500488,
		INFINITY, -INFINITY, NAN, 6e-8,	      -0.5};
	const unsigned k = (unsigned)(rnd() % 10);
	const float f = (float)value[k];
	const uint8_t any = (uint8_t)(chance(50) ? 0 : between(1, 255));
	bool is = value[k] >= p->threshold;

	if (m->base.kind == 'b') {
		is = any != 0;
		put(m, i, &any);
	} else if (m->base.item_size == 2) {
		put(m, i, &half[k]);
	} else if (m->base.item_size == 4) {
		put(m, i, &f);
	} else {
		put(m, i, &value[k]);
	}
	if (is)
		expect(p->id[0], voxel);
}

static void put_bits(const struct label_plane *p, struct memory_array *m,
		     uint64_t i, uint64_t voxel, uint64_t bits)
{
	put(m, i, &bits);
	for (unsigned b = 0; b < p->nid; b++)
		if (bits >> b & 1)
			expect(p->id[b], voxel);
}

/* Fill the plane in, its array being of n voxels a lead. */
static void fill(struct input *in, unsigned nth, struct memory_array *m)
{
	const struct label_plane *p = &in->plane[nth];
	const uint64_t first = p->has_lead ? p->lead * in->count : 0;
	const uint64_t most = chance(30) ? 1 : chance(60) ? 8 : 300;
	const unsigned same = chance(30) ? 0 : chance(50) ? 50 : 97;
	const bool sparse = chance(30), negative = chance(50);
	int64_t v = 0;
	uint64_t bits = 0;

	for (uint64_t i = 0; i < in->count; i++) {
		if (!chance(same)) {
			v = (int64_t)between(0, most);
			v = sparse && chance(80) ? 0 : v;
			v = negative && m->base.kind == 'i' ? -v : v;
			if (chance(3) && m->base.kind == 'i')
				v = INT64_MIN >> (64 - 8 * m->base.item_size);
			bits = sparse ? rnd() & rnd() & rnd() & rnd() : rnd();
		}
		if (p->rule == LABEL_VALUES)
			put_value(p, m, first + i, i, v);
		else if (p->rule == LABEL_BITS)
			put_bits(p, m, first + i, i, bits);
		else
			put_above(p, m, first + i, i);
	}
}

static unsigned make_ids(int64_t *id, unsigned n, bool ascending)
{
	int64_t v = ascending ? -(int64_t)between(0, n) : 0;

	for (unsigned i = 0; i < n; i++) {
		v += (int64_t)between(1, 3);
		id[i] = ascending ? v : (int64_t)between(0, 30) - 3;
	}
	return n;
}

static void make_plane(struct input *in, unsigned nth)
{
	static const char kinds[] = "iub";
	struct label_plane *p = &in->plane[nth];
	struct memory_array *m = &in->array[in->narray];
	struct shape s = in->source.shape;
	unsigned size = 1u << rnd() % 4;
	char kind = kinds[rnd() % 3];

	*p = (struct label_plane){.rule = (enum label_rule)(rnd() % 3)};
	p->id = in->id[nth];
	switch (p->rule) {
	case LABEL_VALUES:
		if (chance(40))
			p->nid = make_ids(in->id[nth], (unsigned)between(1, 40),
					  true);
		size = kind == 'b' ? 1 : size;
		break;
	case LABEL_BITS:
		p->nid = make_ids(in->id[nth], (unsigned)between(1, 64), false);
		kind = 'u';
		size = 8;
		break;
	case LABEL_ABOVE:
	default:
		p->nid = make_ids(in->id[nth], 1, false);
		p->threshold = chance(70) ? 0.5 : 0;
		kind = chance(30) ? 'b' : 'f';
		size = kind == 'b' ? 1 : 2u << rnd() % 3;
		break;
	}
	/* The next plane of the array of the last one, or an array more. */
	if (nth > 0 && p[-1].has_lead && chance(60)) {
		struct memory_array *last = &in->array[in->narray - 1];

		if (p[-1].lead + 1 < last->base.shape.dim[0] &&
		    p->rule == p[-1].rule && last->base.kind == kind &&
		    last->base.item_size == size) {
			p->array = &last->base;
			p->has_lead = true;
			p->lead = p[-1].lead + 1;
			fill(in, nth, last);
			return;
		}
	}
	if (chance(50)) {
		p->has_lead = true;
		p->lead = rnd() % 2;
		s.ndim++;
		memmove(s.dim + 1, s.dim, 4 * sizeof(s.dim[0]));
		s.dim[0] = 3;
	}
	memory_array_init(m, &s, kind, size);
	for (unsigned k = 0; k < s.ndim && chance(60); k++)
		m->base.unit[k] = between(1, s.dim[k] + 3);
	p->array = &m->base;
	in->narray++;
	fill(in, nth, m);
}

static void make_input(struct input *in)
{
	struct shape *s = &in->source.shape;

	memset(in, 0, sizeof(*in));
	list.n = 0;
	s->ndim = (unsigned)between(chance(5) ? 0 : 1, 4);
	for (unsigned k = 0; k < s->ndim; k++)
		s->dim[k] = between(chance(3) ? 0 : 1, s->ndim > 2 ? 9 : 40);
	if (s->ndim && chance(20))
		s->dim[s->ndim - 1] = between(1, 200);
	if (shape_count(s, &in->count) < 0)
		abort();
	in->source.plane = in->plane;
	in->source.nplane = (unsigned)between(1, PLANES_MAX);
	for (unsigned i = 0; i < in->source.nplane; i++)
		make_plane(in, i);
	sort_list();
	if (chance(40)) {
		in->source.closure = (const int64_t(*)[2])in->closure;
		in->source.nclosure = (unsigned)between(1, 6);
		for (unsigned i = 0; i < in->source.nclosure; i++)
			for (unsigned k = 0; k < 2; k++)
				in->closure[i][k] = (int64_t)between(0, 12) - 3;
		close_list(&in->source);
	}
}

/* ------------------------------------------------------------ comparing */

static bool complain(const char *what)
{
	printf("# %s\n", what);
	return false;
}

/* The index is the list, in which voxels of a class follow each other. */
static bool is_list(const struct label_index *x, const struct shape *s)
{
	uint32_t nclass = 0;
	size_t i = 0;

	while (i < list.n) {
		uint64_t lo[NDIM_MAX], hi[NDIM_MAX] = {0}, runs = 0;
		const int64_t id = list.p[i].id;
		struct label_class c;
		uint64_t k = 0;

		if (label_index_find(x, id) != nclass)
			return complain("a class is not where it should be");
		label_index_class(x, nclass, &c);
		memset(lo, 0xff, sizeof(lo));
		for (; i < list.n && list.p[i].id == id; i++, k++) {
			uint64_t at[NDIM_MAX], pos = 0;

			if (k >= c.count)
				return complain("too few voxels");
			label_index_voxel(x, nclass, k, at);
			for (unsigned a = 0; a < s->ndim; a++) {
				pos = pos * s->dim[a] + at[a];
				lo[a] = at[a] < lo[a] ? at[a] : lo[a];
				hi[a] = at[a] >= hi[a] ? at[a] + 1 : hi[a];
			}
			if (pos != list.p[i].voxel)
				return complain("another voxel");
			runs += k == 0 || list.p[i - 1].voxel + 1 != pos;
		}
		if (c.id != id || c.count != k || c.runs != runs)
			return complain("a count is wrong");
		for (unsigned a = 0; a < s->ndim; a++)
			if (c.start[a] != lo[a] || c.stop[a] != hi[a])
				return complain("a box is wrong");
		nclass++;
	}
	if (label_index_classes(x) != nclass)
		return complain("classes without voxels");
	return true;
}

/* Of the list, only some classes in a box. */
static bool trim_is_right(const struct label_index *x, const struct shape *s)
{
	uint64_t lo[NDIM_MAX] = {0}, hi[NDIM_MAX] = {0};
	int64_t id[8];
	unsigned n = (unsigned)between(0, 8);
	size_t kept = 0, size;
	void *out;
	bool good;

	for (unsigned k = 0; k < s->ndim; k++) {
		lo[k] = chance(50) ? 0 : rnd() % (s->dim[k] + 1);
		hi[k] = chance(50) ? s->dim[k] + rnd() % 2
				   : rnd() % (s->dim[k] + 1);
	}
	for (unsigned i = 0; i < n; i++)
		id[i] = list.n && chance(80) ? list.p[rnd() % list.n].id
					     : (int64_t)rnd();
	for (size_t i = 0; i < list.n; i++) {
		uint64_t pos = list.p[i].voxel;
		bool in = false;

		for (unsigned k = 0; k < n; k++)
			in = in || list.p[i].id == id[k];
		for (unsigned k = s->ndim; k-- > 0;) {
			in = in && pos % s->dim[k] >= lo[k] &&
			     pos % s->dim[k] < hi[k];
			pos /= s->dim[k];
		}
		if (in)
			list.p[kept++] = list.p[i];
	}
	list.n = kept;
	if (label_index_trim(x, id, n, lo, hi, SIZE_MAX, &out, &size) < 0)
		return complain("trim failed");
	good = label_index_check(out, size, s) == 0 && is_list(out, s);
	free(out);
	return good ? good : complain("after trim");
}

static bool run_case(void)
{
	static struct input in;
	void *first = NULL, *out = NULL;
	size_t nfirst = 0, size = 0;
	bool good = true;

	make_input(&in);
	for (unsigned threads = 1; good && threads <= 4; threads++) {
		const struct index_conf conf = {
			.threads = threads,
			.memory = chance(30)   ? between(1, 300)
				  : chance(50) ? 1 << 20
					       : 256 << 10,
			.max = SIZE_MAX / 8,
			.max_classes = 5000,
		};
		int err;

		for (unsigned i = 0; i < in.narray; i++)
			in.array[i].largest = 0;
		err = label_index_build(&in.source, &conf, &out, &size);

		if (err) {
			printf("# build: %d\n", err);
			good = false;
			break;
		}
		for (unsigned i = 0; i < in.narray; i++)
			if (in.array[i].largest > conf.memory &&
			    in.array[i].largest > 8)
				good = complain("more memory than allowed");
		if (threads == 1) {
			first = out;
			nfirst = size;
			good = good &&
			       label_index_check(out, size, &in.source.shape) ==
				       0 &&
			       is_list(out, &in.source.shape);
		} else {
			good = good && size == nfirst &&
			       memcmp(out, first, size) == 0;
			free(out);
			if (!good)
				complain("threads make a difference");
		}
	}
	/* Four times, and no more. */
	for (unsigned i = 0; good && i < in.source.nplane; i++) {
		const struct label_plane *p = &in.plane[i];
		const struct memory_array *m =
			(const struct memory_array *)p->array;
		const uint64_t at = p->has_lead ? p->lead * in.count : 0;

		for (uint64_t k = 0; good && k < in.count; k++)
			if (m->times[at + k] != 4)
				good = complain("read more than once");
	}
	good = good && trim_is_right(first, &in.source.shape);
	free(first);
	for (unsigned i = 0; i < in.narray; i++)
		memory_array_fini(&in.array[i]);
	return good;
}

int main(void)
{
	const char *seed = getenv("PATCHFS_SEED");
	const char *cases = getenv("PATCHFS_CASES");
	uint64_t first =
		seed ? strtoull(seed, NULL, 0)
		     : hash_mix((uint64_t)time(NULL), (uint64_t)getpid()) >> 1;
	unsigned long n = cases ? strtoul(cases, NULL, 0) : 400;
	bool good = true;

	for (unsigned long i = 0; good && i < n; i++) {
		state = first + i;
		good = run_case();
		if (!good)
			printf("# repeat: PATCHFS_SEED=%" PRIu64
			       " PATCHFS_CASES=1\n",
			       first + i);
	}
	free(list.p);
	printf("1..1\n# seed %" PRIu64 "\n%sok 1 - %lu random labels\n", first,
	       good ? "" : "not ", n);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
