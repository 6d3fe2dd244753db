/* SPDX-License-Identifier: MIT */

/*
 * A medh5 file in memory with sampling indices: what the scanner sends of it,
 * and its bytes. The input is
 *
 *   4 bytes   how many bytes the pages of the scanner have, little endian
 *   pages     as for fuzz_catalog
 *   the rest  the file, without chunks but of tables of classes
 *
 * Include it after _GNU_SOURCE.
 */

#ifndef TESTS_FUZZ_STORED_FILE_H
#define TESTS_FUZZ_STORED_FILE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "container/container_impl.h"
#include "scan_totals.h"
#include "store/store_impl.h"

struct stored_file {
	struct container container;
	struct catalog *k;
};

static inline int stored_file_no_index(struct container *c,
				       const struct array_info *a,
				       uint64_t page, size_t max, void **out,
				       size_t *size, char **why)
{
	(void)c;
	(void)a;
	(void)page;
	(void)max;
	(void)out;
	(void)size;
	*why = strdup("there are no chunks here");
	return -EBADMSG;
}

/* False: no such file could be made. */
static inline bool stored_file_store(const uint8_t *data, size_t n,
				     struct container *out)
{
	static const struct container_ops ops = {.name = "memory",
						 .index = stored_file_no_index};
	int fd = memfd_create("stored_file", MFD_CLOEXEC);

	*out = (struct container){.ops = &ops};
	if (fd < 0)
		return false;
	if (write(fd, data, n) == (ssize_t)n &&
	    store_file_open(fd, "file", &out->store) == 0)
		return true;
	close(fd);
	return false;
}

/* NULL: it is refused. */
static inline struct catalog *stored_file_catalog(const uint8_t *pages,
						  size_t n, struct store *file)
{
	struct scan_end end = scan_totals(pages, n);
	struct catalog_builder b;
	void *out = NULL;
	size_t size;
	int err = catalog_builder_init(&b, (uint64_t)file->st.st_size, 4 << 20);

	if (!err)
		err = catalog_builder_page(&b, pages, n);
	if (!err)
		err = catalog_builder_finish(&b, &end, &out, &size);
	if (!err)
		err = medh5_apply(&b, file, &out, &size, NULL);
	catalog_builder_fini(&b);
	if (!err)
		return out;
	free(out);
	return NULL;
}

/* False: it is refused, or memory is short. Close it whatever it is. */
static inline bool stored_file_open(struct stored_file *f, const uint8_t *data,
				    size_t size)
{
	uint32_t n;

	*f = (struct stored_file){.k = NULL};
	if (size < sizeof(n) || size > 1 << 20)
		return false;
	memcpy(&n, data, sizeof(n));
	data += sizeof(n);
	size -= sizeof(n);
	if (n > size)
		n = (uint32_t)size;
	if (!stored_file_store(data + n, size - n, &f->container))
		return false;
	f->k = stored_file_catalog(data, n, f->container.store);
	return f->k;
}

static inline void stored_file_close(struct stored_file *f)
{
	if (f->container.store)
		store_close(f->container.store);
	free(f->k);
}

#endif
