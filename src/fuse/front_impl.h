/* SPDX-License-Identifier: MIT */

/*
 * What the files of the front share.
 *
 * A request is a struct job. Request threads run it on the spot; it ends there
 * with a reply, or is parked on somebody else's work, or goes to the queue for
 * a worker. Whoever holds the job may touch it; parking or queueing hands it
 * over, after which the former holder looks at nothing of it.
 */

#ifndef FUSE_FRONT_IMPL_H
#define FUSE_FRONT_IMPL_H

#define FUSE_USE_VERSION 310

#include <fuse_lowlevel.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fuse/front.h"
#include "tree/tree.h"
#include "util/wait.h"

struct res; /* a source, a device, or all workers: a counted resource */

/* What a load of a worker occupies; all NULL: nothing. */
struct grant {
	struct wait_need need;
	struct res *res[3];
	bool is_held;
};

enum job_kind {
	JOB_LOOKUP,
	JOB_GETATTR,
	JOB_READLINK,
	JOB_READDIR,
	JOB_READDIRPLUS,
	JOB_READ,
};

/* Who may answer a job. */
enum job_state {
	JOB_PLAIN,	 /* its holder, alone */
	JOB_WATCHING,	 /* its holder; an interrupt only leaves word */
	JOB_INTERRUPTED, /* its holder, who shall say EINTR */
	JOB_WATCHED,	 /* its holder or an interrupt: who is first */
	JOB_ANSWERED,	 /* nobody any more */
};

struct job {
	struct wait wait; /* first */
	struct front *front;
	fuse_req_t req;
	struct job *next; /* in a list of the queue */
	enum job_kind kind;
	atomic_int state; /* enum job_state */
	uint64_t ino, off;
	size_t size;
	/* In the list of those that were interrupted. */
	struct job *newer, *older;
	int64_t answer_at;
	pid_t pid;
	bool is_listed;	 /* protected by the list's lock */
	bool was_listed; /* set once, before libfuse's lock is given back */
	struct wait_need need; /* while deferred */
	struct grant grant;    /* reserved for its next run */
	char name[NAME_MAX + 1];
};

struct job_list {
	struct job *head, **tail;
};

static inline void job_list_init(struct job_list *l)
{
	l->head = NULL;
	l->tail = &l->head;
}

static inline void job_list_push(struct job_list *l, struct job *j)
{
	j->next = NULL;
	*l->tail = j;
	l->tail = &j->next;
}

static inline struct job *job_list_pop(struct job_list *l)
{
	struct job *j = l->head;

	if (j) {
		l->head = j->next;
		if (!l->head)
			l->tail = &l->head;
	}
	return j;
}

struct offered {
	struct wait_offer offer;
	struct grant grant;
};

#define OFFERS_MAX 64

/* Where jobs wait for workers. Protected by lock, but for the last line. */
struct queue {
	pthread_mutex_t lock;
	pthread_cond_t work;	      /* something to do, or the end */
	struct job_list woken, fresh; /* woken ones first */
	size_t nqueued;		      /* in both */
	struct offered offer[OFFERS_MAX];
	unsigned noffers;
	unsigned idle;	  /* workers that wait, those on their way too */
	long njobs;	  /* handed over by request threads and not yet done */
	bool is_ending;	  /* no new jobs come */
	struct res *res;  /* those in use */
	struct res *free; /* those that were */
	unsigned workers, cpus; /* constant */
};

/* Of one thread; the request threads and the workers. */
struct thread {
	struct front *front;
	pthread_t id;
	bool is_worker;
	bool is_loading; /* request thread: counted in front.loading */
	struct job *spare;
	struct grant grant; /* worker: of the job it runs */
	void *buf;	    /* of SMALL_BUF bytes, made at the first use */
};

#define SMALL_BUF ((size_t)160 << 10)
#define BIG_BUF ((size_t)1 << 20)
#define BIG_BUFS_KEPT 8

struct front {
	struct front_conf conf; /* constant; so are the fields up to queue */
	struct fuse_session *se;
	struct tree *tree;
	char *mountpoint, *dev; /* dev: "0:57", as mountinfo has it, or NULL */
	bool no_open, no_opendir;
	unsigned threads, workers, loading_max;
	struct thread *thread; /* request threads, then workers */
	struct queue queue;
	atomic_uint loading; /* request threads that serve a miss */
	atomic_bool has_init, is_gone;
	size_t request_bytes; /* of libfuse's buffer for requests */
	pthread_mutex_t lock;
	pthread_cond_t ended; /* a thread did; or is set */
	pthread_cond_t gate;  /* they are let off */
	/* protected by lock */
	unsigned live_threads, live_workers;
	unsigned nset;	 /* threads that have what they need */
	bool is_let_off; /* they may begin */
	void *big[BIG_BUFS_KEPT];
	unsigned nbig;
	int event_fd; /* the session has ended; somebody was interrupted */
	pthread_mutex_t interrupt_lock;
	struct job *interrupted; /* protected by it; the newest */
	bool is_detached;	 /* of the thread in front_serve */
};

extern _Thread_local struct thread *front_self;

/* ops.c */
extern const struct fuse_lowlevel_ops front_ops;
/*
 * Run to an answer. 0; -EAGAIN: the job is not ours any more; -ERESTART: it
 * still is, and needs a worker.
 */
int job_run(struct job *j);
/* Answer with an error, -errno. */
void job_fail(struct job *j, int err);

/* interrupt.c */
/* Let an interrupt answer it from now on. -EINTR: one has come already. */
int job_watch(struct job *j);
/* Whether the answer is ours to give; false: an interrupt gave it. */
bool job_claim(struct job *j);
/* See who was interrupted and shall be answered. ms until the next look, or
 * -1: nobody is waiting. */
int interrupts_check(struct front *f);

/* queue.c */
int queue_init(struct queue *q, unsigned workers, unsigned cpus);
void queue_fini(struct queue *q);
void queue_metrics(struct metrics *m);
/* A job to be filled in: the thread's spare one. NULL: out of memory. */
struct job *job_new(fuse_req_t req, enum job_kind kind, uint64_t ino);
/* Run the thread's job, or hand it on. Takes j. */
void job_start(struct job *j);
/* The life of a worker. */
void queue_work(struct front *f);
/* No new jobs come: workers end when all are done. */
void queue_end(struct queue *q);

/* With the lock held: a job goes on, before those that are new. */
void queue_push_woken(struct queue *q, struct job *j);

/* grant.c: all with the lock of the queue held, but for grants_fini. */
/* Whether there is enough of all that is needed; *g holds it then. */
bool grant_take(struct queue *q, struct grant *g, const struct wait_need *need);
/*
 * The same; else j waits for what there is not enough of. It is woken with a
 * grant of its own, and until then not to be touched.
 */
bool grant_or_defer(struct queue *q, struct grant *g,
		    const struct wait_need *need, struct job *j);
/* Give back what *g holds, if anything; whoever waits for it goes on. */
void grant_drop(struct queue *q, struct grant *g);
/* None is held any more. */
void grants_fini(struct queue *q);

/* count.c: a request of the kernel has come, an opcode of linux/fuse.h */
void count_request(uint32_t opcode);
void count_metrics(struct metrics *m);

/* readonly.c: fill in what would change something: EROFS. */
void readonly_ops(struct fuse_lowlevel_ops *ops);

/* buffer.c: reply buffers; small ones are the running thread's. */
void *buffer_get(struct front *f, size_t n);
void buffer_put(struct front *f, void *buf, size_t n);

/* init.c: answer the kernel's first request. 0; -EINTR: a signal; -errno. */
int init_answer(struct front *f, int signal_fd);

/* loop.c */
int64_t front_now_ms(void);
/* Have the thread in front_serve look around. */
void front_poke(struct front *f);

/* mount.c: detach the mount lazily, open files go on. */
int front_detach(struct front *f);

#endif
