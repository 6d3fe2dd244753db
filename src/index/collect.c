/* SPDX-License-Identifier: MIT */

/*
 * The spans that one thread finds, by class, in lists of blocks, in the order
 * of the tiles, which is C order for some way and then starts again further up.
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "index/build_impl.h"
#include "util/hash.h"

#define ROOM_MIN 8    /* spans of a first block, */
#define ROOM_MAX 4096 /* and of the last ones */

void lane_init(struct lane *l, const struct index_conf *conf,
	       _Atomic uint64_t *held, unsigned width)
{
	*l = (struct lane){.conf = conf, .held = held, .width = width};
}

void lane_fini(struct lane *l)
{
	for (uint32_t i = 0; i < l->nslot; i++) {
		struct span_block *b = l->slot[i].head;

		while (b) {
			struct span_block *next = b->next;

			free(b);
			b = next;
		}
	}
	free(l->slot);
	free(l->table);
	l->slot = NULL;
	l->table = NULL;
	l->nslot = 0;
}

static uint32_t *place_of(const struct lane *l, int64_t id)
{
	const uint32_t mask = 2 * l->room - 1;
	uint32_t i = (uint32_t)hash_mix((uint64_t)id, 0) & mask;

	while (l->table[i] && l->slot[l->table[i] - 1].id != id)
		i = (i + 1) & mask;
	return &l->table[i];
}

static int grow(struct lane *l)
{
	const uint32_t room = l->room ? 2 * l->room : 64;
	struct spans *slot;
	uint32_t *table;

	if (l->room >= NO_SLOT / 8)
		return -E2BIG;
	slot = realloc(l->slot, room * sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	l->slot = slot;
	table = calloc(2 * (size_t)room, sizeof(*table));
	if (!table)
		return -ENOMEM;
	free(l->table);
	l->table = table;
	l->room = room;
	for (uint32_t i = 0; i < l->nslot; i++)
		*place_of(l, l->slot[i].id) = i + 1;
	return 0;
}

uint32_t lane_slot(struct lane *l, int64_t id)
{
	uint32_t *place;
	int err = 0;

	if (l->room) {
		place = place_of(l, id);
		if (*place)
			return *place - 1;
	}
	if (l->nslot >= l->conf->max_classes)
		err = -E2BIG;
	else if (l->nslot == l->room)
		err = grow(l);
	if (err) {
		l->err = l->err ? l->err : err;
		return NO_SLOT;
	}
	l->slot[l->nslot] = (struct spans){.id = id};
	*place_of(l, id) = ++l->nslot;
	return l->nslot - 1;
}

static struct span_block *new_block(struct lane *l, uint32_t room)
{
	const uint64_t n =
		sizeof(struct span_block) + (uint64_t)room * 2 * l->width;
	struct span_block *b = NULL;
	int err = -ENOMEM;

	if (atomic_fetch_add(l->held, n) + n > 2 * (uint64_t)l->conf->max)
		err = -EFBIG;
	else
		b = malloc(n);
	if (!b) {
		atomic_fetch_sub(l->held, n);
		l->err = l->err ? l->err : err;
		return NULL;
	}
	if (l->conf->charge)
		l->conf->charge(l->conf->arg, (int64_t)n);
	*b = (struct span_block){.room = room};
	return b;
}

void lane_push(struct lane *l, struct spans *s)
{
	struct span_block *b = s->tail;
	unsigned char *to;

	if (s->stop == s->first || l->err)
		return;
	if (!b || b->n == b->room) {
		uint32_t room = b ? 2 * b->room : ROOM_MIN;

		b = new_block(l, room < ROOM_MAX ? room : ROOM_MAX);
		if (!b)
			return;
		if (s->tail)
			s->tail->next = b;
		else
			s->head = b;
		s->tail = b;
	}
	to = (unsigned char *)(b + 1) + (size_t)b->n * 2 * l->width;
	if (l->width == 4) {
		const uint32_t pair[2] = {(uint32_t)s->first,
					  (uint32_t)(s->stop - s->first - 1)};

		memcpy(to, pair, sizeof(pair));
	} else {
		const uint64_t pair[2] = {s->first, s->stop - s->first - 1};

		memcpy(to, pair, sizeof(pair));
	}
	b->n++;
}
