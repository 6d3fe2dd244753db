/* SPDX-License-Identifier: MIT */

/*
 * The kernel's first request, answered before there are threads. libfuse makes
 * the answer, but up to 3.16 it drops one flag that it knows and we need:
 * without FUSE_PARALLEL_DIROPS the kernel sends one LOOKUP or READDIR of a
 * directory at a time, and a caller who waits for his turn cannot be killed.
 * So libfuse's answer is caught in a pipe, the flag is added, and it goes on.
 */

#include <config.h>

#include "fuse/front_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <malloc.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"

/* Let libfuse process buf with its descriptor led to a pipe; what it says. */
static ssize_t caught_answer(struct front *f, struct fuse_buf *buf, void *out,
			     size_t room)
{
	int fd = fuse_session_fd(f->se);
	CLEANUP(cleanup_closep) int device = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	CLEANUP(cleanup_closep) int in = -1;
	int ends[2];
	ssize_t n;

	if (device < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	in = ends[0];
	n = dup3(ends[1], fd, O_CLOEXEC) < 0 ? -errno : 0;
	close(ends[1]);
	if (n == 0) {
		fuse_session_process_buf(f->se, buf);
		if (dup3(device, fd, O_CLOEXEC) < 0)
			return -errno;
		n = read(in, out, room);
		if (n < 0)
			n = -errno;
	}
	return n;
}

static void add_flags(const struct fuse_buf *buf, void *answer, ssize_t n)
{
	struct fuse_init_in in;
	struct fuse_init_out out;
	struct fuse_out_header head;
	const size_t in_end =
		offsetof(struct fuse_init_in, flags) + sizeof(in.flags);
	const size_t out_end =
		offsetof(struct fuse_init_out, flags) + sizeof(out.flags);
	char *at = (char *)answer + sizeof(head);

	if (buf->size < sizeof(struct fuse_in_header) + in_end ||
	    (size_t)n < sizeof(head) + out_end)
		return;
	memcpy(&head, answer, sizeof(head));
	memcpy(&in, (char *)buf->mem + sizeof(struct fuse_in_header), in_end);
	memcpy(&out, at, out_end);
	if (head.error || !(in.flags & FUSE_PARALLEL_DIROPS))
		return;
	out.flags |= FUSE_PARALLEL_DIROPS;
	memcpy(at, &out, out_end);
}

static int answer_one(struct front *f, struct fuse_buf *buf)
{
	char answer[256];
	int r = fuse_session_receive_buf(f->se, buf);
	ssize_t n;

	if (r <= 0)
		return r ? r : -ENODEV;
	n = caught_answer(f, buf, answer, sizeof(answer));
	if (n < 0)
		return (int)n;
	add_flags(buf, answer, n);
	return write(fuse_session_fd(f->se), answer, (size_t)n) == n ? 0
								     : -errno;
}

int init_answer(struct front *f, int signal_fd)
{
	struct pollfd p[2] = {{fuse_session_fd(f->se), POLLIN, 0},
			      {signal_fd, POLLIN, 0}};
	struct fuse_buf buf = {.mem = NULL};
	int r = 0;

	while (r == 0 && !atomic_load(&f->has_init)) {
		if (poll(p, 2, -1) < 0)
			r = errno == EINTR ? 0 : -errno;
		else if (p[1].revents)
			r = -EINTR;
		else
			r = answer_one(f, &buf);
		if (r == -EAGAIN)
			r = 0;
	}
	if (r == 0 && fuse_session_exited(f->se))
		r = -EPROTO;
	if (buf.mem)
		f->request_bytes = malloc_usable_size(buf.mem);
	free(buf.mem);
	return r;
}
