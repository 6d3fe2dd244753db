/* SPDX-License-Identifier: MIT */

/*
 * Some small arrays of a medh5 sample say what the large ones mean, and have
 * to be known with the tree: its document, and the tables of classes of its
 * annotations. By these names alone, and only below a group that is marked as
 * a sample, larger values are sent than of other arrays. Of a table that its
 * writer has compressed it is sent where it lies: the server has the codecs.
 */

#include <config.h>

#include "scan/scan_impl.h"

#include <stdlib.h>
#include <string.h>

#include "util/checked.h"
#include "util/cleanup.h"

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

/* Filters that libhdf5 has itself. */
#define BUILT_IN_MAX 255

/* Whether its values cannot be sent. */
static bool needs_server(hid_t dcpl, uint64_t bytes)
{
	int n = H5Pget_nfilters(dcpl);

	for (int i = 0; i < n; i++) {
		size_t nparam = 0;
		unsigned flags;

		if (H5Pget_filter2(dcpl, (unsigned)i, &flags, &nparam, NULL, 0,
				   NULL, NULL) > BUILT_IN_MAX)
			return true;
	}
	return bytes > TABLE_MAX;
}

static int find_shape(hid_t dset, hsize_t dim[H5S_MAX_RANK])
{
	CLEANUP(cleanup_hidp) hid_t space = H5Dget_space(dset);

	return space < 0 ? -1 : H5Sget_simple_extent_dims(space, dim, NULL);
}

bool table_send(struct out *o, struct vfd *v, hid_t dset, uint32_t owner)
{
	CLEANUP(cleanup_hidp) hid_t type = H5Dget_type(dset);
	CLEANUP(cleanup_hidp) hid_t dcpl = H5Dget_create_plist(dset);
	CLEANUP(cleanup_freep) struct scan_chunk *chunk = NULL;
	struct cat_attr rec = {.owner = owner, .class = CAT_PLACES};
	uint64_t bytes, dim[H5S_MAX_RANK];
	hsize_t extent[H5S_MAX_RANK];
	struct elem e;
	unsigned n;
	int rank;

	if (type < 0 || dcpl < 0 || !type_is_number(type, &e) ||
	    H5Pget_layout(dcpl) != H5D_CHUNKED)
		return false;
	bytes = e.size;
	rank = find_shape(dset, extent);
	for (int i = 0; i < rank; i++) {
		dim[i] = extent[i];
		if (!checked_mul(bytes, dim[i], &bytes))
			return false;
	}
	if (rank < 1 || !needs_server(dcpl, bytes))
		return false;
	chunk = scan_malloc(CAT_PLACES_MAX * sizeof(*chunk));
	n = index_few(v, dset, CAT_PLACES_MAX, chunk);
	if (!n)
		return false;
	rec.kind = (uint8_t)e.kind;
	rec.item_size = (uint8_t)e.size;
	rec.rank = (uint32_t)rank;
	rec.data_len = n * (uint32_t)sizeof(*chunk);
	out_begin(o, CAT_VALUE, &rec, sizeof(rec));
	out_add(o, dim, rec.rank * sizeof(dim[0]));
	out_add(o, chunk, rec.data_len);
	out_end(o);
	return true;
}
