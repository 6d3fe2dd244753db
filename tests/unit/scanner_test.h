/* SPDX-License-Identifier: MIT */

/*
 * What the tests of scanners share: a file that tells its scanner, that of
 * false_scanner.c, what to do, and what there may be when a scan is over.
 */

#ifndef UNIT_SCANNER_TEST_H
#define UNIT_SCANNER_TEST_H

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "container/container.h"
#include "records.h"
#include "store/store.h"
#include "unit.h"
#include "util/log.h"
#include "util/metric.h"

#define DATA 1024
#define FILE_MAX (24 << 20)

static struct container_conf conf;
static char scanner[4096];
static char path[64];
static char content[FILE_MAX];
static size_t content_size;
static struct records r;

/* Of the memory that scans say they hold. */
static _Atomic int64_t held, held_most;
static size_t rss_before;
static int64_t untold_most; /* pages that came and were not told of */

static inline size_t rss(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	size_t pages = 0;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%*u %zu", &pages), 1);
	fclose(f);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static inline void charge(void *arg, int64_t bytes)
{
	int64_t now = atomic_fetch_add(&held, bytes) + bytes;

	ck_assert_ptr_eq(arg, &held);
	ck_assert_int_ge(now, 0);
	if (now > held_most)
		held_most = now;
	/* At the end what was made is the caller's. */
	if (rss_before && bytes > 0 &&
	    (int64_t)(rss() - rss_before) - now > untold_most)
		untold_most = (int64_t)(rss() - rss_before) - now;
}

static inline unsigned count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/*
 * Nobody left to wait for, neither a zombie nor a running child, once the
 * process is gone that scanners are forked from.
 */
static inline void expect_no_child(void)
{
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

static inline void setup(void)
{
	const char *dir = getenv("builddir");

	snprintf(scanner, sizeof(scanner), "%s/tests/unit/false_scanner",
		 dir ? dir : ".");
	conf = (struct container_conf){
		.scanner = scanner,
		.scan_cpu_s = 1,
		.scan_wall_s = 1,
		.scan_memory = 1 << 29,
		.charge = charge,
		.charge_arg = &held,
	};
	/* Its files are unlinked at once; that is no news. */
	log_level = LOG_LEVEL_ERROR;
	memcpy(content, "\211HDF\r\n\032\n", 8);
	content_size = DATA;
	records_group(&r);
}

/* However a scan ends, nothing of it is left. */
static inline void teardown(void)
{
	ck_assert_int_eq(held, 0);
	records_free(&r);
}

static inline void add(const void *p, size_t n)
{
	ck_assert_uint_le(content_size + n, sizeof(content));
	memcpy(content + content_size, p, n);
	content_size += n;
}

static inline void add_message(uint32_t type, const void *p, size_t n)
{
	struct scan_msg m = {type, (uint32_t)n};

	add(&m, sizeof(m));
	add(p, n);
}

static inline void add_end(void)
{
	struct scan_end end = {
		.objects = r.objects, .links = r.links, .stays = 1};

	add_message(SCAN_END, &end, sizeof(end));
}

static inline void add_fail(int error, const char *text)
{
	struct scan_fail f = {.error = error};
	char buf[2048];

	memcpy(buf, &f, sizeof(f));
	memcpy(buf + sizeof(f), text, strlen(text));
	add_message(SCAN_FAIL, buf, sizeof(f) + strlen(text));
}

static inline void script(const char *commands)
{
	strcpy(content + 512, commands);
}

/* Send all that was added, then as it is told. */
static inline void script_send(const char *then)
{
	sprintf(content + 512, "send %d %zu\n%s", DATA, content_size - DATA,
		then);
}

static inline void write_content(void)
{
	int fd;

	strcpy(path, "check_scanner.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, content, content_size),
			 (ssize_t)content_size);
	close(fd);
}

static inline void open_store(struct store *s, struct container **c)
{
	ck_assert_int_eq(scanners_new(conf.scanner, &conf.scanners), 0);
	ck_assert_int_eq(container_open(s, &conf, c), 0);
}

static inline struct container *open_container(void)
{
	struct container *c;
	struct store *s;

	write_content();
	ck_assert_int_eq(store_open(path, -1, &s), 0);
	ck_assert_int_eq(unlink(path), 0);
	open_store(s, &c);
	return c;
}

static inline void close_container(struct container *c)
{
	container_close(c);
	scanners_free(conf.scanners);
}

#endif
