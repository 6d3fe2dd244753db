/* SPDX-License-Identifier: MIT */

/*
 * Decimal text and values. Integers go by their digits, never through a float;
 * float16 goes through double, which holds each of its values.
 */

#include <config.h>

#include "tree/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/checked.h"
#include "util/half.h"
#include "util/json.h"

#define DIGITS_MAX 400 /* of the text of a number; DBL_MAX has 309 */

/* A number as text: its significant digits and the power of ten of the last. */
struct decimal {
	bool negative;
	unsigned n;
	char digit[DIGITS_MAX];
	int exponent;
};

static int decimal_parse(const char *s, size_t n, struct decimal *d)
{
	const char *end = s + n;
	bool any = false, point = false;

	memset(d, 0, sizeof(*d));
	if (n > DIGITS_MAX)
		return -EINVAL;
	if (s < end && *s == '-') {
		d->negative = true;
		s++;
	}
	for (; s < end && *s != 'e'; s++) {
		if (*s == '.' && any && !point) {
			point = true;
			continue;
		}
		if (*s < '0' || *s > '9')
			return -EINVAL;
		any = true;
		if (d->n || *s != '0')
			d->digit[d->n++] = *s;
		if (point)
			d->exponent--;
	}
	if (!any || s[-1] == '.')
		return -EINVAL;
	if (s < end) {
		bool down = ++s < end && *s == '-';
		int e = 0;

		s += down;
		if (s == end)
			return -EINVAL;
		for (; s < end; s++) {
			if (*s < '0' || *s > '9')
				return -EINVAL;
			if (e < 100000)
				e = e * 10 + (*s - '0');
		}
		d->exponent += down ? -e : e;
	}
	while (d->n && d->digit[d->n - 1] == '0') {
		d->n--;
		d->exponent++;
	}
	return 0;
}

/* Absolute value as an integer. */
static int decimal_integer(const struct decimal *d, uint64_t *out)
{
	uint64_t v = 0;

	if (d->n == 0) {
		*out = 0;
		return 0;
	}
	if (d->exponent < 0 || d->exponent > 20 || d->n > 20)
		return -ERANGE;
	for (int i = 0; i < (int)d->n + d->exponent; i++) {
		unsigned digit =
			i < (int)d->n ? (unsigned)d->digit[i] - '0' : 0;

		if (!checked_mul(v, 10, &v) || !checked_add(v, digit, &v))
			return -ERANGE;
	}
	*out = v;
	return 0;
}

static void store_le(uint64_t v, unsigned n, uint8_t out[8])
{
	for (unsigned i = 0; i < n; i++)
		out[i] = (uint8_t)(v >> (8 * i));
}

static uint64_t load_le(const uint8_t *v, unsigned n)
{
	uint64_t x = 0;

	for (unsigned i = n; i-- > 0;)
		x = x << 8 | v[i];
	return x;
}

static int float_pack(const char *s, size_t n, unsigned item_size,
		      uint8_t out[8])
{
	char text[DIGITS_MAX + 1];
	double d;
	float f;
	uint16_t h;
	uint32_t bits;
	uint64_t wide;

	memcpy(text, s, n);
	text[n] = '\0';
	switch (item_size) {
	case 2:
		h = half_nearest(strtod(text, NULL));
		if ((h & 0x7c00) == 0x7c00) /* infinite */
			return -ERANGE;
		store_le(h, 2, out);
		return 0;
	case 4:
		f = strtof(text, NULL);
		if (isinf(f))
			return -ERANGE;
		memcpy(&bits, &f, 4);
		store_le(bits, 4, out);
		return 0;
	case 8:
		d = strtod(text, NULL);
		if (isinf(d))
			return -ERANGE;
		memcpy(&wide, &d, 8);
		store_le(wide, 8, out);
		return 0;
	default:
		return -EINVAL;
	}
}

int number_pack(const char *s, size_t n, char kind, unsigned item_size,
		uint8_t out[8])
{
	struct decimal d;
	uint64_t v, top;
	int err = decimal_parse(s, n, &d);

	if (err < 0)
		return err;
	if (kind == 'f')
		return float_pack(s, n, item_size, out);
	if (item_size == 0 || item_size > 8)
		return -EINVAL;
	err = decimal_integer(&d, &v);
	if (err < 0)
		return err;
	top = UINT64_MAX >> (64 - 8 * item_size);
	if (kind == 'b')
		top = 1;
	else if (kind == 'i')
		top = top / 2 + d.negative;
	if (v > top || (v && d.negative && kind != 'i'))
		return -ERANGE;
	store_le(d.negative ? -v : v, item_size, out);
	return 0;
}

static double float_value(const uint8_t *v, unsigned item_size)
{
	uint64_t bits = load_le(v, item_size);
	uint32_t narrow = (uint32_t)bits;
	float f;
	double d;

	if (item_size == 2)
		return (double)half_value((uint16_t)bits);
	if (item_size == 4) {
		memcpy(&f, &narrow, 4);
		return (double)f;
	}
	memcpy(&d, &bits, 8);
	return d;
}

/* As repr() of Python, but for the plus sign, which separates view keys. */
static void float_layout(const char *digit, unsigned n, int point, char *out)
{
	if (point > -4 && point <= 16) {
		if (point <= 0)
			out += sprintf(out, "0.%0*d", -point, 0) - (point == 0);
		for (int i = 0; i < (int)n || i < point; i++) {
			if (i == point && i > 0)
				*out++ = '.';
			*out++ = i < (int)n ? digit[i] : '0';
		}
		*out = '\0';
		return;
	}
	*out++ = digit[0];
	if (n > 1)
		out += sprintf(out, ".%.*s", (int)n - 1, digit + 1);
	sprintf(out, "e%d", point - 1);
}

static void float_print(const uint8_t *v, unsigned item_size,
			char out[NUMBER_TEXT_MAX])
{
	double d = float_value(v, item_size);
	char text[40];
	struct decimal dec;

	if (signbit(d))
		*out++ = '-';
	if (d == 0) {
		strcpy(out, "0");
		return;
	}
	for (int p = 1; p <= 17; p++) {
		uint8_t back[8];
		char *plus;
		int n = snprintf(text, sizeof(text), "%.*e", p - 1, d);

		/* "1e+20": our numbers have no plus sign. */
		plus = strchr(text, '+');
		if (plus) {
			memmove(plus, plus + 1, strlen(plus));
			n--;
		}
		if (float_pack(text, (size_t)n, item_size, back) == 0 &&
		    memcmp(back, v, item_size) == 0)
			break;
	}
	if (decimal_parse(text, strlen(text), &dec) < 0)
		dec.n = 0; /* not a finite number: against the contract */
	if (dec.n == 0) {
		strcpy(out, "0");
		return;
	}
	float_layout(dec.digit, dec.n, (int)dec.n + dec.exponent, out);
}

void number_print(const uint8_t *v, char kind, unsigned item_size,
		  char out[NUMBER_TEXT_MAX])
{
	uint64_t x;
	unsigned unused = 64 - 8 * item_size;

	if (kind == 'f') {
		float_print(v, item_size, out);
		return;
	}
	x = load_le(v, item_size);
	if (kind == 'i')
		sprintf(out, "%" PRId64, (int64_t)(x << unused) >> unused);
	else
		sprintf(out, "%" PRIu64, x);
}

struct json *number_json(const void *v, char kind, unsigned item_size,
			 char order)
{
	uint8_t le[8];
	uint64_t x;
	unsigned unused;

	if (item_size == 0 || item_size > 8)
		return json_null_new();
	memcpy(le, v, item_size);
	if (order == '>')
		for (unsigned i = 0; i < item_size; i++)
			le[i] = ((const uint8_t *)v)[item_size - 1 - i];
	x = load_le(le, item_size);
	unused = 64 - 8 * item_size;
	switch (kind) {
	case 'b':
		return json_bool_new(x != 0);
	case 'f':
		return json_real_new(float_value(le, item_size), item_size < 8);
	case 'i':
		return json_int_new((int64_t)(x << unused) >> unused);
	case 'u':
		return json_uint_new(x);
	default:
		return json_null_new();
	}
}
