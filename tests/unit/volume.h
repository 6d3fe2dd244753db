/* SPDX-License-Identifier: MIT */

/*
 * Containers for tests of the tree: files that tell the false scanner what to
 * send, with contiguous int16 arrays behind it whose voxels are their own
 * positions, 0, 1, 2, ...
 */

#ifndef TESTS_UNIT_VOLUME_H
#define TESTS_UNIT_VOLUME_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "records.h"

#define VOLUME_SCRIPT 512
#define VOLUME_MESSAGES 1024
#define VOLUME_DATA 65536

struct volume {
	struct records r;
	uint64_t data; /* bytes of values */
};

/* An array of that shape under a name. Returns its object. */
static inline uint32_t volume_array(struct volume *v, uint32_t group,
				    const char *name, unsigned rank,
				    const uint64_t *dim)
{
	struct record_array a = record_array();
	uint64_t n = 2;
	uint32_t object;

	a.a.layout = CAT_CONTIGUOUS;
	a.a.rank = rank;
	a.a.addr = 800 + 8 * v->r.objects;
	for (unsigned k = 0; k < rank; k++) {
		a.dim[k] = dim[k];
		n *= dim[k];
	}
	/* All arrays share the values. */
	a.a.data_addr = VOLUME_DATA;
	a.a.data_size = n;
	if (n > v->data)
		v->data = n;
	object = records_array(&v->r, &a);
	records_link(&v->r, group, name, object);
	return object;
}

static inline void volume_message(FILE *f, uint32_t type, const void *p,
				  size_t n)
{
	struct scan_msg m = {type, (uint32_t)n};

	fwrite(&m, sizeof(m), 1, f);
	fwrite(p, 1, n, f);
}

/* Write the file; then is what the scanner does after its messages. */
static inline void volume_write(struct volume *v, const char *path,
				const char *then)
{
	struct scan_end end = {.objects = v->r.objects, .links = v->r.links};
	size_t n = v->r.n + sizeof(end) + 2 * sizeof(struct scan_msg);
	FILE *f = fopen(path, "w");
	char head[VOLUME_MESSAGES] = "\211HDF\r\n\032\n";

	if (!f || n > VOLUME_DATA - VOLUME_MESSAGES)
		abort();
	snprintf(head + VOLUME_SCRIPT, sizeof(head) - VOLUME_SCRIPT,
		 "send %d %zu\n%s", VOLUME_MESSAGES, n, then);
	fwrite(head, 1, sizeof(head), f);
	volume_message(f, SCAN_PAGE, v->r.p, v->r.n);
	volume_message(f, SCAN_END, &end, sizeof(end));
	fseek(f, VOLUME_DATA, SEEK_SET);
	for (uint64_t i = 0; i < v->data / 2; i++) {
		int16_t voxel = (int16_t)i;

		fwrite(&voxel, sizeof(voxel), 1, f);
	}
	/* Never shorter than where the data would begin. */
	fputc(0, f);
	if (fclose(f) != 0)
		abort();
	records_free(&v->r);
}

#endif
