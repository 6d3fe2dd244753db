/* SPDX-License-Identifier: MIT */

/*
 * The table of options of patchfs mount; pure, but for looking at the cwd and
 * at the descriptor of --ready-fd.
 */

#include <config.h>

#include "cmd/mount_conf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/parse.h"
#include "util/text.h"

#define THREADS_MOST 4096

static int set_foreground(void *conf, const char *value)
{
	struct mount_conf *c = conf;

	(void)value;
	c->foreground = true;
	return 0;
}

static int set_core(void *conf, const char *value)
{
	struct mount_conf *c = conf;

	(void)value;
	c->core = true;
	return 0;
}

static int set_allow_other(void *conf, const char *value)
{
	struct mount_conf *c = conf;

	(void)value;
	c->source.allow_other = true;
	return 0;
}

static int set_direct_io(void *conf, const char *value)
{
	struct mount_conf *c = conf;

	(void)value;
	c->source.direct_io = true;
	return 0;
}

static int set_ready_fd(void *conf, const char *value)
{
	struct mount_conf *c = conf;
	uint64_t n;
	int flags;

	if (parse_decimal(value, strlen(value), &n) || n > INT_MAX)
		return -EINVAL;
	flags = fcntl((int)n, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
		fprintf(stderr,
			"patchfs mount: --ready-fd=%s: that descriptor is not "
			"open for writing\n",
			value);
		return -ECANCELED;
	}
	c->ready_fd = (int)n;
	return 0;
}

static int set_log(void *conf, const char *value)
{
	struct mount_conf *c = conf;

	if (!*value)
		return -EINVAL;
	if (strcmp(value, "stderr") == 0 || strcmp(value, "syslog") == 0) {
		c->log = value;
		return 0;
	}
	return cmd_absolute(value, &c->log);
}

static int set_log_level(void *conf, const char *value)
{
	static const char *const names[] = {"error", "warn", "info", "debug"};
	struct mount_conf *c = conf;

	for (unsigned i = 0; i < 4; i++) {
		if (strcmp(names[i], value) == 0) {
			c->log_level = (enum log_level)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int set_metrics_file(void *conf, const char *value)
{
	struct mount_conf *c = conf;

	return *value ? cmd_absolute(value, &c->metrics_file) : -EINVAL;
}

static int set_number(const char *value, unsigned most, unsigned *out)
{
	uint64_t n;

	if (parse_decimal(value, strlen(value), &n) || n < 1 || n > most)
		return -EINVAL;
	*out = (unsigned)n;
	return 0;
}

static int set_threads(void *conf, const char *value)
{
	struct mount_conf *c = conf;

	return set_number(value, THREADS_MOST, &c->threads);
}

static int set_io_threads(void *conf, const char *value)
{
	struct mount_conf *c = conf;

	return set_number(value, THREADS_MOST, &c->io_threads);
}

static int set_drain(void *conf, const char *value)
{
	struct mount_conf *c = conf;
	uint64_t ms;

	if (parse_duration_ms(value, &ms) || ms > UINT64_C(1000) * INT_MAX)
		return -EINVAL;
	c->drain_s = (unsigned)((ms + 999) / 1000);
	c->drain_s += !c->drain_s;
	return 0;
}

static int set_options(void *conf, const char *value)
{
	/* argv's own memory. */
	return cmd_options(&cmd_mount, (char *)value, conf) ? -ECANCELED : 0;
}

const struct opt mount_opts[] = {
	SOURCE_OPTS,
	{"allow-other", NULL, "let other users in, by the modes of the source",
	 set_allow_other, 0},
	{"direct-io", NULL, "no page cache: for one pass over large files",
	 set_direct_io, 0},
	{"foreground", NULL, "do not go into the background", set_foreground,
	 'f'},
	{"ready-fd", "N", "write a line to descriptor N once mounted",
	 set_ready_fd, 0},
	{"log", "WHERE", "stderr, syslog or a file", set_log, 0},
	{"log-level", "LEVEL", "error, warn (the default), info or debug",
	 set_log_level, 0},
	{"metrics-file", "PATH", "keep counters there, in Prometheus' format",
	 set_metrics_file, 0},
	{"threads", "N", "threads that take requests (16, or 2 a CPU)",
	 set_threads, 0},
	{"io-threads", "N", "threads for what must wait (8, or 2 a CPU)",
	 set_io_threads, 0},
	{"drain", "TIME", "after SIGTERM serve open files so long (30s)",
	 set_drain, 0},
	{"core", NULL, "allow core files, which hold data", set_core, 0},
	{"options", "A,B=C", "any of these as mount(8) gives them", set_options,
	 'o'},
	{NULL, NULL, NULL, NULL, 0},
};

char *mount_conf_text(const struct mount_conf *c, const char *src,
		      const char *mnt, const char *log)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	fprintf(f, "source %s\nmountpoint %s\n", src, mnt);
	fprintf(f, "cache-size %" PRIu64 "\n", c->source.cache_size);
	for (size_t i = 0; i < c->source.views.n; i++)
		fprintf(f, "view %s\n", c->source.views.v[i]);
	for (size_t i = 0; i < c->source.ext.n; i++)
		fprintf(f, "ext %s\n", c->source.ext.v[i]);
	if (c->source.index_dir)
		fprintf(f, "index-dir %s\n", c->source.index_dir);
	if (c->source.index_size)
		fprintf(f, "index-size %" PRIu64 "\n", c->source.index_size);
	if (c->source.allow_live)
		fprintf(f, "allow-live\n");
	if (c->source.allow_other)
		fprintf(f, "allow-other\n");
	if (c->source.direct_io)
		fprintf(f, "direct-io\n");
	if (c->threads)
		fprintf(f, "threads %u\n", c->threads);
	if (c->io_threads)
		fprintf(f, "io-threads %u\n", c->io_threads);
	if (c->drain_s)
		fprintf(f, "drain %us\n", c->drain_s);
	if (c->metrics_file)
		fprintf(f, "metrics-file %s\n", c->metrics_file);
	fprintf(f, "log %s\n", log);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}
