/* SPDX-License-Identifier: MIT */

/*
 * Where the chunks of one array are. libhdf5's calls for that walk the whole
 * index each time, and are wrong for some indexes; H5Dread_chunk does a true
 * lookup, and the driver notes what it would have read. The coordinates are
 * walked here, never asked from the index.
 *
 * A lookup fails alike where there is no chunk and where the index is broken;
 * the innermost record of the error stack tells which, and the server
 * compares what was located with what the index says it holds.
 */

#include <config.h>

#include "scan/scan_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5Ddevelop.h>
#endif

#include "util/checked.h"
#include "util/cleanup.h"

#define PAGE_CHUNKS 4096u
#define MANY_MISSING 1024u    /* then it pays to ask how many there are */
#define MDC_LARGE (64u << 20) /* an extensible array is walked across */

#if H5_VERSION_GE(2, 0, 0)
#define read_chunk H5Dread_chunk1
#else
#define read_chunk H5Dread_chunk
#endif

enum found { FOUND, FOUND_MISSING, FOUND_BROKEN };

struct index {
	struct vfd *vfd;
	hid_t file, dset;
	unsigned rank;
	hsize_t chunk[H5S_MAX_RANK];
	uint64_t grid[H5S_MAX_RANK]; /* chunks on each axis */
	uint64_t slots;
	uint64_t missing;
	bool is_counted; /* end.allocated holds */
	struct scan_end end;
	struct scan_chunk page[PAGE_CHUNKS];
	unsigned npage;
};

static herr_t innermost(unsigned n, const H5E_error2_t *e, void *arg)
{
	if (n == 0)
		*(bool *)arg = !strcmp(e->func_name, "H5D__chunk_direct_read");
	return 0;
}

static enum found locate(struct vfd *v, hid_t dset, const hsize_t *offset,
			 struct scan_chunk *out)
{
	bool is_missing = false;
	char unused[8]; /* the driver does not touch it */
	herr_t r;

	v->nraw = 0;
	v->capture = true;
	r = read_chunk(dset, H5P_DEFAULT, offset, &out->mask, unused);
	v->capture = false;
	if (r < 0) {
		H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &is_missing);
		return is_missing ? FOUND_MISSING : FOUND_BROKEN;
	}
	out->addr = v->addr;
	out->size = v->size;
	return v->nraw == 1 && v->size > 0 ? FOUND : FOUND_BROKEN;
}

static void flush(struct index *x)
{
	if (x->npage)
		wire_send(SCAN_CHUNKS, x->page, x->npage * sizeof(x->page[0]));
	x->npage = 0;
}

/* The dataspace is of no use to the call, but H5S_ALL does not please it. */
static void count_allocated(struct index *x)
{
	hsize_t n;

	if (!x->is_counted) {
		CLEANUP(cleanup_hidp) hid_t space = H5Dget_space(x->dset);

		x->end.allocated = -1;
		if (H5Dget_num_chunks(x->dset, space, &n) >= 0 &&
		    n <= INT64_MAX)
			x->end.allocated = (int64_t)n;
		pages_check(x->vfd->pages);
	}
	x->is_counted = true;
}

static void open_array(struct index *x, uint64_t addr)
{
	struct text why = {0};

	x->dset = H5Oopen_by_addr(x->file, addr);
	if (x->dset < 0)
		text_add_why(&why);
	pages_check(x->vfd->pages);
	if (x->dset < 0 || H5Iget_type(x->dset) != H5I_DATASET)
		wire_fail(-EBADMSG, "there is no array at %llu%s",
			  (unsigned long long)addr, why.s);
}

/* NULL, or what is wrong. */
static const char *find_grid(struct index *x)
{
	CLEANUP(cleanup_hidp) hid_t space = H5Dget_space(x->dset);
	CLEANUP(cleanup_hidp) hid_t dcpl = H5Dget_create_plist(x->dset);
	hsize_t dim[H5S_MAX_RANK];
	int n = -1, m = -1;

	if (space >= 0)
		n = H5Sget_simple_extent_dims(space, dim, NULL);
	if (dcpl >= 0 && H5Pget_layout(dcpl) == H5D_CHUNKED)
		m = H5Pget_chunk(dcpl, H5S_MAX_RANK, x->chunk);
	pages_check(x->vfd->pages);
	if (n < 1 || m != n)
		return "the array is not cut into chunks";
	x->rank = (unsigned)n;
	x->slots = 1;
	for (unsigned i = 0; i < x->rank; i++) {
		if (x->chunk[i] == 0)
			return "a chunk of no extent";
		x->grid[i] = div_up(dim[i], x->chunk[i]);
		if (!checked_mul(x->slots, x->grid[i], &x->slots))
			return "too many chunks to count";
	}
	return NULL;
}

/* Row by row over an index that is sorted another way, all of it is in use. */
static void widen_cache(struct index *x)
{
	H5AC_cache_config_t mdc = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
	H5D_chunk_index_t kind;

	if (H5Dget_chunk_index_type(x->dset, &kind) < 0 ||
	    kind != H5D_CHUNK_IDX_EARRAY ||
	    H5Fget_mdc_config(x->file, &mdc) < 0)
		return;
	mdc.max_size = MDC_LARGE;
	H5Fset_mdc_config(x->file, &mdc);
}

static void first_offset(const struct index *x, uint64_t slot, hsize_t *offset)
{
	for (unsigned i = x->rank; i-- > 0; slot /= x->grid[i])
		offset[i] = slot % x->grid[i] * x->chunk[i];
}

static void next_offset(const struct index *x, hsize_t *offset)
{
	for (unsigned i = x->rank; i-- > 0;) {
		offset[i] += x->chunk[i];
		if (offset[i] / x->chunk[i] < x->grid[i])
			return;
		offset[i] = 0;
	}
}

/* True if no chunk can be left beyond this slot. */
static bool is_done(struct index *x, bool from_start)
{
	if (x->missing < MANY_MISSING)
		return false;
	count_allocated(x);
	return x->end.allocated == 0 ||
	       (from_start && x->end.allocated >= 0 &&
		x->end.located == (uint64_t)x->end.allocated);
}

static void walk(struct index *x, uint64_t first, uint64_t count)
{
	hsize_t offset[H5S_MAX_RANK];

	if (count == 0) /* and maybe no grid at all */
		return;
	first_offset(x, first, offset);
	for (uint64_t slot = first; slot < first + count; slot++) {
		struct scan_chunk *c = &x->page[x->npage];
		enum found found;

		*c = (struct scan_chunk){.slot = slot};
		found = locate(x->vfd, x->dset, offset, c);
		next_offset(x, offset);
		if (found == FOUND_MISSING) {
			x->missing++;
			if (is_done(x, first == 0))
				return;
			continue;
		}
		pages_check(x->vfd->pages);
		if (found == FOUND_BROKEN)
			*c = (struct scan_chunk){.slot = slot,
						 .flags = SCAN_CHUNK_BROKEN};
		else
			x->end.located++;
		if (++x->npage == PAGE_CHUNKS)
			flush(x);
	}
}

void scan_index(hid_t file, const struct scan_request *req, struct vfd *v)
{
	struct index *x = scan_malloc(sizeof(*x));
	const char *bad;

	memset(x, 0, sizeof(*x));
	x->vfd = v;
	x->file = file;
	open_array(x, req->object);
	bad = find_grid(x);
	if (bad)
		wire_fail(-EBADMSG, "%s", bad);
	widen_cache(x);
	if (req->first > x->slots || req->count > x->slots - req->first)
		wire_fail(-EINVAL, "the array has %llu chunks",
			  (unsigned long long)x->slots);
	walk(x, req->first, req->count);
	flush(x);
	/* Where nothing is missing, the count of the index tells no more. */
	if (x->end.located == req->count)
		x->end.allocated = (int64_t)req->count;
	else
		count_allocated(x);
	wire_end(&x->end);
	H5Idec_ref(x->dset);
	free(x);
}

unsigned index_few(struct vfd *v, hid_t dset, unsigned max,
		   struct scan_chunk *out)
{
	struct index *x = scan_malloc(sizeof(*x));
	hsize_t offset[H5S_MAX_RANK];
	unsigned n = 0;

	memset(x, 0, sizeof(*x));
	x->dset = dset;
	x->vfd = v;
	if (!find_grid(x) && x->slots <= max) {
		first_offset(x, 0, offset);
		for (; n < x->slots; n++) {
			out[n] = (struct scan_chunk){.slot = n};
			if (locate(v, dset, offset, &out[n]) != FOUND)
				break;
			next_offset(x, offset);
		}
		if (n < x->slots)
			n = 0;
	}
	pages_check(v->pages);
	free(x);
	return n;
}
