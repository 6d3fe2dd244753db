/* SPDX-License-Identifier: MIT */

/*
 * Where the chunks of an array are, one page of its grid at a time: an entry
 * of 16 bytes for each slot where most are stored, else a sorted list of those
 * that are. A slot without a chunk is a hole only if that is proven; else it
 * cannot be read. Built by one thread, then immutable.
 */

#include <config.h>

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container/container_impl.h"
#include "util/checked.h"
#include "util/cleanup.h"
#include "util/text.h"

#define TOUCHED 4096 /* memory comes in pages */
#define SIZE_BITS 36
#define SIZE_MASK ((UINT64_C(1) << SIZE_BITS) - 1)

/* n is 0: addr says which. */
#define HOLE 0
#define BROKEN 1

struct entry {
	uint64_t addr;
	uint64_t bits; /* stored bytes, the filter mask above them */
};

/* Followed by count entries, or by n entries and n slots. */
struct chunk_index {
	uint64_t first, count;
	uint32_t n;
	bool is_dense;
	uint64_t rest; /* HOLE or BROKEN: the slots not listed */
	struct chunk_counts counts;
};

static struct entry *entries(struct chunk_index *x)
{
	return (struct entry *)(x + 1);
}

_Static_assert(sizeof(struct chunk_index) % 8 == 0, "entries are aligned");
_Static_assert(SIZE_BITS + INDEX_FILTERS_MAX <= 64, "an entry holds both");
/* Chunks are at most 2^32 bytes (catalog_check.c), stored in 8 x + 64 KiB. */
_Static_assert((UINT64_C(8) << 32) + 65536 <= SIZE_MASK, "sizes fit");

static int fail(struct index_builder *b, int err, const char *what)
{
	snprintf(b->why, WHY_MAX, "%s", what);
	return err;
}

static int bad_answer(struct index_builder *b, const char *what)
{
	snprintf(b->why, WHY_MAX,
		 "the HDF5 scanner gave a bad answer: %s after %u chunks", what,
		 b->n);
	return -EBADMSG;
}

int index_builder_init(struct index_builder *b, const struct array_info *a,
		       uint64_t page, uint64_t file_size, size_t max)
{
	*b = (struct index_builder){
		.a = a,
		.file_size = file_size,
		.max = max,
		.chunk_bytes = a->item_size,
		.slots = 1,
	};
	if (a->refused.n) {
		snprintf(b->why, WHY_MAX, "%.*s",
			 (int)(a->refused.n < WHY_MAX ? a->refused.n : WHY_MAX),
			 a->refused.p);
		return -EOPNOTSUPP;
	}
	if (!a->chunk || a->nfilter > INDEX_FILTERS_MAX)
		return fail(b, -EINVAL, "not in chunks");
	for (unsigned i = 0; i < a->rank; i++) {
		b->grid[i] = div_up(a->dim[i], a->chunk[i]);
		if (!checked_mul(b->slots, b->grid[i], &b->slots) ||
		    !checked_mul(b->chunk_bytes, a->chunk[i], &b->chunk_bytes))
			return fail(b, -EOVERFLOW, "too many chunks");
	}
	if (page >= div_up(b->slots, INDEX_PAGE))
		return fail(b, -EINVAL, "no such page of the index");
	b->first = page * INDEX_PAGE;
	b->count = b->slots - b->first;
	if (b->count > INDEX_PAGE)
		b->count = INDEX_PAGE;
	b->next = b->first;
	/* All holes; memory is taken where entries are written. */
	b->block =
		calloc(1, sizeof(*b->block) + b->count * sizeof(struct entry));
	return b->block ? 0 : fail(b, -ENOMEM, "out of memory");
}

void index_builder_fini(struct index_builder *b)
{
	free(b->block);
	b->block = NULL;
}

/* Entries take memory a page at a time, and come in ascending order. */
static void touch(struct index_builder *b, uint64_t i)
{
	uint64_t end = (i + 1) * sizeof(struct entry);

	if (end <= b->touched)
		return;
	b->touched = div_up(end, TOUCHED) * TOUCHED;
	b->bytes += TOUCHED;
}

/* Of a list of those that were sent. */
static uint64_t sparse_bytes(const struct index_builder *b)
{
	return b->n * (sizeof(struct entry) + sizeof(uint32_t));
}

static uint64_t dense_bytes(const struct index_builder *b)
{
	return b->count * sizeof(struct entry);
}

size_t index_builder_bytes(const struct index_builder *b)
{
	bool is_dense = dense_bytes(b) <= sparse_bytes(b);

	return b->bytes + (is_dense ? 0 : (size_t)sparse_bytes(b));
}

static int too_large(struct index_builder *b)
{
	snprintf(b->why, WHY_MAX,
		 "the index of its chunks takes more than %zu bytes of memory; "
		 "it needs a larger --cache-size",
		 b->max);
	return -EFBIG;
}

/* Does the chunk of this slot reach over the extent? */
static bool is_partial(const struct index_builder *b, uint64_t slot)
{
	for (unsigned i = b->a->rank; i-- > 0;) {
		uint64_t at = slot % b->grid[i];

		if (at == b->grid[i] - 1 && b->a->dim[i] % b->a->chunk[i])
			return true;
		slot /= b->grid[i];
	}
	return false;
}

static struct entry entry_make(struct index_builder *b,
			       const struct scan_chunk *c)
{
	const struct entry broken = {.addr = BROKEN};
	uint32_t all = (UINT32_C(1) << b->a->nfilter) - 1;
	uint32_t mask = c->mask & all;
	uint64_t end;

	if (c->flags & SCAN_CHUNK_BROKEN)
		return broken;
	if (!c->size || !checked_add(c->addr, c->size, &end) ||
	    end > b->file_size || c->size > codec_stored_max(b->chunk_bytes))
		return broken;
	if (b->a->edge_unfiltered && is_partial(b, c->slot))
		mask = all;
	if (mask == all && c->size != b->chunk_bytes)
		return broken;
	return (struct entry){c->addr, c->size | (uint64_t)mask << SIZE_BITS};
}

static int add_chunk(struct index_builder *b, const struct scan_chunk *c)
{
	struct entry e;

	if (c->slot < b->next || c->slot - b->first >= b->count)
		return bad_answer(b, "number of a chunk");
	if (c->flags & ~SCAN_CHUNK_BROKEN)
		return bad_answer(b, "flags of a chunk");
	e = entry_make(b, c);
	if (!(c->flags & SCAN_CHUNK_BROKEN))
		b->located++;
	if (!(e.bits & SIZE_MASK))
		b->broken++;
	else if (c->mask & ((UINT32_C(1) << b->a->nfilter) - 1))
		b->masked++;
	/* Overlaps are allowed; a bomb made of them is not. */
	b->stored_bytes += e.bits & SIZE_MASK;
	if (b->stored_bytes / 1000 > b->file_size)
		return fail(b, -EBADMSG,
			    "the chunks together are over 1000 times the file");
	entries(b->block)[c->slot - b->first] = e;
	touch(b, c->slot - b->first);
	b->n++;
	b->next = c->slot + 1;
	/* More would make it no smaller. */
	return dense_bytes(b) > b->max && sparse_bytes(b) > b->max
		       ? too_large(b)
		       : 0;
}

int index_builder_chunks(struct index_builder *b, const void *data, size_t n)
{
	const char *p = data;

	if (n % sizeof(struct scan_chunk))
		return bad_answer(b, "page length");
	for (; n; n -= sizeof(struct scan_chunk)) {
		struct scan_chunk c;
		int err;

		memcpy(&c, p, sizeof(c));
		p += sizeof(c);
		err = add_chunk(b, &c);
		if (err)
			return err;
	}
	return 0;
}

/* Is every slot that was not sent known to have no chunk? */
static bool rest_is_proven(const struct index_builder *b,
			   const struct scan_end *end)
{
	if (end->allocated < 0)
		return false;
	/* Only with the whole grid at hand can the sum be compared. */
	return b->count < b->slots || b->located == (uint64_t)end->allocated;
}

static char *make_note(const struct index_builder *b,
		       const struct scan_end *end, uint64_t unproven)
{
	char broken[80] = "", lost[120] = "";

	if (b->broken)
		snprintf(broken, sizeof(broken),
			 "%" PRIu64 " chunks are not where they are said to be",
			 b->broken);
	if (unproven && end->allocated < 0)
		snprintf(lost, sizeof(lost),
			 "part of the chunk index cannot be read: %" PRIu64
			 " chunks are not found",
			 unproven);
	else if (unproven)
		snprintf(lost, sizeof(lost),
			 "the chunk index is damaged: of %" PRId64
			 " chunks %" PRIu64 " are found",
			 end->allocated, b->located);
	if (!*broken && !*lost)
		return NULL;
	return text_new("%s%s%s", broken, *broken && *lost ? "; " : "", lost);
}

static bool is_listed(const struct entry *e)
{
	return e->bits & SIZE_MASK || e->addr != HOLE;
}

/* The block of all slots, its holes marked if they are none. */
static struct chunk_index *make_dense(struct index_builder *b, bool proven)
{
	struct chunk_index *x = take_ptr(b->block);
	struct entry *entry = entries(x);

	for (uint64_t i = 0; !proven && i < b->count; i++)
		if (!is_listed(&entry[i]))
			entry[i].addr = BROKEN;
	return x;
}

/* A list of those that were sent. */
static struct chunk_index *make_sparse(const struct index_builder *b,
				       size_t size)
{
	struct chunk_index *x = malloc(size);
	const struct entry *from = entries(b->block);
	struct entry *entry;
	uint32_t *listed, n = 0;

	if (!x)
		return NULL;
	entry = entries(x);
	listed = (uint32_t *)(entry + b->n);
	for (uint64_t i = 0; n < b->n; i++) {
		if (!is_listed(&from[i]))
			continue;
		entry[n] = from[i];
		listed[n++] = (uint32_t)i;
	}
	return x;
}

int index_builder_finish(struct index_builder *b, const struct scan_end *end,
			 void **out, size_t *size, char **note)
{
	uint64_t dense = dense_bytes(b), sparse = sparse_bytes(b);
	uint64_t rest = b->count - b->n;
	bool is_dense = dense <= sparse, proven = rest_is_proven(b, end);
	uint64_t total =
		sizeof(struct chunk_index) + (is_dense ? dense : sparse);
	struct chunk_index *x;

	if (end->located != b->located || end->allocated < -1)
		return bad_answer(b, "number of chunks");
	if (total > b->max)
		return too_large(b);
	x = is_dense ? make_dense(b, proven) : make_sparse(b, (size_t)total);
	if (!x)
		return fail(b, -ENOMEM, "out of memory");
	*x = (struct chunk_index){
		.first = b->first,
		.count = b->count,
		.n = b->n,
		.is_dense = is_dense,
		.rest = proven ? HOLE : BROKEN,
		.counts =
			{
				.stored = b->n - b->broken,
				.missing = proven ? rest : 0,
				.broken = b->broken + (proven ? 0 : rest),
				.masked = b->masked,
			},
	};
	*note = make_note(b, end, proven ? 0 : rest);
	*size = (size_t)total;
	*out = x;
	return 0;
}

static struct entry entry_of(const struct chunk_index *x, uint32_t slot)
{
	const struct entry *entry = (const struct entry *)(x + 1);
	const uint32_t *listed = (const uint32_t *)(entry + x->n);
	uint32_t low = 0, high = x->n;

	if (x->is_dense)
		return entry[slot];
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (listed[mid] == slot)
			return entry[mid];
		if (slot < listed[mid])
			high = mid;
		else
			low = mid + 1;
	}
	return (struct entry){.addr = x->rest};
}

int chunk_index_locate(const struct chunk_index *x, uint64_t slot,
		       struct stored *out)
{
	struct entry e;

	assert(slot >= x->first && slot - x->first < x->count);
	e = entry_of(x, (uint32_t)(slot - x->first));
	if (!(e.bits & SIZE_MASK)) {
		if (e.addr != HOLE)
			return -EBADMSG;
		*out = (struct stored){0};
		return 0;
	}
	*out = (struct stored){
		.off = e.addr,
		.n = e.bits & SIZE_MASK,
		.skip = (uint32_t)(e.bits >> SIZE_BITS),
	};
	return 0;
}

void chunk_index_counts(const struct chunk_index *x, struct chunk_counts *out)
{
	*out = x->counts;
}
