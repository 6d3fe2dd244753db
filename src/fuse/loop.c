/* SPDX-License-Identifier: MIT */

/*
 * The threads: a fixed number that read /dev/fuse, a fixed number of workers,
 * and the one that called front_serve, which sees to signals and to the end.
 *
 * The end comes from the kernel (unmounted: reads say ENODEV), from SIGTERM
 * (the mount is detached, what is open goes on until drain_s is over), or from
 * a second SIGTERM. A request thread that is not to go on sits in read(2):
 * SIGUSR2, whose handler does nothing, gets it out.
 */

#include <config.h>

#include "fuse/front_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/fuse.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/log.h"

#define STACK_BYTES ((size_t)1 << 20)
#define REPORT_MS 10000
#define TELL_MS 1000  /* a drain that lasts is worth a line */
#define STUCK_MS 5000 /* how long threads get to end */
#define HURRY_MS 1000 /* and after the second signal */

_Thread_local struct thread *front_self;

/* -------------------------------------------------------------- threads */

/* One request. 0; -EINTR; -ENODEV: there will be no more; -errno. */
static int serve_one(struct front *f, struct fuse_buf *buf)
{
	const struct fuse_in_header *head;
	int n = fuse_session_receive_buf(f->se, buf);

	if (n == 0)
		return -ENODEV;
	if (n < 0)
		return n;
	head = buf->mem;
	if ((size_t)n >= sizeof(*head))
		count_request(head->opcode);
	fuse_session_process_buf(f->se, buf);
	return 0;
}

void front_poke(struct front *f)
{
	uint64_t one = 1;

	while (write(f->event_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void session_ended(struct front *f)
{
	atomic_store(&f->is_gone, true);
	fuse_session_exit(f->se);
	front_poke(f);
}

static void serve_requests(struct front *f)
{
	struct fuse_buf buf = {.mem = NULL};

	while (!fuse_session_exited(f->se)) {
		int r = serve_one(f, &buf);

		if (r == 0 || r == -EINTR || r == -EAGAIN)
			continue;
		if (r != -ENODEV)
			log_err(r, "/dev/fuse: %s", strerror(-r));
		session_ended(f);
	}
	free(buf.mem);
}

/* Take what the first request needs, then wait for the others. */
static void get_set(struct front *f, struct thread *t)
{
	t->buf = malloc(SMALL_BUF);
	if (!t->is_worker)
		t->spare = malloc(sizeof(*t->spare));

	LOCK_SCOPE(&f->lock);
	f->nset++;
	pthread_cond_signal(&f->ended);
	while (!f->is_let_off)
		pthread_cond_wait(&f->gate, &f->lock);
}

static void *thread_main(void *arg)
{
	struct thread *t = arg;
	struct front *f = t->front;

	front_self = t;
	get_set(f, t);
	if (t->is_worker)
		queue_work(f);
	else
		serve_requests(f);
	free(t->spare);
	t->spare = NULL;
	free(t->buf);
	t->buf = NULL;

	LOCK_SCOPE(&f->lock);
	(*(t->is_worker ? &f->live_workers : &f->live_threads))--;
	pthread_cond_signal(&f->ended);
	return NULL;
}

static int start_threads(struct front *f, unsigned *started)
{
	pthread_attr_t attr;
	int r = pthread_attr_init(&attr);

	if (r)
		return -r;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (unsigned i = 0; r == 0 && i < f->threads + f->workers; i++) {
		struct thread *t = &f->thread[i];

		t->front = f;
		t->is_worker = i >= f->threads;
		pthread_mutex_lock(&f->lock);
		(*(t->is_worker ? &f->live_workers : &f->live_threads))++;
		pthread_mutex_unlock(&f->lock);
		r = pthread_create(&t->id, &attr, thread_main, t);
		if (r == 0) {
			++*started;
			continue;
		}
		LOCK_SCOPE(&f->lock);
		(*(t->is_worker ? &f->live_workers : &f->live_threads))--;
	}
	pthread_attr_destroy(&attr);
	return -r;
}

/*
 * Whether all threads have what they need, and there is memory for the buffers
 * that libfuse makes for each at its first request: a mount that has said that
 * it stands is not to fall for want of them.
 */
static int check_memory(struct front *f)
{
	CLEANUP(cleanup_freep) void **held = calloc(f->threads, sizeof(*held));
	int r = held ? 0 : -ENOMEM;

	for (unsigned i = 0; r == 0 && i < f->threads + f->workers; i++) {
		if (!f->thread[i].buf ||
		    (i < f->threads && !f->thread[i].spare))
			r = -ENOMEM;
	}
	for (unsigned i = 0; r == 0 && i < f->threads; i++) {
		held[i] = malloc(f->request_bytes);
		if (!held[i])
			r = -ENOMEM;
	}
	for (unsigned i = 0; held && i < f->threads; i++)
		free(held[i]);
	return r;
}

/* The threads begin: to serve, or to end if r is an error. */
static int let_off(struct front *f, unsigned started, int r)
{
	pthread_mutex_lock(&f->lock);
	while (f->nset < started)
		pthread_cond_wait(&f->ended, &f->lock);
	pthread_mutex_unlock(&f->lock);
	if (r == 0)
		r = check_memory(f);
	if (r)
		session_ended(f);
	LOCK_SCOPE(&f->lock);
	f->is_let_off = true;
	pthread_cond_broadcast(&f->gate);
	return r;
}

/* ------------------------------------------------------------- stopping */

int64_t front_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Wait some ms for a thread to end; the count of those alive. */
static unsigned wait_ended(struct front *f, const unsigned *live, long ms)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += ms * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	LOCK_SCOPE(&f->lock);
	if (*live)
		pthread_cond_timedwait(&f->ended, &f->lock, &until);
	return *live;
}

static int stop_threads(struct front *f, unsigned started, int64_t patience)
{
	int64_t until = front_now_ms() + patience;
	unsigned nrequest = started < f->threads ? started : f->threads;

	session_ended(f);
	tree_stop(f->tree);
	while (wait_ended(f, &f->live_threads, 20)) {
		if (front_now_ms() > until)
			return -ETIMEDOUT;
		for (unsigned i = 0; i < nrequest; i++)
			pthread_kill(f->thread[i].id, SIGUSR2);
	}
	queue_end(&f->queue);
	while (wait_ended(f, &f->live_workers, 100)) {
		if (front_now_ms() > until)
			return -ETIMEDOUT;
	}
	for (unsigned i = 0; i < started; i++)
		pthread_join(f->thread[i].id, NULL);
	return 0;
}

/* -------------------------------------------------------------- serving */

struct vigil {
	int signal_fd;
	int64_t report_at, drain_until; /* 0: not draining */
	int64_t tell_at; /* that it still drains; 0: said, or not draining */
	bool is_hurried;
};

/* A signal has come. True: to the end now. */
static bool on_signal(struct front *f, struct vigil *v)
{
	struct signalfd_siginfo s;

	if (read(v->signal_fd, &s, sizeof(s)) != (ssize_t)sizeof(s))
		return false;
	switch (s.ssi_signo) {
	case SIGHUP:
		log_reopen();
		return false;
	case SIGUSR1:
		if (f->conf.report)
			f->conf.report(f->conf.report_arg, true);
		return false;
	default:
		break;
	}
	if (v->drain_until) {
		v->is_hurried = true;
		return true;
	}
	v->tell_at = front_now_ms() + TELL_MS;
	v->drain_until =
		v->tell_at - TELL_MS +
		1000 * (int64_t)(f->conf.drain_s ? f->conf.drain_s : 30);
	return front_detach(f) != 0;
}

/* Until the session ends. */
static void keep_vigil(struct front *f, struct vigil *v)
{
	struct pollfd p[2] = {{f->event_fd, POLLIN, 0},
			      {v->signal_fd, POLLIN, 0}};
	uint64_t events;

	for (;;) {
		int64_t now = front_now_ms(), until = v->report_at;
		int look_ms = interrupts_check(f);

		if (v->drain_until && v->drain_until < until)
			until = v->drain_until;
		if (v->tell_at && v->tell_at < until)
			until = v->tell_at;
		if (look_ms >= 0 && now + look_ms < until)
			until = now + look_ms;
		if (poll(p, 2, until > now ? (int)(until - now) : 0) < 0 &&
		    errno != EINTR)
			return;
		if (p[0].revents &&
		    read(f->event_fd, &events, sizeof(events)) < 0 &&
		    errno != EAGAIN && errno != EINTR)
			return;
		if (atomic_load(&f->is_gone))
			return;
		if (p[1].revents && on_signal(f, v))
			return;
		now = front_now_ms();
		if (v->tell_at && now >= v->tell_at) {
			v->tell_at = 0;
			log_always("detached; serving what is still in use for "
				   "%" PRId64
				   " s more; a second signal ends it",
				   (v->drain_until - now + 999) / 1000);
		}
		if (v->drain_until && now >= v->drain_until) {
			log_line(LOG_LEVEL_WARN,
				 "ending with files of the mount still in use");
			return;
		}
		if (now < v->report_at)
			continue;
		v->report_at = now + REPORT_MS;
		if (f->conf.report)
			f->conf.report(f->conf.report_arg, false);
	}
}

static void on_nothing(int number)
{
	(void)number;
}

static int signals_open(void)
{
	struct sigaction nothing = {.sa_handler = on_nothing};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t set;
	int fd;

	sigaction(SIGUSR2, &nothing, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int front_serve(struct front *f, struct tree *t)
{
	struct vigil v = {.report_at = front_now_ms() + REPORT_MS};
	CLEANUP(cleanup_closep) int signal_fd = signals_open();
	unsigned started = 0;
	int r, stopped;

	f->tree = t;
	if (signal_fd < 0)
		return signal_fd;
	v.signal_fd = signal_fd;
	r = init_answer(f, signal_fd);
	if (r)
		return r;
	r = start_threads(f, &started);
	r = let_off(f, started, r);
	if (r == 0) {
		if (f->conf.ready)
			f->conf.ready(f->conf.ready_arg);
		keep_vigil(f, &v);
	}
	stopped = stop_threads(f, started, v.is_hurried ? HURRY_MS : STUCK_MS);
	if (f->conf.report)
		f->conf.report(f->conf.report_arg, false);
	return r ? r : stopped;
}
