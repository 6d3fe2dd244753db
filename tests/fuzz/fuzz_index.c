/* SPDX-License-Identifier: MIT */

/*
 * The input: what array (struct head), then the chunks that a scanner found.
 * Of what is accepted every slot is located.
 */

#include <config.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "container/container_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct head {
	uint8_t rank, item_size, nfilter, edge_unfiltered;
	uint8_t dim[4], chunk[4];
	uint8_t page, pad[3];
	int64_t allocated;
	uint64_t file_size;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t dim[4], chunk[4], slots;
	struct array_info a = {.dim = dim, .chunk = chunk};
	struct index_builder b;
	struct scan_end end = {0};
	struct chunk_counts c;
	struct head h;
	void *out = NULL;
	size_t n;
	char *note = NULL;
	int err;

	if (size < sizeof(h))
		return 0;
	memcpy(&h, data, sizeof(h));
	data += sizeof(h);
	size -= sizeof(h);
	a.rank = h.rank % 5;
	a.item_size = h.item_size ? h.item_size : 1;
	a.nfilter = h.nfilter % 33;
	a.edge_unfiltered = h.edge_unfiltered & 1;
	for (unsigned i = 0; i < 4; i++) {
		dim[i] = h.dim[i];
		chunk[i] = h.chunk[i] ? h.chunk[i] : 1;
	}
	err = index_builder_init(&b, &a, h.page, h.file_size, 64 << 20);
	slots = b.count;
	if (!err)
		err = index_builder_chunks(&b, data, size);
	end.located = b.located;
	end.allocated = h.allocated;
	if (!err)
		err = index_builder_finish(&b, &end, &out, &n, &note);
	for (uint64_t i = 0; !err && i < slots; i++) {
		struct stored s;

		if (chunk_index_locate(out, b.first + i, &s))
			continue;
		if (s.n && (s.off + s.n < s.n || s.off + s.n > h.file_size))
			abort();
		if (!s.n && h.allocated < 0)
			abort();
	}
	if (!err) {
		chunk_index_counts(out, &c);
		if (c.stored + c.missing + c.broken != slots)
			abort();
	}
	index_builder_fini(&b);
	free(out);
	free(note);
	return 0;
}
