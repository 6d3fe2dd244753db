/* SPDX-License-Identifier: MIT */

/*
 * patchfs mount: look at SRC and MNT, go into the background before there is a
 * thread, open the source, mount, say so once the mount answers, serve.
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd_impl.h"
#include "cmd/mount_conf.h"
#include "fuse/front.h"
#include "fuse/mounts.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "util/parse.h"
#include "util/text.h"

#define FILES_LEAST 64

struct mounted {
	const struct mount_conf *conf;
	struct notice notice;
	struct source source;
	struct front *front;
	char *mountpoint, *log_path;
	char *config;
	int lock_fd;  /* says that a server runs */
	int place_fd; /* keeps others from mounting there meanwhile */
	bool is_dir;  /* the source */
	unsigned entries, containers; /* that the root shows */
};

/* Others may mount there, and see for themselves whether it is taken. */
static void leave_place(struct mounted *m)
{
	cleanup_closep(&m->place_fd);
	m->place_fd = -1;
}

/* One line to whoever started us; returns the exit status. */
static int give_up(struct mounted *m, int status, const char *why, int err)
{
	CLEANUP(cleanup_freep)
	char *text = text_new("patchfs mount: %s", why ? why : strerror(-err));

	leave_place(m);
	notice_send(&m->notice, status, text ? text : "out of memory");
	return status;
}

static int status_of(int err)
{
	switch (err) {
	case -ENOMEM:
	case -EMFILE:
	case -ENFILE:
		return EXIT_MOUNT_SYSTEM;
	default:
		return EXIT_MOUNT_FAILED;
	}
}

/* With fewer something would fail later, and say less. */
static int check_files(char **why)
{
	uint64_t n = source_raise_files();

	if (n >= FILES_LEAST)
		return 0;
	*why = text_new("%d open files are needed, the limit is %" PRIu64
			"; raise it (ulimit -Hn)",
			FILES_LEAST, n);
	return -EMFILE;
}

/* ------------------------------------------------------------ the process */

/* A container's decoded data is what a core file would hold: patients'. */
static void set_limits(const struct mount_conf *c)
{
	struct rlimit l;

	if (!c->core) {
		l = (struct rlimit){0, 0};
		setrlimit(RLIMIT_CORE, &l);
		prctl(PR_SET_DUMPABLE, 0);
	}
}

/* A server started in a short step ends with it. */
static void warn_of_step(void)
{
	const char *step = getenv("SLURM_STEP_ID");
	uint64_t n;

	if (!step || parse_decimal(step, strlen(step), &n) || n >= 0xfffffff0)
		return;
	log_warn("started inside step %s of a Slurm job: the mount ends with "
		 "the step; mount in the batch script itself",
		 step);
}

/* Where lines go from now on: no thread is there yet. What was asked for must
 * be had, the file that nobody asked for need not. */
static int open_logs(struct mounted *m, char **why)
{
	const struct mount_conf *c = m->conf;
	int r;

	log_level = c->log_level;
	if (c->log || c->foreground) {
		r = log_open(c->log ? c->log : "stderr");
		if (r)
			*why = text_new("--log=%s: %s", c->log, strerror(-r));
		return r;
	}
	r = run_file(m->mountpoint, "log", &m->log_path);
	if (r == 0)
		r = log_also(m->log_path);
	if (r) {
		log_warn("no log file: %s: %s",
			 m->log_path ? m->log_path : "run directory",
			 strerror(-r));
		free(take_ptr(m->log_path));
	}
	return log_open("syslog");
}

/* A mount in the background keeps no terminal and no pipe of a script. */
static void leave_stdio(const struct mount_conf *c)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	if (!c->log || strcmp(c->log, "stderr") != 0)
		dup2(fd, STDERR_FILENO);
	close(fd);
}

/* ---------------------------------------------------------------- reports */

/* A device in the place of the file would be gone: /dev/null, for root. */
static bool may_replace(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 || S_ISREG(st.st_mode) ||
	       S_ISDIR(st.st_mode);
}

/* 0; -errno, and what could not be written is logged or told by *why. */
static int write_metrics(const struct mounted *m, char **why)
{
	const char *path = m->conf->metrics_file;
	CLEANUP(cleanup_freep)
	char *temporary = text_new("%s.%ld", path, (long)getpid());
	FILE *f = NULL;
	int r = 0;

	if (!temporary)
		return -ENOMEM;
	if (!may_replace(path))
		r = -EINVAL;
	else if (!(f = fopen(temporary, "we")))
		r = -errno;
	if (f) {
		metrics_write_prometheus(&m->source.metrics, f);
		r = ferror(f) ? -EIO : 0;
		if (fclose(f) || (!r && rename(temporary, path)))
			r = -errno;
		if (r)
			unlink(temporary);
	}
	if (!r)
		return 0;
	if (!why)
		log_warn("--metrics-file=%s: %s", path, strerror(-r));
	else
		*why = text_new("--metrics-file=%s: %s", path, strerror(-r));
	return r;
}

static void on_report(void *arg, bool is_asked)
{
	const struct mounted *m = arg;

	if (m->conf->metrics_file)
		write_metrics(m, NULL);
	if (!is_asked)
		return;
	for (const struct metric *one = m->source.metrics.head; one;
	     one = one->next)
		log_always("%s %" PRId64, one->name, metric_get(one));
}

/* ------------------------------------------------------------------ ready */

static void on_ready(void *arg)
{
	struct mounted *m = arg;
	CLEANUP(cleanup_freep) char *text = NULL, *kept = NULL;
	const char *note = place_source_note(m->source.path);
	const char *dir = m->conf->source.index_dir;
	char size[16];

	if (dir) {
		uint64_t n = tree_kept_indices(m->source.tree);

		kept = text_new(", %" PRIu64 " sampling ind%s in %s", n,
				n == 1 ? "ex" : "ices", dir);
	}
	text = text_new(
		"patchfs: %s%s%s%s on %s: %u container%s%s, cache %s%s%s%s",
		m->source.path, note ? " (" : "", note ? note : "",
		note ? ")" : "", m->mountpoint, m->containers,
		m->containers == 1 ? "" : "s", m->is_dir ? " at its top" : "",
		format_size(m->source.cache_size, size), kept ? kept : "",
		m->log_path ? ", log " : "", m->log_path ? m->log_path : "");
	if (!m->conf->foreground) {
		leave_stdio(m->conf);
		/* Its file has the lines of earlier mounts too. */
		log_always("%s", text ? text + strlen("patchfs: ") : "mounted");
	}
	/* Nobody waits for it any more: it was not to be. */
	if (notice_send(&m->notice, 0, text ? text : "") == -EPIPE)
		kill(getpid(), SIGTERM);
}

/* Counts what the root shows, reading it if it is a directory. */
static int count_entry(void *arg, const char *name, uint64_t ino, mode_t type,
		       const struct stat *st, uint64_t next)
{
	struct mounted *m = arg;

	(void)ino, (void)st, (void)next;
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	m->entries++;
	m->containers +=
		S_ISREG(type) && tree_names_container(m->source.tree, name);
	return 0;
}

static int look_at_root(struct mounted *m)
{
	struct stat st;
	int r = tree_list(m->source.tree, TREE_ROOT, 0, false, count_entry, m,
			  NULL);

	if (r == 0 && m->entries == 0)
		log_warn("%s is empty", m->source.path);
	m->is_dir = stat(m->source.path, &st) == 0 && S_ISDIR(st.st_mode);
	if (!m->is_dir)
		m->containers = 1;
	return r;
}

static int set_config(struct mounted *m)
{
	const char *log = m->log_path ? m->log_path : m->conf->log;

	if (!log)
		log = m->conf->foreground ? "stderr" : "syslog";
	m->config =
		mount_conf_text(m->conf, m->source.path, m->mountpoint, log);
	if (!m->config)
		return -ENOMEM;
	tree_set_config(m->source.tree, m->config);
	return 0;
}

/* --------------------------------------------------------------- mounting */

static int serve(struct mounted *m)
{
	CLEANUP(cleanup_freep) char *why = NULL;
	struct mount here = {.path = NULL};
	int r;

	if (mounts_at(m->mountpoint, &here) == 0)
		m->lock_fd = run_lock(m->mountpoint, here.dev);
	r = front_serve(m->front, m->source.tree);
	if (r == -EAGAIN || r == -ENOMEM)
		why = text_new(
			"not enough memory, or too many processes, for the "
			"threads of the server: %s (ulimit -v, -u; --threads)",
			strerror(-r));
	if (m->notice.fd >= 0 || (r && r != -ETIMEDOUT))
		log_err(r, "%s: %s", m->mountpoint, why ? why : strerror(-r));
	notice_systemd("STOPPING=1");
	if (m->lock_fd >= 0)
		run_unlock(m->mountpoint, here.dev, m->lock_fd);
	mount_fini(&here);
	if (r == -ETIMEDOUT) {
		log_warn("%s: ending with a read of a source outstanding",
			 m->mountpoint);
		_exit(EXIT_MOUNT_SYSTEM);
	}
	if (m->notice.fd >= 0) {
		/* Who hears that there is no mount finds none. */
		front_free(take_ptr(m->front));
		return give_up(m, EXIT_MOUNT_SYSTEM, why, r);
	}
	return r ? EXIT_MOUNT_SYSTEM : 0;
}

static int open_and_serve(struct mounted *m, const char *src)
{
	const struct mount_conf *c = m->conf;
	CLEANUP(cleanup_freep) char *why = NULL;
	struct front_conf f = {
		.mountpoint = m->mountpoint,
		.allow_other = c->source.allow_other,
		.direct_io = c->source.direct_io,
		.threads = c->threads,
		.io_threads = c->io_threads,
		.ready = on_ready,
		.ready_arg = m,
		.drain_s = c->drain_s,
		.report = on_report,
		.report_arg = m,
	};
	int r = place_index_dir(c->source.index_dir, m->mountpoint, &why);

	if (r)
		return give_up(m, EXIT_MOUNT_FAILED, why, r);
	r = source_open(&m->source, &c->source, src, &why);
	if (r)
		return give_up(m,
			       why && strncmp(why, "--", 2) == 0
				       ? EXIT_MOUNT_USAGE
				       : status_of(r),
			       why, r);
	if (access(m->source.scanner, X_OK) < 0) {
		CLEANUP(cleanup_freep) char *text = NULL;

		r = -errno;
		text = text_new("cannot run %s: %s; is patchfs installed?",
				m->source.scanner, strerror(-r));
		return give_up(m, EXIT_MOUNT_SYSTEM, text, r);
	}
	r = look_at_root(m);
	if (r)
		return give_up(m, status_of(r), NULL, r);
	warn_of_step();
	r = open_logs(m, &why);
	if (r == 0)
		r = set_config(m);
	if (r == 0 && c->metrics_file)
		r = write_metrics(m, &why);
	if (r)
		return give_up(m, EXIT_MOUNT_SYSTEM, why, r);
	f.source = m->source.path;
	f.metrics = &m->source.metrics;
	r = front_mount(&f, &m->front, &why);
	if (r) {
		CLEANUP(cleanup_freep) char *text = NULL;

		text = text_new("%s: cannot mount: %s", m->mountpoint,
				why ? why : strerror(-r));
		return give_up(m,
			       r == -ENODEV || r == -EACCES ? EXIT_MOUNT_SYSTEM
							    : status_of(r),
			       text, r);
	}
	leave_place(m);
	return serve(m);
}

static int mount_it(struct mount_conf *c, const char *src, const char *mnt)
{
	struct mounted m = {
		.conf = c,
		.notice = {-1, c->ready_fd},
		.lock_fd = -1,
		.place_fd = -1,
	};
	CLEANUP(cleanup_freep) char *why = NULL, *full = NULL;
	int r = check_files(&why), status;

	if (r == 0)
		r = place_check(src, mnt, &m.mountpoint, &m.place_fd, &why);
	if (r)
		return give_up(&m, status_of(r), why, r);
	full = realpath(src, NULL);
	if (!full)
		return give_up(&m, EXIT_MOUNT_FAILED, NULL, -errno);
	if (!c->source.cache_size)
		c->source.cache_size = memory_default_cache();
	set_limits(c);
	if (!c->foreground) {
		r = notice_fork(&m.notice);
		if (r)
			return give_up(&m, EXIT_MOUNT_SYSTEM, NULL, r);
		if (chdir("/") < 0)
			log_warn("/: %s", strerror(errno));
	}
	status = open_and_serve(&m, full);
	front_free(m.front);
	source_close(&m.source);
	free(m.mountpoint);
	free(m.log_path);
	free(m.config);
	return status;
}

static int run(int argc, char **argv)
{
	struct mount_conf c = MOUNT_CONF_INIT;
	int n, status;
	int r = cmd_parse(&cmd_mount, argc, argv, &c, &n);

	c.source.logs_names = true;
	if (r) {
		status = r > 0 ? 0 : cmd_mount.usage;
	} else if (n != 2) {
		fprintf(stderr, "patchfs mount: wants SRC and MNT: see "
				"patchfs mount --help\n");
		status = cmd_mount.usage;
	} else {
		status = mount_it(&c, argv[1], argv[2]);
	}
	source_conf_fini(&c.source);
	return status;
}

const struct cmd cmd_mount = {
	"mount",
	"SRC MNT",
	"Show SRC, a directory or a container, on the directory MNT.",
	mount_opts,
	run,
	EXIT_MOUNT_USAGE,
};
