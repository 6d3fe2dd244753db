/* SPDX-License-Identifier: MIT */

/*
 * The process that scanners are forked from (scan/forkserver.c): started with
 * nothing inherited when the first scanner is wanted, and again when it is
 * gone. One lock, held while a scanner is made, which takes less than a
 * millisecond once the process is there. Nothing is ever waited for without an
 * end: it may be stopped, or killed, from outside.
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "container/container_impl.h"
#include "util/cleanup.h"
#include "util/text.h"

#define TICK_MS 100
#define TICKS 100 /* that an answer may take */
#define GRACE_MS 100

struct scanners {
	const char *path;
	pthread_mutex_t lock;
	pid_t pid; /* 0: none */
	int fd;	   /* our end of its socketpair */
	struct parked *parked;
};

int scanners_new(const char *path, struct scanners **out)
{
	struct scanners *s = malloc(sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = (struct scanners){.path = path, .fd = -1, .parked = parked_new()};
	if (!s->parked) {
		free(s);
		return -ENOMEM;
	}
	pthread_mutex_init(&s->lock, NULL);
	*out = s;
	return 0;
}

struct parked *scanners_parked(struct scanners *s)
{
	return s->parked;
}

/* ------------------------------------------------------------------ start */

/* What the scanner may see of our environment: how to find its libraries. */
static const char *const passed[] = {
	"LD_LIBRARY_PATH",
#ifdef HAVE_SANITIZER
	"ASAN_OPTIONS",	   "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS",
#endif
};
#define NPASSED (sizeof(passed) / sizeof(*passed))

static int make_env(char *env[NPASSED + 2])
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
	/* Symbols are looked up once, instead of in every scanner. */
	env[n] = text_new("LD_BIND_NOW=1");
	if (!env[n++])
		return -ENOMEM;
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

/* No signal blocked or ignored. */
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
		err = posix_spawnattr_setflags(
			attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
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

static int start(struct scanners *s)
{
	char *env[NPASSED + 2] = {NULL};
	CLEANUP(cleanup_closep) int theirs = -1;
	int pair[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	s->fd = pair[0];
	theirs = pair[1];
	err = -make_env(env);
	if (!err)
		err = spawn(s->path, theirs, env, &s->pid);
	for (size_t i = 0; i <= NPASSED; i++)
		free(env[i]);
	if (err) {
		s->pid = 0;
		cleanup_closep(&s->fd);
		s->fd = -1;
	}
	return -err;
}

/* ----------------------------------------------------------- take, end */

/* The next that it says, taken off the socket; how many bytes, or -1. */
static ssize_t take(struct scanners *s, int32_t *pid, int *fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.room = {0}};
	struct iovec iov = {pid, sizeof(*pid)};
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(s->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;

	*fd = -1;
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	return n;
}

/*
 * It, and the scanner that is ready, which is our child, too. With grace_ms it
 * may end by itself, so that nothing is left half done. Its pid stays its own
 * until then: nobody else waits for it.
 */
static void end(struct scanners *s, unsigned grace_ms)
{
	struct scan_process forks = {.pid = s->pid, .fd = -1};
	struct scan_process ready = {.fd = -1};

	if (!s->pid)
		return;
	if (grace_ms)
		shutdown(s->fd, SHUT_WR);
	scan_process_end(&forks, grace_ms);
	s->pid = 0;
	while (take(s, &ready.pid, &ready.fd) == sizeof(ready.pid))
		if (ready.pid > 0)
			scan_process_end(&ready, 0);
	cleanup_closep(&s->fd);
	s->fd = -1;
}

/* -EPIPE: it is gone; -ETIMEDOUT; -EMFILE; its own. */
static int take_scanner(struct scanners *s, pid_t *pid, int *fd)
{
	struct pollfd p = {.fd = s->fd, .events = POLLIN};
	int32_t got;

	/* In ticks: when the batch system stops us both, none pass. */
	for (int i = 0; poll(&p, 1, TICK_MS) <= 0; i++)
		if (i == TICKS)
			return -ETIMEDOUT;
	if (take(s, &got, fd) != sizeof(got))
		return -EPIPE;
	/* The next one. There is room: all that came before was answered. */
	send(s->fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (got < 0)
		return got;
	*pid = got;
	if (*fd >= 0)
		return 0;
	/* We have no room for a descriptor: it has lost its socket. */
	scan_process_end(&(struct scan_process){.pid = got, .fd = -1}, 0);
	return -EMFILE;
}

static int take_next(struct scanners *s, pid_t *pid, int *fd)
{
	int err = -EPIPE;

	pthread_mutex_lock(&s->lock);
	/* Somebody may have ended it since the last time. */
	for (int i = 0; i < 2 && err == -EPIPE; i++) {
		bool is_new = !s->pid;

		err = is_new ? start(s) : 0;
		if (err)
			break;
		err = take_scanner(s, pid, fd);
		/* What failed then may be had now. */
		if (!is_new && (err == -EAGAIN || err == -ENOMEM))
			err = take_scanner(s, pid, fd);
		if (err == -EPIPE || err == -ETIMEDOUT)
			end(s, 0);
		if (err == -EPIPE && is_new)
			err = -ELIBACC;
	}
	pthread_mutex_unlock(&s->lock);
	return err;
}

int scanners_start(struct scanners *s, uint64_t memory, uint64_t cpu_s,
		   struct scan_process *out)
{
	int err;

	*out = (struct scan_process){.fd = -1, .status = -1};
	err = take_next(s, &out->pid, &out->fd);
	if (!err)
		err = scan_process_begin(out, memory, cpu_s);
	return err == -EAGAIN ? -ENOMEM : err;
}

void scanners_free(struct scanners *s)
{
	if (!s)
		return;
	parked_free(s->parked);
	end(s, GRACE_MS);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
