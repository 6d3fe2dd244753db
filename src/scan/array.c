/* SPDX-License-Identifier: MIT */

/*
 * The record of an array: shape, type, where its values are or how they are
 * cut into chunks, filters, fill value, and why it is not served if it is
 * not. What libhdf5 says is passed on as it is: the server checks it.
 */

#include <config.h>

#include "scan/scan_impl.h"

#include <string.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5Ddevelop.h>
#endif

#include "util/checked.h"
#include "util/cleanup.h"
#include "util/shape.h"

#define FILTER_MAX 32u /* libhdf5's own limit */
#define PARAM_MAX 256u /* libhdf5 refuses to be asked for more */
#define FILTER_NAME 256u
#define COMPACT_MAX 65536u
#define READ_CHUNK_MAX (8u << 20) /* strings in larger chunks are not read */

struct filter {
	struct cat_filter rec;
	uint32_t param[PARAM_MAX];
	char name[FILTER_NAME];
};

struct array {
	struct cat_array rec;
	hid_t dset, type, dcpl;
	uint64_t dim[CAT_RANK_MAX], chunk[CAT_RANK_MAX];
	uint8_t fill[8];
	uint8_t *compact;
	struct text words, refused;
	struct filter *filter;
};

static int fail(struct text *why, const char *what)
{
	text_add(why, "%s", what);
	text_add_why(why);
	return -1;
}

static int find_shape(struct array *a, struct text *why)
{
	CLEANUP(cleanup_hidp) hid_t space = H5Dget_space(a->dset);
	hsize_t dim[H5S_MAX_RANK];
	int n;

	if (space < 0)
		return fail(why, "shape cannot be read");
	if (H5Sget_simple_extent_type(space) == H5S_NULL) {
		a->rec.flags |= CAT_NULL_SPACE;
		return 0;
	}
	n = H5Sget_simple_extent_dims(space, dim, NULL);
	if (n < 0 || n > CAT_RANK_MAX)
		return fail(why, "shape cannot be read");
	a->rec.rank = (uint32_t)n;
	for (int i = 0; i < n; i++)
		a->dim[i] = dim[i];
	if (n > NDIM_MAX)
		text_add(&a->refused, "rank %d is over %d", n, NDIM_MAX);
	return 0;
}

static void find_type(struct array *a)
{
	struct elem e;

	if (type_is_served(a->type, &e)) {
		a->rec.kind = (uint8_t)e.kind;
		a->rec.order = (uint8_t)e.order;
	} else {
		type_words(a->type, &a->words);
		if (!a->refused.n)
			text_add(&a->refused, "type not served yet: %s",
				 a->words.s);
	}
	a->rec.item_size = e.size;
}

static int find_contiguous(struct array *a)
{
	hsize_t size = H5Dget_storage_size(a->dset);
	haddr_t addr;

	/* Without storage the offset is nonsense, 511 for one. */
	a->rec.layout = CAT_NO_STORAGE;
	if (a->rec.flags & CAT_NULL_SPACE || size == 0)
		return 0;
	addr = H5Dget_offset(a->dset);
	if (addr == HADDR_UNDEF)
		return 0;
	a->rec.layout = CAT_CONTIGUOUS;
	a->rec.data_addr = addr;
	a->rec.data_size = size;
	return 0;
}

static int find_chunks(struct array *a, struct text *why)
{
	hsize_t chunk[H5S_MAX_RANK];
	H5D_chunk_index_t index;
	unsigned opts;
	int n = H5Pget_chunk(a->dcpl, H5S_MAX_RANK, chunk);

	if (n < 0 || (uint32_t)n != a->rec.rank)
		return fail(why, "chunk shape cannot be read");
	for (int i = 0; i < n; i++)
		a->chunk[i] = chunk[i];
	if (H5Dget_chunk_index_type(a->dset, &index) < 0)
		return fail(why, "kind of chunk index cannot be read");
	if (H5Pget_chunk_opts(a->dcpl, &opts) < 0)
		return fail(why, "chunk options cannot be read");
	a->rec.layout = CAT_CHUNKED;
	a->rec.index = (uint8_t)index;
	if (opts & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS)
		a->rec.flags |= CAT_EDGE_UNFILTERED;
	return 0;
}

static void refuse_virtual(struct array *a)
{
	char file[160] = "?", dset[160] = "?";
	size_t n = 0;

	a->rec.layout = CAT_VIRTUAL;
	a->refused = (struct text){0};
	if (H5Pget_virtual_count(a->dcpl, &n) < 0 || n == 0) {
		text_add(&a->refused, "virtual dataset without sources");
		return;
	}
	H5Pget_virtual_filename(a->dcpl, 0, file, sizeof(file));
	H5Pget_virtual_dsetname(a->dcpl, 0, dset, sizeof(dset));
	text_add(&a->refused,
		 "virtual dataset, first source file %s dataset %s", file,
		 dset);
}

static void refuse_external(struct array *a)
{
	char file[160] = "";

	a->rec.layout = CAT_EXTERNAL;
	a->refused = (struct text){0};
	if (H5Pget_external(a->dcpl, 0, sizeof(file), file, NULL, NULL) < 0)
		file[0] = '?';
	file[sizeof(file) - 1] = '\0';
	text_add(&a->refused, "external storage in file %s", file);
}

static int find_layout(struct array *a, struct text *why)
{
	H5D_layout_t layout = H5Pget_layout(a->dcpl);
	int external = H5Pget_external_count(a->dcpl);

	if (external < 0)
		return fail(why, "storage cannot be described");
	if (layout == H5D_VIRTUAL) {
		refuse_virtual(a);
		return 0;
	}
	if (external > 0) {
		refuse_external(a);
		return 0;
	}
	if (layout == H5D_CHUNKED)
		return find_chunks(a, why);
	if (layout == H5D_CONTIGUOUS)
		return find_contiguous(a);
	if (layout != H5D_COMPACT)
		return fail(why, "unknown storage layout");
	a->rec.layout = CAT_COMPACT;
	if (a->rec.flags & CAT_NULL_SPACE)
		a->rec.layout = CAT_NO_STORAGE;
	return 0;
}

/* The values that lie in the object header, in the type of the file. */
static void read_compact(struct array *a)
{
	uint64_t n = a->rec.item_size;

	for (unsigned i = 0; i < a->rec.rank; i++)
		if (!checked_mul(n, a->dim[i], &n))
			n = UINT64_MAX;
	if (n > COMPACT_MAX) {
		text_add(&a->refused, "more compact data than there can be");
		return;
	}
	a->compact = scan_malloc(n);
	memset(a->compact, 0, n);
	if (n && vfd_read_all(a->dset, a->type, a->compact) < 0) {
		text_add(&a->refused, "compact data cannot be read");
		text_add_why(&a->refused);
		return;
	}
	a->rec.compact_size = (uint32_t)n;
}

static int find_filter(struct array *a, unsigned i, struct text *why)
{
	struct filter *f = &a->filter[i];
	size_t nparam = PARAM_MAX;
	unsigned flags;
	H5Z_filter_t id = H5Pget_filter2(a->dcpl, i, &flags, &nparam, f->param,
					 sizeof(f->name), f->name, NULL);

	if (id < 0)
		return fail(why, "filters cannot be read");
	f->name[sizeof(f->name) - 1] = '\0';
	f->rec = (struct cat_filter){
		.id = (uint32_t)id,
		.flags = flags,
		.nparam = (uint32_t)nparam,
		.name_len = (uint32_t)strlen(f->name),
	};
	if (nparam > PARAM_MAX) {
		f->rec.nparam = 0;
		if (!a->refused.n)
			text_add(&a->refused, "filter %d has %zu parameters",
				 (int)id, nparam);
	}
	return 0;
}

static int find_filters(struct array *a, struct text *why)
{
	int n = H5Pget_nfilters(a->dcpl);

	if (n < 0 || n > (int)FILTER_MAX)
		return fail(why, "filters cannot be read");
	if (n == 0)
		return 0;
	a->rec.nfilter = (uint32_t)n;
	a->filter = scan_malloc((size_t)n * sizeof(*a->filter));
	memset(a->filter, 0, (size_t)n * sizeof(*a->filter));
	for (int i = 0; i < n; i++)
		if (find_filter(a, (unsigned)i, why) < 0)
			return -1;
	return 0;
}

static int find_fill(struct array *a, struct text *why)
{
	H5D_fill_value_t kind;
	H5D_fill_time_t when;

	if (H5Pfill_value_defined(a->dcpl, &kind) < 0 ||
	    H5Pget_fill_time(a->dcpl, &when) < 0)
		return fail(why, "fill value cannot be read");
	if (kind == H5D_FILL_VALUE_UNDEFINED || when == H5D_FILL_TIME_NEVER)
		a->rec.flags |= CAT_FILL_UNDEFINED;
	else if (kind == H5D_FILL_VALUE_USER_DEFINED && a->rec.kind) {
		if (H5Pget_fill_value(a->dcpl, a->type, a->fill) < 0)
			return fail(why, "fill value cannot be read");
		a->rec.fill_size = a->rec.item_size;
	}
	return 0;
}

static int describe(struct array *a, struct text *why)
{
	if (a->type < 0)
		return fail(why, "type cannot be read");
	if (a->dcpl < 0)
		return fail(why, "storage cannot be described");
	if (find_shape(a, why) < 0)
		return -1;
	find_type(a);
	if (find_layout(a, why) < 0 || find_filters(a, why) < 0 ||
	    find_fill(a, why) < 0)
		return -1;
	if (a->rec.layout == CAT_COMPACT && a->rec.kind && !a->refused.n)
		read_compact(a);
	return 0;
}

static void send(struct out *o, struct array *a)
{
	a->rec.type_len = (uint32_t)a->words.n;
	a->rec.refused_len = (uint32_t)a->refused.n;
	out_begin(o, CAT_ARRAY, &a->rec, sizeof(a->rec));
	out_add(o, a->dim, a->rec.rank * sizeof(a->dim[0]));
	if (a->rec.layout == CAT_CHUNKED)
		out_add(o, a->chunk, a->rec.rank * sizeof(a->chunk[0]));
	for (unsigned i = 0; i < a->rec.nfilter; i++) {
		const struct filter *f = &a->filter[i];

		out_add(o, &f->rec, sizeof(f->rec));
		out_add(o, f->param, f->rec.nparam * sizeof(f->param[0]));
		out_add(o, f->name, f->rec.name_len);
		out_pad(o);
	}
	out_add(o, a->fill, a->rec.fill_size);
	out_pad(o);
	out_add(o, a->compact, a->rec.compact_size);
	out_pad(o);
	out_add(o, a->words.s, a->words.n);
	out_pad(o);
	out_add(o, a->refused.s, a->refused.n);
	out_end(o);
}

/*
 * Never where libhdf5 would open another file: the sandbox kills for that.
 * Nor where it would decode a chunk that is large beyond sense.
 */
static bool can_be_read(const struct array *a)
{
	uint64_t n = a->rec.item_size;

	if (a->rec.layout == CAT_VIRTUAL || a->rec.layout == CAT_EXTERNAL)
		return false;
	if (a->rec.layout != CAT_CHUNKED)
		return true;
	for (unsigned i = 0; i < a->rec.rank; i++)
		if (!checked_mul(n, a->chunk[i], &n))
			return false;
	return n <= READ_CHUNK_MAX;
}

int array_send(struct out *o, hid_t dset, uint64_t addr, uint32_t *number,
	       bool *can_read, struct text *why)
{
	CLEANUP(cleanup_hidp) hid_t type = H5Dget_type(dset);
	CLEANUP(cleanup_hidp) hid_t dcpl = H5Dget_create_plist(dset);
	struct array a = {
		.rec.addr = addr,
		.dset = dset,
		.type = type,
		.dcpl = dcpl,
	};
	int r = describe(&a, why);

	if (r == 0) {
		send(o, &a);
		*number = o->objects++;
		*can_read = can_be_read(&a);
	}
	free(a.compact);
	free(a.filter);
	return r;
}
