/* SPDX-License-Identifier: MIT */

/*
 * The file driver that libhdf5 reads through. It opens nothing: its one file
 * is the pages of the source, under a name that no link can hold to by
 * accident, once at a time; every other name (an external link, the source of
 * a virtual dataset) is refused. While capture is set, reads of raw data are
 * noted instead of done: that is how chunks are found (index.c).
 */

#include <config.h>

#include "scan/scan_impl.h"

#include <stdlib.h>
#include <string.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

/* Absolute, else libhdf5 asks for the working directory. */
#define FILE_NAME "/patchfs:file"
#define MDC_MIN (1u << 20)
#define MDC_MAX (4u << 20)
/* In which strings are converted; the library clears all of it each time. */
#define READ_BUFFER 16384u

struct vfd_file {
	H5FD_t pub; /* first: libhdf5's part */
	haddr_t eoa;
	struct vfd *v;
};

struct vfd_info {
	struct vfd *v;
};

static struct vfd_file *vfd_file(H5FD_t *f)
{
	return (struct vfd_file *)(void *)f;
}

static const struct vfd_file *vfd_file_const(const H5FD_t *f)
{
	return (const struct vfd_file *)(const void *)f;
}

static H5FD_t *vfd_open(const char *name, unsigned flags, hid_t fapl,
			haddr_t max)
{
	const struct vfd_info *info = H5Pget_driver_info(fapl);
	struct vfd_file *f;

	(void)max;
	if (!info || info->v->is_open || strcmp(name, FILE_NAME) ||
	    (flags & H5F_ACC_RDWR))
		return NULL;
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->v = info->v;
	f->v->is_open = true;
	return &f->pub;
}

static herr_t vfd_close(H5FD_t *f)
{
	vfd_file(f)->v->is_open = false;
	free(f);
	return 0;
}

static herr_t vfd_query(const H5FD_t *f, unsigned long *flags)
{
	(void)f;
	if (flags)
		*flags = H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
	return 0;
}

static haddr_t vfd_get_eoa(const H5FD_t *f, H5FD_mem_t type)
{
	(void)type;
	return vfd_file_const(f)->eoa;
}

static herr_t vfd_set_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t addr)
{
	(void)type;
	vfd_file(f)->eoa = addr;
	return 0;
}

static haddr_t vfd_get_eof(const H5FD_t *f, H5FD_mem_t type)
{
	(void)type;
	return pages_file_size(vfd_file_const(f)->v->pages);
}

static herr_t vfd_read(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr,
		       size_t size, void *buf)
{
	struct vfd *v = vfd_file(f)->v;

	(void)dxpl;
	if (v->capture && type == H5FD_MEM_DRAW) {
		v->nraw++;
		v->addr = addr;
		v->size = size;
		return 0;
	}
	return pages_read(v->pages, addr, size, buf) ? -1 : 0;
}

static herr_t vfd_write(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr,
			size_t size, const void *buf)
{
	(void)f, (void)type, (void)dxpl, (void)addr, (void)size, (void)buf;
	return -1;
}

static const H5FD_class_t vfd_class = {
#if H5_VERSION_GE(1, 13, 0)
	.version = H5FD_CLASS_VERSION,
	.value = (H5FD_class_value_t)300, /* 256 to 511 are free to use */
#endif
	.name = "patchfs",
	.maxaddr = (haddr_t)1 << 62,
	.fc_degree = H5F_CLOSE_STRONG,
	.fapl_size = sizeof(struct vfd_info),
	.open = vfd_open,
	.close = vfd_close,
	.query = vfd_query,
	.get_eoa = vfd_get_eoa,
	.set_eoa = vfd_set_eoa,
	.get_eof = vfd_get_eof,
	.read = vfd_read,
	.write = vfd_write,
	.fl_map = H5FD_FLMAP_DICHOTOMY,
};

static hid_t transfer = -1;
static bool has_failed;

static herr_t note_failure(hid_t stack, void *unused)
{
	(void)stack;
	(void)unused;
	has_failed = true;
	return 0;
}

bool vfd_has_failed(void)
{
	return has_failed;
}

hid_t vfd_start(void)
{
	H5dont_atexit();
	if (H5open() < 0)
		return -1;
	H5Eset_auto2(H5E_DEFAULT, note_failure, NULL);
	H5PLset_loading_state(0);
	transfer = H5Pcreate(H5P_DATASET_XFER);
	if (transfer < 0 || H5Pset_buffer(transfer, READ_BUFFER, NULL, NULL))
		return -1;
	return H5FDregister(&vfd_class);
}

int vfd_read_all(hid_t dset, hid_t type, void *buf)
{
	return H5Dread(dset, type, H5S_ALL, H5S_ALL, transfer, buf) < 0 ? -1
									: 0;
}

hid_t vfd_open_file(hid_t driver, struct vfd *v)
{
	struct vfd_info info = {.v = v};
	H5AC_cache_config_t mdc = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
	hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

	/*
	 * A small metadata cache: it counts a B-tree node of 3 KiB as that,
	 * but keeps its keys in 20 KiB. To evict an object's metadata when it
	 * is closed would walk all of the cache each time.
	 */
	if (fapl < 0 || H5Pset_driver(fapl, driver, &info) < 0 ||
	    H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG) < 0 ||
	    H5Pset_cache(fapl, 0, 1, 0, 0) < 0 ||
	    H5Pset_sieve_buf_size(fapl, 0) < 0 ||
	    H5Pset_elink_file_cache_size(fapl, 0) < 0 ||
	    H5Pget_mdc_config(fapl, &mdc) < 0)
		return -1;
	mdc.set_initial_size = 1;
	mdc.initial_size = MDC_MIN;
	mdc.min_size = MDC_MIN;
	mdc.max_size = MDC_MAX;
	if (H5Pset_mdc_config(fapl, &mdc) < 0)
		return -1;
	return H5Fopen(FILE_NAME, H5F_ACC_RDONLY, fapl);
}
