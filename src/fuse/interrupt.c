/* SPDX-License-Identifier: MIT */

/*
 * Callers that do not want to wait any more. The kernel tells of a signal
 * once, and of any signal: a caller that dies is answered at once; one that
 * only runs a handler expects no EINTR from stat(2) or open(2), so it gets one
 * only if it still waits after GRACE_MS. Meanwhile its job is in a list, looked
 * through every CHECK_MS, as the kernel does not tell of a later SIGKILL.
 *
 * Who answers a job is settled by its state. f->interrupt_lock protects the
 * list alone; it is taken within libfuse's lock of a request, never around it.
 */

#include <config.h>

#include "fuse/front_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"

#define GRACE_MS 5000
#define CHECK_MS 100
#define BATCH 64

/* Whether that thread is on its way out: SIGKILL is pending, whatever it was
 * that ends it. What we cannot see is taken for dying. */
static bool is_dying(pid_t pid)
{
	char path[64], text[4096], *at;
	CLEANUP(cleanup_closep) int fd = -1;
	ssize_t n;

	if (pid <= 0)
		return true;
	snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return true;
	text[n] = '\0';
	at = strstr(text, "\nSigPnd:");
	return !at || (strtoull(at + 8, NULL, 16) >> (SIGKILL - 1) & 1);
}

/* ------------------------------------------------------------- the list */

static void list_job(struct job *j, pid_t pid)
{
	struct front *f = j->front;

	{
		LOCK_SCOPE(&f->interrupt_lock);
		j->pid = pid;
		j->answer_at = front_now_ms() + GRACE_MS;
		j->is_listed = j->was_listed = true;
		j->newer = NULL;
		j->older = f->interrupted;
		if (j->older)
			j->older->newer = j;
		f->interrupted = j;
	}
	front_poke(f);
}

/* With the lock held. */
static void unlist(struct front *f, struct job *j)
{
	if (j->newer)
		j->newer->older = j->older;
	else
		f->interrupted = j->older;
	if (j->older)
		j->older->newer = j->newer;
	j->is_listed = false;
}

struct suspect {
	struct job *job; /* not to be looked at without the lock */
	fuse_req_t req;
	pid_t pid;
	bool is_over; /* its grace */
};

static unsigned suspects(struct front *f, struct suspect s[BATCH])
{
	int64_t now = front_now_ms();
	unsigned n = 0;

	LOCK_SCOPE(&f->interrupt_lock);
	for (struct job *j = f->interrupted; j && n < BATCH; j = j->older)
		s[n++] = (struct suspect){j, j->req, j->pid,
					  now >= j->answer_at};
	return n;
}

/* Take the answer to that job upon us, if it is still waiting. */
static bool take_answer(struct front *f, const struct suspect *s)
{
	LOCK_SCOPE(&f->interrupt_lock);
	for (struct job *j = f->interrupted; j; j = j->older) {
		int was = JOB_WATCHED;

		if (j != s->job || j->req != s->req)
			continue;
		unlist(f, j);
		/* Once it is answered its holder may free it. */
		return atomic_compare_exchange_strong(&j->state, &was,
						      JOB_ANSWERED);
	}
	return false;
}

int interrupts_check(struct front *f)
{
	struct suspect s[BATCH];
	unsigned n = suspects(f, s);

	for (unsigned i = 0; i < n; i++) {
		if (!s[i].is_over && !is_dying(s[i].pid))
			continue;
		if (!take_answer(f, &s[i]))
			continue;
		fuse_req_interrupt_func(s[i].req, NULL, NULL);
		fuse_reply_err(s[i].req, EINTR);
	}
	return n ? CHECK_MS : -1;
}

/* ------------------------------------------------------------- the jobs */

/* Called by libfuse with the lock of req held; data is the job. */
static void on_interrupt(fuse_req_t req, void *data)
{
	struct job *j = data;
	pid_t pid = fuse_req_ctx(req)->pid;
	int was = JOB_WATCHING;

	/* From within job_watch a reply would free what libfuse still holds. */
	if (atomic_compare_exchange_strong(&j->state, &was, JOB_INTERRUPTED))
		return;
	if (!is_dying(pid)) {
		list_job(j, pid);
		return;
	}
	was = JOB_WATCHED;
	/* After this the job is its holder's alone: not to be looked at. */
	if (atomic_compare_exchange_strong(&j->state, &was, JOB_ANSWERED))
		fuse_reply_err(req, EINTR);
}

int job_watch(struct job *j)
{
	int was = JOB_WATCHING;
	pid_t pid;

	if (atomic_load(&j->state) == JOB_ANSWERED)
		return -EINTR;
	if (atomic_load(&j->state) != JOB_PLAIN)
		return 0;
	pid = fuse_req_ctx(j->req)->pid;
	atomic_store(&j->state, JOB_WATCHING);
	fuse_req_interrupt_func(j->req, on_interrupt, j);
	if (atomic_compare_exchange_strong(&j->state, &was, JOB_WATCHED))
		return 0;
	if (!is_dying(pid)) {
		atomic_store(&j->state, JOB_WATCHED);
		list_job(j, pid);
		return 0;
	}
	fuse_req_interrupt_func(j->req, NULL, NULL);
	atomic_store(&j->state, JOB_ANSWERED);
	fuse_reply_err(j->req, EINTR);
	return -EINTR;
}

bool job_claim(struct job *j)
{
	if (atomic_load(&j->state) == JOB_PLAIN)
		return true;
	if (atomic_exchange(&j->state, JOB_ANSWERED) == JOB_ANSWERED)
		return false;
	/* Waits for an interrupt that is under way: it looks at the job. */
	fuse_req_interrupt_func(j->req, NULL, NULL);
	if (j->was_listed) {
		LOCK_SCOPE(&j->front->interrupt_lock);
		if (j->is_listed)
			unlist(j->front, j);
	}
	return true;
}
