/* SPDX-License-Identifier: MIT */

/*
 * The low-level operations. Each unpacks its arguments into a job; running the
 * job is one call down and one reply. Everything here takes any node id at any
 * time and keeps nothing: lookups and forgets leave no state.
 */

#include <config.h>

#include "fuse/front_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "util/log.h"

/* The kernel makes it jiffies and saturates; volumes do not change. */
#define FOREVER 1e9
/* A name that is not there may come, beside the files of the source. */
#define NEGATIVE_S 60.0

#define READ_MAX ((size_t)64 << 20)

/* What users get for an error of ours; the one place where codes change. */
static int error_shown(int err)
{
	switch (-err) {
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case EINVAL:
	case ENAMETOOLONG:
	case EOPNOTSUPP:
	case ESTALE:
	case EFBIG:
	case EACCES:
	case EPERM:
	case EBUSY:
	case ENOSPC:
	case ENFILE:
	case ENOMEM:
	case ELOOP:
	case EINTR:
	case ENODEV:
		return -err;
	default: /* EBADMSG, ETIMEDOUT, EOVERFLOW and what else there is */
		return EIO;
	}
}

void job_fail(struct job *j, int err)
{
	if (job_claim(j))
		fuse_reply_err(j->req, error_shown(err));
}

/* -------------------------------------------------------------- running */

static int run_lookup(struct job *j)
{
	struct tree_entry t = {0};
	struct fuse_entry_param e = {0};
	int r = tree_lookup(j->front->tree, j->ino, j->name, &t, &j->wait);

	if (r)
		return r;
	e.ino = t.ino;
	e.attr = t.st;
	if (!t.ino)
		e.entry_timeout = t.may_appear ? NEGATIVE_S : FOREVER;
	else if (!t.is_snapshot)
		e.entry_timeout = e.attr_timeout = FOREVER;
	if (job_claim(j))
		fuse_reply_entry(j->req, &e);
	return 0;
}

static int run_getattr(struct job *j)
{
	struct stat st;
	int r = tree_stat(j->front->tree, j->ino, &st, &j->wait);

	if (r)
		return r;
	if (job_claim(j))
		fuse_reply_attr(j->req, &st, FOREVER);
	return 0;
}

static int run_readlink(struct job *j)
{
	char target[PATH_MAX];
	int r = tree_readlink(j->front->tree, j->ino, target, sizeof(target),
			      &j->wait);

	if (r)
		return r;
	if (job_claim(j))
		fuse_reply_readlink(j->req, target);
	return 0;
}

struct listing {
	fuse_req_t req;
	char *buf;
	size_t size, used;
	bool plus;
	struct fuse_entry_param e; /* of the entry being added */
};

static int add_entry(void *arg, const char *name, uint64_t ino, mode_t type,
		     const struct stat *st, uint64_t next)
{
	struct listing *l = arg;
	char *at = l->buf + l->used;
	size_t room = l->size - l->used, n;
	struct fuse_entry_param *e = &l->e;

	/* Without attributes libfuse looks at these two alone. */
	e->attr.st_ino = ino;
	e->attr.st_mode = type;
	if (!l->plus) {
		n = fuse_add_direntry(l->req, at, room, name, &e->attr,
				      (off_t)next);
	} else {
		/* Node 0: the name alone. "." and ".." are always that. */
		e->ino = 0;
		if (st && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
			e->ino = ino;
			e->attr = *st;
			e->entry_timeout = e->attr_timeout = FOREVER;
		}
		n = fuse_add_direntry_plus(l->req, at, room, name, e,
					   (off_t)next);
	}
	if (n > room)
		return 1;
	l->used += n;
	return 0;
}

static int run_readdir(struct job *j)
{
	struct front *f = j->front;
	size_t size = j->size;
	struct listing l = {.req = j->req,
			    .size = size,
			    .plus = j->kind == JOB_READDIRPLUS};
	int r;

	l.buf = buffer_get(f, size);
	if (!l.buf)
		return -ENOMEM;
	r = tree_list(f->tree, j->ino, j->off, l.plus, add_entry, &l, &j->wait);
	if (r == 0 && job_claim(j))
		fuse_reply_buf(j->req, l.buf, l.used);
	buffer_put(f, l.buf, size);
	return r;
}

static int run_read(struct job *j)
{
	struct front *f = j->front;
	size_t size = j->size;
	char *buf = buffer_get(f, size);
	ssize_t n;

	if (!buf)
		return -ENOMEM;
	n = vfile_read(f->tree, j->ino, buf, size, j->off, &j->wait);
	if (n >= 0 && job_claim(j))
		fuse_reply_buf(j->req, buf, (size_t)n);
	buffer_put(f, buf, size);
	return n < 0 ? (int)n : 0;
}

static int run(struct job *j)
{
	switch (j->kind) {
	case JOB_LOOKUP:
		return run_lookup(j);
	case JOB_GETATTR:
		return run_getattr(j);
	case JOB_READLINK:
		return run_readlink(j);
	case JOB_READDIR:
	case JOB_READDIRPLUS:
		return run_readdir(j);
	case JOB_READ:
		return run_read(j);
	}
	return -ENOSYS;
}

/* At debug level a request is one line. */
static int run_told(struct job *j)
{
	static const char *const names[] = {
		[JOB_LOOKUP] = "lookup",	   [JOB_GETATTR] = "getattr",
		[JOB_READLINK] = "readlink",	   [JOB_READDIR] = "readdir",
		[JOB_READDIRPLUS] = "readdirplus", [JOB_READ] = "read",
	};
	const char *name = names[j->kind];
	uint64_t ino = j->ino, off = j->off;
	size_t size = j->size;
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	int r = run(j);
	clock_gettime(CLOCK_MONOTONIC, &b);
	log_debug("%s %" PRIx64 " +%" PRIu64 " %zu: %d, %lld us", name, ino,
		  off, size, r,
		  (long long)(b.tv_sec - a.tv_sec) * 1000000 +
			  (b.tv_nsec - a.tv_nsec) / 1000);
	return r;
}

int job_run(struct job *j)
{
	int r;

	/*
	 * The caller of a READ through the page cache can be killed while it
	 * waits; of anything else only if an interrupt is answered.
	 */
	if ((j->kind != JOB_READ || j->front->conf.direct_io) && job_watch(j))
		return 0;
	r = log_level >= LOG_LEVEL_DEBUG ? run_told(j) : run(j);
	if (r == -EAGAIN || r == -ERESTART)
		return r;
	if (r)
		job_fail(j, r);
	return 0;
}

/* ----------------------------------------------------------- operations */

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	size_t n = strlen(name);
	struct job *j;

	if (n > NAME_MAX) {
		fuse_reply_err(req, ENAMETOOLONG);
		return;
	}
	j = job_new(req, JOB_LOOKUP, parent);
	if (!j)
		return;
	memcpy(j->name, name, n + 1);
	job_start(j);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino,
		       struct fuse_file_info *fi)
{
	struct job *j = job_new(req, JOB_GETATTR, ino);

	(void)fi;
	if (j)
		job_start(j);
}

static void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	struct job *j = job_new(req, JOB_READLINK, ino);

	if (j)
		job_start(j);
}

static void start_sized(fuse_req_t req, enum job_kind kind, fuse_ino_t ino,
			size_t size, off_t off)
{
	struct job *j;

	if (off < 0 || size > READ_MAX) {
		fuse_reply_err(req, EINVAL);
		return;
	}
	j = job_new(req, kind, ino);
	if (!j)
		return;
	j->size = size;
	j->off = (uint64_t)off;
	job_start(j);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	(void)fi;
	start_sized(req, JOB_READ, ino, size, off);
}

static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		       struct fuse_file_info *fi)
{
	(void)fi;
	start_sized(req, JOB_READDIR, ino, size, off);
}

static void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size,
			   off_t off, struct fuse_file_info *fi)
{
	(void)fi;
	start_sized(req, JOB_READDIRPLUS, ino, size, off);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct front *f = fuse_req_userdata(req);

	(void)ino;
	/* The kernel remembers it: no open, no release, and pages are kept. */
	if (f->no_open) {
		fuse_reply_err(req, ENOSYS);
		return;
	}
	fi->direct_io = f->conf.direct_io;
	fi->keep_cache = !f->conf.direct_io;
	fuse_reply_open(req, fi);
}

static void op_opendir(fuse_req_t req, fuse_ino_t ino,
		       struct fuse_file_info *fi)
{
	const struct front *f = fuse_req_userdata(req);

	(void)ino;
	if (f->no_opendir) {
		fuse_reply_err(req, ENOSYS);
		return;
	}
	fi->cache_readdir = 1;
	fi->keep_cache = 1;
	fuse_reply_open(req, fi);
}

static void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	const struct front *f = fuse_req_userdata(req);
	uint64_t directories, containers;
	/* No blocks: df does not list it. */
	struct statvfs st = {
		.f_bsize = 4096, .f_frsize = 4096, .f_namemax = NAME_MAX};

	(void)ino;
	tree_counts(f->tree, &directories, &containers);
	st.f_files = directories;
	fuse_reply_statfs(req, &st);
}

static void op_ioctl(fuse_req_t req, fuse_ino_t ino, unsigned int cmd,
		     void *arg, struct fuse_file_info *fi, unsigned int flags,
		     const void *in, size_t nin, size_t nout)
{
	(void)ino, (void)cmd, (void)arg, (void)fi;
	(void)flags, (void)in, (void)nin, (void)nout;
	fuse_reply_err(req, ENOTTY); /* Python asks each file: isatty */
}

static void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t n)
{
	(void)ino, (void)n;
	fuse_reply_none(req);
}

static void op_forget_multi(fuse_req_t req, size_t n,
			    struct fuse_forget_data *forgets)
{
	(void)n, (void)forgets;
	fuse_reply_none(req);
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	struct front *f = userdata;
	const unsigned wanted =
		FUSE_CAP_ASYNC_READ | FUSE_CAP_ASYNC_DIO |
		FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_READDIRPLUS |
		FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_EXPLICIT_INVAL_DATA |
		FUSE_CAP_CACHE_SYMLINKS;
	const unsigned unwanted =
		FUSE_CAP_AUTO_INVAL_DATA | FUSE_CAP_SPLICE_READ |
		FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE |
		FUSE_CAP_POSIX_LOCKS | FUSE_CAP_FLOCK_LOCKS |
		FUSE_CAP_HANDLE_KILLPRIV | FUSE_CAP_ATOMIC_O_TRUNC |
		FUSE_CAP_WRITEBACK_CACHE;

	conn->want &= ~unwanted;
	conn->want |= conn->capable & wanted;
	conn->max_background = 512;
	conn->congestion_threshold = 384;
	/* Nothing is written; libfuse makes the largest read of it. */
	if (conn->max_write > 1u << 20)
		conn->max_write = 1u << 20;
	conn->time_gran = 1;
	f->no_open = !f->conf.direct_io &&
		     (conn->capable & FUSE_CAP_NO_OPEN_SUPPORT);
	f->no_opendir = (conn->capable & FUSE_CAP_NO_OPENDIR_SUPPORT) != 0;
	atomic_store(&f->has_init, true);
}

/* No flush, release, access, xattr: what libfuse says for them is right. */
const struct fuse_lowlevel_ops front_ops = {
	.init = op_init,
	.lookup = op_lookup,
	.forget = op_forget,
	.forget_multi = op_forget_multi,
	.getattr = op_getattr,
	.readlink = op_readlink,
	.open = op_open,
	.read = op_read,
	.opendir = op_opendir,
	.readdir = op_readdir,
	.readdirplus = op_readdirplus,
	.statfs = op_statfs,
	.ioctl = op_ioctl,
};
