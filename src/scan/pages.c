/* SPDX-License-Identifier: MIT */

/*
 * Bytes of the source, asked for in aligned pages and kept in an LRU. Metadata
 * is read in bits of a few hundred bytes while a request to the server may
 * take milliseconds. So a miss that follows on the page before asks for twice
 * as much as the last one did, up to 1 MiB; one that stands alone asks for a
 * single page, as metadata may lie far apart in the data. A file that fits in
 * whole is read in larger pieces the more of it was asked for.
 */

#include <config.h>

#include "scan/scan_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/checked.h"

#define PAGE_BYTES 65536u
#define NPAGE 2048u /* 128 MiB, taken as it is needed */
#define NBUCKET 4096u
#define AHEAD_MAX 16u /* pages: 1 MiB */
#define SMALL_FILE 4u /* pages: read in one go */

struct page {
	uint64_t no;
	struct page *chain;	    /* same bucket */
	struct page *newer, *older; /* LRU */
	uint8_t *data;		    /* NULL: never used */
};

struct pages {
	uint64_t file_size;
	uint64_t budget; /* bytes that may still be asked for */
	int error;
	unsigned ahead; /* pages of the last fetch */
	unsigned nfetch;
	struct page *newest, *oldest;
	struct page *bucket[NBUCKET];
	struct page page[NPAGE];
};

static struct page **bucket_of(struct pages *p, uint64_t no)
{
	return &p->bucket[no % NBUCKET];
}

static struct page *find(struct pages *p, uint64_t no)
{
	struct page *g = *bucket_of(p, no);

	while (g && g->no != no)
		g = g->chain;
	return g;
}

static void lru_remove(struct pages *p, struct page *g)
{
	*(g->newer ? &g->newer->older : &p->newest) = g->older;
	*(g->older ? &g->older->newer : &p->oldest) = g->newer;
}

static void lru_add(struct pages *p, struct page *g)
{
	g->newer = NULL;
	g->older = p->newest;
	*(p->newest ? &p->newest->newer : &p->oldest) = g;
	p->newest = g;
}

/* The oldest page, out of its bucket and given the number no. */
static struct page *reuse(struct pages *p, uint64_t no)
{
	struct page *g = p->oldest;

	if (g->data) {
		struct page **at = bucket_of(p, g->no);

		while (*at != g)
			at = &(*at)->chain;
		*at = g->chain;
	} else {
		g->data = scan_malloc(PAGE_BYTES);
	}
	lru_remove(p, g);
	lru_add(p, g);
	g->no = no;
	g->chain = *bucket_of(p, no);
	*bucket_of(p, no) = g;
	return g;
}

struct pages *pages_new(uint64_t file_size)
{
	struct pages *p = scan_malloc(sizeof(*p));

	memset(p, 0, sizeof(*p));
	p->file_size = file_size;
	/* Far above what a sane file needs; a storm of reads is an error. */
	if (!checked_mul(file_size, 64, &p->budget) ||
	    !checked_add(p->budget, 1u << 30, &p->budget))
		p->budget = UINT64_MAX;
	for (unsigned i = 0; i < NPAGE; i++)
		lru_add(p, &p->page[i]);
	return p;
}

uint64_t pages_file_size(const struct pages *p)
{
	return p->file_size;
}

/* Pages from no on, as many as seems wise; no lies within the file. */
static struct page *fetch(struct pages *p, uint64_t no)
{
	uint64_t last = (p->file_size - 1) / PAGE_BYTES;
	uint64_t left, off = no * PAGE_BYTES;
	struct page *first = NULL;
	unsigned n = 1;

	if (no > 0 && find(p, no - 1))
		p->ahead *= 2;
	else
		p->ahead = last < SMALL_FILE ? SMALL_FILE : 1;
	if (last < NPAGE && p->ahead < p->nfetch / 8)
		p->ahead = p->nfetch / 8;
	if (p->ahead > AHEAD_MAX)
		p->ahead = AHEAD_MAX;
	p->nfetch++;
	while (n < p->ahead && no + n <= last && !find(p, no + n))
		n++;
	left = p->file_size - off;
	if (left > (uint64_t)n * PAGE_BYTES)
		left = (uint64_t)n * PAGE_BYTES;
	if (left > p->budget) {
		p->error = -EBADMSG;
		return NULL;
	}
	p->budget -= left;
	p->error = wire_read(off, (size_t)left);
	if (p->error)
		return NULL;
	for (unsigned i = 0; i < n; i++) {
		size_t take = left < PAGE_BYTES ? (size_t)left : PAGE_BYTES;
		struct page *g = reuse(p, no + i);

		wire_take(g->data, take);
		memset(g->data + take, 0, PAGE_BYTES - take);
		left -= take;
		if (!first)
			first = g;
	}
	return first;
}

int pages_read(struct pages *p, uint64_t off, size_t n, void *out)
{
	uint8_t *to = out;

	while (n) {
		uint64_t no = off / PAGE_BYTES;
		size_t skip = off % PAGE_BYTES;
		size_t take = PAGE_BYTES - skip;
		struct page *g;

		if (p->error)
			return p->error;
		if (off >= p->file_size) {
			memset(to, 0, n);
			return 0;
		}
		if (take > n)
			take = n;
		g = find(p, no);
		if (g) {
			lru_remove(p, g);
			lru_add(p, g);
		} else {
			g = fetch(p, no);
			if (!g)
				return p->error;
		}
		memcpy(to, g->data + skip, take);
		to += take;
		off += take;
		n -= take;
	}
	return 0;
}

void pages_check(const struct pages *p)
{
	if (p->error == -EBADMSG)
		wire_fail(p->error, "its metadata is read over and over");
	if (p->error)
		wire_fail(p->error, "cannot be read: %s", strerror(-p->error));
}
