/* SPDX-License-Identifier: MIT */

/* Which axis of an array an axis of its label is. */

#include <config.h>

#include "tree/label.h"

/* Whether axis k of s takes the place of an axis of that length. */
static bool pairs(const struct sampling *s, unsigned k, uint64_t length)
{
	return s->axis[k].length == length;
}

bool label_pair(const struct sampling *s, const struct shape *label,
		int8_t axis[NDIM_MAX])
{
	unsigned a = s->ndim, l = label->ndim, dropped = 0;

	while (dropped < s->ndim && !s->axis[dropped].keep)
		dropped++;
	for (unsigned k = 0; k < NDIM_MAX; k++)
		axis[k] = -1;
	while (a > dropped && l > 0) {
		bool whole = true;

		for (unsigned k = dropped; k < a; k++)
			whole = whole && s->axis[k].all;
		if (!pairs(s, a - 1, label->dim[l - 1])) {
			/* Leading axes taken whole may stand alone. */
			if (!whole)
				return false;
			break;
		}
		axis[--l] = (int8_t)--a;
	}
	for (unsigned k = 0; k < l && k < dropped; k++) {
		if (!pairs(s, k, label->dim[k]))
			return false;
		axis[k] = (int8_t)k;
	}
	return true;
}
