/* SPDX-License-Identifier: MIT */

/*
 * BloscLZ, the codec of Blosc's own. Control bytes below 32 announce that many
 * literals and one more; the others a match, its length in the upper three bits
 * and in bytes of 255 that follow, its distance in the lower five and a byte,
 * or behind an escape in two bytes more. The first control is always one of
 * literals, and literals are what a stream ends with.
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#include "codec/codec_impl.h"

#define LITERALS_MAX 32
#define FAR_HIGH (31u << 8)
#define FAR_BASE 8192

struct ends {
	const uint8_t *in;
	uint8_t *out;
};

/* n bytes from so far back; may write 15 more where there is room for them. */
static void copy_match(uint8_t *to, size_t distance, size_t n, size_t room)
{
	const uint8_t *from = to - distance;

	if (distance == 1) {
		memset(to, *from, n);
	} else if (distance >= 16 && room - n >= 16) {
		for (size_t i = 0; i < n; i += 16)
			memcpy(to + i, from + i, 16);
	} else {
		/* What is there repeats: twice as much each time. */
		while (n > distance) {
			memcpy(to, from, distance);
			to += distance;
			n -= distance;
			distance *= 2;
		}
		memcpy(to, from, n);
	}
}

static int literals(const uint8_t **p, uint8_t **to, const struct ends *end,
		    size_t n)
{
	const size_t left = (size_t)(end->in - *p);
	const size_t room = (size_t)(end->out - *to);

	if (n > left || n > room)
		return -EBADMSG;
	if (left >= LITERALS_MAX && room >= LITERALS_MAX)
		memcpy(*to, *p, LITERALS_MAX);
	else
		memcpy(*to, *p, n);
	*p += n;
	*to += n;
	return 0;
}

static int match(const uint8_t **p, uint8_t **to, const struct ends *end,
		 const uint8_t *begin, unsigned control)
{
	const size_t room = (size_t)(end->out - *to);
	const unsigned high = (control & 31) << 8;
	size_t n = (control >> 5) - 1, distance;
	unsigned code;

	if (n == 6) {
		do {
			if (*p == end->in || n > room)
				return -EBADMSG;
			code = *(*p)++;
			n += code;
		} while (code == 255);
	}
	n += 3;
	if (*p == end->in)
		return -EBADMSG;
	code = *(*p)++;
	distance = high + code + 1;
	if (code == 255 && high == FAR_HIGH) {
		if (end->in - *p < 2)
			return -EBADMSG;
		distance = ((size_t)(*p)[0] << 8 | (*p)[1]) + FAR_BASE;
		*p += 2;
	}
	if (n > room || distance > (size_t)(*to - begin))
		return -EBADMSG;
	copy_match(*to, distance, n, room);
	*to += n;
	return 0;
}

int codec_blosclz(const uint8_t *in, size_t nin, uint8_t *out, size_t nout)
{
	const struct ends end = {.in = in + nin, .out = out + nout};
	const uint8_t *p = in;
	uint8_t *to = out;
	unsigned control;
	int r;

	if (!nin)
		return -EBADMSG;
	control = *p++ & (LITERALS_MAX - 1);
	for (;;) {
		if (control < LITERALS_MAX) {
			r = literals(&p, &to, &end, control + 1);
			if (r < 0)
				return r;
			if (p == end.in)
				break;
		} else {
			r = match(&p, &to, &end, out, control);
			if (r < 0)
				return r;
			if (p == end.in)
				return -EBADMSG;
		}
		control = *p++;
	}
	return to == end.out ? 0 : -EBADMSG;
}
