/* SPDX-License-Identifier: MIT */

/* Sources that are short, change, are replaced, or lie elsewhere. */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"
#include "unit.h"
#include "util/log.h"
#include "util/metric.h"

#define SIZE 10000

static char dir[64], path[128];
static struct metrics metrics;

static unsigned char byte_at(uint64_t i)
{
	return (unsigned char)(i * 31 + i / 256);
}

static void write_file(const char *to, size_t n)
{
	FILE *f = fopen(to, "wb");

	ck_assert_ptr_nonnull(f);
	for (size_t i = 0; i < n; i++)
		fputc(byte_at(i), f);
	ck_assert_int_eq(fclose(f), 0);
}

/* An mtime that no write of ours has. */
static void age(const char *of)
{
	struct timespec t[2] = {{1000000, 5}, {1000000, 5}};

	ck_assert_int_eq(utimensat(AT_FDCWD, of, t, 0), 0);
}

static void setup(void)
{
	metrics = (struct metrics){0};
	store_metrics(&metrics);
	strcpy(dir, "check_store.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	write_file(path, SIZE);
	age(path);
}

static void teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static int64_t metric(const char *name)
{
	return metric_get(metric_find(&metrics, name));
}

static struct store *open_it(void)
{
	struct store *s;

	ck_assert_int_eq(store_open(path, -1, &s), 0);
	return s;
}

static void expect_bytes(struct store *s, uint64_t off, size_t n)
{
	unsigned char buf[SIZE];

	memset(buf, 0xaa, sizeof(buf));
	ck_assert_int_eq(store_read(s, off, n, buf), 0);
	for (size_t i = 0; i < n; i++)
		ck_assert_int_eq(buf[i], byte_at(off + i));
}

START_TEST(test_read)
{
	struct store *s = open_it();
	char buf[16];
	int64_t errors = metric("store_errors"), bytes = metric("store_bytes");

	expect_bytes(s, 0, SIZE);
	expect_bytes(s, 1, SIZE - 1);
	expect_bytes(s, SIZE - 1, 1);
	expect_bytes(s, SIZE, 0);
	ck_assert_int_eq(metric("store_bytes") - bytes, 2 * SIZE);
	ck_assert_int_eq(store_read(s, SIZE - 1, 2, buf), -EIO);
	ck_assert_int_eq(store_read(s, UINT64_MAX, 2, buf), -EIO);
	ck_assert_int_eq(store_read(s, INT64_MAX, 1, buf), -EIO);
	ck_assert_int_eq(metric("store_errors") - errors, 3);
	expect_bytes(s, 5, 100);
	ck_assert_int_eq(store_check(s), 0);
	ck_assert_int_eq(store_stat(s)->st_size, SIZE);
	store_close(s);
	store_close(NULL);
}
END_TEST

START_TEST(test_what_opens)
{
	struct store *s = NULL;
	char other[160];
	int fd = open(dir, O_RDONLY | O_DIRECTORY);
	int64_t before = metric("sources_open");

	ck_assert_int_ge(fd, 0);
	snprintf(other, sizeof(other), "%s/none", dir);
	ck_assert_int_eq(store_open(other, -1, &s), -ENOENT);
	ck_assert_int_eq(store_open(dir, -1, &s), -EINVAL);
	snprintf(other, sizeof(other), "%s/fifo", dir);
	ck_assert_int_eq(mkfifo(other, 0600), 0);
	ck_assert_int_eq(store_open(other, -1, &s), -EINVAL);
	ck_assert_int_eq(store_open("/dev/null", -1, &s), -EINVAL);
	snprintf(other, sizeof(other), "%s/link", dir);
	ck_assert_int_eq(symlink("file", other), 0);
	ck_assert_int_eq(store_open(other, -1, &s), 0);
	ck_assert_int_eq(metric("sources_open"), before + 1);
	expect_bytes(s, 0, 10);
	store_close(s);
	ck_assert_int_eq(metric("sources_open"), before);
	close(fd);
}
END_TEST

START_TEST(test_beneath)
{
	struct store *s = NULL;
	char other[160];
	int fd = open(dir, O_RDONLY | O_DIRECTORY);

	ck_assert_int_ge(fd, 0);
	snprintf(other, sizeof(other), "%s/sub", dir);
	ck_assert_int_eq(mkdir(other, 0700), 0);
	snprintf(other, sizeof(other), "%s/sub/inside", dir);
	ck_assert_int_eq(symlink("../file", other), 0);
	snprintf(other, sizeof(other), "%s/sub/outside", dir);
	ck_assert_int_eq(symlink("../../outside", other), 0);
	snprintf(other, sizeof(other), "%s/sub/absolute", dir);
	ck_assert_int_eq(symlink("/etc/passwd", other), 0);
	ck_assert_int_eq(store_open("file", fd, &s), 0);
	expect_bytes(s, 0, 10);
	store_close(s);
	/* Kernels without openat2 follow no link at all. */
	if (!store_open("sub/inside", fd, &s)) {
		expect_bytes(s, 0, 10);
		store_close(s);
	}
	ck_assert_int_lt(store_open("sub/outside", fd, &s), 0);
	ck_assert_int_lt(store_open("sub/absolute", fd, &s), 0);
	ck_assert_int_eq(store_open("../etc/passwd", fd, &s), -EXDEV);
	ck_assert_int_eq(store_open("/etc/passwd", fd, &s), -EXDEV);
	ck_assert_int_eq(store_open("sub", fd, &s), -EINVAL);
	ck_assert_int_eq(store_open("none", fd, &s), -ENOENT);
	close(fd);
}
END_TEST

/* Once it changed it stays changed, and is told and counted once. */
static void expect_stale(struct store *s, int64_t changed)
{
	char buf[16];

	ck_assert_int_eq(store_read(s, 0, sizeof(buf), buf), -ESTALE);
	ck_assert_int_eq(store_check(s), -ESTALE);
	ck_assert_int_eq(store_read(s, 100, sizeof(buf), buf), -ESTALE);
	ck_assert_int_eq(metric("sources_changed"), changed + 1);
}

START_TEST(test_truncated)
{
	struct store *s = open_it();
	int64_t changed = metric("sources_changed");

	ck_assert_int_eq(truncate(path, SIZE / 2), 0);
	age(path);
	expect_stale(s, changed);
	store_close(s);
}
END_TEST

START_TEST(test_appended)
{
	struct store *s = open_it();
	int64_t changed = metric("sources_changed");
	FILE *f = fopen(path, "ab");

	fputc(1, f);
	fclose(f);
	age(path);
	expect_stale(s, changed);
	store_close(s);
}
END_TEST

START_TEST(test_rewritten)
{
	struct store *s = open_it();
	int64_t changed = metric("sources_changed");

	/* Same size, same inode: the mtime tells. */
	write_file(path, SIZE);
	expect_stale(s, changed);
	store_close(s);
}
END_TEST

START_TEST(test_nanosecond)
{
	struct store *s = open_it();
	int64_t changed = metric("sources_changed");
	struct timespec t[2] = {{1000000, 6}, {1000000, 6}};

	ck_assert_int_eq(utimensat(AT_FDCWD, path, t, 0), 0);
	expect_stale(s, changed);
	store_close(s);
}
END_TEST

START_TEST(test_replaced)
{
	struct store *s = open_it();
	char other[160];

	snprintf(other, sizeof(other), "%s/new", dir);
	FILE *f = fopen(other, "wb");

	fputs("new", f);
	fclose(f);
	ck_assert_int_eq(rename(other, path), 0);
	expect_bytes(s, 0, SIZE);
	ck_assert_int_eq(unlink(path), 0);
	expect_bytes(s, 0, SIZE);
	store_close(s);
}
END_TEST

START_TEST(test_nothing)
{
	struct store *s = open_it();
	char other[160];

	snprintf(other, sizeof(other), "%s/hard", dir);
	ck_assert_int_eq(link(path, other), 0);
	expect_bytes(s, 0, SIZE);
	ck_assert_int_eq(chmod(path, 0400), 0);
	expect_bytes(s, 0, SIZE);
	ck_assert_int_eq(unlink(path), 0);
	expect_bytes(s, 0, SIZE);
	store_close(s);
}
END_TEST

#ifdef ENABLE_FAULTS
static char fault_path[128];

/* Written beside and renamed, so that no read sees half of it. */
static void set_faults(const char *lines)
{
	char other[160];

	snprintf(other, sizeof(other), "%s.new", fault_path);
	FILE *f = fopen(other, "w");

	fputs(lines, f);
	fclose(f);
	ck_assert_int_eq(rename(other, fault_path), 0);
}

static void setup_faults(void)
{
	setup();
	snprintf(fault_path, sizeof(fault_path), "%s/faults", dir);
	ck_assert_int_eq(setenv("PATCHFS_FAULT", fault_path, 1), 0);
}

static void teardown_faults(void)
{
	unsetenv("PATCHFS_FAULT");
	teardown();
}

START_TEST(test_faults)
{
	struct store *s = open_it();
	unsigned char buf[64], bits = 0;
	int failed = 0;

	expect_bytes(s, 0, 64);
	set_faults("*/file error ENOLCK\n");
	/* Users of a store see EIO for what a device says. */
	ck_assert_int_eq(store_read(s, 0, 64, buf), -EIO);
	set_faults("*/file error ESTALE\n");
	ck_assert_int_eq(store_read(s, 0, 64, buf), -ESTALE);
	set_faults("*/file error EAGAIN\n");
	ck_assert_int_eq(store_read(s, 0, 64, buf), -EIO);
	set_faults("*/other error EIO\n");
	expect_bytes(s, 0, 64);
	set_faults("* short\n");
	ck_assert_int_eq(store_read(s, 0, 64, buf), -EIO);
	set_faults("# a comment\n\n* flip\n");
	ck_assert_int_eq(store_read(s, 7, 64, buf), 0);
	for (unsigned i = 0; i < 64; i++)
		bits += (unsigned)__builtin_popcount(buf[i] ^ byte_at(7 + i));
	ck_assert_uint_eq(bits, 1);
	set_faults("* error EIO 0.5\n");
	for (int i = 0; i < 400; i++)
		failed += store_read(s, 0, 64, buf) != 0;
	ck_assert_int_gt(failed, 100);
	ck_assert_int_lt(failed, 300);
	ck_assert_int_eq(unlink(fault_path), 0);
	expect_bytes(s, 0, 64);
	store_close(s);
}
END_TEST

static void *read_blocked(void *arg)
{
	char buf[64];

	return (void *)(intptr_t)store_read(arg, 0, sizeof(buf), buf);
}

START_TEST(test_block)
{
	struct store *s = open_it();
	pthread_t thread;
	void *result;

	set_faults("*/file block\n");
	ck_assert_int_eq(pthread_create(&thread, NULL, read_blocked, s), 0);
	ck_assert_int_eq(pthread_tryjoin_np(thread, &result), EBUSY);
	set_faults("*/elsewhere block\n");
	ck_assert_int_eq(pthread_join(thread, &result), 0);
	ck_assert_ptr_null(result);
	store_close(s);
}
END_TEST
#endif

static Suite *make_suite(void)
{
	Suite *s = suite_create("store");
	TCase *t = tcase_create("file");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_read);
	tcase_add_test(t, test_what_opens);
	tcase_add_test(t, test_beneath);
	tcase_add_test(t, test_truncated);
	tcase_add_test(t, test_appended);
	tcase_add_test(t, test_rewritten);
	tcase_add_test(t, test_nanosecond);
	tcase_add_test(t, test_replaced);
	tcase_add_test(t, test_nothing);
	suite_add_tcase(s, t);
#ifdef ENABLE_FAULTS
	t = tcase_create("fault");
	tcase_add_checked_fixture(t, setup_faults, teardown_faults);
	tcase_add_test(t, test_faults);
	tcase_add_test(t, test_block);
	suite_add_tcase(s, t);
#endif
	return s;
}

UNIT_MAIN(make_suite)
