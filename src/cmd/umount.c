/* SPDX-License-Identifier: MIT */

/*
 * patchfs umount: done is what it says, also if nothing was mounted, the
 * server is dead, or the mount is busy, when it is detached as the last resort.
 * The mount itself is never looked into.
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd_impl.h"
#include "fuse/mounts.h"
#include "util/cleanup.h"
#include "util/parse.h"

#define STACKED_MAX 16
#define SERVER_MS 30000

struct umount_conf {
	uint64_t wait_ms;
	bool is_lazy, no_lazy;
};

static int set_lazy(void *conf, const char *value)
{
	struct umount_conf *c = conf;

	(void)value;
	c->is_lazy = true;
	return 0;
}

static int set_no_lazy(void *conf, const char *value)
{
	struct umount_conf *c = conf;

	(void)value;
	c->no_lazy = true;
	return 0;
}

static int set_wait(void *conf, const char *value)
{
	struct umount_conf *c = conf;

	return parse_duration_ms(value, &c->wait_ms) ? -EINVAL : 0;
}

/* Try until it is not busy any more, or the time is over. */
static int retry(const struct umount_conf *c, const char *path, char **why)
{
	const struct timespec pause = {0, 50 * 1000 * 1000};
	uint64_t waited = 0;

	for (;;) {
		int r = mounts_detach(path, c->is_lazy, why);

		if (r != -EBUSY || waited >= c->wait_ms)
			return r;
		free(take_ptr(*why));
		nanosleep(&pause, NULL);
		waited += 50;
	}
}

/* 0; 1: detached, its users go on; -errno, told. */
static int detach(const struct umount_conf *c, const char *path)
{
	CLEANUP(cleanup_freep) char *why = NULL, *why_lazy = NULL;
	int r = retry(c, path, &why);

	if (r == 0)
		return c->is_lazy;
	if (r == -EBUSY && !c->no_lazy) {
		holders_print(path, stderr);
		r = mounts_detach(path, true, &why_lazy);
		if (r == 0) {
			fprintf(stderr,
				"patchfs: %s: was busy: detached; the server "
				"ends when the last user has left\n",
				path);
			return 1;
		}
	} else if (r == -EBUSY) {
		holders_print(path, stderr);
	}
	fprintf(stderr, "patchfs umount: %s: %s\n", path,
		why_lazy ? why_lazy
		: why	 ? why
			 : strerror(-r));
	return r;
}

static int umount_one(const struct umount_conf *c, const char *mnt)
{
	CLEANUP(cleanup_freep) char *path = NULL;
	int r = mounts_resolve(mnt, &path), done = 0;
	CLEANUP(cleanup_closep) int watch = -1;
	bool has_users = false;

	if (r == -ENOENT || r == -ENOTDIR)
		return 0; /* nothing there, so nothing mounted */
	if (r) {
		fprintf(stderr, "patchfs umount: %s: %s\n", mnt, strerror(-r));
		return r;
	}
	for (; done < STACKED_MAX; done++) {
		CLEANUP(mount_fini) struct mount m = {.path = NULL};

		r = mounts_at(path, &m);
		if (r == -ENOENT)
			break;
		if (r == 0 && !mount_is_patchfs(&m)) {
			if (done)
				break;
			fprintf(stderr,
				"patchfs umount: %s: %s is mounted there, not "
				"patchfs\n",
				path, m.type);
			return -EINVAL;
		}
		if (r == 0) {
			cleanup_closep(&watch);
			watch = run_watch(path, m.dev);
			r = detach(c, path);
		}
		if (r < 0)
			return r;
		has_users |= r > 0;
	}
	if (done && !has_users && !run_wait(watch, SERVER_MS))
		fprintf(stderr, "patchfs: %s: its server still runs\n", path);
	return 0;
}

static int run(int argc, char **argv)
{
	struct umount_conf c = {.wait_ms = 5000};
	int n, status = 0;
	int r = cmd_parse(&cmd_umount, argc, argv, &c, &n);

	if (r)
		return r > 0 ? 0 : cmd_umount.usage;
	if (n < 1) {
		fprintf(stderr, "patchfs umount: which MNT?\n");
		return cmd_umount.usage;
	}
	for (int i = 1; i <= n; i++) {
		if (umount_one(&c, argv[i]))
			status = EXIT_MOUNT_FAILED;
	}
	return status;
}

static const struct opt opts[] = {
	{"wait", "TIME", "try so long while it is busy (5s)", set_wait, 0},
	{"lazy", NULL, "detach at once; its users go on until they leave",
	 set_lazy, 'l'},
	{"no-lazy", NULL, "fail if it is busy, do not detach", set_no_lazy, 0},
	{NULL, NULL, NULL, NULL, 0},
};

const struct cmd cmd_umount = {
	"umount", "MNT...", "Unmount, also what is dead or busy.",
	opts,	  run,	    EXIT_MOUNT_USAGE,
};
