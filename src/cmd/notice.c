/* SPDX-License-Identifier: MIT */

/*
 * How a mount in the background tells the command that started it that it
 * answers, or why it does not: one status byte and a text through a pipe.
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd_impl.h"

/* Everything until the end of file; the number of bytes. */
static size_t drain(int fd, char *buf, size_t room)
{
	size_t n = 0;
	ssize_t got;

	while (n < room && (got = read(fd, buf + n, room - n)) != 0) {
		if (got > 0)
			n += (size_t)got;
		else if (errno != EINTR)
			break;
	}
	return n;
}

/* The parent's part: never returns. */
static void wait_for(int fd, pid_t pid)
{
	char buf[4096];
	size_t n = drain(fd, buf, sizeof(buf) - 1);
	int status = EXIT_MOUNT_SYSTEM, how = 0;

	if (n > 0) {
		buf[n] = '\0';
		status = (unsigned char)buf[0];
		fprintf(status ? stderr : stdout, "%s\n", buf + 1);
	} else {
		waitpid(pid, &how, 0);
		if (WIFSIGNALED(how))
			fprintf(stderr,
				"patchfs: the server was ended by signal %d\n",
				WTERMSIG(how));
		else
			fprintf(stderr, "patchfs: the server has ended (%d)\n",
				WEXITSTATUS(how));
	}
	fflush(NULL);
	_exit(status);
}

int notice_fork(struct notice *n)
{
	int fd[2];
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return -errno;
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		int r = -errno;

		close(fd[0]);
		close(fd[1]);
		return r;
	}
	if (pid > 0) {
		close(fd[1]);
		wait_for(fd[0], pid);
	}
	close(fd[0]);
	setsid();
	n->fd = fd[1];
	return 0;
}

int notice_send(struct notice *n, int status, const char *text)
{
	char byte = (char)status;
	int r = 0;

	if (n->fd >= 0) {
		r = cmd_write_all(n->fd, &byte, 1);
		if (r == 0)
			r = cmd_write_all(n->fd, text, strlen(text));
		close(n->fd);
		n->fd = -1;
	} else {
		fprintf(status ? stderr : stdout, "%s\n", text);
		fflush(status ? stderr : stdout);
	}
	if (status || r)
		return r;
	if (n->ready_fd >= 0) {
		/* Whoever asked may have left; the mount stands anyway. */
		(void)cmd_write_all(n->ready_fd, "ready\n", 6);
		close(n->ready_fd);
		n->ready_fd = -1;
	}
	notice_systemd("READY=1");
	return 0;
}

void notice_systemd(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	char text[128];
	size_t n = path ? strlen(path) : 0;
	int fd;

	if (n == 0 || n >= sizeof(to.sun_path) ||
	    (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(to.sun_path, path, n);
	if (path[0] == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	snprintf(text, sizeof(text), "%s\nMAINPID=%ld\n", state,
		 (long)getpid());
	if (sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&to,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)) < 0)
		fprintf(stderr, "patchfs: NOTIFY_SOCKET: %s\n",
			strerror(errno));
	close(fd);
}
