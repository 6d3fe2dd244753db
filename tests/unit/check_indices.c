/* SPDX-License-Identifier: MIT */

/*
 * The indices of a mount: made once however many want one, kept within their
 * budget and as files, refused once and for all, ended at shutdown.
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../model/memory_array.h"
#include "index/indices.h"
#include "unit.h"
#include "util/metric.h"

#define MIB ((size_t)1 << 20)

static const struct shape shape = {.ndim = 3, .dim = {8, 16, 32}};
static struct metrics metrics;
static char root[64];

/* A label, and how it is asked for. */
struct label {
	struct memory_array array;
	struct label_plane plane;
	struct sidecar_key key;
	bool has_key;
	_Atomic unsigned asked;
	sem_t *reached, *go; /* if not NULL */
	_Atomic uint64_t done;
};

static int origin(void *arg, struct wait *w, struct index_origin *out)
{
	struct label *l = arg;

	(void)w;
	l->asked++;
	if (l->reached) {
		sem_post(l->reached);
		sem_wait(l->go);
	}
	l->plane = (struct label_plane){.array = &l->array.base};
	out->label = (struct label_source){
		.shape = shape, .nplane = 1, .plane = &l->plane};
	out->key = l->key;
	out->has_key = l->has_key;
	return 0;
}

static void progress(void *arg, uint64_t done, uint64_t all)
{
	struct label *l = arg;

	if (done == all)
		l->done = done;
}

/* Runs of one voxel of class v, so that size follows from every. */
static void label_init(struct label *l, uint8_t v, unsigned every)
{
	memset(l, 0, sizeof(*l));
	memory_array_init(&l->array, &shape, 'u', 1);
	for (unsigned i = 0; i < 8 * 16 * 32; i += every)
		l->array.data[i] = v;
	l->key.digest[0] = v;
	l->has_key = true;
}

static void label_fini(struct label *l)
{
	memory_array_fini(&l->array);
}

static struct index_ask ask_for(struct label *l, uint64_t object)
{
	return (struct index_ask){
		.source = 1,
		.object = object,
		.device = 3,
		.origin = origin,
		.progress = progress,
		.arg = l,
	};
}

static struct indices *make(size_t size, int dir)
{
	const struct indices_conf conf = {
		.size = size,
		.threads = 2,
		.memory = MIB,
		.max_classes = 20,
		.dir = dir,
	};
	struct indices *x = indices_new(&conf);

	ck_assert_ptr_nonnull(x);
	return x;
}

static int64_t counted(const char *name)
{
	return metric_get(metric_find(&metrics, name));
}

static uint64_t voxels(const struct label_index *x)
{
	struct label_class c;

	label_index_class(x, 0, &c);
	return c.count;
}

static void setup(void)
{
	metrics = (struct metrics){0};
	indices_metrics(&metrics);
	metric_set(metric_find(&metrics, "indices_built"), 0);
	metric_set(metric_find(&metrics, "indices_loaded"), 0);
	strcpy(root, "check_indices.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
}

static void teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(test_kept)
{
	char path[128], file[256];
	struct label l;
	struct index_ask ask;
	struct index_pin pin;
	struct indices *x;
	int dir, fd;

	snprintf(path, sizeof(path), "%s/indices", root);
	dir = sidecar_dir(path);
	ck_assert_int_ge(dir, 0);
	label_init(&l, 5, 4);
	ask = ask_for(&l, 9);
	x = make(MIB, dir);
	ck_assert(!indices_peek(x, 1, 9, 0, &pin));
	ck_assert_int_eq(indices_get(x, &ask, NULL, &pin), 0);
	ck_assert_uint_eq(voxels(pin.index), 1024);
	ck_assert_uint_eq(l.done, 8 * 16 * 32);
	indices_put(x, &pin);
	ck_assert_int_eq(indices_get(x, &ask, NULL, &pin), 0);
	indices_put(x, &pin);
	ck_assert(indices_peek(x, 1, 9, 0, &pin));
	indices_put(x, &pin);
	ck_assert(!indices_peek(x, 1, 9, 1, &pin));
	ck_assert_uint_eq(l.asked, 1);
	ck_assert_int_eq(counted("indices_built"), 1);
	ck_assert_int_gt(counted("index_bytes"), 8192);
	indices_free(x);
	/* Another mount, another object: the file says what it is of. */
	x = make(MIB, dir);
	ask = ask_for(&l, 10);
	l.array.reads = 0;
	ck_assert_int_eq(indices_get(x, &ask, NULL, &pin), 0);
	ck_assert_uint_eq(voxels(pin.index), 1024);
	indices_put(x, &pin);
	indices_free(x);
	ck_assert_uint_eq(l.array.reads, 0);
	ck_assert_int_eq(counted("indices_loaded"), 1);
	/* What is damaged is made anew, and kept so. */
	snprintf(file, sizeof(file),
		 "%s/05000000000000000000000000000000"
		 "00000000000000000000000000000000.index",
		 path);
	fd = open(file, O_WRONLY);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, "x", 1, 1000), 1);
	close(fd);
	for (unsigned i = 0; i < 2; i++) {
		x = make(MIB, dir);
		ck_assert_int_eq(indices_get(x, &ask, NULL, &pin), 0);
		ck_assert_uint_eq(voxels(pin.index), 1024);
		indices_put(x, &pin);
		indices_free(x);
		ck_assert_int_eq(counted("indices_built"), 2);
	}
	ck_assert_int_eq(counted("indices_loaded"), 2);
	/* Without a key nothing is read or written. */
	l.has_key = false;
	x = make(MIB, dir);
	ck_assert_int_eq(indices_get(x, &ask, NULL, &pin), 0);
	indices_put(x, &pin);
	indices_free(x);
	ck_assert_int_eq(counted("indices_built"), 3);
	label_fini(&l);
	close(dir);
}
END_TEST

/* It serves where nothing can be kept. */
START_TEST(test_no_directory)
{
	struct index_ask ask;
	struct index_pin pin;
	struct indices *x;
	struct label l;
	int dir = open("/dev/null", O_RDONLY);

	label_init(&l, 5, 4);
	ask = ask_for(&l, 9);
	x = make(MIB, dir);
	ck_assert_int_eq(indices_get(x, &ask, NULL, &pin), 0);
	indices_put(x, &pin);
	indices_free(x);
	close(dir);
	label_fini(&l);
}
END_TEST

/* Indices of 8 KiB each in 64 KiB: the last few stay, and what is pinned. */
START_TEST(test_budget)
{
	struct label l[20];
	struct index_pin first, pin;
	struct index_ask ask;
	struct indices *x = make(64 << 10, -1);
	unsigned kept = 0;

	for (unsigned i = 0; i < 20; i++) {
		label_init(&l[i], (uint8_t)(i + 1), 4);
		ask = ask_for(&l[i], i);
		ck_assert_int_eq(indices_get(x, &ask, NULL, i ? &pin : &first),
				 0);
		if (i)
			indices_put(x, &pin);
		ck_assert_int_le(counted("index_bytes"), 64 << 10);
	}
	ck_assert_uint_eq(voxels(first.index), 1024);
	for (unsigned i = 1; i < 20; i++)
		if (indices_peek(x, 1, i, 0, &pin)) {
			kept++;
			ck_assert_uint_ge(i, 10);
			indices_put(x, &pin);
		}
	ck_assert_uint_ge(kept, 3);
	ck_assert_uint_le(kept, 8);
	indices_put(x, &first);
	/* Made again when it is wanted again. */
	ask = ask_for(&l[1], 1);
	ck_assert_int_eq(indices_get(x, &ask, NULL, &pin), 0);
	ck_assert_uint_eq(l[1].asked, 2);
	indices_put(x, &pin);
	indices_free(x);
	for (unsigned i = 0; i < 20; i++)
		label_fini(&l[i]);
}
END_TEST

/* All in use at once may be more than the size; it is told when they go. */
START_TEST(test_pinned)
{
	struct indices *x = make(64 << 10, -1);
	struct index_pin pin[12];
	struct label l[12];

	for (unsigned i = 0; i < 12; i++) {
		struct index_ask ask = ask_for(&l[i], i);

		label_init(&l[i], (uint8_t)(i + 1), 4);
		ck_assert_int_eq(indices_get(x, &ask, NULL, &pin[i]), 0);
	}
	ck_assert_int_gt(counted("index_bytes"), 64 << 10);
	for (unsigned i = 0; i < 12; i++) {
		ck_assert_uint_eq(voxels(pin[i].index), 1024);
		indices_put(x, &pin[i]);
	}
	ck_assert_int_le(counted("index_bytes"), 64 << 10);
	indices_free(x);
	for (unsigned i = 0; i < 12; i++)
		label_fini(&l[i]);
}
END_TEST

START_TEST(test_refused)
{
	struct indices *x = make(64 << 10, -1);
	struct index_ask ask;
	struct index_pin pin;
	struct label l;
	uint64_t reads;

	/* More classes than an index may have. */
	label_init(&l, 1, 1);
	for (unsigned i = 0; i < 21; i++)
		l.array.data[i] = (unsigned char)(i + 2);
	ask = ask_for(&l, 1);
	ck_assert_int_eq(indices_get(x, &ask, NULL, &pin), -E2BIG);
	reads = l.array.reads;
	ck_assert_int_eq(indices_get(x, &ask, NULL, &pin), -E2BIG);
	ck_assert(!indices_peek(x, 1, 1, 0, &pin));
	ck_assert_uint_eq(l.array.reads, reads);
	label_fini(&l);
	/* 4096 / 2 runs of 8 bytes are not above 32 KiB. All voxels, two
	 * classes in turns, are. */
	label_init(&l, 1, 2);
	ask = ask_for(&l, 2);
	ck_assert_int_eq(indices_get(x, &ask, NULL, &pin), 0);
	indices_put(x, &pin);
	for (unsigned i = 1; i < 8 * 16 * 32; i += 2)
		l.array.data[i] = 2;
	ask.object = 3;
	ck_assert_int_eq(indices_get(x, &ask, NULL, &pin), -EFBIG);
	ck_assert_int_eq(indices_get(x, &ask, NULL, &pin), -EFBIG);
	ck_assert_uint_eq(l.asked, 2);
	label_fini(&l);
	indices_free(x);
}
END_TEST

static int trim(void *arg, struct wait *w, size_t max, void **data,
		size_t *size)
{
	const struct index_pin *whole = arg;
	const uint64_t lo[NDIM_MAX] = {2, 2, 2}, hi[NDIM_MAX] = {4, 4, 32};
	const int64_t id = 5;

	(void)w;
	(void)max;
	return label_index_trim(whole->index, &id, 1, lo, hi, max, data, size);
}

START_TEST(test_make)
{
	struct indices *x = make(MIB, -1);
	struct index_pin pin, less;
	struct index_ask ask;
	struct label l;

	label_init(&l, 5, 1);
	ask = ask_for(&l, 1);
	ck_assert_int_eq(indices_get(x, &ask, NULL, &pin), 0);
	ask.variant = 1;
	ask.origin = NULL;
	ask.make = trim;
	ask.arg = &pin;
	ck_assert_int_eq(indices_get(x, &ask, NULL, &less), 0);
	ck_assert_uint_eq(voxels(less.index), 2 * 2 * 30);
	ck_assert_uint_eq(voxels(pin.index), 8 * 16 * 32);
	indices_put(x, &pin);
	indices_put(x, &less);
	label_fini(&l);
	indices_free(x);
}
END_TEST

/* ------------------------------------------------------- others who wait */

static struct indices *shared;
static _Atomic int failures;

static void *getter(void *arg)
{
	struct index_ask ask = ask_for(arg, 1);
	struct index_pin pin;

	if (indices_get(shared, &ask, NULL, &pin)) {
		failures++;
		return NULL;
	}
	failures += voxels(pin.index) != 1024;
	indices_put(shared, &pin);
	return NULL;
}

struct request {
	struct wait wait; /* first */
	int answer;
	unsigned admitted;
	sem_t woken;
};

static int admit(struct wait *w, const struct wait_need *need)
{
	struct request *r = (struct request *)w;

	ck_assert_uint_eq(need->device, 3);
	r->admitted++;
	return r->answer;
}

static void wake(struct wait *w)
{
	sem_post(&((struct request *)w)->woken);
}

START_TEST(test_others)
{
	struct request r = {.wait = {.admit = admit, .wake = wake},
			    .answer = -ERESTART};
	struct index_ask ask;
	struct index_pin pin;
	sem_t reached, go;
	pthread_t t[8];
	struct label l;

	failures = 0;
	sem_init(&reached, 0, 0);
	sem_init(&go, 0, 0);
	sem_init(&r.woken, 0, 0);
	shared = make(MIB, -1);
	label_init(&l, 5, 4);
	ask = ask_for(&l, 1);
	/* Building wants a thread that may. */
	ck_assert_int_eq(indices_get(shared, &ask, &r.wait, &pin), -ERESTART);
	ck_assert_uint_eq(r.admitted, 1);
	ck_assert_uint_eq(l.asked, 0);
	l.reached = &reached;
	l.go = &go;
	for (unsigned i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, getter, &l), 0);
	sem_wait(&reached);
	/* While it is built a request is parked, and woken then. */
	ck_assert_int_eq(indices_get(shared, &ask, &r.wait, &pin), -EAGAIN);
	ck_assert_int_eq(sem_trywait(&r.woken), -1);
	sem_post(&go);
	sem_wait(&r.woken);
	ck_assert_int_eq(indices_get(shared, &ask, &r.wait, &pin), 0);
	indices_put(shared, &pin);
	for (unsigned i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	ck_assert_int_eq(failures, 0);
	ck_assert_uint_eq(l.asked, 1);
	ck_assert_int_eq(counted("indices_built"), 1);
	indices_free(shared);
	label_fini(&l);
}
END_TEST

START_TEST(test_stop)
{
	struct index_ask ask;
	struct index_pin pin;
	sem_t reached, go;
	struct label l;
	pthread_t t;

	failures = 0;
	sem_init(&reached, 0, 0);
	sem_init(&go, 0, 0);
	shared = make(MIB, -1);
	label_init(&l, 5, 4);
	l.reached = &reached;
	l.go = &go;
	ck_assert_int_eq(pthread_create(&t, NULL, getter, &l), 0);
	sem_wait(&reached);
	indices_stop(shared);
	sem_post(&go);
	pthread_join(t, NULL);
	ck_assert_int_eq(failures, 1);
	ck_assert_uint_eq(l.array.reads, 0);
	l.reached = NULL;
	ask = ask_for(&l, 2);
	ck_assert_int_eq(indices_get(shared, &ask, NULL, &pin), -ECANCELED);
	indices_free(shared);
	label_fini(&l);
}
END_TEST

static Suite *indices_suite(void)
{
	Suite *s = suite_create("indices");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_kept);
	tcase_add_test(t, test_no_directory);
	tcase_add_test(t, test_budget);
	tcase_add_test(t, test_pinned);
	tcase_add_test(t, test_refused);
	tcase_add_test(t, test_make);
	tcase_add_test(t, test_others);
	tcase_add_test(t, test_stop);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(indices_suite)
