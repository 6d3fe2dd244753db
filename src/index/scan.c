/* SPDX-License-Identifier: MIT */

/*
 * Rows of values become spans of classes. Stretches of one value are what
 * labels consist of: they are passed over 8 bytes and more at a time. Values
 * come little endian, as the machine has them.
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#include "index/build_impl.h"
#include "util/half.h"

bool scan_accepts(const struct label_plane *p)
{
	const char kind = p->array->kind;

	switch (p->rule) {
	case LABEL_VALUES:
		return kind == 'i' || kind == 'u' || kind == 'b';
	case LABEL_BITS:
		return kind == 'u' && p->array->item_size == 8 && p->id &&
		       p->nid > 0 && p->nid <= 64;
	case LABEL_ABOVE:
		return p->id && p->nid == 1 &&
		       (kind == 'b' ||
			(kind == 'f' && p->array->item_size > 1));
	default:
		return false;
	}
}

void scan_plane(struct lane *l, const struct label_plane *p)
{
	if (l->known_of == p)
		return;
	l->known_of = p;
	memset(l->known, 0, sizeof(l->known));
}

static uint64_t load8(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* How many of n bytes at p repeat the pattern; the first 8 bytes are w. */
static inline uint64_t same_bytes(const unsigned char *p, uint64_t n,
				  uint64_t pattern, uint64_t w)
{
	uint64_t i = 0, x = w ^ pattern;

	while (!x) {
		i += 8;
		while (i + 32 <= n) {
			x = load8(p + i) ^ pattern;
			x |= load8(p + i + 8) ^ pattern;
			x |= load8(p + i + 16) ^ pattern;
			x |= load8(p + i + 24) ^ pattern;
			if (x)
				break;
			i += 32;
		}
		if (i >= n)
			return n;
		x = load8(p + i) ^ pattern;
	}
	i += (unsigned)__builtin_ctzll(x) / 8;
	return i < n ? i : n;
}

/* --------------------------------------------------------------- values */

static bool is_listed(const struct label_plane *p, int64_t id)
{
	unsigned lo = 0, hi = p->nid;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (p->id[mid] == id)
			return true;
		if (p->id[mid] < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return p->nid == 0;
}

/* The slot of a value that is not 0. */
static uint32_t find_slot(struct lane *l, const struct label_plane *p,
			  uint64_t value)
{
	const unsigned bits = 8 * p->array->item_size;
	int64_t id;

	if (p->rule == LABEL_ABOVE)
		return lane_slot(l, p->id[0]);
	if (p->array->kind == 'b') {
		id = 1;
	} else if (p->array->kind == 'i') {
		const uint64_t sign = UINT64_C(1) << (bits - 1);

		id = (int64_t)((value ^ sign) - sign);
	} else {
		if (value > INT64_MAX) {
			if (p->nid == 0 && !l->err)
				l->err = -EINVAL;
			return NO_SLOT;
		}
		id = (int64_t)value;
	}
	return is_listed(p, id) ? lane_slot(l, id) : NO_SLOT;
}

static inline uint32_t slot_of(struct lane *l, const struct label_plane *p,
			       uint64_t value)
{
	const unsigned i = value & 255;

	if (!l->known[i].known || l->known[i].value != value) {
		l->known[i].slot = find_slot(l, p, value);
		l->known[i].value = value;
		l->known[i].known = true;
	}
	return l->known[i].slot;
}

static void scan_values(struct lane *l, const struct label_plane *p,
			const unsigned char *data, uint64_t n, uint64_t base)
{
	const unsigned size = p->array->item_size;
	const uint64_t mask = UINT64_MAX >> (64 - 8 * size);
	const uint64_t repeat = UINT64_MAX / mask;
	const unsigned shift = (unsigned)__builtin_ctz(size);
	const uint64_t end = n * size;
	uint64_t at = 0;

	while (at < end && !l->err) {
		const uint64_t w = load8(data + at), value = w & mask;
		uint64_t len =
			same_bytes(data + at, end - at, value * repeat, w) &
			~(uint64_t)(size - 1);

		if (value) {
			const uint32_t slot = slot_of(l, p, value);

			if (slot != NO_SLOT)
				lane_add(l, slot, base + (at >> shift),
					 base + ((at + len) >> shift));
		}
		at += len;
	}
}

/* ----------------------------------------------------------------- bits */

static void scan_bits(struct lane *l, const struct label_plane *p,
		      const unsigned char *data, uint64_t n, uint64_t base)
{
	const uint64_t all = UINT64_MAX >> (64 - p->nid);
	uint64_t since[64] = {0}, now = 0;
	uint32_t slot[64];

	for (unsigned b = 0; b < p->nid; b++)
		slot[b] = NO_SLOT;
	for (uint64_t i = 0; i <= n && !l->err;) {
		const uint64_t w = i < n ? load8(data + 8 * i) : 0;
		uint64_t changed = (w ^ now) & all;

		while (changed) {
			const unsigned b = (unsigned)__builtin_ctzll(changed);

			changed &= changed - 1;
			if (w >> b & 1) {
				since[b] = base + i;
				if (slot[b] == NO_SLOT)
					slot[b] = lane_slot(l, p->id[b]);
				if (slot[b] == NO_SLOT)
					return;
			} else {
				lane_add(l, slot[b], since[b], base + i);
			}
		}
		now = w;
		i += i < n ? same_bytes(data + 8 * i, 8 * (n - i), w, w) / 8
			   : 1;
	}
}

/* ------------------------------------------------------------ threshold */

/* Which of n <= 64 elements are at the threshold or above. */
static uint64_t above_mask(const struct label_plane *p,
			   const unsigned char *data, unsigned n)
{
	const float threshold = (float)p->threshold;
	uint64_t mask = 0;

	switch (p->array->item_size) {
	case 2:
		for (unsigned i = 0; i < n; i++) {
			uint16_t h;

			memcpy(&h, data + 2 * i, sizeof(h));
			mask |= (uint64_t)(half_value(h) >= threshold) << i;
		}
		break;
	case 4:
		for (unsigned i = 0; i < n; i++) {
			float v;

			memcpy(&v, data + 4 * i, sizeof(v));
			mask |= (uint64_t)(v >= threshold) << i;
		}
		break;
	default:
		for (unsigned i = 0; i < n; i++) {
			double v;

			memcpy(&v, data + 8 * i, sizeof(v));
			mask |= (uint64_t)(v >= p->threshold) << i;
		}
		break;
	}
	return mask;
}

static void scan_above(struct lane *l, const struct label_plane *p,
		       const unsigned char *data, uint64_t n, uint64_t base)
{
	uint32_t slot = NO_SLOT;
	uint64_t since = 0;
	bool inside = false;

	for (uint64_t i = 0; i < n && !l->err; i += 64) {
		const unsigned m = n - i < 64 ? (unsigned)(n - i) : 64;
		const uint64_t above =
			above_mask(p, data + i * p->array->item_size, m);
		uint64_t left = UINT64_MAX >> (64 - m), other;

		/* On to each element where it changes. */
		while ((other = (inside ? ~above : above) & left) != 0) {
			const unsigned b = (unsigned)__builtin_ctzll(other);

			if (slot == NO_SLOT)
				slot = lane_slot(l, p->id[0]);
			if (slot == NO_SLOT)
				return;
			if (inside)
				lane_add(l, slot, since, base + i + b);
			since = base + i + b;
			inside = !inside;
			left &= UINT64_MAX << b;
		}
	}
	if (inside)
		lane_add(l, slot, since, base + n);
}

void scan_row(struct lane *l, const struct label_plane *p,
	      const unsigned char *data, uint64_t n, uint64_t base)
{
	if (p->rule == LABEL_BITS)
		scan_bits(l, p, data, n, base);
	else if (p->rule == LABEL_ABOVE && p->array->kind == 'f')
		scan_above(l, p, data, n, base);
	else
		scan_values(l, p, data, n, base);
}
