/* SPDX-License-Identifier: MIT */

/*
 * The header of a chunk of Blosc2: what it is made of, and by name what of it
 * is not served. No number of it is used that was not looked at here.
 */

#include <config.h>

#include <errno.h>

#include "codec/blosc2_impl.h"

#define VERSION_MIN 3 /* 2 is Blosc 1, which has another header */
#define VERSION_MAX 6
#define BLOCK_MAX 536866816

/* Bits of byte 2. */
#define FLAGS_HEADER 0x05 /* both: a header of 32 bytes */
#define FLAG_RAW 0x02
#define FLAG_WHOLE 0x10
#define FLAGS_CODEC 5
/* Bits of byte 31. */
#define FLAG_DICTIONARY 0x01
#define FLAG_BIG_ENDIAN 0x02
#define FLAG_CODECS 0x04
#define FLAG_LAZY 0x08
#define FLAGS_SPECIAL 4
#define FLAG_INSTRUMENTED 0x80
/* Bits of byte 30. */
#define FLAG_VARIABLE 0x01

enum special {
	SPECIAL_NONE,
	SPECIAL_ZERO,
	SPECIAL_NAN,
	SPECIAL_REPEAT,
	SPECIAL_UNDEFINED,
};

enum filter {
	FILTER_NONE,
	FILTER_SHUFFLE,
	FILTER_BITSHUFFLE,
	FILTER_DELTA,
	FILTER_TRUNCATE,
};

static const char *user_codec(unsigned id)
{
	switch (id) {
	case 32:
		return "the Blosc2 codec 32 (ndlz)";
	case 33:
	case 34:
	case 35:
		return "a Blosc2 codec of 33 to 35 (zfp)";
	case 36:
		return "the Blosc2 codec 36 (HTJ2K)";
	case 37:
		return "the Blosc2 codec 37 (Grok)";
	case 38:
		return "the Blosc2 codec 38 (OpenZL)";
	case 39:
		return "the Blosc2 codec 39 (J2K)";
	case 40:
		return "the Blosc2 codec 40 (HTJ2K)";
	default:
		return "a Blosc2 codec of a user's own";
	}
}

static const char *user_filter(unsigned id)
{
	switch (id) {
	case 32:
		return "the Blosc2 filter 32 (ndcell)";
	case 33:
		return "the Blosc2 filter 33 (ndmean)";
	case 34:
	case 35:
		return "a Blosc2 filter of 34 and 35 (bytedelta)";
	case 36:
		return "the Blosc2 filter 36 (int_trunc)";
	default:
		return "a Blosc2 filter of a user's own";
	}
}

/* What of the flags is not served; NULL: nothing. */
static const char *refused_flag(const uint8_t *head)
{
	if (head[0] > VERSION_MAX)
		return "a chunk of a newer Blosc2";
	if (head[30] & FLAG_VARIABLE)
		return "Blosc2 blocks of variable length";
	if (head[31] & FLAG_DICTIONARY)
		return "a dictionary of Blosc2";
	if (head[31] & FLAG_BIG_ENDIAN)
		return "a Blosc2 chunk in big endian";
	if (head[31] & FLAG_CODECS)
		return "Blosc2 blocks with codecs of their own";
	if (head[31] & FLAG_LAZY)
		return "a lazy chunk of Blosc2";
	if (head[31] & FLAG_INSTRUMENTED)
		return "an instrumented chunk of Blosc2";
	return NULL;
}

static const char *refused_codec(const uint8_t *head)
{
	const unsigned codec = head[2] >> FLAGS_CODEC;

	switch (codec) {
	case BLOSC2_BLOSCLZ:
	case BLOSC2_LZ4:
	case BLOSC2_ZLIB:
	case BLOSC2_ZSTD:
		return NULL;
	case BLOSC2_USER:
		return user_codec(head[22]);
	default:
		return "a Blosc2 codec without a number";
	}
}

/* Slots are undone from the last to the first. */
static const char *filters(const uint8_t *head, struct blosc2_chunk *c)
{
	unsigned deltas = 0;

	for (unsigned i = BLOSC2_FILTERS; i-- > 0;) {
		const uint8_t id = head[16 + i], meta = head[24 + i];
		uint8_t size = head[3];

		switch (id) {
		case FILTER_NONE:
		case FILTER_TRUNCATE:
			break;
		case FILTER_SHUFFLE:
			if (meta)
				size = meta;
			if (size > 1)
				c->filter[c->nfilter++] =
					(struct blosc2_filter){BLOSC2_SHUFFLE,
							       size};
			break;
		case FILTER_BITSHUFFLE:
			c->filter[c->nfilter++] =
				(struct blosc2_filter){BLOSC2_BITSHUFFLE, size};
			break;
		case FILTER_DELTA:
			deltas++;
			break;
		default:
			return user_filter(id);
		}
	}
	c->has_delta = deltas;
	if (deltas + (c->nfilter > 0) > 1)
		return "the Blosc2 filter delta beside others";
	return NULL;
}

static int special(const uint8_t *head, struct blosc2_chunk *c)
{
	const uint32_t behind = c->stored - BLOSC2_HEAD;

	switch (head[31] >> FLAGS_SPECIAL & 7) {
	case SPECIAL_ZERO:
	case SPECIAL_UNDEFINED:
		c->kind = BLOSC2_ZERO;
		return behind ? -EBADMSG : 0;
	case SPECIAL_NAN:
		c->kind = BLOSC2_NAN;
		if (behind || (c->type_size != 4 && c->type_size != 8) ||
		    c->bytes % c->type_size)
			return -EBADMSG;
		return 0;
	case SPECIAL_REPEAT:
		c->kind = BLOSC2_REPEAT;
		c->width = behind;
		return behind && c->bytes % behind == 0 ? 0 : -EBADMSG;
	default:
		return -EBADMSG;
	}
}

static int coded(const uint8_t *head, struct blosc2_chunk *c, const char **what)
{
	const char *refused = refused_codec(head);

	c->kind = BLOSC2_CODED;
	if (!refused)
		refused = filters(head, c);
	if (refused) {
		*what = refused;
		return -EOPNOTSUPP;
	}
	if (head[1] != 1 || c->nblock > (c->stored - BLOSC2_HEAD) / 4)
		return -EBADMSG;
	c->codec = head[2] >> FLAGS_CODEC;
	c->is_split = !(head[2] & FLAG_WHOLE);
	return 0;
}

int blosc2_chunk(const uint8_t head[BLOSC2_HEAD], uint64_t room,
		 struct blosc2_chunk *out, const char **what)
{
	struct blosc2_chunk c = {
		.type_size = head[3],
		.bytes = blosc2_le32(head + 4),
		.block = blosc2_le32(head + 8),
		.stored = blosc2_le32(head + 12),
	};
	const bool is_special = head[31] >> FLAGS_SPECIAL & 7;
	const char *refused;
	int r = 0;

	if (head[0] < VERSION_MIN || (head[2] & FLAGS_HEADER) != FLAGS_HEADER)
		return -EBADMSG;
	refused = refused_flag(head);
	if (refused) {
		*what = refused;
		return -EOPNOTSUPP;
	}
	if (!c.type_size || !c.bytes || c.bytes > INT32_MAX ||
	    c.stored < BLOSC2_HEAD || c.stored > INT32_MAX || c.stored > room)
		return -EBADMSG;
	/* Those without blocks may leave it out. */
	if (!c.block && is_special)
		c.block = c.bytes;
	if (!c.block || c.block > BLOCK_MAX)
		return -EBADMSG;
	if (c.block > c.bytes)
		c.block = c.bytes;
	c.nblock = c.bytes / c.block + (c.bytes % c.block != 0);
	if (is_special) {
		r = special(head, &c);
	} else if (head[2] & FLAG_RAW) {
		c.kind = BLOSC2_RAW;
		r = c.bytes == c.stored - BLOSC2_HEAD ? 0 : -EBADMSG;
	} else {
		r = coded(head, &c, what);
	}
	if (r < 0)
		return r;
	*out = c;
	return 0;
}
