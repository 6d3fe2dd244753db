/* SPDX-License-Identifier: MIT */

/*
 * HDF5 files: the signature, and the two requests that go to the scanner. What
 * the scanner says is checked by catalog_build.c and index.c.
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "container/container_impl.h"
#include "util/cleanup.h"
#include "util/text.h"

/* Values of scalars and string arrays up to this are shown. */
#define VALUE_MAX 4096

/* At 0, 512, 1024, 2048 ... : behind a user block of the writer's. */
static int hdf5_bid(struct store *s)
{
	static const char signature[8] = "\211HDF\r\n\032\n";
	uint64_t size = (uint64_t)store_stat(s)->st_size;
	char head[sizeof(signature)];

	for (uint64_t off = 0; off < size && size - off >= sizeof(head);
	     off = off ? off * 2 : 512) {
		int err = store_read(s, off, sizeof(head), head);

		if (err)
			return err;
		if (!memcmp(head, signature, sizeof(head)))
			return 100;
	}
	return 0;
}

struct tree_scan {
	struct catalog_builder b;
	struct scan_memory memory;
};

static void tree_scan_fini(struct tree_scan *x)
{
	catalog_builder_fini(&x->b);
	scan_memory_fini(&x->memory);
}

static int add_page(void *arg, const void *data, size_t n, char why[WHY_MAX])
{
	struct tree_scan *x = arg;
	int err = catalog_builder_page(&x->b, data, n);

	scan_memory_set(&x->memory, catalog_builder_bytes(&x->b));
	if (err)
		memcpy(why, x->b.why, WHY_MAX);
	return err;
}

static int hdf5_catalog(struct container *c, size_t max, void **out,
			size_t *size, char **why)
{
	CLEANUP(tree_scan_fini)
	struct tree_scan x = {.memory = {.conf = c->conf}};
	struct scan_request req = {
		.version = SCAN_VERSION,
		.what = SCAN_TREE,
		.file_size = (uint64_t)store_stat(c->store)->st_size,
		.value_max = VALUE_MAX,
		.allow_live = c->conf->allow_live,
	};
	CLEANUP(cleanup_freep) void *block = NULL;
	struct scan_sink sink = {SCAN_PAGE, add_page, &x};
	struct scan_end end;
	int err = catalog_builder_init(&x.b, req.file_size, max);

	if (!err) {
		err = scan_run(c, &req, &sink, &end, why);
		if (err)
			return err;
		err = catalog_builder_finish(&x.b, &end, &block, size);
	}
	if (!err)
		err = medh5_apply(&x.b, c->store, &block, size, &x.memory);
	if (err)
		*why = text_new("%s", x.b.why);
	else
		*out = take_ptr(block);
	return err;
}

struct index_scan {
	struct index_builder b;
	struct scan_memory memory;
};

static void index_scan_fini(struct index_scan *x)
{
	index_builder_fini(&x->b);
	scan_memory_fini(&x->memory);
}

static int add_chunks(void *arg, const void *data, size_t n, char why[WHY_MAX])
{
	struct index_scan *x = arg;
	int err = index_builder_chunks(&x->b, data, n);

	scan_memory_set(&x->memory, index_builder_bytes(&x->b));
	if (err)
		memcpy(why, x->b.why, WHY_MAX);
	return err;
}

static int hdf5_index(struct container *c, const struct array_info *a,
		      uint64_t page, size_t max, void **out, size_t *size,
		      char **why)
{
	CLEANUP(index_scan_fini)
	struct index_scan x = {.memory = {.conf = c->conf}};
	struct scan_request req = {
		.version = SCAN_VERSION,
		.what = SCAN_INDEX,
		.file_size = (uint64_t)store_stat(c->store)->st_size,
		.object = a->addr,
		.allow_live = c->conf->allow_live,
	};
	struct scan_sink sink = {SCAN_CHUNKS, add_chunks, &x};
	struct scan_end end;
	int err = index_builder_init(&x.b, a, page, req.file_size, max);

	if (!err) {
		req.first = x.b.first;
		req.count = x.b.count;
		err = scan_run(c, &req, &sink, &end, why);
		if (err)
			return err;
		err = index_builder_finish(&x.b, &end, out, size, why);
	}
	if (err)
		*why = text_new("%s", x.b.why);
	return err;
}

const struct container_ops container_hdf5 = {
	.name = "hdf5",
	.bid = hdf5_bid,
	.catalog = hdf5_catalog,
	.index = hdf5_index,
};
