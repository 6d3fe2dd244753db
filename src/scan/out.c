/* SPDX-License-Identifier: MIT */

/*
 * Catalog records, gathered into pages and sent when a page is full, so that
 * memory does not grow with the file and the server sees progress.
 */

#include <config.h>

#include "scan/scan_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SOFT (256u << 10) /* no record is begun beyond this */

void out_init(struct out *o)
{
	memset(o, 0, sizeof(*o));
	o->buf = scan_malloc(SCAN_PAYLOAD_MAX);
}

void out_fini(struct out *o)
{
	free(o->buf);
}

void out_flush(struct out *o)
{
	if (o->used)
		wire_send(SCAN_PAGE, o->buf, o->used);
	o->used = 0;
}

void out_add(struct out *o, const void *bytes, size_t n)
{
	if (n > SCAN_PAYLOAD_MAX - o->used)
		wire_fail(-EFBIG, "an object's description is over 768 KiB");
	if (n)
		memcpy(o->buf + o->used, bytes, n);
	o->used += n;
}

void out_pad(struct out *o)
{
	static const uint8_t zero[8];

	out_add(o, zero, (8 - o->used % 8) % 8);
}

void out_begin(struct out *o, enum cat_type type, void *head, size_t n)
{
	struct cat_record *r = head;

	if (o->used > PAGE_SOFT)
		out_flush(o);
	r->type = type;
	r->size = 0;
	o->start = o->used;
	out_add(o, head, n);
}

void out_end(struct out *o)
{
	struct cat_record r;

	out_pad(o);
	memcpy(&r, o->buf + o->start, sizeof(r));
	r.size = (uint32_t)(o->used - o->start);
	memcpy(o->buf + o->start, &r, sizeof(r));
}

uint32_t out_object(struct out *o, enum cat_type type, uint64_t addr)
{
	struct cat_object rec = {.addr = addr};

	out_begin(o, type, &rec, sizeof(rec));
	out_end(o);
	return o->objects++;
}

void out_problem(struct out *o, uint32_t owner, const struct text *t)
{
	struct cat_problem rec = {.owner = owner, .text_len = (uint32_t)t->n};

	out_begin(o, CAT_PROBLEM, &rec, sizeof(rec));
	out_add(o, t->s, t->n);
	out_end(o);
}
