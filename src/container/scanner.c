/* SPDX-License-Identifier: MIT */

/*
 * The conversation with a scanner: one request, then its reads are answered
 * from the store and its results handed to a sink until it ends, fails, or
 * runs into a limit. It worked on foreign bytes, so every message is foreign
 * too. Limits: CPU time and waiting without a new result, both in total, and
 * what it may read. Waiting stops while the store works: a slow source is not
 * the scanner's fault. One thread; no locks.
 */

#include <config.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "container/container_impl.h"
#include "util/cleanup.h"
#include "util/text.h"

/* Instrumented code is slower, and is not what a hostile file meets. */
#ifdef HAVE_SANITIZER
#define SCAN_CPU_S 30
#else
#define SCAN_CPU_S 5
#endif

#define SECOND UINT64_C(1000000000)
#define TICK_MS 100
#define TEXT_MAX 512

struct scan {
	struct store *store;
	const struct container_conf *conf;
	const struct scan_sink *sink;
	struct scan_end *end;
	struct scan_process process;
	uint64_t file_size;
	uint64_t cpu_s, wall_s; /* without a result */
	uint64_t total_s;	/* CPU time in all */
	uint64_t waited;	/* since the last result, ns */
	uint64_t waited_total;
	uint64_t cpu_mark; /* at the last result, ns */
	uint64_t reads, reads_max, bytes, bytes_max;
	bool is_gone;  /* closed its end */
	char *payload; /* SCAN_PAYLOAD_MAX */
	char *reply;   /* reply_room bytes, struct scan_data first */
	size_t reply_room;
	struct scan_memory memory;
	char why[TEXT_MAX + 1];
};

static int fail(struct scan *x, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct scan *x, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(x->why, sizeof(x->why), fmt, ap);
	va_end(ap);
	return err;
}

static int bad_answer(struct scan *x, const char *what)
{
	return fail(x, -EBADMSG, "the HDF5 scanner gave a bad answer: %s",
		    what);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static void progress(struct scan *x)
{
	x->waited = 0;
	x->cpu_mark = scan_process_cpu(&x->process);
}

static int check_over(struct scan *x)
{
	if (x->conf->is_over && atomic_load(x->conf->is_over))
		return fail(x, -EINTR, "nobody waits for it any more");
	return 0;
}

static int check_limits(struct scan *x)
{
	uint64_t cpu = scan_process_cpu(&x->process);
	uint64_t used = cpu > x->cpu_mark ? cpu - x->cpu_mark : 0;

	if (used >= x->cpu_s * SECOND)
		return fail(x, -EBADMSG,
			    "the HDF5 scanner gave no result within %llu s of "
			    "CPU time",
			    (unsigned long long)x->cpu_s);
	/*
	 * One that computes is held to its CPU time alone, for a while: on a
	 * busy machine waiting says nothing.
	 */
	if (x->waited >= x->wall_s * SECOND &&
	    (used < x->waited / 64 || x->waited >= 16 * x->wall_s * SECOND))
		return fail(x, -ETIMEDOUT,
			    "the HDF5 scanner gave no result within %llu s",
			    (unsigned long long)x->wall_s);
	if (x->waited_total >= (x->total_s + x->wall_s) * 16 * SECOND)
		return fail(x, -ETIMEDOUT, "the HDF5 scanner took over %llu s",
			    (unsigned long long)(x->total_s + x->wall_s) * 16);
	return 0;
}

/* Until the socket is ready. 0 or -errno. */
static int wait_ready(struct scan *x, short events)
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
		err = check_over(x);
		if (!err)
			err = check_limits(x);
		if (err)
			return err;
		if (n < 0 && errno != EINTR)
			return fail(x, -EIO, "poll: %s",
				    strerrordesc_np(errno));
		if (n > 0)
			return 0;
	}
}

/* What became of a scanner that closed its end too early. */
static int gone(struct scan *x)
{
	int status;

	scan_process_end(&x->process, 1000);
	status = x->process.status;
	if (status == -1)
		return fail(x, -EBADMSG, "the HDF5 scanner ended too early");
	/* 127: of the dynamic linker, and of posix_spawn under valgrind. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && !x->reads)
		return fail(x, -EIO,
			    "the HDF5 scanner %s cannot be started: it or a "
			    "library of it is missing",
			    x->conf->scanner);
	if (WIFEXITED(status))
		return fail(x, -EBADMSG,
			    "the HDF5 scanner ended with status %d before its "
			    "answer was complete",
			    WEXITSTATUS(status));
	if (WTERMSIG(status) == SIGXCPU)
		return fail(x, -EBADMSG,
			    "the HDF5 scanner used up its %llu s of CPU time",
			    (unsigned long long)x->total_s);

	const char *name = sigdescr_np(WTERMSIG(status));

	return fail(x, -EBADMSG,
		    "the HDF5 scanner was killed by signal %d (%s)",
		    WTERMSIG(status), name ? name : "?");
}

static bool is_again(int err)
{
	return err == EAGAIN || err == EWOULDBLOCK || err == EINTR;
}

static int receive(struct scan *x, void *buf, size_t n)
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
			return fail(x, -EIO, "reading from the scanner: %s",
				    strerrordesc_np(errno));
		err = wait_ready(x, POLLIN);
		if (err)
			return err;
	}
	return 0;
}

static int transmit(struct scan *x, const void *buf, size_t n)
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
			return fail(x, -EIO, "writing to the scanner: %s",
				    strerrordesc_np(errno));
		err = wait_ready(x, POLLOUT);
		if (err)
			return err;
	}
	return 0;
}

/* --------------------------------------------------------------- messages */

static int reply_reserve(struct scan *x, size_t n)
{
	char *p;

	n += sizeof(struct scan_data);
	if (n <= x->reply_room)
		return 0;
	p = realloc(x->reply, n);
	if (!p)
		return fail(x, -ENOMEM, "out of memory");
	x->reply = p;
	x->reply_room = n;
	scan_memory_set(&x->memory, SCAN_PAYLOAD_MAX + n);
	return 0;
}

static int answer_read(struct scan *x, uint32_t len)
{
	struct scan_read r;
	struct scan_data d = {0};
	size_t inside = 0;
	int err;

	if (len != sizeof(r))
		return bad_answer(x, "length of a read");
	memcpy(&r, x->payload, sizeof(r));
	if (r.n > SCAN_READ_MAX)
		return bad_answer(x, "size of a read");
	x->bytes += r.n;
	if (++x->reads > x->reads_max || x->bytes > x->bytes_max)
		return fail(x, -EBADMSG,
			    "the HDF5 scanner read more than the file can "
			    "justify (%llu reads, %llu bytes)",
			    (unsigned long long)x->reads,
			    (unsigned long long)x->bytes);
	err = check_limits(x);
	if (!err)
		err = reply_reserve(x, (size_t)r.n);
	if (err)
		return err;
	if (r.off < x->file_size)
		inside = r.n < x->file_size - r.off
				 ? (size_t)r.n
				 : (size_t)(x->file_size - r.off);
	if (inside) {
		err = store_read(x->store, r.off, inside, x->reply + sizeof(d));
		/* Nothing a scanner makes of this is worth waiting for. */
		if (err)
			return fail(x, err, "%s",
				    err == -ESTALE
					    ? "the file changed since it was "
					      "opened"
					    : "the file cannot be read");
	}
	memset(x->reply + sizeof(d) + inside, 0, (size_t)r.n - inside);
	d.n = (uint32_t)r.n;
	memcpy(x->reply, &d, sizeof(d));
	return transmit(x, x->reply, sizeof(d) + (size_t)r.n);
}

static int take_result(struct scan *x, uint32_t len)
{
	char why[WHY_MAX];
	int err;

	/* Nothing else would end a stream of these: it costs no CPU time. */
	if (!len)
		return bad_answer(x, "empty page");
	err = x->sink->data(x->sink->arg, x->payload, len, why);
	if (err)
		return fail(x, err, "%s", why);
	progress(x);
	return 0;
}

/* Errors that a scanner may hand on; any other is about the data. */
static int passed_errno(int32_t err)
{
	switch (err) {
	case -EBUSY:
	case -EFBIG:
	case -ENOMEM:
	case -EOPNOTSUPP:
		return err;
	default:
		return -EBADMSG;
	}
}

static int take_failure(struct scan *x, uint32_t len)
{
	struct scan_fail f;
	size_t n;

	if (len < sizeof(f))
		return bad_answer(x, "length of a failure");
	memcpy(&f, x->payload, sizeof(f));
	n = len - sizeof(f);
	if (n > TEXT_MAX)
		n = TEXT_MAX;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)x->payload[sizeof(f) + i];

		x->why[i] = (char)(c < ' ' || c == 0x7f ? ' ' : c);
	}
	x->why[n] = '\0';
	if (!n)
		snprintf(x->why, sizeof(x->why),
			 "the HDF5 scanner gave no reason");
	return passed_errno(f.error);
}

/* The next message. 1: the end, 0: go on, or -errno. */
static int one_message(struct scan *x)
{
	struct scan_msg m;
	int err = receive(x, &m, sizeof(m));

	if (err)
		return err;
	if (m.len > SCAN_PAYLOAD_MAX)
		return bad_answer(x, "length of a message");
	err = receive(x, x->payload, m.len);
	if (err)
		return err;
	switch (m.type) {
	case SCAN_READ:
		return answer_read(x, m.len);
	case SCAN_PAGE:
	case SCAN_CHUNKS:
		if (m.type != x->sink->type)
			break;
		return take_result(x, m.len);
	case SCAN_END:
		if (m.len != sizeof(*x->end))
			break;
		memcpy(x->end, x->payload, sizeof(*x->end));
		return 1;
	case SCAN_FAIL:
		return take_failure(x, m.len);
	}
	return bad_answer(x, "message");
}

static int converse(struct scan *x, const struct scan_request *req)
{
	int err = transmit(x, req, sizeof(*req));

	while (!err) {
		err = check_over(x);
		if (!err)
			err = one_message(x);
	}
	return err == 1 ? 0 : err;
}

static uint64_t or_default(uint64_t v, uint64_t d)
{
	return v ? v : d;
}

int scan_run(struct store *s, const struct container_conf *conf,
	     const struct scan_request *req, const struct scan_sink *sink,
	     struct scan_end *end, char **why)
{
	CLEANUP(cleanup_freep) char *payload = malloc(SCAN_PAYLOAD_MAX);
	uint64_t size = req->file_size;
	struct scan x = {
		.store = s,
		.conf = conf,
		.sink = sink,
		.end = end,
		.file_size = size,
		.cpu_s = or_default(conf->scan_cpu_s, SCAN_CPU_S),
		.wall_s = or_default(conf->scan_wall_s, 10),
		.total_s = 20 + size / (2u << 20),
		.reads_max = 65536 + size / 2048,
		.bytes_max = (UINT64_C(256) << 20) + size * 4,
		.payload = payload,
		.memory = {.conf = conf},
	};
	int err;

	*why = NULL;
	if (!payload)
		return -ENOMEM;
	scan_memory_set(&x.memory, SCAN_PAYLOAD_MAX);
	/* A dataset takes 300 bytes of metadata and 35 us at the least. */
	if (x.total_s > 600)
		x.total_s = 600;
	err = scan_process_start(&x.process, conf->scanner, conf->scan_memory,
				 x.total_s);
	if (err)
		err = fail(&x, err == -ENOMEM ? err : -EIO,
			   "the HDF5 scanner %s cannot be started: %s",
			   conf->scanner, strerrordesc_np(-err));
	else
		err = converse(&x, req);
	scan_process_end(&x.process, 0);
	free(x.reply);
	scan_memory_fini(&x.memory);
	if (err)
		*why = text_new("%s", x.why);
	return err;
}
