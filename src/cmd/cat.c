/* SPDX-License-Identifier: MIT */

/* patchfs cat: the bytes that a mount of SRC would give, without one. */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd_impl.h"
#include "util/cleanup.h"
#include "util/parse.h"

#define PIECE ((size_t)1 << 20)

struct cat_conf {
	struct source_conf source; /* first */
	uint64_t offset, length;
};

static int set_offset(void *conf, const char *value)
{
	struct cat_conf *c = conf;

	return parse_size(value, &c->offset) || c->offset > INT64_MAX ? -EINVAL
								      : 0;
}

static int set_length(void *conf, const char *value)
{
	struct cat_conf *c = conf;

	return parse_size(value, &c->length) ? -EINVAL : 0;
}

/* Exit status; told. *is_over: nobody reads any more. */
static int copy_out(const struct cat_conf *c, struct tree *t, const char *path,
		    char *buf, bool *is_over)
{
	uint64_t off = c->offset, left = c->length;
	struct tree_entry e;
	int r = tree_walk(t, path, true, &e);

	if (r == 0 && e.ino == 0)
		r = -ENOENT;
	if (r == 0 && S_ISDIR(e.st.st_mode))
		r = -EISDIR;
	while (r == 0 && left > 0) {
		size_t want = left < PIECE ? (size_t)left : PIECE;
		ssize_t n = vfile_read(t, e.ino, buf, want, off, NULL);

		if (n <= 0) {
			r = (int)n;
			break;
		}
		r = cmd_write_all(STDOUT_FILENO, buf, (size_t)n);
		if (r) {
			*is_over = true;
			if (r == -EPIPE)
				return 0;
			fprintf(stderr, "patchfs cat: stdout: %s\n",
				strerror(-r));
			return EXIT_USAGE;
		}
		off += (uint64_t)n;
		left -= (uint64_t)n;
	}
	if (r)
		source_complain("cat", t, path, r);
	return source_status(r);
}

static int cat(const struct cat_conf *c, int n, char **argv)
{
	CLEANUP(cleanup_freep) char *why = NULL;
	CLEANUP(cleanup_freep) char *buf = malloc(PIECE);
	struct source s;
	int r = buf ? source_open(&s, &c->source, argv[0], &why) : -ENOMEM;
	int status = 0;
	bool is_over = false;

	if (r) {
		fprintf(stderr, "patchfs cat: %s\n", why ? why : strerror(-r));
		return source_open_status(r);
	}
	for (int i = 1; i < n && !is_over; i++) {
		int one = copy_out(c, s.tree, argv[i], buf, &is_over);

		status = status ? status : one;
	}
	source_close(&s);
	return status;
}

static int run(int argc, char **argv)
{
	struct cat_conf c = {.length = UINT64_MAX};
	int n, status;
	int r = cmd_parse(&cmd_cat, argc, argv, &c, &n);

	if (r > 0) {
		status = 0;
	} else if (r < 0) {
		status = cmd_cat.usage;
	} else if (n < 2) {
		fprintf(stderr, "patchfs cat: SRC and PATH are needed\n");
		status = cmd_cat.usage;
	} else {
		status = cat(&c, n, argv + 1);
	}
	source_conf_fini(&c.source);
	return status;
}

static const struct opt opts[] = {
	{"offset", "SIZE", "begin that many bytes into each file", set_offset,
	 0},
	{"length", "SIZE", "at most that many bytes of each file", set_length,
	 0},
	SOURCE_OPTS,
	{NULL, NULL, NULL, NULL, 0},
};

const struct cmd cmd_cat = {
	"cat", "SRC PATH...", "Write files of a mount of SRC to stdout.",
	opts,  run,	      EXIT_USAGE,
};
