/* SPDX-License-Identifier: MIT */

/*
 * The socket to a scanner, and the limits that end waiting for it: CPU time
 * and waiting without a new result, both in total too. Waiting stops while the
 * store works: a slow source is not the scanner's fault. One thread; no locks.
 */

#include <config.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "container/container_impl.h"

#define SECOND UINT64_C(1000000000)
#define TICK_MS 100

int wire_fail(struct scan_wire *x, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(x->why, sizeof(x->why), fmt, ap);
	va_end(ap);
	return err;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

void wire_progress(struct scan_wire *x)
{
	x->waited = 0;
	x->cpu_mark = scan_process_cpu(&x->process);
}

int wire_check_over(struct scan_wire *x)
{
	if (x->conf->is_over && atomic_load(x->conf->is_over))
		return wire_fail(x, -EINTR, "nobody waits for it any more");
	return 0;
}

int wire_check_limits(struct scan_wire *x)
{
	uint64_t cpu = scan_process_cpu(&x->process);
	uint64_t used = cpu > x->cpu_mark ? cpu - x->cpu_mark : 0;

	if (used >= x->cpu_s * SECOND)
		return wire_fail(
			x, -EBADMSG,
			"the HDF5 scanner gave no result within %llu s of "
			"CPU time",
			(unsigned long long)x->cpu_s);
	/*
	 * One that computes is held to its CPU time alone, for a while: on a
	 * busy machine waiting says nothing.
	 */
	if (x->waited >= x->wall_s * SECOND &&
	    (used < x->waited / 64 || x->waited >= 16 * x->wall_s * SECOND))
		return wire_fail(
			x, -ETIMEDOUT,
			"the HDF5 scanner gave no result within %llu s",
			(unsigned long long)x->wall_s);
	if (x->waited_total >= (x->total_s + x->wall_s) * 16 * SECOND)
		return wire_fail(
			x, -ETIMEDOUT, "the HDF5 scanner took over %llu s",
			(unsigned long long)(x->total_s + x->wall_s) * 16);
	return 0;
}

/* Until the socket is ready. 0 or -errno. */
static int wait_ready(struct scan_wire *x, short events)
{
	for (;;) {
		struct pollfd p = {.fd = x->process.fd, .events = events};
		uint64_t start = now(), took;
		int n = poll(&p, 1, TICK_MS), err;

		took = now() - start;
		/* Longer: it was we who were stopped, as by a batch system. */
		if (took > SECOND)
			took = SECOND;
		x->waited += took;
		x->waited_total += took;
		err = wire_check_over(x);
		if (!err)
			err = wire_check_limits(x);
		if (err)
			return err;
		if (n < 0 && errno != EINTR)
			return wire_fail(x, -EIO, "poll: %s",
					 strerrordesc_np(errno));
		if (n > 0)
			return 0;
	}
}

/* Of a signal: what a file may lead to, as crashes and limits are. */
static bool is_fault(int number)
{
	switch (number) {
	case SIGABRT:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGSEGV:
	case SIGSYS:
	case SIGTRAP:
	case SIGXCPU:
		return true;
	default:
		return false;
	}
}

/* What became of a scanner that closed its end too early. */
static int gone(struct scan_wire *x)
{
	int status;

	scan_process_end(&x->process, 1000);
	status = x->process.status;
	if (status == -1)
		return wire_fail(x, -EBADMSG,
				 "the HDF5 scanner ended too early");
	if (WIFEXITED(status))
		return wire_fail(
			x, -EBADMSG,
			"the HDF5 scanner ended with status %d before its "
			"answer was complete",
			WEXITSTATUS(status));
	if (WTERMSIG(status) == SIGXCPU)
		return wire_fail(
			x, -EBADMSG,
			"the HDF5 scanner used up its %llu s of CPU time",
			(unsigned long long)x->total_s);

	const char *name = sigdescr_np(WTERMSIG(status));
	/* Somebody else ended it, as the kernel does when memory runs out. */
	bool may_pass = !x->process.is_ours && !is_fault(WTERMSIG(status));

	return wire_fail(x, may_pass ? -ETIMEDOUT : -EBADMSG,
			 "the HDF5 scanner was killed by signal %d (%s)",
			 WTERMSIG(status), name ? name : "?");
}

static bool is_again(int err)
{
	return err == EAGAIN || err == EWOULDBLOCK || err == EINTR;
}

int wire_receive(struct scan_wire *x, void *buf, size_t n)
{
	char *p = buf;

	while (n) {
		ssize_t got = recv(x->process.fd, p, n, MSG_DONTWAIT);
		int err;

		if (got > 0) {
			p += got;
			n -= (size_t)got;
			continue;
		}
		if (got == 0 || errno == ECONNRESET)
			return gone(x);
		if (!is_again(errno))
			return wire_fail(x, -EIO,
					 "reading from the scanner: %s",
					 strerrordesc_np(errno));
		err = wait_ready(x, POLLIN);
		if (err)
			return err;
	}
	return 0;
}

int wire_transmit(struct scan_wire *x, const void *buf, size_t n)
{
	const char *p = buf;

	while (n) {
		ssize_t put =
			send(x->process.fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL);
		int err;

		if (put > 0) {
			p += put;
			n -= (size_t)put;
			continue;
		}
		if (put < 0 && (errno == EPIPE || errno == ECONNRESET))
			return gone(x);
		if (put < 0 && !is_again(errno))
			return wire_fail(x, -EIO, "writing to the scanner: %s",
					 strerrordesc_np(errno));
		err = wait_ready(x, POLLOUT);
		if (err)
			return err;
	}
	return 0;
}
