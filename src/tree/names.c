/* SPDX-License-Identifier: MIT */

/*
 * Names of members and items, there and back.
 *
 * An encoded name is a row of units that are never torn: a character of valid
 * UTF-8, or the "%XX" of the bytes that make one. Decoding is only a guess at
 * what to look for; the caller encodes what it found and compares, so that no
 * second spelling of a name is ever accepted.
 */

#include <config.h>

#include "tree/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/hash.h"
#include "util/parse.h"

#define CUT_AT 200 /* bytes of a name too long that are kept */
#define CUT_DIGITS 16

size_t utf8_length(const char *s, size_t n)
{
	const uint8_t *p = (const uint8_t *)s;
	uint8_t low = 0x80, high = 0xbf; /* of the second byte */
	size_t len;

	if (n == 0)
		return 0;
	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		len = 2;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		len = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		len = 4;
	else
		return 0;
	if (p[0] == 0xe0)
		low = 0xa0;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;
	if (n < len || p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if (p[i] < 0x80 || p[i] > 0xbf)
			return 0;
	return len;
}

/* Control characters of ASCII and of Unicode, and what paths are made of. */
static bool must_escape(const char *s, size_t len)
{
	uint8_t c = (uint8_t)s[0];

	if (len == 1)
		return c < 0x20 || c == 0x7f || c == '%' || c == '/';
	return len == 2 && c == 0xc2 && (uint8_t)s[1] < 0xa0;
}

static bool equals(struct bytes b, const char *s)
{
	return b.n == strlen(s) && memcmp(b.p, s, b.n) == 0;
}

static bool is_ours(struct bytes raw, enum name_place place)
{
	if (equals(raw, "info.json"))
		return true;
	return place == NAME_IN_MOUNT_ROOT && equals(raw, ".patchfs");
}

int name_encode(struct bytes raw, enum name_place place,
		char out[NAME_BYTES_MAX + 1])
{
	bool dots = equals(raw, ".") || equals(raw, "..");
	bool first = is_ours(raw, place);
	size_t n = 0, cut = 0;

	if (raw.n == 0) {
		strcpy(out, "%~");
		return 0;
	}
	for (size_t i = 0; i < raw.n;) {
		size_t len = utf8_length(raw.p + i, raw.n - i);
		bool escape = len == 0 || dots || (first && i == 0) ||
			      must_escape(raw.p + i, len);
		size_t unit;

		if (len == 0)
			len = 1;
		unit = escape ? 3 * len : len;
		if (n + unit > NAME_BYTES_MAX)
			goto too_long;
		for (size_t k = 0; k < len; k++) {
			uint8_t c = (uint8_t)raw.p[i + k];

			if (escape)
				sprintf(out + n + 3 * k, "%%%02X", c);
			else
				out[n + k] = (char)c;
		}
		n += unit;
		i += len;
		if (n <= CUT_AT)
			cut = n;
	}
	out[n] = '\0';
	return 0;

too_long:;
	char hex[65];
	int err = hash_sha256_hex(raw.p, raw.n, hex);

	if (err < 0)
		return err;
	sprintf(out + cut, "%%~%.*s", CUT_DIGITS, hex);
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int name_decode(const char *shown, char raw[NAME_BYTES_MAX + 1], size_t *n,
		bool *cut)
{
	size_t out = 0;

	*cut = false;
	for (const char *s = shown; *s; s++) {
		int high, low;

		if (out == NAME_BYTES_MAX)
			return -ENOENT;
		if (*s != '%') {
			raw[out++] = *s;
			continue;
		}
		if (s[1] == '~') {
			size_t tail = strlen(s + 2);

			if (tail == 0 && s == shown)
				break;
			if (tail != CUT_DIGITS)
				return -ENOENT;
			*cut = true;
			break;
		}
		high = hex_digit(s[1]);
		low = high < 0 ? -1 : hex_digit(s[2]);
		if (low < 0)
			return -ENOENT;
		raw[out++] = (char)(high * 16 + low);
		s += 2;
	}
	raw[out] = '\0';
	*n = out;
	return 0;
}

unsigned item_digits(uint64_t count)
{
	unsigned digits = 1;

	for (uint64_t last = count ? count - 1 : 0; last >= 10; last /= 10)
		digits++;
	return digits < 6 ? 6 : digits;
}

size_t item_print(uint64_t item, unsigned digits, char out[24])
{
	char buf[24];
	unsigned n = 0, pad;

	do {
		buf[n++] = (char)('0' + item % 10);
		item /= 10;
	} while (item);
	pad = digits > n ? digits - n : 0;
	memset(out, '0', pad);
	for (unsigned i = 0; i < n; i++)
		out[pad + i] = buf[n - 1 - i];
	out[pad + n] = '\0';
	return pad + n;
}

int corner_parse(const char *s, size_t n, unsigned ndim, uint64_t *start)
{
	const char *end = s + n;

	for (unsigned k = 0; k < ndim; k++) {
		const char *stop = memchr(s, '_', (size_t)(end - s));

		if (!stop)
			stop = end;
		if ((stop == end) != (k == ndim - 1) ||
		    parse_decimal(s, (uint64_t)(stop - s), &start[k]) < 0)
			return -ENOENT;
		s = stop + 1;
	}
	return ndim ? 0 : -ENOENT;
}

size_t corner_print(const int64_t *start, unsigned ndim,
		    char out[NAME_BYTES_MAX + 1])
{
	size_t n = 0;

	out[0] = '\0';
	for (unsigned k = 0; k < ndim; k++)
		n += (size_t)sprintf(out + n, "%s%" PRId64, k ? "_" : "",
				     start[k]);
	return n;
}
