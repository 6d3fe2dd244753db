/* SPDX-License-Identifier: MIT */

/* Requests of the kernel by their kind. Counting is from any thread. */

#include <config.h>

#include "fuse/front_impl.h"

#include <linux/fuse.h>

#include "util/metric.h"

#define COUNTER(name, help)                         \
	{                                           \
		name, help, METRIC_COUNTER, 0, NULL \
	}

enum {
	COUNT_OTHER,
	COUNT_LOOKUP,
	COUNT_READ,
	COUNT_GETATTR,
	COUNT_READDIR,
	COUNT_READDIRPLUS,
	COUNT_READLINK,
	COUNT_STATFS,
	COUNT_FORGET,
	COUNT_INTERRUPT,
	COUNT_N
};

static struct metric counts[COUNT_N] = {
	[COUNT_LOOKUP] = COUNTER("requests_lookup", "names looked up"),
	[COUNT_READ] = COUNTER("requests_read", "reads of files"),
	[COUNT_GETATTR] = COUNTER("requests_getattr", "attributes asked for"),
	[COUNT_READDIR] = COUNTER("requests_readdir", "pieces of listings"),
	[COUNT_READDIRPLUS] = COUNTER("requests_readdirplus",
				      "pieces of listings with attributes"),
	[COUNT_READLINK] = COUNTER("requests_readlink", "symbolic links read"),
	[COUNT_STATFS] = COUNTER("requests_statfs", "file system statistics"),
	[COUNT_FORGET] = COUNTER("requests_forget", "nodes the kernel forgot"),
	[COUNT_INTERRUPT] =
		COUNTER("requests_interrupt", "callers that gave up waiting"),
	[COUNT_OTHER] = COUNTER("requests_other", "requests of other kinds"),
};

static unsigned count_of(uint32_t opcode)
{
	switch (opcode) {
	case FUSE_LOOKUP:
		return COUNT_LOOKUP;
	case FUSE_READ:
		return COUNT_READ;
	case FUSE_GETATTR:
		return COUNT_GETATTR;
	case FUSE_READDIR:
		return COUNT_READDIR;
	case FUSE_READDIRPLUS:
		return COUNT_READDIRPLUS;
	case FUSE_READLINK:
		return COUNT_READLINK;
	case FUSE_STATFS:
		return COUNT_STATFS;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
		return COUNT_FORGET;
	case FUSE_INTERRUPT:
		return COUNT_INTERRUPT;
	default:
		return COUNT_OTHER;
	}
}

void count_request(uint32_t opcode)
{
	metric_add(&counts[count_of(opcode)], 1);
}

void count_metrics(struct metrics *m)
{
	/* The first, what is left, comes last. */
	for (unsigned i = 1; i <= COUNT_N; i++)
		metric_register(m, &counts[i % COUNT_N]);
}
