/* SPDX-License-Identifier: MIT */

/*
 * Some small arrays of a medh5 sample say what the large ones mean, and have
 * to be known with the tree: its document, and the tables of classes of its
 * annotations. By these names alone, and only below a group that is marked as
 * a sample, larger values are sent than of other arrays.
 */

#include <config.h>

#include "scan/scan_impl.h"

#include <string.h>

/* A record has to fit a message with its head. */
#define META_MAX (SCAN_PAYLOAD_MAX / 4 * 3 - 4096)
/* All ids that there can be, in the widest type. */
#define TABLE_MAX (65536u * 8)

_Static_assert(TABLE_MAX <= META_MAX, "a table fits a message");

enum role role_of_group(hid_t group)
{
	return H5Aexists(group, "medh5_version") > 0 ? ROLE_SAMPLE : ROLE_NONE;
}

static bool is_named(const char *name, size_t n, const char *s)
{
	return n == strlen(s) && !memcmp(name, s, n);
}

enum role role_of_member(enum role group, const char *name, size_t n)
{
	switch (group) {
	case ROLE_SAMPLE:
		if (is_named(name, n, "meta"))
			return ROLE_META;
		if (is_named(name, n, "annotations"))
			return ROLE_ANNOTATIONS;
		return ROLE_NONE;
	case ROLE_ANNOTATIONS:
		return ROLE_ANNOTATION;
	case ROLE_ANNOTATION:
		if (is_named(name, n, "layer_class_ids") ||
		    is_named(name, n, "bit_class_ids"))
			return ROLE_TABLE;
		return ROLE_NONE;
	case ROLE_NONE:
	case ROLE_META:
	case ROLE_TABLE:
		break;
	}
	return ROLE_NONE;
}

size_t role_attribute_max(enum role r)
{
	return r == ROLE_ANNOTATION ? TABLE_MAX : VALUE_MAX;
}

size_t role_value_max(enum role r, size_t max)
{
	switch (r) {
	case ROLE_META:
		return META_MAX;
	case ROLE_TABLE:
		return TABLE_MAX;
	case ROLE_NONE:
	case ROLE_SAMPLE:
	case ROLE_ANNOTATIONS:
	case ROLE_ANNOTATION:
		break;
	}
	return max < VALUE_MAX ? max : VALUE_MAX;
}
