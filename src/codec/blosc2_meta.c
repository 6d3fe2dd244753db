/* SPDX-License-Identifier: MIT */

/*
 * The header of a Blosc2 frame, in msgpack (big endian), and its metalayers, of
 * which b2nd says how the chunk is cut into boxes. Frames are looked at through
 * two windows, so that a large one costs two or three reads.
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#include "codec/blosc2_impl.h"

#define HEADER_MIN 87 /* the metalayers begin there */
#define META_MAX 16
#define RANK_BYTES (3 + 3 + 9 * NDIM_MAX + 2 * 5 * NDIM_MAX)
#define VERSION_MAX 3

static uint64_t be64(const uint8_t *p)
{
	return (uint64_t)blosc2_be32(p) << 32 | blosc2_be32(p + 4);
}

static int refuse(const char **what, const char *text)
{
	*what = text;
	return -EOPNOTSUPP;
}

void blosc2_reader_init(struct blosc2_reader *r, const uint8_t *mem,
			codec_fetch_fn *fetch, void *arg, uint64_t size)
{
	r->mem = mem;
	r->fetch = fetch;
	r->arg = arg;
	r->size = size;
	for (unsigned i = 0; i < BLOSC2_WINDOWS; i++)
		r->window[i].at = r->window[i].n = 0;
}

static bool covers(const struct blosc2_reader *r, unsigned which, uint64_t off,
		   uint64_t n)
{
	const uint64_t at = r->window[which].at, size = r->window[which].n;

	return off >= at && off - at <= size && n <= size - (off - at);
}

int blosc2_view(struct blosc2_reader *r, enum blosc2_window which, uint64_t off,
		uint64_t n, const uint8_t **out)
{
	unsigned i = 0;

	if (n > BLOSC2_WINDOW || off > r->size || n > r->size - off)
		return -EBADMSG;
	if (r->mem) {
		*out = r->mem + off;
		return 0;
	}
	while (i < BLOSC2_WINDOWS && !covers(r, i, off, n))
		i++;
	if (i == BLOSC2_WINDOWS) {
		size_t more = BLOSC2_WINDOW;
		int err;

		i = which;
		if (more > r->size - off)
			more = (size_t)(r->size - off);
		r->window[i].n = 0;
		err = r->fetch(r->arg, off, more, r->window[i].data);
		if (err < 0)
			return err;
		r->window[i].at = off;
		r->window[i].n = more;
	}
	*out = r->window[i].data + (off - r->window[i].at);
	return 0;
}

/* ---------------------------------------------------------------- header */

static int check_version(const uint8_t *p, const char **what)
{
	const unsigned version = p[0x19] & 15;

	if (!version || (p[0x19] >> 4 & 3) != 1)
		return -EBADMSG;
	if (version > VERSION_MAX)
		return refuse(what, "a frame of a newer Blosc2");
	if (p[0x19] & 0x40)
		return refuse(what, "Blosc2 chunks of variable size");
	if (p[0x19] & 0x80)
		return refuse(what, "Blosc2 blocks of variable length");
	if (p[0x1a] & 15)
		return refuse(what, "a sparse frame of Blosc2");
	return 0;
}

int blosc2_header(struct blosc2_reader *r, struct blosc2_header *h,
		  const char **what)
{
	static const uint8_t magic[] = {0xa8, 'b', '2', 'f', 'r',
					'a',  'm', 'e', 0,   0xd2};
	static const struct {
		uint8_t at, tag;
	} tags[] = {{0x00, 0x9e}, {0x0f, 0xcf}, {0x18, 0xa4}, {0x1d, 0xd3},
		    {0x26, 0xd3}, {0x2f, 0xd2}, {0x34, 0xd2}, {0x39, 0xd2}};
	const uint8_t *p;
	uint32_t chunk;
	int err;

	err = blosc2_view(r, BLOSC2_FRONT, 0, HEADER_MIN, &p);
	if (err < 0)
		return err;
	if (memcmp(p + 1, magic, sizeof(magic)))
		return -EBADMSG;
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (p[tags[i].at] != tags[i].tag)
			return -EBADMSG;
	err = check_version(p, what);
	if (err < 0)
		return err;
	h->size = blosc2_be32(p + 0x0b);
	h->bytes = be64(p + 0x1e);
	h->stored = be64(p + 0x27);
	h->type_size = blosc2_be32(p + 0x30);
	h->block = blosc2_be32(p + 0x35);
	chunk = blosc2_be32(p + 0x3a);
	if (be64(p + 0x10) != r->size || h->size < HEADER_MIN ||
	    h->size > r->size || h->stored > r->size - h->size ||
	    !h->type_size || h->type_size > INT32_MAX || h->block > INT32_MAX ||
	    !h->bytes || h->bytes > INT64_MAX || !chunk || chunk > INT32_MAX)
		return -EBADMSG;
	if (h->bytes > chunk)
		return refuse(what, "several Blosc2 chunks in one of HDF5");
	return 0;
}

/* ------------------------------------------------------------ metalayers */

static int read_b2nd(const uint8_t *p, size_t n, struct blosc2_boxes *b,
		     const char **what)
{
	const uint8_t *const end = p + n;
	unsigned ndim;

	if (n < 3 || (p[0] & 0xf0) != 0x90)
		return -EBADMSG;
	if (p[1])
		return refuse(what, "a newer b2nd metalayer of Blosc2");
	ndim = p[2];
	if (ndim > NDIM_MAX)
		return refuse(what, "a Blosc2 chunk of more than 8 axes");
	p += 3;
	if (!ndim || (size_t)(end - p) < 3 + (size_t)19 * ndim)
		return -EBADMSG;
	b->ndim = ndim;
	for (unsigned part = 0; part < 3; part++) {
		if (*p++ != 0x90 + ndim)
			return -EBADMSG;
		for (unsigned i = 0; i < ndim; i++) {
			const uint64_t v =
				part ? blosc2_be32(p + 1) : be64(p + 1);

			if (*p != (part ? 0xd2 : 0xd3) || !v || v > INT32_MAX)
				return -EBADMSG;
			p += part ? 5 : 9;
			if (part == 0)
				b->chunk[i] = (uint32_t)v;
			else if (part == 1 && v != b->chunk[i])
				return -EBADMSG;
			else if (part == 2 && v > b->chunk[i])
				return -EBADMSG;
			if (part == 2)
				b->block[i] = (uint32_t)v;
		}
	}
	return 0;
}

static bool is_name(const uint8_t *p, size_t n, const char *name)
{
	return n == strlen(name) && !memcmp(p, name, n);
}

/* Where the content of the metalayer b2nd is, or of its predecessor; 0: none.
 */
static int find_b2nd(struct blosc2_reader *r, const struct blosc2_header *h,
		     uint64_t *at)
{
	uint64_t room = h->size - HEADER_MIN, caterva = 0, b2nd = 0;
	const uint8_t *p, *end;
	unsigned n;
	int err;

	if (room > BLOSC2_WINDOW)
		room = BLOSC2_WINDOW;
	err = blosc2_view(r, BLOSC2_FRONT, HEADER_MIN, room, &p);
	if (err < 0)
		return err;
	end = p + room;
	if (room < 7 || p[0] != 0x93 || p[1] != 0xcd || p[4] != 0xde)
		return -EBADMSG;
	n = (unsigned)p[5] << 8 | p[6];
	if (n > META_MAX)
		return -EBADMSG;
	for (p += 7; n; n--) {
		size_t len;

		if (p == end || (*p & 0xe0) != 0xa0)
			return -EBADMSG;
		len = *p++ & 31;
		if ((size_t)(end - p) < len + 5 || p[len] != 0xd2)
			return -EBADMSG;
		if (is_name(p, len, "b2nd") && !b2nd)
			b2nd = blosc2_be32(p + len + 1);
		else if (is_name(p, len, "caterva") && !caterva)
			caterva = blosc2_be32(p + len + 1);
		p += len + 5;
	}
	*at = b2nd ? b2nd : caterva;
	return 0;
}

int blosc2_metalayers(struct blosc2_reader *r, const struct blosc2_header *h,
		      struct blosc2_boxes *b, const char **what)
{
	const uint8_t *p;
	uint64_t at, n;
	int err;

	b->ndim = 0;
	err = find_b2nd(r, h, &at);
	if (err < 0 || !at)
		return err;
	if (at > h->size || h->size - at < 5)
		return -EBADMSG;
	err = blosc2_view(r, BLOSC2_FRONT, at, 5, &p);
	if (err < 0)
		return err;
	n = blosc2_be32(p + 1);
	if (p[0] != 0xc6 || n > h->size - at - 5)
		return -EBADMSG;
	/* What is behind the extents, a type, does not matter. */
	if (n > RANK_BYTES)
		n = RANK_BYTES;
	err = blosc2_view(r, BLOSC2_FRONT, at + 5, n, &p);
	return err < 0 ? err : read_b2nd(p, (size_t)n, b, what);
}
