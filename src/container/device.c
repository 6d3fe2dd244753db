/* SPDX-License-Identifier: MIT */

/* Which device a container lies on, for layers that do not see its store. */

#include <config.h>

#include "container/container.h"

#include "store/store.h"

uint64_t container_device(struct container *c)
{
	return store_stat(container_store(c))->st_dev;
}
