/* SPDX-License-Identifier: MIT */

/*
 * Index files: what was stored is loaded, and nothing else is, whatever
 * happened to the file, the directory or the disk.
 */

#define _GNU_SOURCE
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../model/memory_array.h"
#include "index/index.h"
#include "index/sidecar.h"
#include "unit.h"

#define MAX ((size_t)1 << 20)

static char root[64], path[128];
static int dir;
static const struct shape shape = {.ndim = 2, .dim = {4, 8}};
static const struct sidecar_key key = {.digest = {0xab, 1, 2, [31] = 0xff}};
static char name[] = "ab0102000000000000000000000000000000000000000000000000000"
		     "00000ff.index";

/* An index of a label all of whose voxels are v, but the first. */
static void make(uint8_t v, void **out, size_t *size)
{
	struct memory_array m;
	struct label_plane p = {.array = &m.base};
	const struct label_source s = {
		.shape = shape, .nplane = 1, .plane = &p};
	const struct index_conf conf = {
		.threads = 1, .memory = MAX, .max = MAX, .max_classes = 9};

	memory_array_init(&m, &shape, 'u', 1);
	memset(m.data + 1, v, 31);
	ck_assert_int_eq(label_index_build(&s, &conf, out, size), 0);
	memory_array_fini(&m);
}

static void setup(void)
{
	strcpy(root, "check_sidecar.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/a/b", root);
	dir = sidecar_dir(path);
	ck_assert_int_ge(dir, 0);
}

static void teardown(void)
{
	char command[256];

	close(dir);
	snprintf(command, sizeof(command), "chmod -R u+w %s; rm -rf %s", root,
		 root);
	ck_assert_int_eq(system(command), 0);
}

static unsigned entries(void)
{
	DIR *d = opendir(path);
	unsigned n = 0;

	ck_assert_ptr_nonnull(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static int load(size_t max)
{
	void *got = NULL;
	size_t n = 0;
	int err = sidecar_load(dir, &key, &shape, max, &got, &n);

	if (!err) {
		ck_assert_int_eq(label_index_check(got, n, &shape), 0);
		free(got);
	} else {
		ck_assert_ptr_null(got);
	}
	return err;
}

START_TEST(test_round)
{
	struct sidecar_key other = key;
	struct shape turned = {.ndim = 2, .dim = {8, 4}};
	void *x, *y, *got = NULL;
	size_t nx, ny, n = 0;
	struct stat st;

	ck_assert_int_eq(load(MAX), -ENOENT);
	make(3, &x, &nx);
	make(5, &y, &ny);
	ck_assert_int_eq(sidecar_store(dir, &key, x, nx), 0);
	ck_assert_int_eq(sidecar_load(dir, &key, &shape, nx, &got, &n), 0);
	ck_assert_uint_eq(n, nx);
	ck_assert_int_eq(memcmp(got, x, n), 0);
	free(got);
	got = NULL;
	ck_assert_int_eq(load(nx - 1), -EFBIG);
	ck_assert_int_eq(sidecar_load(dir, &key, &turned, MAX, &got, &n),
			 -EBADMSG);
	other.digest[7] ^= 1;
	ck_assert_int_eq(sidecar_load(dir, &other, &shape, MAX, &got, &n),
			 -ENOENT);
	/* Over what was there. */
	ck_assert_int_eq(sidecar_store(dir, &key, y, ny), 0);
	ck_assert_int_eq(sidecar_load(dir, &key, &shape, MAX, &got, &n), 0);
	ck_assert_int_eq(memcmp(got, y, n), 0);
	ck_assert_uint_eq(entries(), 1);
	ck_assert_int_eq(fstatat(dir, name, &st, 0), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	free(got);
	free(x);
	free(y);
}
END_TEST

/* Any byte changed, any length cut, anything added, another key's file. */
START_TEST(test_damage)
{
	unsigned char byte, bad;
	struct stat st;
	size_t n;
	void *x;
	int fd;

	make(3, &x, &n);
	ck_assert_int_eq(sidecar_store(dir, &key, x, n), 0);
	fd = openat(dir, name, O_RDWR);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	for (off_t i = 0; i < st.st_size; i++) {
		ck_assert_int_eq(pread(fd, &byte, 1, i), 1);
		bad = byte ^ (unsigned char)(1 << i % 8);
		ck_assert_int_eq(pwrite(fd, &bad, 1, i), 1);
		ck_assert_int_eq(load(MAX), -EBADMSG);
		ck_assert_int_eq(pwrite(fd, &byte, 1, i), 1);
	}
	ck_assert_int_eq(load(MAX), 0);
	ck_assert_int_eq(pwrite(fd, "", 1, st.st_size), 1);
	ck_assert_int_eq(load(MAX), -EBADMSG);
	for (off_t i = st.st_size - 1; i >= 0; i--) {
		ck_assert_int_eq(ftruncate(fd, i), 0);
		ck_assert_int_eq(load(MAX), -EBADMSG);
	}
	close(fd);
	/* What is damaged is made anew. */
	ck_assert_int_eq(sidecar_store(dir, &key, x, n), 0);
	ck_assert_int_eq(load(MAX), 0);
	free(x);
	/* Digests that are right do not make an index of it. */
	x = calloc(1, n);
	ck_assert_int_eq(sidecar_store(dir, &key, x, n), 0);
	ck_assert_int_eq(load(MAX), -EBADMSG);
	ck_assert_int_eq(sidecar_store(dir, &key, x, 0), 0);
	ck_assert_int_eq(load(MAX), -EBADMSG);
	free(x);
}
END_TEST

START_TEST(test_foreign_key)
{
	struct sidecar_key other = key;
	char wrong[sizeof(name)];
	void *x;
	size_t n;

	make(3, &x, &n);
	other.digest[0] ^= 1;
	ck_assert_int_eq(sidecar_store(dir, &other, x, n), 0);
	strcpy(wrong, name);
	wrong[1] = 'a';
	ck_assert_int_eq(renameat(dir, wrong, dir, name), 0);
	ck_assert_int_eq(load(MAX), -EBADMSG);
	free(x);
}
END_TEST

/* What lies under the name is no file, or a way out of the directory. */
START_TEST(test_names)
{
	char outside[160], text[8] = "";
	FILE *f;
	void *x;
	size_t n;

	make(3, &x, &n);
	snprintf(outside, sizeof(outside), "%s/outside", root);
	f = fopen(outside, "w");
	ck_assert_ptr_nonnull(f);
	fputs("mine", f);
	fclose(f);
	ck_assert_int_eq(symlinkat("../../outside", dir, name), 0);
	ck_assert_int_eq(load(MAX), -EBADMSG);
	ck_assert_int_eq(sidecar_store(dir, &key, x, n), 0);
	ck_assert_int_eq(load(MAX), 0);
	f = fopen(outside, "r");
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), f));
	fclose(f);
	ck_assert_str_eq(text, "mine");
	ck_assert_int_eq(unlinkat(dir, name, 0), 0);
	ck_assert_int_eq(mkfifoat(dir, name, 0600), 0);
	ck_assert_int_eq(load(MAX), -EBADMSG);
	ck_assert_int_eq(unlinkat(dir, name, 0), 0);
	ck_assert_int_eq(mkdirat(dir, name, 0700), 0);
	ck_assert_int_eq(load(MAX), -EBADMSG);
	ck_assert_int_eq(sidecar_store(dir, &key, x, n), -EISDIR);
	ck_assert_uint_eq(entries(), 1);
	free(x);
}
END_TEST

START_TEST(test_directory)
{
	char file[160], deep[160];
	struct stat st;
	int fd;

	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	ck_assert_int_eq(chmod(path, 0755), 0);
	fd = sidecar_dir(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(fd);
	ck_assert_int_eq(chmod(path, 0720), 0);
	ck_assert_int_eq(sidecar_dir(path), -EPERM);
	ck_assert_int_eq(chmod(path, 0702), 0);
	ck_assert_int_eq(sidecar_dir(path), -EPERM);
	ck_assert_int_eq(chmod(path, 0700), 0);
	if (geteuid() != 0)
		ck_assert_int_eq(sidecar_dir("/"), -EPERM);
	snprintf(file, sizeof(file), "%s/file", path);
	fd = open(file, O_CREAT | O_WRONLY, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(sidecar_dir(file), -ENOTDIR);
	snprintf(deep, sizeof(deep), "%s/file/deeper", path);
	ck_assert_int_eq(sidecar_dir(deep), -ENOTDIR);
	snprintf(deep, sizeof(deep), "%s//x/y/", root);
	fd = sidecar_dir(deep);
	ck_assert_int_ge(fd, 0);
	close(fd);
}
END_TEST

/* A file of another user is not believed, nor is their directory used. */
START_TEST(test_owner)
{
	void *x;
	size_t n;

	if (geteuid() != 0)
		return;
	make(3, &x, &n);
	ck_assert_int_eq(sidecar_store(dir, &key, x, n), 0);
	ck_assert_int_eq(fchownat(dir, name, 1, 1, 0), 0);
	ck_assert_int_eq(load(MAX), -EBADMSG);
	ck_assert_int_eq(fchown(dir, 1, 1), 0);
	ck_assert_int_eq(sidecar_dir(path), -EPERM);
	ck_assert_int_eq(fchown(dir, 0, 0), 0);
	free(x);
}
END_TEST

/* The file may not grow so far: as on a full disk, nothing is left. */
START_TEST(test_full)
{
	struct rlimit limit, old;
	void *x, *y;
	size_t n, ny;

	make(3, &x, &n);
	make(5, &y, &ny);
	ck_assert_int_eq(sidecar_store(dir, &key, y, ny), 0);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
	for (rlim_t most = 0; most < 300; most += 100) {
		limit = (struct rlimit){most, old.rlim_max};
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
		int err = sidecar_store(dir, &key, x, n);

		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
		ck_assert_int_eq(err, -EFBIG);
		ck_assert_uint_eq(entries(), 1);
		ck_assert_int_eq(load(MAX), 0);
	}
	free(x);
	free(y);
}
END_TEST

START_TEST(test_no_right)
{
	void *x;
	size_t n;

	if (geteuid() == 0 && seteuid(1) < 0)
		return;
	if (getuid() == 0) {
		/* As another user, who does not even own it. */
		make(3, &x, &n);
		ck_assert_int_eq(sidecar_store(dir, &key, x, n), -EACCES);
		ck_assert_int_eq(seteuid(0), 0);
	} else {
		make(3, &x, &n);
		ck_assert_int_eq(chmod(path, 0500), 0);
		ck_assert_int_eq(sidecar_store(dir, &key, x, n), -EACCES);
		ck_assert_int_eq(chmod(path, 0700), 0);
	}
	ck_assert_uint_eq(entries(), 0);
	free(x);
}
END_TEST

/* What a killed writer left goes after a day, nothing else does. */
START_TEST(test_left_behind)
{
	static const char *const names[] = {".1-2-3.tmp", ".4-5-6.tmp",
					    "mine.tmp", ".mine", ".tmp"};
	const struct timespec old[2] = {{1000000, 0}, {1000000, 0}};
	char file[256];
	int fd;

	for (unsigned i = 0; i < 5; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, names[i]);
		fd = open(file, O_CREAT | O_WRONLY, 0600);
		ck_assert_int_ge(fd, 0);
		close(fd);
		if (i != 1)
			ck_assert_int_eq(utimensat(AT_FDCWD, file, old, 0), 0);
	}
	fd = sidecar_dir(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	for (unsigned i = 0; i < 5; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, names[i]);
		ck_assert_int_eq(access(file, F_OK), i == 0 ? -1 : 0);
	}
}
END_TEST

/* Writers of one name and readers of it: whatever is read is whole. */
static _Atomic int failures;

static void *writer(void *arg)
{
	void *x;
	size_t n;

	make((uint8_t)(uintptr_t)arg, &x, &n);
	for (unsigned i = 0; i < 50; i++)
		failures += sidecar_store(dir, &key, x, n) != 0;
	free(x);
	return NULL;
}

static void *reader(void *arg)
{
	for (unsigned i = 0; i < 200; i++) {
		void *got;
		size_t n;

		if (sidecar_load(dir, &key, &shape, MAX, &got, &n)) {
			failures++;
			continue;
		}
		free(got);
	}
	return arg;
}

START_TEST(test_race)
{
	pthread_t t[4];
	void *x;
	size_t n;

	make(1, &x, &n);
	ck_assert_int_eq(sidecar_store(dir, &key, x, n), 0);
	free(x);
	failures = 0;
	for (uintptr_t i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL,
						i < 2 ? writer : reader,
						(void *)(i + 1)),
				 0);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	ck_assert_int_eq(failures, 0);
	ck_assert_uint_eq(entries(), 1);
}
END_TEST

static Suite *sidecar_suite(void)
{
	Suite *s = suite_create("sidecar");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_round);
	tcase_add_test(t, test_damage);
	tcase_add_test(t, test_foreign_key);
	tcase_add_test(t, test_names);
	tcase_add_test(t, test_directory);
	tcase_add_test(t, test_owner);
	tcase_add_test(t, test_full);
	tcase_add_test(t, test_no_right);
	tcase_add_test(t, test_left_behind);
	tcase_add_test(t, test_race);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(sidecar_suite)
