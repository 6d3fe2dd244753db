/* SPDX-License-Identifier: MIT */

/*
 * Which back end reads a file, and the checked wrappers around it. A container
 * is constant once open; no locks.
 */

#include <config.h>

#include "container/container.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "container/container_impl.h"
#include "util/cleanup.h"
#include "util/metric.h"

static const struct container_ops *const table[] = {
	&container_hdf5,
};

static struct metric scans_tree = {
	.name = "scans_tree",
	.help = "Scans of what is in a container",
	.kind = METRIC_COUNTER,
};
static struct metric scans_index = {
	.name = "scans_index",
	.help = "Scans of where the chunks of an array are",
	.kind = METRIC_COUNTER,
};
static struct metric scans_failed = {
	.name = "scans_failed",
	.help = "Scans that failed",
	.kind = METRIC_COUNTER,
};

void container_metrics(struct metrics *m)
{
	store_metrics(m);
	codec_metrics(m);
	metric_register(m, &scans_tree);
	metric_register(m, &scans_index);
	metric_register(m, &scans_failed);
}

const char *source_why(int err)
{
	return err == -ESTALE
		       ? "the file changed since it was opened; mount again"
		       : "the file cannot be read";
}

void scan_memory_set(struct scan_memory *m, size_t bytes)
{
	if (m->conf->charge && bytes != m->held)
		m->conf->charge(m->conf->charge_arg,
				(int64_t)bytes - (int64_t)m->held);
	m->held = bytes;
}

void scan_memory_fini(struct scan_memory *m)
{
	scan_memory_set(m, 0);
}

int container_open(struct store *s, const struct container_conf *conf,
		   struct container **out)
{
	static _Atomic uint64_t last_key;
	const struct container_ops *best = NULL;
	struct container *c;
	int highest = 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		int bid = table[i]->bid(s);

		if (bid < 0)
			return bid;
		if (bid > highest) {
			highest = bid;
			best = table[i];
		}
	}
	if (!best)
		return -EOPNOTSUPP;
	c = malloc(sizeof(*c));
	if (!c)
		return -ENOMEM;
	*c = (struct container){
		.ops = best,
		.conf = conf,
		.store = s,
		.key = atomic_fetch_add(&last_key, 1) + 1,
	};
	*out = c;
	return 0;
}

void container_close(struct container *c)
{
	if (!c)
		return;
	store_close(c->store);
	free(c);
}

const char *container_format(const struct container *c)
{
	return c->ops->name;
}

uint64_t container_device(const struct container *c)
{
	return store_stat(c->store)->st_dev;
}

int container_catalog(struct container *c, size_t max, void **out, size_t *size,
		      char **why)
{
	int err;

	*why = NULL;
	metric_add(&scans_tree, 1);
	err = c->ops->catalog(c, max, out, size, why);
	if (err)
		metric_add(&scans_failed, 1);
	assert(err <= 0 && err != -EAGAIN && err != -ERESTART);
	return err;
}

int container_index(struct container *c, const struct array_info *a,
		    uint64_t page, size_t max, void **out, size_t *size,
		    char **why)
{
	int err;

	*why = NULL;
	metric_add(&scans_index, 1);
	err = c->ops->index(c, a, page, max, out, size, why);
	if (err)
		metric_add(&scans_failed, 1);
	assert(err <= 0 && err != -EAGAIN && err != -ERESTART);
	return err;
}

int container_read(struct container *c, uint64_t off, size_t n, void *buf)
{
	return store_read(c->store, off, n, buf);
}
