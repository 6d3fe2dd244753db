/* SPDX-License-Identifier: MIT */

/*
 * A scanner as a process: start with nothing inherited, limits, end. Works
 * from any thread of a server with many: posix_spawn, waitpid on the one pid,
 * and no signal is touched.
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "container/container_impl.h"
#include "util/cleanup.h"
#include "util/text.h"

/* What the scanner may see of our environment: how to find its libraries. */
static const char *const passed[] = {
	"LD_LIBRARY_PATH",
#ifdef HAVE_SANITIZER
	"ASAN_OPTIONS",	   "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS",
#endif
};
#define NPASSED (sizeof(passed) / sizeof(*passed))

static int make_env(char *env[NPASSED + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < NPASSED; i++) {
		const char *v = getenv(passed[i]);

		if (!v)
			continue;
		env[n] = text_new("%s=%s", passed[i], v);
		if (!env[n++])
			return -ENOMEM;
	}
	env[n] = NULL;
	return 0;
}

static int make_actions(posix_spawn_file_actions_t *a, int fd)
{
	int err = posix_spawn_file_actions_adddup2(a, fd, SCAN_FD);

	for (int i = 0; i < 3 && !err; i++) {
#ifdef HAVE_SANITIZER
		if (i == 2)
			continue; /* what a sanitizer says must be seen */
#endif
		err = posix_spawn_file_actions_addopen(
			a, i, "/dev/null", i ? O_WRONLY : O_RDONLY, 0);
	}
#ifdef HAVE_POSIX_SPAWN_FILE_ACTIONS_ADDCLOSEFROM_NP
	if (!err)
		err = posix_spawn_file_actions_addclosefrom_np(a, SCAN_FD + 1);
#endif
	return err;
}

/* No signal blocked or ignored, and out of reach of the terminal's. */
static int make_attr(posix_spawnattr_t *attr)
{
	sigset_t none, all;
	int err;

	sigemptyset(&none);
	sigfillset(&all);
	err = posix_spawnattr_setsigmask(attr, &none);
	if (!err)
		err = posix_spawnattr_setsigdefault(attr, &all);
	if (!err)
		err = posix_spawnattr_setpgroup(attr, 0);
	if (!err)
		err = posix_spawnattr_setflags(
			attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
				      POSIX_SPAWN_SETPGROUP);
	return err;
}

static int spawn(const char *path, int fd, char **env, pid_t *pid)
{
	char *argv[] = {(char *)"patchfs-scan", NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int err;

	if (posix_spawn_file_actions_init(&actions))
		return ENOMEM;
	if (posix_spawnattr_init(&attr)) {
		posix_spawn_file_actions_destroy(&actions);
		return ENOMEM;
	}
	err = make_actions(&actions, fd);
	if (!err)
		err = make_attr(&attr);
	if (!err)
		err = posix_spawn(pid, path, &actions, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

/* Never above the hard limit we run under, which nobody here can raise. */
static int limit(pid_t pid, int what, rlim_t soft, rlim_t hard)
{
	struct rlimit old, now = {soft, hard};

	if (prlimit(pid, what, NULL, &old) < 0)
		return errno == ESRCH ? 0 : -errno;
	if (old.rlim_max < now.rlim_max)
		now.rlim_max = old.rlim_max;
	if (now.rlim_max < now.rlim_cur)
		now.rlim_cur = now.rlim_max;
	if (prlimit(pid, what, &now, NULL) < 0)
		return errno == ESRCH ? 0 : -errno;
	return 0;
}

static int set_limits(pid_t pid, uint64_t memory, uint64_t cpu_s)
{
	int err = limit(pid, RLIMIT_CORE, 0, 0);

	if (!err)
		err = limit(pid, RLIMIT_CPU, cpu_s, cpu_s + 1);
#ifndef HAVE_SANITIZER
	if (!err && memory)
		err = limit(pid, RLIMIT_AS, memory, memory);
#else
	(void)memory;
#endif
	return err;
}

int scan_process_start(struct scan_process *p, const char *path,
		       uint64_t memory, uint64_t cpu_s)
{
	char *env[NPASSED + 1] = {NULL};
	CLEANUP(cleanup_closep) int theirs = -1;
	int pair[2], err;

	*p = (struct scan_process){.fd = -1, .status = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	p->fd = pair[0];
	theirs = pair[1];
	if (fcntl(p->fd, F_SETFL, O_NONBLOCK) < 0)
		err = errno;
	else
		err = -make_env(env);
	if (!err)
		err = spawn(path, theirs, env, &p->pid);
	for (size_t i = 0; i < NPASSED; i++)
		free(env[i]);
	if (err) {
		p->pid = 0;
		scan_process_end(p, 0);
		return err == EAGAIN ? -ENOMEM : -err;
	}
	err = set_limits(p->pid, memory, cpu_s);
	if (!err)
		err = -clock_getcpuclockid(p->pid, &p->clock);
	if (err)
		scan_process_end(p, 0);
	return err;
}

static bool reap(struct scan_process *p, int flags)
{
	pid_t got;

	do
		got = waitpid(p->pid, &p->status, flags);
	while (got < 0 && errno == EINTR);
	if (got == 0)
		return false;
	if (got < 0) /* SIGCHLD is ignored: the kernel reaped it */
		p->status = -1;
	p->pid = 0;
	return true;
}

void scan_process_end(struct scan_process *p, unsigned grace_ms)
{
	cleanup_closep(&p->fd);
	p->fd = -1;
	if (!p->pid)
		return;
	for (unsigned i = 0; i < grace_ms; i++) {
		struct timespec ms = {0, 1000000};

		if (reap(p, WNOHANG))
			return;
		nanosleep(&ms, NULL);
	}
	p->is_ours = kill(p->pid, SIGKILL) == 0;
	reap(p, 0);
}

uint64_t scan_process_cpu(const struct scan_process *p)
{
	struct timespec t;

	if (clock_gettime(p->clock, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
