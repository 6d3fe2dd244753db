/* SPDX-License-Identifier: MIT */

/*
 * To load libhdf5 with what it links takes longer than to scan most files. So
 * it is loaded once: this process, which never sees a byte of a file, forks a
 * scanner for each request, as container/catalog.h has it. All scanners share
 * the addresses of their libraries, which the sandbox does not rely on.
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
 * The server is gone, or wants no more scanners. What computes for nobody goes
 * too: it would see the end of its socket only when it next reads.
 */
static _Noreturn void end(void)
{
	kill(0, SIGKILL);
	_exit(EXIT_FAILURE);
}

/* The socket of the next scanner; waits for it. */
static int take_socket(void)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.room = {0}};
	char byte;
	struct iovec iov = {&byte, 1};
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	ssize_t n;
	int fd;

	do
		n = recvmsg(SCAN_FD, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		end();
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/*
 * A child of the server, which waits for it and has its exit status, instead
 * of one of ours. 0 in it, else its pid or -errno.
 */
static int32_t fork_for_parent(void)
{
	long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

	return pid < 0 ? -errno : (int32_t)pid;
}

void forkserver(void)
{
	setpgid(0, 0);
	prctl(PR_SET_NAME, "patchfs-forks");
	for (;;) {
		int fd = take_socket();
		int32_t pid = fork_for_parent();

		if (pid == 0) {
			prctl(PR_SET_NAME, "patchfs-scan");
			if (dup2(fd, SCAN_FD) < 0)
				_exit(EXIT_FAILURE);
			close(fd);
			return;
		}
		close(fd);
		if (send(SCAN_FD, &pid, sizeof(pid), MSG_NOSIGNAL) < 0)
			end();
	}
}
