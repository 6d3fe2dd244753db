/* SPDX-License-Identifier: MIT */

/* What the files of the layer store share. */

#ifndef STORE_STORE_IMPL_H
#define STORE_STORE_IMPL_H

#include <stdatomic.h>

#include "store/store.h"

/* What back ends differ in. Any thread, in parallel on one store. */
struct store_ops {
	/* All n bytes or -errno: -EIO short. What changed is seen above. */
	int (*read)(struct store *s, uint64_t off, size_t n, void *out);
	/* Frees s. */
	void (*close)(struct store *s);
};

/* First member of the struct of each back end. */
struct store {
	const struct store_ops *ops; /* constant */
	char *path;		     /* constant */
	int fd;			     /* constant */
	struct stat st;		     /* of open; constant */
	atomic_bool told_changed, told_replaced, told_error;
};

/* Fills in base from an open descriptor; takes fd on success. 0 or -errno. */
int store_init(struct store *s, const struct store_ops *ops, int fd,
	       const char *path);
/* Closes the descriptor and frees what store_init made. */
void store_fini(struct store *s);

/* A local file. Takes fd on success only. 0 or -errno. */
int store_file_open(int fd, const char *path, struct store **out);

/*
 * A store that obeys the file named by PATCHFS_FAULT; takes inner, also on
 * failure. Without the variable *out is inner.
 */
int store_fault_wrap(struct store *inner, struct store **out);

#endif
