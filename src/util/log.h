/* SPDX-License-Identifier: MIT */

/*
 * Log lines: one write(2) a line, to stderr, syslog or a file; control
 * characters become '?', and what is over 4 KiB is cut off.
 * Threads: any. Keeps errno.
 */

#ifndef UTIL_LOG_H
#define UTIL_LOG_H

#include <stdarg.h>
#include <stdbool.h>

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
};

/* Set before threads exist; the only mutable global. Default: WARN. */
extern enum log_level log_level;

/*
 * Where lines go: "stderr" (the default), "syslog", or the absolute path of a
 * file that is appended to (mode 0600). 0 or -errno, with the old target kept.
 */
int log_open(const char *target);
/* Open the files again, after they were rotated. Only a request, safe in a
 * signal handler too: the next line does it. */
void log_reopen(void);

/* A second target besides the first, for a daemon's file in its run
 * directory; NULL removes it. 0 or -errno, with the old one kept. */
int log_also(const char *path);

void log_line(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* As at info level, whatever log_level is: what was asked for by a signal. */
void log_always(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Logs at error level and returns err: return log_err(-EBADMSG, "..."); */
int log_err(int err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#define log_warn(...) log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)                                                 \
	do {                                                           \
		if (__builtin_expect(log_level >= LOG_LEVEL_DEBUG, 0)) \
			log_line(LOG_LEVEL_DEBUG, __VA_ARGS__);        \
	} while (0)

#endif
