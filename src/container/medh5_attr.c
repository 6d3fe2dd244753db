/* SPDX-License-Identifier: MIT */

/*
 * Attributes and values of a catalog as numbers and texts, whatever width and
 * kind of string they were stored in: other writers differ. Pure.
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#include "container/medh5_impl.h"
#include "util/half.h"

bool medh5_nth_text(const struct attr *a, uint64_t i, struct bytes *out)
{
	const char *p = a->data.p;
	uint32_t len;

	if (a->class != CAT_STRINGS || i >= a->count)
		return false;
	/* The lengths were checked with the record. */
	for (;; i--) {
		memcpy(&len, p, sizeof(len));
		p += sizeof(len);
		if (!i)
			break;
		p += len;
	}
	*out = (struct bytes){p, len};
	return true;
}

static const char *number_at(const struct attr *a, uint64_t i)
{
	if (a->class != CAT_NUMBERS || i >= a->count)
		return NULL;
	return a->data.p + i * a->item_size;
}

/* Little endian, sign extended. */
static int64_t load_int(const char *p, unsigned n, bool is_signed)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)(uint8_t)p[i] << 8 * i;
	if (is_signed && n < 8 && v >> (8 * n - 1))
		v |= UINT64_MAX << 8 * n;
	return (int64_t)v;
}

bool medh5_nth_int(const struct attr *a, uint64_t i, int64_t *out)
{
	const char *p = number_at(a, i);
	int64_t v;

	if (!p || a->kind == 'f')
		return false;
	v = load_int(p, a->item_size, a->kind == 'i');
	if (a->kind != 'i' && v < 0)
		return false;
	*out = v;
	return true;
}

bool medh5_nth_real(const struct attr *a, uint64_t i, double *out)
{
	const char *p = number_at(a, i);
	uint16_t h;
	int64_t v;
	float f;

	if (!p)
		return false;
	if (a->kind != 'f') {
		if (!medh5_nth_int(a, i, &v))
			return false;
		*out = (double)v;
		return true;
	}
	switch (a->item_size) {
	case 2:
		memcpy(&h, p, sizeof(h));
		*out = (double)half_value(h);
		return true;
	case 4:
		memcpy(&f, p, sizeof(f));
		*out = (double)f;
		return true;
	default:
		memcpy(out, p, sizeof(*out));
		return true;
	}
}

bool catalog_text(const struct catalog *k, uint32_t object, const char *name,
		  struct bytes *out)
{
	struct attr a;

	return catalog_attr_find(k, object, name, &a) && a.count == 1 &&
	       medh5_nth_text(&a, 0, out);
}

bool medh5_text_is(struct bytes b, const char *s)
{
	return b.n == strlen(s) && !memcmp(b.p, s, b.n);
}

int medh5_int(const struct catalog *k, uint32_t object, const char *name,
	      int64_t *out)
{
	struct attr a;

	if (!catalog_attr_find(k, object, name, &a))
		return -ENOENT;
	return a.count == 1 && medh5_nth_int(&a, 0, out) ? 0 : -EINVAL;
}

int medh5_real(const struct catalog *k, uint32_t object, const char *name,
	       double *out)
{
	struct attr a;

	if (!catalog_attr_find(k, object, name, &a))
		return -ENOENT;
	return a.count == 1 && medh5_nth_real(&a, 0, out) ? 0 : -EINVAL;
}

uint32_t medh5_member(const struct catalog *k, uint32_t group,
		      struct bytes name)
{
	int64_t i = catalog_find(k, group, name.p, name.n);
	struct member m;

	if (i < 0)
		return OBJECT_NONE;
	catalog_member(k, group, (uint32_t)i, &m);
	return m.kind == CAT_HARD ? m.target : OBJECT_NONE;
}

uint32_t medh5_named(const struct catalog *k, uint32_t group, const char *name)
{
	return medh5_member(k, group, (struct bytes){name, strlen(name)});
}
