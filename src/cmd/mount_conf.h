/* SPDX-License-Identifier: MIT */

/* The options of patchfs mount. */

#ifndef CMD_MOUNT_CONF_H
#define CMD_MOUNT_CONF_H

#include <stdbool.h>

#include "cmd/cmd_impl.h"
#include "util/log.h"

struct mount_conf {
	struct source_conf source; /* first */
	bool foreground, core;
	int ready_fd;
	const char *log, *metrics_file;
	enum log_level log_level;
	unsigned threads, io_threads, drain_s; /* 0: front.h's defaults */
};

#define MOUNT_CONF_INIT                                     \
	{                                                   \
		.ready_fd = -1, .log_level = LOG_LEVEL_WARN \
	}

extern const struct opt mount_opts[];

/*
 * What .patchfs/config shows; log is where lines go. malloc'ed, caller frees;
 * NULL: no memory.
 */
char *mount_conf_text(const struct mount_conf *c, const char *src,
		      const char *mnt, const char *log);

#endif
