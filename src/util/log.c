/* SPDX-License-Identifier: MIT */

/*
 * One line, one write. It is written under a lock, the one exception to the
 * rule that none is held over I/O: SIGHUP may ask for the files to be opened
 * again at any time, and lines are rare.
 */

#include <config.h>

#include "util/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "util/cleanup.h"

#define LINE_MAX_BYTES 4096

enum log_level log_level = LOG_LEVEL_WARN;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool reopen_wanted;

/* Protected by lock. A file has its path; fd -1 with use_syslog is syslog. */
static struct target {
	char *path;
	int fd;
	bool use_syslog;
} first = {NULL, STDERR_FILENO, false}, also = {NULL, -1, false};

static int open_file(const char *path)
{
	int fd = open(path,
		      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
			      O_NOCTTY,
		      0600);

	return fd < 0 ? -errno : fd;
}

static void drop(struct target *t)
{
	if (t->path)
		close(t->fd);
	free(t->path);
	*t = (struct target){NULL, -1, false};
}

static int set_file(struct target *t, const char *path)
{
	char *copy = strdup(path);
	int fd = copy ? open_file(path) : -ENOMEM;

	if (fd < 0) {
		free(copy);
		return fd;
	}
	drop(t);
	t->path = copy;
	t->fd = fd;
	return 0;
}

int log_open(const char *target)
{
	LOCK_SCOPE(&lock);
	if (strcmp(target, "stderr") == 0) {
		drop(&first);
		first.fd = STDERR_FILENO;
		return 0;
	}
	if (strcmp(target, "syslog") == 0) {
		drop(&first);
		first.use_syslog = true;
		openlog("patchfs", LOG_PID, LOG_DAEMON);
		return 0;
	}
	return set_file(&first, target);
}

int log_also(const char *path)
{
	LOCK_SCOPE(&lock);
	if (!path) {
		drop(&also);
		return 0;
	}
	return set_file(&also, path);
}

void log_reopen(void)
{
	atomic_store(&reopen_wanted, true);
}

static void reopen(struct target *t)
{
	int fd = t->path ? open_file(t->path) : -1;

	if (fd >= 0) {
		close(t->fd);
		t->fd = fd;
	}
}

static void put(struct target *t, int priority, const char *line, size_t n)
{
	static const char *const names[] = {"error", "warning", "", "debug"};
	char head[64];
	struct iovec v[2] = {{head, 0}, {(char *)line, n}};

	if (t->use_syslog) {
		static const int level[] = {LOG_ERR, LOG_WARNING, LOG_INFO,
					    LOG_DEBUG};

		syslog(level[priority], "%.*s", (int)(n - 1), line);
		return;
	}
	if (t->fd < 0)
		return;
	if (t->path) {
		struct timespec ts;
		struct tm tm;

		clock_gettime(CLOCK_REALTIME, &ts);
		gmtime_r(&ts.tv_sec, &tm);
		v[0].iov_len = strftime(head, sizeof(head) - 32,
					"%Y-%m-%dT%H:%M:%SZ ", &tm);
	} else {
		memcpy(head, "patchfs: ", 9);
		v[0].iov_len = 9;
	}
	if (*names[priority])
		v[0].iov_len += (size_t)snprintf(head + v[0].iov_len, 16,
						 "%s: ", names[priority]);
	if (writev(t->fd, v, 2) < 0)
		return; /* nowhere left to say so */
}

static void line_v(enum log_level level, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static void line_v(enum log_level level, const char *fmt, va_list ap)
{
	char line[LINE_MAX_BYTES];
	int saved = errno;
	int n = vsnprintf(line, sizeof(line) - 1, fmt, ap);

	if (n < 0)
		n = 0;
	if ((size_t)n > sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	for (int i = 0; i < n; i++) {
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			line[i] = '?';
	}
	line[n++] = '\n';
	{
		LOCK_SCOPE(&lock);
		if (atomic_exchange(&reopen_wanted, false)) {
			reopen(&first);
			reopen(&also);
		}
		put(&first, (int)level, line, (size_t)n);
		put(&also, (int)level, line, (size_t)n);
	}
	errno = saved;
}

void log_line(enum log_level level, const char *fmt, ...)
{
	va_list ap;

	if (level > log_level)
		return;
	va_start(ap, fmt);
	line_v(level, fmt, ap);
	va_end(ap);
}

void log_always(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line_v(LOG_LEVEL_INFO, fmt, ap);
	va_end(ap);
}

int log_err(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line_v(LOG_LEVEL_ERROR, fmt, ap);
	va_end(ap);
	return err;
}
