/* SPDX-License-Identifier: MIT */

/*
 * Opening sources, and the checked wrappers around the back ends. No locks:
 * all that a store holds is constant, but for three flags that keep a line
 * from being logged twice.
 */

#include <config.h>

#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef HAVE_LINUX_OPENAT2_H
#include <linux/openat2.h>
#endif

#include "store/store_impl.h"
#include "util/checked.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "util/metric.h"

#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static struct metric store_reads = {
	.name = "store_reads",
	.help = "Reads of source files",
	.kind = METRIC_COUNTER,
};
static struct metric store_bytes = {
	.name = "store_bytes",
	.help = "Bytes read from source files",
	.kind = METRIC_COUNTER,
};
static struct metric store_errors = {
	.name = "store_errors",
	.help = "Reads of source files that failed",
	.kind = METRIC_COUNTER,
};
static struct metric sources_open = {
	.name = "sources_open",
	.help = "Source files held open",
	.kind = METRIC_GAUGE,
};
static struct metric sources_changed = {
	.name = "sources_changed",
	.help = "Source files seen to change while open",
	.kind = METRIC_COUNTER,
};

void store_metrics(struct metrics *m)
{
	metric_register(m, &store_reads);
	metric_register(m, &store_bytes);
	metric_register(m, &store_errors);
	metric_register(m, &sources_open);
	metric_register(m, &sources_changed);
}

int store_init(struct store *s, const struct store_ops *ops, int fd,
	       const char *path)
{
	if (fstat(fd, &s->st) < 0)
		return -errno;
	s->path = strdup(path);
	if (!s->path)
		return -ENOMEM;
	s->ops = ops;
	s->fd = fd;
	return 0;
}

void store_fini(struct store *s)
{
	close(s->fd);
	free(s->path);
}

static int open_at(int dir, const char *path, int flags)
{
	int fd;

	do
		fd = openat(dir, path, flags);
	while (fd < 0 && errno == EINTR);
	if (fd >= 0)
		return fd;
	/* EAGAIN: another's lease is being broken; up there it means "park". */
	return errno == EAGAIN ? -EBUSY : -errno;
}

/*
 * Kernels before 5.6: component by component, no symbolic link and no ".."
 * followed. Stricter than openat2, never laxer.
 */
static int open_walk(int dir, const char *path)
{
	CLEANUP(cleanup_closep) int held = -1;
	CLEANUP(cleanup_freep) char *copy = strdup(path);
	char *rest = copy, *name;

	if (!copy)
		return -ENOMEM;
	if (*path == '/')
		return -EXDEV;
	while ((name = strsep(&rest, "/"))) {
		int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;

		if (!strcmp(name, ".."))
			return -EXDEV;
		if (!*name && rest)
			continue;
		if (!rest)
			flags = OPEN_FLAGS;

		int fd = open_at(held < 0 ? dir : held, name,
				 flags | O_NOFOLLOW);

		if (fd < 0)
			return fd;
		if (!rest)
			return fd;
		cleanup_closep(&held);
		held = fd;
	}
	return -ENOENT;
}

static int open_beneath(int dir, const char *path)
{
#if defined(HAVE_LINUX_OPENAT2_H) && defined(SYS_openat2)
	struct open_how how = {
		.flags = OPEN_FLAGS,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};

	/* EAGAIN: a rename raced with the walk up a "..". */
	for (int i = 0; i < 16; i++) {
		long fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));

		if (fd >= 0)
			return (int)fd;
		if (errno == ENOSYS || errno == EPERM)
			return open_walk(dir, path);
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
	}
	return -EBUSY;
#else
	return open_walk(dir, path);
#endif
}

int store_open(const char *path, int beneath_fd, struct store **out)
{
	CLEANUP(cleanup_closep) int fd = -1;
	struct store *s;
	struct stat st;
	int err;

	fd = beneath_fd < 0 ? open_at(AT_FDCWD, path, OPEN_FLAGS)
			    : open_beneath(beneath_fd, path);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	err = store_file_open(fd, path, &s);
	if (err)
		return err;
	fd = -1;
#ifdef ENABLE_FAULTS
	err = store_fault_wrap(s, &s);
	if (err)
		return err;
#endif
	metric_add(&sources_open, 1);
	*out = s;
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	s->ops->close(s);
	metric_add(&sources_open, -1);
}

/* Told once, counted once; -ESTALE each time. */
static int changed(struct store *s)
{
	if (atomic_exchange(&s->told_changed, true))
		return -ESTALE;
	metric_add(&sources_changed, 1);
	return log_err(-ESTALE, "%s: changed since it was opened", s->path);
}

/* A device that fails is told once; that it failed, each time. */
static int read_failed(struct store *s, uint64_t off, int err)
{
	if (err == -ESTALE)
		return changed(s);
	if (!atomic_exchange(&s->told_error, true))
		log_err(err, "%s: read at %llu: %s", s->path,
			(unsigned long long)off, strerrordesc_np(-err));
	return err == -ENOMEM ? err : -EIO;
}

int store_check(struct store *s)
{
	struct stat now;

	if (fstat(s->fd, &now) < 0)
		return read_failed(s, 0, -errno);
	if (now.st_size != s->st.st_size ||
	    now.st_mtim.tv_sec != s->st.st_mtim.tv_sec ||
	    now.st_mtim.tv_nsec != s->st.st_mtim.tv_nsec)
		return changed(s);
	if (now.st_nlink == 0 && s->st.st_nlink != 0 &&
	    !atomic_exchange(&s->told_replaced, true))
		log_warn("%s: was replaced or removed; the old file goes on "
			 "being served",
			 s->path);
	return 0;
}

int store_read(struct store *s, uint64_t off, size_t n, void *out)
{
	uint64_t end;
	int err = store_check(s), after;

	if (!err &&
	    (!checked_add(off, n, &end) || end > (uint64_t)s->st.st_size))
		err = -EIO;
	else if (!err)
		err = s->ops->read(s, off, n, out);
	after = store_check(s);
	if (!err || after == -ESTALE)
		err = after;
	metric_add(&store_reads, 1);
	if (!err) {
		metric_add(&store_bytes, (int64_t)n);
		return 0;
	}
	metric_add(&store_errors, 1);
	return read_failed(s, off, err);
}

const struct stat *store_stat(const struct store *s)
{
	return &s->st;
}
