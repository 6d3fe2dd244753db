/* SPDX-License-Identifier: MIT */

/* The registry is a list that is complete before threads start: no lock. */

#include <config.h>

#include "util/metric.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

void metric_register(struct metrics *m, struct metric *one)
{
	struct metric **at = &m->head;

	while (*at) {
		if (*at == one)
			return;
		at = &(*at)->next;
	}
	one->next = NULL;
	*at = one;
}

void metric_add(struct metric *m, int64_t n)
{
	atomic_fetch_add_explicit(&m->value, n, memory_order_relaxed);
}

void metric_set(struct metric *m, int64_t n)
{
	atomic_store_explicit(&m->value, n, memory_order_relaxed);
}

int64_t metric_get(const struct metric *m)
{
	return atomic_load_explicit(&m->value, memory_order_relaxed);
}

struct metric *metric_find(const struct metrics *m, const char *name)
{
	struct metric *one = m->head;

	while (one && strcmp(one->name, name) != 0)
		one = one->next;
	return one;
}

void metrics_write_plain(const struct metrics *m, FILE *f)
{
	for (const struct metric *one = m->head; one; one = one->next)
		fprintf(f, "%s %" PRId64 "\n", one->name, metric_get(one));
}

void metrics_write_prometheus(const struct metrics *m, FILE *f)
{
	for (const struct metric *one = m->head; one; one = one->next) {
		fprintf(f, "# HELP patchfs_%s %s\n", one->name, one->help);
		fprintf(f, "# TYPE patchfs_%s %s\n", one->name,
			one->kind == METRIC_COUNTER ? "counter" : "gauge");
		fprintf(f, "patchfs_%s %" PRId64 "\n", one->name,
			metric_get(one));
	}
}
