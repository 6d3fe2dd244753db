/* SPDX-License-Identifier: MIT */

/*
 * A scanner that does what the file it is asked about tells it to, at each
 * request: at byte 512 stand commands, one a line, for instance
 *
 *   send OFF LEN     send these bytes of the file as they are
 *   read N TIMES     ask for N bytes of the file, TIMES times (0: for ever)
 *   ask N TIMES      the same, and never read an answer
 *   repeat OFF LEN   send these bytes for ever
 *   slow OFF LEN     the same, one byte at a time, 20 ms apart
 *   exit STATUS, signal NUMBER, hang, spin, close
 *   leak             fail unless descriptors 0 to 3 are all there are
 *   env              fail if the environment has HDF5_* or PATCHFS_*
 */

#include <config.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "container/catalog.h"
#include "scan/forkserver.h"

extern char **environ;

static void get(void *buf, size_t n)
{
	char *p = buf;

	while (n) {
		ssize_t got = read(SCAN_FD, p, n);

		if (got <= 0)
			_exit(90);
		p += got;
		n -= (size_t)got;
	}
}

static void put(const void *buf, size_t n)
{
	const char *p = buf;

	while (n) {
		ssize_t done = write(SCAN_FD, p, n);

		if (done <= 0)
			_exit(91);
		p += done;
		n -= (size_t)done;
	}
}

static void ask(uint64_t off, uint64_t n)
{
	struct scan_msg m = {SCAN_READ, sizeof(struct scan_read)};
	struct scan_read r = {off, n};

	put(&m, sizeof(m));
	put(&r, sizeof(r));
}

static void fetch(uint64_t off, uint64_t n, void *buf)
{
	struct scan_data d;

	ask(off, n);
	get(&d, sizeof(d));
	if (d.error)
		_exit(92);
	if (d.n != n)
		_exit(93);
	get(buf, n);
}

static void fail_text(const char *text)
{
	struct scan_msg m = {SCAN_FAIL, 0};
	struct scan_fail f = {.error = -5};

	m.len = (uint32_t)(sizeof(f) + strlen(text));
	put(&m, sizeof(m));
	put(&f, sizeof(f));
	put(text, strlen(text));
	_exit(0);
}

static void check_leaks(void)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	char text[64];

	while (d && (e = readdir(d))) {
		int fd = atoi(e->d_name);

		if (fd > SCAN_FD && fd != dirfd(d)) {
			snprintf(text, sizeof(text), "leaked %d", fd);
			fail_text(text);
		}
	}
	for (int fd = 0; fd < 2; fd++) {
		char to[32] = "";

		snprintf(text, sizeof(text), "/proc/self/fd/%d", fd);
		if (readlink(text, to, sizeof(to) - 1) < 0 ||
		    strcmp(to, "/dev/null"))
			fail_text("no /dev/null");
	}
	if (d)
		closedir(d);
}

static void check_env(void)
{
	for (char **e = environ; *e; e++)
		if (!strncmp(*e, "HDF5", 4) || !strncmp(*e, "PATCHFS", 7))
			fail_text(*e);
}

static void nap(void)
{
	nanosleep(&(struct timespec){0, 20000000}, NULL);
}

static void obey(const char *line)
{
	static char buf[SCAN_READ_MAX];
	char word[16] = "";
	unsigned long long x = 0, y = 0;

	sscanf(line, "%15s %llu %llu", word, &x, &y);
	if (!strcmp(word, "send")) {
		fetch(x, y, buf);
		put(buf, y);
	} else if (!strcmp(word, "read")) {
		for (unsigned long long i = 0; !y || i < y; i++)
			fetch(0, x, buf);
	} else if (!strcmp(word, "ask")) {
		for (unsigned long long i = 0; !y || i < y; i++)
			ask(0, x);
	} else if (!strcmp(word, "repeat")) {
		fetch(x, y, buf);
		for (;;)
			put(buf, y);
	} else if (!strcmp(word, "slow")) {
		fetch(x, y, buf);
		for (unsigned long long i = 0;; i = (i + 1) % y) {
			put(buf + i, 1);
			nap();
		}
	} else if (!strcmp(word, "exit")) {
		_exit((int)x);
	} else if (!strcmp(word, "signal")) {
		/* A sanitizer catches some. */
		signal((int)x, SIG_DFL);
		raise((int)x);
	} else if (!strcmp(word, "hang")) {
		for (;;)
			pause();
	} else if (!strcmp(word, "spin")) {
		for (volatile unsigned i = 0;; i++)
			;
	} else if (!strcmp(word, "close")) {
		close(SCAN_FD);
	} else if (!strcmp(word, "leak")) {
		check_leaks();
	} else if (!strcmp(word, "env")) {
		check_env();
	} else {
		fail_text(line);
	}
}

int main(void)
{
	struct scan_request req;
	char script[513];
	char *save, *line;

	forkserver();
	for (;;) {
		get(&req, sizeof(req));
		forkserver_wanted();
		if (req.version != SCAN_VERSION)
			_exit(94);
		fetch(512, 512, script);
		script[512] = '\0';
		for (line = strtok_r(script, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			obey(line);
	}
}
