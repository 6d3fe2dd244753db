/* SPDX-License-Identifier: MIT */

/*
 * The session and its mount. libfuse and fusermount3 say what is wrong on
 * stderr; while mounting, both are caught and become one line.
 */

#include <config.h>

#include "fuse/front_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuse/mounts.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "util/text.h"

static void lib_log(enum fuse_log_level level, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static void lib_log(enum fuse_log_level level, const char *fmt, va_list ap)
{
	char line[512];

	if (level > FUSE_LOG_WARNING)
		return;
	vsnprintf(line, sizeof(line), fmt, ap);
	line[strcspn(line, "\n")] = '\0';
	log_line(LOG_LEVEL_WARN, "%s", line);
}

static unsigned cpu_count(void)
{
	cpu_set_t set;
	long n = sched_getaffinity(0, sizeof(set), &set) == 0
			 ? CPU_COUNT(&set)
			 : sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (unsigned)n : 1;
}

/* s with commas and backslashes escaped, as an option string needs them. */
static char *escaped(const char *s)
{
	char *out = malloc(2 * strlen(s) + 1), *at = out;

	if (!out)
		return NULL;
	for (; *s; s++) {
		if (*s == ',' || *s == '\\')
			*at++ = '\\';
		*at++ = *s;
	}
	*at = '\0';
	return out;
}

static int session_new(struct front *f)
{
	CLEANUP(cleanup_freep) char *name = escaped(f->conf.source);
	CLEANUP(cleanup_freep) char *options = NULL;
	const char *others =
		f->conf.allow_other ? ",allow_other,default_permissions" : "";
	struct fuse_lowlevel_ops ops = front_ops;
	struct fuse_args args;

	if (name)
		options = text_new("-oro,nosuid,nodev,noexec,"
				   "subtype=patchfs%s,fsname=%s",
				   others, name);
	if (!options)
		return -ENOMEM;
	args = (struct fuse_args)FUSE_ARGS_INIT(0, NULL);
	if (fuse_opt_add_arg(&args, "patchfs") ||
	    fuse_opt_add_arg(&args, options)) {
		fuse_opt_free_args(&args);
		return -ENOMEM;
	}
	readonly_ops(&ops);
	f->se = fuse_session_new(&args, &ops, sizeof(ops), f);
	fuse_opt_free_args(&args);
	return f->se ? 0 : -EINVAL;
}

/* What was written to fd, as one line without the name of a program. */
static char *said(int fd)
{
	char text[1024], *line = text;
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return NULL;
	text[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "fuse: ", 6) == 0)
		line += 6;
	if (strncmp(line, "fusermount3: ", 13) == 0)
		line += 13;
	return *line ? strdup(line) : NULL;
}

static int session_mount(struct front *f, char **why)
{
	CLEANUP(cleanup_closep) int caught = memfd_create("said", MFD_CLOEXEC);
	CLEANUP(cleanup_closep)
	int stderr_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	int r;

	/* What is not caught would be a second line. */
	if (caught < 0 || stderr_fd < 0)
		return -errno;
	dup2(caught, STDERR_FILENO);
	fuse_set_log_func(NULL);
	r = fuse_session_mount(f->se, f->mountpoint);
	dup2(stderr_fd, STDERR_FILENO);
	fuse_set_log_func(lib_log);
	if (r == 0)
		return 0;
	*why = said(caught);
	return -EIO;
}

/* What mounting needs before all else, for the sake of the message. */
static int check_device(const char *mountpoint, char **why)
{
	int fd, r;

	if (strncmp(mountpoint, "/dev/fd/", 8) == 0)
		return 0;
	fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	r = errno == ENOENT || errno == ENXIO ? -ENODEV : -EACCES;
	*why = text_new("/dev/fuse: %s%s", strerror(errno),
			r == -ENODEV ? " (is the kernel module fuse loaded?)"
				     : "");
	return r;
}

static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static int front_new(const struct front_conf *conf, struct front **out)
{
	unsigned cpus = cpu_count();
	struct front *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return -ENOMEM;
	f->conf = *conf;
	f->event_fd = -1;
	f->threads = conf->threads ? conf->threads : 2 * cpus;
	if (!conf->threads && f->threads < 16)
		f->threads = 16;
	f->workers = conf->io_threads ? conf->io_threads : 2 * cpus;
	if (!conf->io_threads && f->workers < 8)
		f->workers = 8;
	f->loading_max = f->threads > 2 ? f->threads - 2 : 0;
	r = queue_init(&f->queue, f->workers, cpus);
	if (r) {
		free(f);
		return r;
	}
	pthread_mutex_init(&f->lock, NULL);
	pthread_mutex_init(&f->interrupt_lock, NULL);
	pthread_cond_init(&f->ended, NULL);
	pthread_cond_init(&f->gate, NULL);
	f->thread = calloc(f->threads + f->workers, sizeof(*f->thread));
	f->mountpoint = strdup(conf->mountpoint);
	f->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!f->thread || !f->mountpoint || f->event_fd < 0) {
		front_free(f);
		return -ENOMEM;
	}
	*out = f;
	return 0;
}

int front_mount(const struct front_conf *conf, struct front **out, char **why)
{
	struct front *f = NULL;
	struct mount m;
	int r;

	*why = NULL;
	r = check_device(conf->mountpoint, why);
	if (r)
		return r;
	block_signals();
	if (conf->metrics) {
		count_metrics(conf->metrics);
		queue_metrics(conf->metrics);
	}
	r = front_new(conf, &f);
	if (r == 0)
		r = session_new(f);
	if (r == 0)
		r = session_mount(f, why);
	if (r) {
		front_free(f);
		return r;
	}
	if (mounts_at(f->mountpoint, &m) == 0) {
		f->dev = take_ptr(m.dev);
		mount_fini(&m);
	}
	*out = f;
	return 0;
}

/* Whether what is on top at the mount point is this mount. */
static bool is_on_top(const struct front *f)
{
	struct mount m;
	bool is_ours;

	if (!f->dev || mounts_at(f->mountpoint, &m))
		return false;
	is_ours = strcmp(m.dev, f->dev) == 0;
	mount_fini(&m);
	return is_ours;
}

int front_detach(struct front *f)
{
	CLEANUP(cleanup_freep) char *why = NULL;
	int r;

	if (!is_on_top(f))
		return -ENOENT; /* a device handed in: nothing to detach */
	r = mounts_detach(f->mountpoint, true, &why);
	if (r)
		log_line(LOG_LEVEL_WARN, "%s: cannot detach: %s", f->mountpoint,
			 why ? why : strerror(-r));
	else
		f->is_detached = true;
	return r;
}

/* The kernel has closed the connection: unmounting does nothing then. */
static bool has_ended(const struct front *f)
{
	struct pollfd p = {fuse_session_fd(f->se), 0, 0};

	return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

void front_free(struct front *f)
{
	if (!f)
		return;
	if (f->se) {
		/* What is there after a detach is somebody else's. */
		if (has_ended(f) || (!f->is_detached && is_on_top(f)))
			fuse_session_unmount(f->se);
		fuse_session_destroy(f->se);
	}
	while (f->nbig)
		free(f->big[--f->nbig]);
	queue_fini(&f->queue);
	pthread_cond_destroy(&f->ended);
	pthread_cond_destroy(&f->gate);
	pthread_mutex_destroy(&f->lock);
	pthread_mutex_destroy(&f->interrupt_lock);
	if (f->event_fd >= 0)
		close(f->event_fd);
	free(f->thread);
	free(f->mountpoint);
	free(f->dev);
	free(f);
}
