/* SPDX-License-Identifier: MIT */

/* patchfs stats: the counters of a mount. */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd_impl.h"
#include "fuse/mounts.h"
#include "util/cleanup.h"
#include "util/text.h"

struct stats_conf {
	const char *file;
};

static int set_prometheus(void *conf, const char *value)
{
	struct stats_conf *c = conf;

	(void)value;
	c->file = "metrics";
	return 0;
}

static int copy_out(const char *path)
{
	CLEANUP(cleanup_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	char buf[4096];
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		if (fwrite(buf, 1, (size_t)n, stdout) != (size_t)n)
			return 0; /* main looks at stdout */
	}
	return n < 0 ? -errno : 0;
}

static int show(const struct stats_conf *c, const char *mnt)
{
	CLEANUP(cleanup_freep) char *at = NULL;
	CLEANUP(cleanup_freep) char *path = NULL;
	struct mount m;
	int r = mounts_resolve(mnt, &at);
	bool is_ours;

	if (r == 0)
		r = mounts_over(at, &m);
	if (r == 0) {
		is_ours = mount_is_patchfs(&m);
		if (is_ours)
			path = text_new("%s/.patchfs/%s", m.path, c->file);
		mount_fini(&m);
		if (!is_ours) {
			fprintf(stderr, "patchfs stats: %s: no patchfs mount\n",
				mnt);
			return EXIT_NO_ITEM;
		}
		r = path ? copy_out(path) : -ENOMEM;
	}
	if (r == -ENOTCONN)
		fprintf(stderr,
			"patchfs stats: %s: its server is gone (to clear it: "
			"patchfs umount %s)\n",
			mnt, mnt);
	else if (r)
		fprintf(stderr, "patchfs stats: %s: %s\n", mnt, strerror(-r));
	return source_status(r);
}

static int run(int argc, char **argv)
{
	struct stats_conf c = {.file = "stats"};
	int n, r = cmd_parse(&cmd_stats, argc, argv, &c, &n);

	if (r)
		return r > 0 ? 0 : cmd_stats.usage;
	if (n != 1) {
		fprintf(stderr, "patchfs stats: which MNT?\n");
		return cmd_stats.usage;
	}
	return show(&c, argv[1]);
}

static const struct opt opts[] = {
	{"prometheus", NULL, "in Prometheus' text format", set_prometheus, 0},
	{NULL, NULL, NULL, NULL, 0},
};

const struct cmd cmd_stats = {
	"stats", "MNT", "Print the counters of a mount.", opts, run, EXIT_USAGE,
};
