/* SPDX-License-Identifier: MIT */

/*
 * Calls that would change something. On a mount of ours the kernel refuses
 * them itself; one that was handed in as /dev/fd/N may not be read-only.
 */

#include <config.h>

#include "fuse/front_impl.h"

#include <errno.h>

static void refuse(fuse_req_t req)
{
	fuse_reply_err(req, EROFS);
}

static void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *st,
		       int what, struct fuse_file_info *fi)
{
	(void)ino, (void)st, (void)what, (void)fi;
	refuse(req);
}

static void op_mknod(fuse_req_t req, fuse_ino_t dir, const char *name,
		     mode_t mode, dev_t dev)
{
	(void)dir, (void)name, (void)mode, (void)dev;
	refuse(req);
}

static void op_mkdir(fuse_req_t req, fuse_ino_t dir, const char *name,
		     mode_t mode)
{
	(void)dir, (void)name, (void)mode;
	refuse(req);
}

/* unlink and rmdir */
static void op_remove(fuse_req_t req, fuse_ino_t dir, const char *name)
{
	(void)dir, (void)name;
	refuse(req);
}

static void op_symlink(fuse_req_t req, const char *target, fuse_ino_t dir,
		       const char *name)
{
	(void)target, (void)dir, (void)name;
	refuse(req);
}

static void op_rename(fuse_req_t req, fuse_ino_t dir, const char *name,
		      fuse_ino_t to, const char *to_name, unsigned int flags)
{
	(void)dir, (void)name, (void)to, (void)to_name, (void)flags;
	refuse(req);
}

static void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t dir,
		    const char *name)
{
	(void)ino, (void)dir, (void)name;
	refuse(req);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t n,
		     off_t off, struct fuse_file_info *fi)
{
	(void)ino, (void)buf, (void)n, (void)off, (void)fi;
	refuse(req);
}

static void op_create(fuse_req_t req, fuse_ino_t dir, const char *name,
		      mode_t mode, struct fuse_file_info *fi)
{
	(void)dir, (void)name, (void)mode, (void)fi;
	refuse(req);
}

static void op_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t off,
			 off_t n, struct fuse_file_info *fi)
{
	(void)ino, (void)mode, (void)off, (void)n, (void)fi;
	refuse(req);
}

void readonly_ops(struct fuse_lowlevel_ops *ops)
{
	ops->setattr = op_setattr;
	ops->mknod = op_mknod;
	ops->mkdir = op_mkdir;
	ops->unlink = op_remove;
	ops->rmdir = op_remove;
	ops->symlink = op_symlink;
	ops->rename = op_rename;
	ops->link = op_link;
	ops->write = op_write;
	ops->create = op_create;
	ops->fallocate = op_fallocate;
}
