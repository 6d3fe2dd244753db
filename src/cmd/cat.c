/* SPDX-License-Identifier: MIT */

/* patchfs cat: the bytes that a mount of SRC would give, without one. */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd_impl.h"
#include "util/parse.h"

#define PIECE ((size_t)1 << 20)

struct cat_conf {
	struct source_conf source; /* first */
	uint64_t offset, length;
	char *buf;    /* PIECE bytes, made at the first use */
	bool is_over; /* nobody reads any more */
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

static int copy_out(void *conf, struct tree *t, const char *path)
{
	struct cat_conf *c = conf;
	uint64_t off = c->offset, left = c->length;
	struct tree_entry e;
	int r;

	if (c->is_over)
		return 0;
	if (!c->buf)
		c->buf = malloc(PIECE);
	r = c->buf ? source_walk(t, path, &e) : -ENOMEM;
	if (r == 0 && S_ISDIR(e.st.st_mode))
		r = -EISDIR;
	while (r == 0 && left > 0) {
		size_t want = left < PIECE ? (size_t)left : PIECE;
		ssize_t n = vfile_read(t, e.ino, c->buf, want, off, NULL);

		if (n <= 0) {
			r = (int)n;
			break;
		}
		r = cmd_write_all(STDOUT_FILENO, c->buf, (size_t)n);
		if (r) {
			c->is_over = true;
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

static int run(int argc, char **argv)
{
	struct cat_conf c = {.length = UINT64_MAX};
	int status = source_run(&cmd_cat, argc, argv, &c, 1,
				"SRC and PATH are needed", copy_out);

	free(c.buf);
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
