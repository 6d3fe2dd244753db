/* SPDX-License-Identifier: MIT */

/*
 * array_read against a loop over coordinates, for random arrays, chunks,
 * types, filters, masks, holes, padding, caches and ranges. Prints its seed;
 * PATCHFS_SEED repeats it, PATCHFS_CASES is how many (2000).
 */

#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "array/array.h"
#include "cache/cache.h"
#include "fake.h"
#include "util/hash.h"
#include "util/metric.h"
#include "util/problem.h"

#define GUARD 16

/* Counted are loads of so many chunks, and of so many of their blocks. */
#define UNITS 1000
#define PARTS 64

static uint64_t state;

static uint64_t rnd(void)
{
	state += UINT64_C(0x9e3779b97f4a7c15);
	return hash_mix(state, 1);
}

static uint64_t next(void *arg)
{
	(void)arg;
	return rnd();
}

/* In [low, high]. */
static uint64_t between(uint64_t low, uint64_t high)
{
	return low + rnd() % (high - low + 1);
}

static bool chance(unsigned percent)
{
	return rnd() % 100 < percent;
}

static void make_filters(struct fake *f)
{
	static const uint32_t packing[] = {1, 32004, 32015};
	unsigned n = 0;

	if (chance(30)) {
		/* Alone, chunks of it are read block by block. */
		f->filter[0] = TOY_FILTER;
		f->nfilter = chance(80) ? 1 : 2;
		f->filter[1] = 3;
		f->toy.gap = chance(50) ? (unsigned)between(0, 3000) : 0;
		f->layers = chance(50);
		for (unsigned k = 0; k < f->shape.ndim; k++) {
			f->shape.dim[k] *= chance(30) ? 2 : 1;
			f->chunk.dim[k] *= chance(50) ? 2 : 1;
		}
		return;
	}
	if (chance(20))
		f->filter[n++] = 3;
	if (chance(50))
		f->filter[n++] = 2;
	if (chance(70))
		f->filter[n++] = packing[rnd() % 3];
	if (chance(15))
		f->filter[n++] = packing[rnd() % 3];
	if (chance(25))
		f->filter[n++] = 3;
	f->nfilter = n;
}

static void make_array(struct fake *f)
{
	static const char kinds[] = "iufb";
	static const uint64_t most[] = {1, 400, 40, 16, 8, 5, 4, 3, 3};
	unsigned rank =
		chance(5) ? (unsigned)between(5, 8) : (unsigned)between(0, 4);

	memset(f, 0, sizeof(*f));
	f->kind = kinds[rnd() % 4];
	f->item_size = f->kind == 'b' ? 1 : 1u << between(f->kind == 'f', 3);
	f->order = f->item_size == 1 ? '|' : chance(40) ? '>' : '<';
	f->shape.ndim = f->chunk.ndim = rank;
	for (unsigned k = 0; k < rank; k++) {
		f->shape.dim[k] = chance(2) ? 0 : between(1, most[rank]);
		f->chunk.dim[k] = between(1, most[rank] + 2);
		if (chance(30))
			f->chunk.dim[k] = chance(50) || !f->shape.dim[k]
						  ? 1
						  : f->shape.dim[k];
	}
	f->layout = chance(70)	 ? CAT_CHUNKED
		    : chance(50) ? CAT_CONTIGUOUS
		    : chance(50) ? CAT_COMPACT
				 : CAT_NO_STORAGE;
	if (rank == 0 && f->layout == CAT_CHUNKED)
		f->layout = CAT_CONTIGUOUS;
	if (chance(1)) {
		/* Several units of contiguous data. */
		f->layout = CAT_CONTIGUOUS;
		f->shape = (struct shape){
			2, {between(300, 500), between(1000, 3000)}};
	}
	if (f->layout == CAT_CHUNKED && chance(70))
		make_filters(f);
	f->has_fill = chance(60);
	for (unsigned i = 0; i < 8; i++)
		f->fill[i] = chance(50) ? 0x5a : (uint8_t)rnd();
	f->fill_undefined = chance(10);
	f->edge_unfiltered = chance(20);
	f->holes = chance(50) ? (unsigned)between(0, 60) : 0;
	f->masks = chance(30) ? 30 : 0;
	fake_store(f, next, NULL);
}

static void make_view(struct view *v, uint8_t *pad)
{
	const struct shape *s = &v->array->shape;
	bool whole = chance(20);

	v->pad = chance(40) ? pad : NULL;
	for (unsigned k = 0; k < s->ndim; k++) {
		uint64_t d = s->dim[k];

		if (whole || chance(20)) {
			v->start[k] = 0;
			v->extent[k] = d;
		} else if (v->pad && chance(40)) {
			v->start[k] = (int64_t)between(0, d + 6) - 5;
			v->extent[k] = between(0, d + 4);
		} else {
			v->start[k] = d ? (int64_t)between(0, d - 1) : 0;
			v->extent[k] =
				d ? between(1, d - (uint64_t)v->start[k]) : 0;
			if (chance(40) && d)
				v->extent[k] = 1;
		}
	}
}

/* The triple loop, for any rank. */
static uint8_t *expect(const struct fake *f, const struct view *v, uint64_t n)
{
	unsigned isz = f->item_size, rank = f->shape.ndim;
	uint8_t *out = malloc(n + 1);
	uint64_t at[NDIM_MAX] = {0}, voxel[NDIM_MAX];

	if (!out)
		abort();
	for (uint64_t i = 0; i < n / isz; i++) {
		bool inside = true;

		for (unsigned k = 0; k < rank; k++) {
			int64_t x = v->start[k] + (int64_t)at[k];

			inside = inside && x >= 0 &&
				 x < (int64_t)f->shape.dim[k];
			voxel[k] = (uint64_t)x;
		}
		if (inside)
			fake_voxel(f, voxel, out + i * isz);
		else
			memcpy(out + i * isz, v->pad, isz);
		for (unsigned k = rank; k-- > 0;) {
			if (++at[k] < v->extent[k])
				break;
			at[k] = 0;
		}
	}
	return out;
}

static int admit(struct wait *w, const struct wait_need *need)
{
	(void)w;
	(void)need;
	return 0;
}

/* Offers are dropped, run at once, or kept until the read is over. */
static struct wait_offer kept[64];
static unsigned nkept;

static void offer(struct wait *w, const struct wait_offer *o)
{
	(void)w;
	if (chance(20))
		o->drop(o->arg);
	else if (chance(50) || nkept == 64)
		o->run(o->arg);
	else
		kept[nkept++] = *o;
}

static void run_kept(void)
{
	while (nkept > 0) {
		nkept--;
		if (chance(80))
			kept[nkept].run(kept[nkept].arg);
		else
			kept[nkept].drop(kept[nkept].arg);
	}
}

static bool read_ranges(const struct view *v, const uint8_t *want, uint64_t n)
{
	struct wait w = {.admit = admit, .offer = offer};

	for (unsigned i = 0; i < 6; i++) {
		uint64_t off = i ? between(0, n) : 0;
		size_t len = i ? between(0, n - off) : n;
		uint8_t *buf;
		bool good;
		int err;

		if (chance(30) && len > 20)
			len = between(0, 20);
		buf = malloc(len + 2 * GUARD);
		if (!buf)
			abort();
		memset(buf, 0xa5, len + 2 * GUARD);
		err = array_read(v, off, len, buf + GUARD,
				 chance(50) ? &w : NULL);
		run_kept();
		good = !err && memcmp(buf + GUARD, want + off, len) == 0;
		if (!good && getenv("DBG"))
			for (size_t q = 0; q < len; q++)
				printf("%02x/%02x%s", buf[GUARD + q],
				       want[off + q],
				       q % 16 == 15 ? "\n" : " ");
		for (unsigned g = 0; g < GUARD; g++)
			good = good && buf[g] == 0xa5 &&
			       buf[GUARD + len + g] == 0xa5;
		free(buf);
		if (!good) {
			printf("# bytes [%" PRIu64 ", +%zu) of %" PRIu64
			       ": error %d or wrong\n",
			       off, len, n, err);
			return false;
		}
	}
	return true;
}

static void describe(const struct fake *f, const struct view *v, size_t cache)
{
	printf("# kind %c order %c size %u layout %d cache %zu edge %d "
	       "pad %d\n# filters:",
	       f->kind, f->order, f->item_size, (int)f->layout, cache,
	       f->edge_unfiltered, v->pad != NULL);
	for (unsigned i = 0; i < f->nfilter; i++)
		printf(" %u", f->filter[i]);
	printf("\n");
	for (unsigned k = 0; k < f->shape.ndim; k++)
		printf("# axis %u: dim %" PRIu64 " chunk %" PRIu64
		       " view %" PRId64 " + %" PRIu64 "\n",
		       k, f->shape.dim[k], f->chunk.dim[k], v->start[k],
		       v->extent[k]);
}

static void count(void *arg, const struct array_info *a, uint64_t unit,
		  uint32_t part)
{
	unsigned(*n)[PARTS] = arg;

	(void)a;
	if (unit < UNITS && part < PARTS)
		n[unit][part]++;
}

static bool is_once(unsigned unit, const unsigned *decodes)
{
	for (unsigned i = 0; i < PARTS; i++) {
		if (decodes[i] > 1) {
			printf("# part %u of unit %u was decoded %u times\n", i,
			       unit, decodes[i]);
			return false;
		}
		if (i > 0 && decodes[i] && decodes[0]) {
			printf("# unit %u was decoded whole and in blocks\n",
			       unit);
			return false;
		}
	}
	return true;
}

/* One array, a few views of it, a few ranges of each. */
static bool run_case(struct problems *problems)
{
	static unsigned decodes[UNITS][PARTS];
	struct array_env env = {
		.problems = problems,
		.on_decode = count,
		.on_decode_arg = decodes,
	};
	struct stored_array s;
	size_t unit, size;
	bool good = true, tight;
	struct fake f;
	uint8_t pad[8];

	memset(decodes, 0, sizeof(decodes));
	make_array(&f);
	unit = f.item_size;
	for (unsigned k = 0; k < f.chunk.ndim; k++)
		unit *= f.chunk.dim[k];
	if (f.layout == CAT_CONTIGUOUS)
		unit = (size_t)4 << (chance(50) ? 10 : 18);
	tight = chance(50);
	size = tight ? 2 * unit + between(0, 6 * unit) : (size_t)64 << 20;
	env.cache = cache_new(size, NULL);
	env.direct_io = chance(20);
	if (!env.cache || stored_array_init(&s, &env, fake_container(&f), 1,
					    fake_catalog(&f), 1, "model") < 0)
		abort();
	for (unsigned i = 0; good && i < 3; i++) {
		struct view v = {.array = &s.base};
		uint64_t n;
		uint8_t *want;

		for (unsigned k = 0; k < 8; k++)
			pad[k] = (uint8_t)rnd();
		make_view(&v, pad);
		if (view_bytes(&v, &n) < 0)
			abort();
		want = expect(&f, &v, n);
		good = read_ranges(&v, want, n);
		free(want);
		cache_check(env.cache);
		for (unsigned u = 0; good && !tight && u < UNITS; u++)
			good = is_once(u, decodes[u]);
		if (!good)
			describe(&f, &v, size);
	}
	cache_free(env.cache);
	fake_fini(&f);
	return good;
}

int main(void)
{
	const char *seed = getenv("PATCHFS_SEED");
	const char *cases = getenv("PATCHFS_CASES");
	uint64_t first =
		seed ? strtoull(seed, NULL, 0)
		     : hash_mix((uint64_t)time(NULL), (uint64_t)getpid()) >> 1;
	unsigned long n = cases ? strtoul(cases, NULL, 0) : 2000;
	struct problems *problems = problems_new();
	bool good = problems != NULL;

	for (unsigned long i = 0; good && i < n; i++) {
		state = first + i;
		good = run_case(problems);
		if (!good)
			printf("# repeat: PATCHFS_SEED=%" PRIu64
			       " PATCHFS_CASES=1\n",
			       first + i);
	}
	if (good && problems_count(problems) > 0) {
		printf("# problems were told:\n");
		problems_write(problems, stdout);
		good = false;
	}
	problems_free(problems);
	printf("1..1\n# seed %" PRIu64 "\n%sok 1 - %lu random arrays\n", first,
	       good ? "" : "not ", n);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
