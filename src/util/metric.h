/* SPDX-License-Identifier: MIT */

/*
 * Named counters. Each layer declares its own as static objects and registers
 * them with the registry handed to it at start; .patchfs/stats and
 * .patchfs/metrics list the registry. Adding is one relaxed atomic add.
 * Threads: registering from one thread at start; the rest from any.
 */

#ifndef UTIL_METRIC_H
#define UTIL_METRIC_H

#include <stdint.h>
#include <stdio.h>

struct metric {
	const char *name; /* "cache_hits": [a-z0-9_]+; a gauge or a counter */
	const char *help; /* one line */
	enum { METRIC_COUNTER, METRIC_GAUGE } kind;
	_Atomic int64_t value;
	struct metric *next; /* the registry's */
};

struct metrics {
	struct metric *head;
};

void metric_register(struct metrics *m, struct metric *one);
void metric_add(struct metric *m, int64_t n);
void metric_set(struct metric *m, int64_t n);
int64_t metric_get(const struct metric *m);
/* By name, for tests and summaries; NULL if there is none. */
struct metric *metric_find(const struct metrics *m, const char *name);

/* "name value\n" a line, in the order of registration. */
void metrics_write_plain(const struct metrics *m, FILE *f);
/* Prometheus text exposition format 0.0.4; names get the prefix patchfs_. */
void metrics_write_prometheus(const struct metrics *m, FILE *f);

#endif
