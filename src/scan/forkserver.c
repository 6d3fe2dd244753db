/* SPDX-License-Identifier: MIT */

/*
 * To load libhdf5 with what it links takes longer than to scan most files. So
 * it is loaded once: this process, which never sees a byte of a file, forks the
 * scanners, as container/catalog.h has it. One is always ready, in its sandbox,
 * before it is asked for. All scanners share the addresses of their libraries,
 * which the sandbox does not rely on.
 */

#include <config.h>

#include "scan/forkserver.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "container/catalog.h"

/*
 * The server is gone, or wants no more. What computes for nobody goes too: it
 * would see the end of its socket only when it next reads.
 */
static _Noreturn void end(void)
{
	kill(0, SIGKILL);
	_exit(EXIT_FAILURE);
}

/*
 * A child of the server, which waits for it and has its exit status, instead
 * of one of ours: 0 in it, else its pid or -errno. fd: the server's end of its
 * socket, or -1.
 */
static int32_t fork_scanner(int *fd)
{
	int pair[2];
	int32_t pid;

	*fd = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	pid = (int32_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
	if (pid < 0)
		pid = -errno;
	if (pid == 0 && dup2(pair[1], SCAN_FD) < 0)
		_exit(EXIT_FAILURE);
	if (pid > 0)
		*fd = pair[0];
	else
		close(pair[0]);
	close(pair[1]);
	return pid;
}

/* With fd, unless it is -1. */
static void give(int32_t pid, int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.room = {0}};
	struct iovec iov = {&pid, sizeof(pid)};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd >= 0) {
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(fd));
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), &fd, sizeof(fd));
	}
	if (sendmsg(SCAN_FD, &m, MSG_NOSIGNAL) < 0)
		end();
}

/* Until the server has taken it. */
static void wait_asked(void)
{
	char ask;
	ssize_t n;

	do
		n = recv(SCAN_FD, &ask, 1, 0);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		end();
}

void forkserver(void)
{
	/* end() is for our own group, and never for the server's. */
	if (setpgid(0, 0) < 0 && getpgrp() != getpid())
		_exit(EXIT_FAILURE);
	prctl(PR_SET_NAME, "patchfs-forks");
	for (;;) {
		int fd;
		int32_t pid = fork_scanner(&fd);

		if (pid == 0)
			break;
		give(pid, fd);
		if (fd >= 0)
			close(fd);
		wait_asked();
	}
	prctl(PR_SET_NAME, "patchfs-ready");
}

void forkserver_wanted(void)
{
	prctl(PR_SET_NAME, "patchfs-scan");
}
