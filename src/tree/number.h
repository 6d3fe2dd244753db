/* SPDX-License-Identifier: MIT */

/*
 * Single values of the served types: from decimal, to decimal, to JSON. Pure;
 * any thread. The C locale's decimal point is taken for granted.
 */

#ifndef TREE_NUMBER_H
#define TREE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

struct json;

#define NUMBER_TEXT_MAX 48

/*
 * The value a decimal number has in the type (kind 'i' 'u' 'f' 'b'), little
 * endian: integers exactly, floats to the nearest. Digits, one point, an
 * exponent after 'e'; no plus sign anywhere.
 * 0; -EINVAL: not a number; -ERANGE: the type has no such value.
 */
int number_pack(const char *s, size_t n, char kind, unsigned item_size,
		uint8_t out[8]);

/*
 * The shortest decimal that number_pack takes back to the same value. Not for
 * NaN and infinities, which number_pack never gives.
 */
void number_print(const uint8_t *v, char kind, unsigned item_size,
		  char out[NUMBER_TEXT_MAX]);

/* A stored value, order '<' '>' or '|', as JSON. Takes any bytes. */
struct json *number_json(const void *v, char kind, unsigned item_size,
			 char order);

#endif
