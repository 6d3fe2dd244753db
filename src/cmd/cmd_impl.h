/* SPDX-License-Identifier: MIT */

/* What the commands share. */

#ifndef CMD_CMD_IMPL_H
#define CMD_CMD_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "tree/tree.h"
#include "util/metric.h"
#include "util/problem.h"

extern const struct cmd cmd_mount, cmd_umount, cmd_ls, cmd_cat, cmd_info,
	cmd_stats, cmd_list, cmd_index;

/* Exit statuses: mount, umount (mount(8)'s); and those of ls, cat, info. */
enum {
	EXIT_MOUNT_USAGE = 1,
	EXIT_MOUNT_SYSTEM = 2,
	EXIT_MOUNT_FAILED = 32,
	EXIT_NO_ITEM = 1,
	EXIT_USAGE = 2,
	EXIT_UNREADABLE = 3,
};

/* cmd.c: all n bytes to a descriptor. 0 or -errno. */
int cmd_write_all(int fd, const void *data, size_t n);
/*
 * cmd.c: the path if it is absolute, else made so (malloc'ed, kept for good),
 * as a server works in /. 0 or -errno.
 */
int cmd_absolute(const char *path, const char **out);

/* ------------------------------------------------------------ source.c */

/* NULL-terminated list of strings that belong to argv. */
struct strings {
	const char **v;
	size_t n;
};
int strings_add(struct strings *s, const char *one);

/* What every command that opens SRC can be told; first member of its conf. */
struct source_conf {
	uint64_t cache_size; /* 0: the default */
	uint64_t index_size; /* the same */
	const char *index_dir;
	unsigned index_threads; /* 0: the default */
	struct strings views, ext;
	bool allow_live;
	bool allow_other, direct_io, logs_names; /* mount only */
};

/* Of every command that opens SRC. */
#define READ_OPTS                                                        \
	{"cache-size", "SIZE",                                           \
	 "decoded data to keep (default: see the manual)",               \
	 source_set_cache_size, 0},                                      \
		{"ext", "EXT", "files named *.EXT are containers too",   \
		 source_set_ext, 0},                                     \
	{                                                                \
		"allow-live", NULL, "open files that a writer has open", \
			source_set_allow_live, 0                         \
	}

/* Of those that show what is in it. */
#define SOURCE_OPTS                                                      \
	READ_OPTS,                                                       \
		{"index-size", "SIZE",                                   \
		 "sampling indices to keep (default 256M)",              \
		 source_set_index_size, 0},                              \
		{"index-dir", "DIR",                                     \
		 "keep sampling indices there, for later runs too",      \
		 source_set_index_dir, 0},                               \
	{                                                                \
		"view", "NAME", "list this view in every array it fits", \
			source_set_view, 0                               \
	}

int source_set_cache_size(void *conf, const char *value);
int source_set_index_size(void *conf, const char *value);
int source_set_index_dir(void *conf, const char *value);
int source_set_view(void *conf, const char *value);
int source_set_ext(void *conf, const char *value);
int source_set_allow_live(void *conf, const char *value);

struct source {
	struct tree *tree;
	struct problems *problems;
	struct metrics metrics;
	char *scanner;
	char *path; /* absolute */
	size_t cache_size;
};

/* Raise the limit of open files as far as we are allowed; what it is then. */
uint64_t source_raise_files(void);
/*
 * Open SRC. 0; -errno with *why (malloc'ed, caller frees) one line that names
 * SRC.
 */
int source_open(struct source *s, const struct source_conf *conf,
		const char *src, char **why);
void source_close(struct source *s);
void source_conf_fini(struct source_conf *conf);

/* Exit status of ls, cat and info for an error of the tree. */
int source_status(int err);
/*
 * The whole of such a command: options into conf, whose first member is a
 * struct source_conf, then each for every PATH after SRC, of which there must
 * be least; without any for "". missing says so where operands are missing.
 * Each returns an exit status, having said why; the first that is not 0 is
 * returned. conf is cleaned up by source_conf_fini.
 */
int source_run(const struct cmd *c, int argc, char **argv, void *conf,
	       int least, const char *missing,
	       int (*each)(void *conf, struct tree *t, const char *path));
/* The same for options that were parsed: argv[0] is SRC, then n - 1 PATHs. */
int source_each(const struct cmd *c, int n, char **argv, void *conf,
		int (*each)(void *conf, struct tree *t, const char *path));

/* ------------------------------------------------------------ arrays.c */

struct arrays_conf {
	const char *cmd; /* in what is said of trouble */
	/* Globs on paths inside a case, one of which is like it; none: all. */
	const struct strings *patterns;
	/*
	 * An array; is_failed: it cannot be read, which is not told yet. 0;
	 * -ENOMEM and -ECANCELED end the walk; -EBADMSG: told; others are told.
	 */
	int (*each)(void *arg, struct tree *t, const char *path, uint64_t ino,
		    bool is_failed);
	void *arg;
};

/*
 * Every array below the root, in any order. Trouble with one goes to *status,
 * an exit status. 0; -ENOMEM; -ECANCELED.
 */
int arrays_each(struct tree *t, const struct arrays_conf *c, int *status);
/* --array, of both commands that have it. */
int arrays_add_pattern(struct strings *patterns, const char *value);
/* " image or labels" of them, for messages; "" if there are none. */
void arrays_print_patterns(const struct strings *patterns, FILE *f);

/* ---------------------------------------------------------- complain.c */

/*
 * tree_walk, links followed, for one who asks: -EBADMSG where a container on
 * the way cannot be read and so shows nothing, which was told.
 */
int source_walk(struct tree *t, const char *path, struct tree_entry *out);
/* One line about a path in the tree; of one that is missing, where it ends. */
void source_complain(const char *cmd, struct tree *t, const char *path,
		     int err);

/* ------------------------------------------------------------ memory.c */

/* A quarter of the smallest of RAM and cgroup limits, 2 GiB at most. */
uint64_t memory_default_cache(void);

/* ------------------------------------------------------------ notice.c */

/* Tells whoever started the mount how it went. */
struct notice {
	int fd;	      /* to the waiting parent, or -1: foreground */
	int ready_fd; /* --ready-fd, or -1 */
};

/*
 * Go on in a child; the parent waits for notice_send and exits with what it
 * says. 0 in the child; -errno.
 */
int notice_fork(struct notice *n);
/*
 * Once: the text goes to stdout (status 0) or stderr, with a newline; the
 * parent exits with the status. With status 0 --ready-fd and sd_notify are
 * served too. -EPIPE: nobody waits any more.
 */
int notice_send(struct notice *n, int status, const char *text);
/* One datagram to $NOTIFY_SOCKET, if there is one. */
void notice_systemd(const char *state);

/* --------------------------------------------------------------- run.c */

/*
 * $XDG_RUNTIME_DIR/patchfs or /tmp/patchfs-UID, made if it is not there, 0700
 * and ours. *out malloc'ed. 0 or -errno.
 */
int run_directory(char **out);
/* A file of it for a mount point: "mnt-0123456789abcdef.SUFFIX". */
int run_file(const char *mountpoint, const char *suffix, char **out);
/*
 * Held while a server lives, so that umount can wait for its end. dev is the
 * mount's, "0:57": an older one of that place may still be draining. The
 * descriptor, or -errno.
 */
int run_lock(const char *mountpoint, const char *dev);
void run_unlock(const char *mountpoint, const char *dev, int fd);
/* What run_wait waits on, to be opened while the mount is there; -1: nothing.
 */
int run_watch(const char *mountpoint, const char *dev);
/* Wait at most ms for the server of a mount to end. True: it has. */
bool run_wait(int fd, int ms);

/* ------------------------------------------------------------- place.c */

/*
 * Whether SRC may be mounted on MNT; detaches a dead mount of ours that is
 * there. *mnt_out is MNT, absolute (malloc'ed, caller frees). *lock is closed
 * by the caller once it has mounted: until then nobody else may. 0; -errno
 * with *why (malloc'ed, caller frees) one line.
 */
int place_check(const char *src, const char *mnt, char **mnt_out, int *lock,
		char **why);
/* Whether sidecars may be kept in dir, or NULL; as above. */
int place_index_dir(const char *dir, const char *mnt, char **why);
/* "on NFS": a word about where SRC lies, or NULL. */
const char *place_source_note(const char *src);

/* ----------------------------------------------------------- holders.c */

/* One line for each process that uses the mount at path. How many. */
unsigned holders_print(const char *path, FILE *f);

#endif
