/* SPDX-License-Identifier: MIT */

/*
 * The FUSE front: a session on a mount point, its threads, its end.
 */

#ifndef FUSE_FRONT_H
#define FUSE_FRONT_H

#include <stdbool.h>
#include <stddef.h>

struct metrics;
struct tree;

/* Constant after start; borrowed. */
struct front_conf {
	const char *source;	/* shown as the device in mount tables */
	const char *mountpoint; /* absolute, or /dev/fd/N of a mounted device */
	bool allow_other, direct_io;
	unsigned threads;    /* request threads; 0: max(16, 2 x CPUs) */
	unsigned io_threads; /* workers; 0: max(8, 2 x CPUs) */
	struct metrics *metrics;
	/* Called once in the serving process when INIT was answered. */
	void (*ready)(void *arg);
	void *ready_arg;
	unsigned drain_s; /* SIGTERM: serve open files so long; 0: 30 */
	/*
	 * Called by the thread in front_serve every ten seconds, at SIGUSR1
	 * (then is_asked), and once at the end. May be NULL.
	 */
	void (*report)(void *arg, bool is_asked);
	void *report_arg;
};

/*
 * Mount. No threads yet: the caller may fork between this and front_serve.
 * From here on SIGTERM, SIGINT, SIGHUP and SIGUSR1 are blocked.
 * 0 or -errno: -ENODEV or -EACCES of /dev/fuse, -ENOMEM, or another for what
 * mounting says; *why is then one line for people (malloc'ed, caller
 * frees), or NULL where there is nothing to say but the number.
 */
struct front;
int front_mount(const struct front_conf *conf, struct front **out, char **why);
/*
 * Serve t until unmounted or told to end by SIGTERM or SIGINT (first: lazy
 * unmount and drain; second: now). Starts and joins all threads.
 * 0: unmounted cleanly; -ETIMEDOUT: a thread is stuck in a read of a source:
 * end the process, free nothing; another -errno.
 */
int front_serve(struct front *f, struct tree *t);
/* Unmounts if still mounted. */
void front_free(struct front *f);

#endif
