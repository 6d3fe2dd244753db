/* SPDX-License-Identifier: MIT */

/*
 * patchfs index: sampling indices of a whole tree, built ahead and kept as
 * sidecars. What is there is read and left, so that a run that was ended goes
 * on where it was. A bar on a terminal, else a line for each.
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd_impl.h"
#include "util/parse.h"

#define BAR 32
#define THREADS_MOST 1024

struct label {
	char *path;
	uint64_t ino;
};

struct indexing {
	struct source_conf source; /* first */
	struct strings patterns;
	struct label *label;
	size_t n, room;
	size_t now; /* which label, while they are indexed */
	bool has_bar;
	/* Of the label that is indexed; written by those who build it. */
	atomic_uint percent;
	atomic_bool is_built;
};

/* -------------------------------------------------------------- options */

static int set_array(void *conf, const char *value)
{
	struct indexing *x = conf;

	return arrays_add_pattern(&x->patterns, value);
}

static int set_threads(void *conf, const char *value)
{
	struct indexing *x = conf;
	uint64_t n;

	if (parse_decimal(value, strlen(value), &n) || n < 1 ||
	    n > THREADS_MOST)
		return -EINVAL;
	x->source.index_threads = (unsigned)n;
	return 0;
}

/* -------------------------------------------------------------- progress */

static void show(const struct indexing *x, unsigned percent)
{
	const size_t all = x->n * 100, done = x->now * 100 + percent;
	const int filled = (int)(done * BAR / all);
	char bar[BAR + 1];

	memset(bar, '#', BAR);
	bar[BAR] = '\0';
	fprintf(stderr, "\r[%.*s%*s] %zu/%zu %3u%% %.40s\033[K", filled, bar,
		BAR - filled, "", x->now, x->n, percent,
		x->now < x->n ? x->label[x->now].path : "");
}

static void progress(void *arg, uint64_t done, uint64_t all)
{
	struct indexing *x = arg;
	unsigned percent =
		all ? (unsigned)((double)done * 100 / (double)all) : 100;

	atomic_store(&x->is_built, true);
	if (x->has_bar && atomic_exchange(&x->percent, percent) != percent)
		show(x, percent);
}

/* ---------------------------------------------------------------- labels */

static int take_array(void *arg, struct tree *t, const char *path, uint64_t ino,
		      bool is_failed)
{
	struct indexing *x = arg;
	struct tree_what what;
	int err = tree_what(t, ino, &what);

	if (err < 0)
		return err;
	if (!what.is_label && x->patterns.n) {
		fprintf(stderr, "patchfs index: %s: %s\n", path,
			is_failed ? "it is not served, see its info.json"
				  : "no array of integers or bools");
		return -EBADMSG;
	}
	if (!what.is_label || (!x->patterns.n && !what.is_named_so))
		return 0;
	if (x->n == x->room) {
		size_t room = 2 * x->room + 64;
		struct label *v = realloc(x->label, room * sizeof(*v));

		if (!v)
			return -ENOMEM;
		x->label = v;
		x->room = room;
	}
	x->label[x->n].ino = ino;
	x->label[x->n].path = strdup(path);
	return x->label[x->n].path ? (x->n++, 0) : -ENOMEM;
}

static int by_path(const void *a, const void *b)
{
	const struct label *x = a, *y = b;

	return strcmp(x->path, y->path);
}

/* The label of number now. Exit status. */
static int index_one(struct indexing *x, struct tree *t)
{
	const struct label *l = &x->label[x->now];
	int err;

	atomic_store(&x->percent, 0);
	atomic_store(&x->is_built, false);
	if (x->has_bar)
		show(x, 0);
	err = tree_index(t, l->ino, progress, x);
	if (x->has_bar)
		fputs("\r\033[K", stderr);
	if (err < 0) {
		/* Why not was told; which is said in any case. */
		source_complain("index", t, l->path, err);
		return source_status(err);
	}
	if (!x->has_bar)
		printf("%s: %s\n", l->path,
		       atomic_load(&x->is_built) ? "indexed" : "was there");
	fflush(stdout);
	return 0;
}

static int index_all(void *conf, struct tree *t, const char *path)
{
	struct indexing *x = conf;
	const struct arrays_conf arrays = {
		.cmd = "index",
		.patterns = &x->patterns,
		.each = take_array,
		.arg = x,
	};
	int status = 0, err;

	(void)path;
	err = arrays_each(t, &arrays, &status);
	if (err < 0) {
		source_complain("index", t, "", err);
		return source_status(err);
	}
	if (x->n == 0) {
		fprintf(stderr, "patchfs index: SRC has no label array%s",
			x->patterns.n ? " like" : "");
		arrays_print_patterns(&x->patterns, stderr);
		fputs("; see --array\n", stderr);
		return status ? status : EXIT_NO_ITEM;
	}
	qsort(x->label, x->n, sizeof(*x->label), by_path);
	for (x->now = 0; x->now < x->n && !ferror(stdout); x->now++) {
		int one = index_one(x, t);

		status = status ? status : one;
		if (!tree_keeps_indices(t)) {
			fprintf(stderr,
				"patchfs index: %s: ended: the first index "
				"that could not be written is of %s\n",
				x->source.index_dir, x->label[x->now].path);
			return EXIT_USAGE;
		}
	}
	return status;
}

/* --------------------------------------------------------------- command */

static int run(int argc, char **argv)
{
	struct indexing x = {.has_bar = isatty(STDERR_FILENO) == 1};
	int n, status = 0, r = cmd_parse(&cmd_index, argc, argv, &x, &n);

	if (r < 0) {
		status = EXIT_USAGE;
	} else if (r == 0 && (n != 1 || !x.source.index_dir)) {
		fprintf(stderr, "patchfs index: %s\n",
			n > 1	? "one SRC, please"
			: n < 1 ? "which SRC?"
				: "which --index-dir?");
		status = EXIT_USAGE;
	} else if (r == 0) {
		status = source_each(&cmd_index, n, argv + 1, &x, index_all);
	}
	source_conf_fini(&x.source);
	while (x.n)
		free(x.label[--x.n].path);
	free(x.label);
	free(x.patterns.v);
	return status;
}

static const struct opt opts[] = {
	{"index-dir", "DIR", "where to keep them", source_set_index_dir, 0},
	{"array", "PATTERN", "of arrays with such a path in a case; repeatable",
	 set_array, 0},
	{"threads", "N", "threads that build one (default: as many as CPUs)",
	 set_threads, 0},
	{"index-size", "SIZE", "twice what one may take (default 256M)",
	 source_set_index_size, 0},
	READ_OPTS,
	{NULL, NULL, NULL, NULL, 0},
};

const struct cmd cmd_index = {
	"index",
	"--index-dir=DIR SRC",
	"Build the sampling indices of label arrays ahead.",
	opts,
	run,
	EXIT_USAGE,
};
