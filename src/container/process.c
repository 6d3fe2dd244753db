/* SPDX-License-Identifier: MIT */

/*
 * A scanner as a process: its limits, its end. Works from any thread of a
 * server with many: waitpid on the one pid, and no signal is touched.
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "container/container_impl.h"
#include "util/cleanup.h"

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

int scan_process_begin(struct scan_process *p, uint64_t memory, uint64_t cpu_s)
{
	int err = fcntl(p->fd, F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;

	/* It waits for its request: none of the limits comes too late. */
	if (!err)
		err = set_limits(p->pid, memory, cpu_s);
	if (!err)
		err = -clock_getcpuclockid(p->pid, &p->clock);
	if (err)
		scan_process_end(p, 0);
	return err;
}

void scan_process_limit_cpu(const struct scan_process *p, uint64_t cpu_s)
{
	struct rlimit r;

	if (prlimit(p->pid, RLIMIT_CPU, NULL, &r) < 0)
		return;
	r.rlim_cur = cpu_s < r.rlim_max ? cpu_s : r.rlim_max;
	prlimit(p->pid, RLIMIT_CPU, &r, NULL);
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
