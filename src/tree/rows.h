/* SPDX-License-Identifier: MIT */

/*
 * An append-only array of rows of one size that never move, and heads of
 * chains through such rows, for those who hash over them.
 *
 * Threads: reading takes no lock; a row is complete before its number can be
 * known. Appending: one thread at a time, the owner's lock.
 */

#ifndef TREE_ROWS_H
#define TREE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#define ROW_NONE UINT32_MAX

struct rows {
	size_t size;
	uint32_t max;
	_Atomic uint32_t n;
	_Atomic(char *) *segment;
};

/* 0 or -ENOMEM. */
int rows_init(struct rows *r, size_t size, uint32_t max);
void rows_fini(struct rows *r);
uint32_t rows_count(const struct rows *r);
/* i < rows_count. Borrowed until rows_fini. */
void *rows_at(const struct rows *r, uint32_t i);
/* The row to fill in next, zeroed when new. 0; -ENOSPC; -ENOMEM. */
int rows_next(struct rows *r, void **row);
/* It is complete. Returns its number. */
uint32_t rows_publish(struct rows *r);

/* Heads of chains, ROW_NONE at first. NULL: out of memory. Caller frees. */
_Atomic uint32_t *heads_new(uint32_t n);
uint32_t heads_get(const _Atomic uint32_t *head);
void heads_set(_Atomic uint32_t *head, uint32_t row);

#endif
