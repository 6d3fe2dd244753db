/* SPDX-License-Identifier: MIT */

#ifndef FUZZ_SCAN_TOTALS_H
#define FUZZ_SCAN_TOTALS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "container/catalog.h"

/* What a scanner would say at the end of these pages, as far as they go. */
static inline struct scan_end scan_totals(const uint8_t *p, size_t n)
{
	struct scan_end end = {0};
	struct cat_record r;

	for (; n >= sizeof(r); p += r.size, n -= r.size) {
		memcpy(&r, p, sizeof(r));
		if (r.size < sizeof(r) || r.size > n)
			break;
		end.objects += r.type == CAT_GROUP || r.type == CAT_ARRAY ||
			       r.type == CAT_OTHER;
		end.links += r.type == CAT_LINK;
	}
	return end;
}

#endif
