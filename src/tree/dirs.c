/* SPDX-License-Identifier: MIT */

/*
 * The table of directories. Buckets of the hashes are atomic heads of chains
 * that grow at the front, so that a reader follows a chain that is whole at any
 * moment. One lock for appending.
 */

#include <config.h>

#include "tree/dirs.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tree/rows.h"
#include "tree/tree.h"
#include "util/cleanup.h"
#include "util/hash.h"

#define BUCKETS (UINT32_C(1) << 17)
#define TEXT_SEGMENT (UINT32_C(1) << 16)
#define TEXT_SEGMENTS 65536

/* Rows chained by hash; the first field of each is the link. */
struct params_row {
	uint32_t next;
	uint32_t name;
	uint8_t name_len;
};

struct type_row {
	uint32_t next;
	struct item_type type;
};

struct dirs {
	pthread_mutex_t lock; /* appending to anything below */
	struct rows dir, params, type;
	_Atomic uint32_t *dir_head, *params_head, *type_head;
	_Atomic(char *) *text;
	uint32_t text_end; /* protected by lock */
};

struct dirs *dirs_new(void)
{
	struct dirs *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	t->dir_head = heads_new(BUCKETS);
	t->params_head = heads_new(BUCKETS);
	t->type_head = heads_new(BUCKETS);
	t->text = calloc(TEXT_SEGMENTS, sizeof(*t->text));
	if (!t->dir_head || !t->params_head || !t->type_head || !t->text ||
	    rows_init(&t->dir, sizeof(struct dir), NODE_DIRS_MAX) < 0 ||
	    rows_init(&t->params, sizeof(struct params_row), TREE_PARAMS_MAX) <
		    0 ||
	    rows_init(&t->type, sizeof(struct type_row), 2 * NODE_DIRS_MAX) <
		    0) {
		dirs_free(t);
		return NULL;
	}
	return t;
}

void dirs_free(struct dirs *t)
{
	if (!t)
		return;
	rows_fini(&t->dir);
	rows_fini(&t->params);
	rows_fini(&t->type);
	for (uint32_t i = 0; t->text && i < TEXT_SEGMENTS; i++)
		free(t->text[i]);
	free(t->text);
	free(t->dir_head);
	free(t->params_head);
	free(t->type_head);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

uint32_t dirs_count(const struct dirs *t)
{
	return rows_count(&t->dir);
}

uint32_t dirs_max(const struct dirs *t)
{
	return t->dir.max;
}

void dirs_set_max(struct dirs *t, uint32_t max)
{
	t->dir.max = max;
}

uint32_t dirs_params_count(const struct dirs *t)
{
	return rows_count(&t->params);
}

struct dir *dirs_at(const struct dirs *t, uint32_t number)
{
	return number < dirs_count(t) ? rows_at(&t->dir, number) : NULL;
}

static const char *text_at(const struct dirs *t, uint32_t at)
{
	char *segment = atomic_load_explicit(&t->text[at / TEXT_SEGMENT],
					     memory_order_acquire);

	return segment + at % TEXT_SEGMENT;
}

/* With the lock held. 0; -ENOSPC; -ENOMEM. */
static int text_add(struct dirs *t, const char *s, size_t n, uint32_t *at)
{
	uint64_t end = t->text_end;
	char *segment;

	if (end % TEXT_SEGMENT + n > TEXT_SEGMENT)
		end += TEXT_SEGMENT - end % TEXT_SEGMENT;
	if (end + n > UINT32_MAX)
		return -ENOSPC;
	segment = t->text[end / TEXT_SEGMENT];
	if (!segment) {
		segment = malloc(TEXT_SEGMENT);
		if (!segment)
			return -ENOMEM;
		atomic_store_explicit(&t->text[end / TEXT_SEGMENT], segment,
				      memory_order_release);
	}
	memcpy(segment + end % TEXT_SEGMENT, s, n);
	*at = (uint32_t)end;
	t->text_end = (uint32_t)(end + n);
	return 0;
}

static _Atomic uint32_t *dir_bucket(const struct dirs *t, uint32_t parent,
				    unsigned kind, uint32_t key)
{
	uint64_t h = hash_mix((uint64_t)parent << 32 | key, kind);

	return &t->dir_head[h % BUCKETS];
}

uint32_t dirs_find(const struct dirs *t, uint32_t parent, enum dir_kind kind,
		   uint32_t key)
{
	uint32_t i = heads_get(dir_bucket(t, parent, kind, key));

	while (i != ROW_NONE) {
		const struct dir *d = rows_at(&t->dir, i);

		if (d->parent == parent && d->key == key && d->kind == kind)
			break;
		i = d->next;
	}
	return i;
}

const char *dirs_name(const struct dirs *t, const struct dir *d)
{
	return text_at(t, d->name);
}

size_t dirs_path(const struct dirs *t, uint32_t top, uint32_t dir, char *buf,
		 size_t size)
{
	const struct dir *d;
	size_t n = 0, at;

	for (uint32_t i = dir; i != top; i = d->parent) {
		d = rows_at(&t->dir, i);
		n += d->name_len + (i != dir);
	}
	if (n >= size)
		return n;
	at = n;
	buf[at] = '\0';
	for (uint32_t i = dir; i != top; i = d->parent) {
		d = rows_at(&t->dir, i);
		if (i != dir)
			buf[--at] = '/';
		at -= d->name_len;
		memcpy(buf + at, dirs_name(t, d), d->name_len);
	}
	return n;
}

int dirs_add(struct dirs *t, const struct dir *d, const char *name,
	     uint32_t *number)
{
	_Atomic uint32_t *head = dir_bucket(t, d->parent, d->kind, d->key);
	uint32_t i = dirs_find(t, d->parent, d->kind, d->key);
	size_t len = name ? strlen(name) : 0;
	struct dir *row;
	void *p;
	int err;

	if (i != ROW_NONE) {
		*number = i;
		return 0;
	}
	LOCK_SCOPE(&t->lock);
	i = dirs_find(t, d->parent, d->kind, d->key);
	if (i != ROW_NONE) {
		*number = i;
		return 0;
	}
	err = rows_next(&t->dir, &p);
	if (err < 0)
		return err;
	row = p;
	*row = *d;
	if (name) {
		err = text_add(t, name, len, &row->name);
		if (err < 0)
			return err;
		row->name_len = (uint8_t)len;
	} else {
		const struct params_row *params =
			rows_at(&t->params, d->params);

		row->name = params->name;
		row->name_len = params->name_len;
	}
	row->next = heads_get(head);
	*number = rows_publish(&t->dir);
	heads_set(head, *number);
	return 0;
}

static uint32_t params_find(const struct dirs *t, const char *name, size_t len,
			    const _Atomic uint32_t *head)
{
	uint32_t i = heads_get(head);

	while (i != ROW_NONE) {
		const struct params_row *row = rows_at(&t->params, i);

		if (row->name_len == len &&
		    memcmp(text_at(t, row->name), name, len) == 0)
			break;
		i = row->next;
	}
	return i;
}

int dirs_params(struct dirs *t, const char *name, uint32_t *number)
{
	size_t len = strlen(name);
	_Atomic uint32_t *head =
		&t->params_head[hash_bytes(name, len) % BUCKETS];
	uint32_t i = params_find(t, name, len, head);
	struct params_row *row;
	void *p;
	int err;

	if (i != ROW_NONE) {
		*number = i;
		return 0;
	}
	LOCK_SCOPE(&t->lock);
	i = params_find(t, name, len, head);
	if (i != ROW_NONE) {
		*number = i;
		return 0;
	}
	err = rows_next(&t->params, &p);
	if (err < 0)
		return err;
	row = p;
	err = text_add(t, name, len, &row->name);
	if (err < 0)
		return err;
	row->name_len = (uint8_t)len;
	row->next = heads_get(head);
	*number = rows_publish(&t->params);
	heads_set(head, *number);
	return 0;
}

static bool type_equal(const struct item_type *a, const struct item_type *b)
{
	return a->kind == b->kind && a->item_size == b->item_size &&
	       a->nhint == b->nhint &&
	       !memcmp(a->hint, b->hint, sizeof(a->hint)) &&
	       shape_equal(&a->shape, &b->shape);
}

static uint32_t type_find(const struct dirs *t, const struct item_type *type,
			  const _Atomic uint32_t *head)
{
	uint32_t i = heads_get(head);

	while (i != ROW_NONE) {
		const struct type_row *row = rows_at(&t->type, i);

		if (type_equal(&row->type, type))
			break;
		i = row->next;
	}
	return i;
}

int dirs_type(struct dirs *t, const struct item_type *type, uint32_t *number)
{
	const struct shape *s = &type->shape;
	uint64_t h = hash_mix((uint64_t)type->kind << 32 | type->item_size,
			      hash_bytes(s->dim, s->ndim * sizeof(s->dim[0])));
	_Atomic uint32_t *head = &t->type_head[h % BUCKETS];
	uint32_t i = type_find(t, type, head);
	struct type_row *row;
	void *p;
	int err;

	if (i != ROW_NONE) {
		*number = i;
		return 0;
	}
	LOCK_SCOPE(&t->lock);
	i = type_find(t, type, head);
	if (i != ROW_NONE) {
		*number = i;
		return 0;
	}
	err = rows_next(&t->type, &p);
	if (err < 0)
		return err;
	row = p;
	row->type = *type;
	row->next = heads_get(head);
	*number = rows_publish(&t->type);
	heads_set(head, *number);
	return 0;
}

const struct item_type *dirs_type_at(const struct dirs *t, uint32_t number)
{
	const struct type_row *row = rows_at(&t->type, number);

	return &row->type;
}
