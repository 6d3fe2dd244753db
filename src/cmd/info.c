/* SPDX-License-Identifier: MIT */

/* patchfs info: what a node is and what it costs, for people or as JSON. */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd_impl.h"
#include "util/cleanup.h"
#include "util/text.h"

#define PIECE ((size_t)1 << 16)

struct info_conf {
	struct source_conf source; /* first */
	bool as_json;
};

static int set_json(void *conf, const char *value)
{
	struct info_conf *c = conf;

	(void)value;
	c->as_json = true;
	return 0;
}

/* The path of the JSON file about path: in it, or beside it. */
static char *json_path(const char *path, bool is_dir)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	size_t n = strlen(path);

	if (is_dir)
		return text_new("%s/info.json", path);
	if (dot && (!slash || dot > slash))
		n = (size_t)(dot - path);
	return text_new("%.*s.json", (int)n, path);
}

static int copy_file(struct tree *t, const char *path)
{
	char buf[PIECE];
	struct tree_entry e;
	uint64_t off = 0;
	ssize_t n;
	int r = source_walk(t, path, &e);

	if (r == 0 && S_ISDIR(e.st.st_mode))
		r = -EISDIR;
	if (r)
		return r;
	while ((n = vfile_read(t, e.ino, buf, sizeof(buf), off, NULL)) > 0) {
		if (fwrite(buf, 1, (size_t)n, stdout) != (size_t)n)
			return 0; /* main looks at stdout */
		off += (uint64_t)n;
	}
	return (int)n;
}

static int show(void *conf, struct tree *t, const char *path)
{
	const struct info_conf *c = conf;
	CLEANUP(cleanup_freep) char *json = NULL;
	struct tree_entry e;
	int r = source_walk(t, path, &e);

	if (r == 0 && !c->as_json) {
		r = tree_describe(t, e.ino, stdout);
	} else if (r == 0) {
		json = json_path(path, S_ISDIR(e.st.st_mode));
		r = json ? copy_file(t, json) : -ENOMEM;
		if (r == -ENOENT) {
			fprintf(stderr, "patchfs info: no %s\n", json);
			return EXIT_NO_ITEM;
		}
	}
	if (r)
		source_complain("info", t, path, r);
	return source_status(r);
}

static int run(int argc, char **argv)
{
	struct info_conf c = {.as_json = false};

	return source_run(&cmd_info, argc, argv, &c, 0, "which SRC?", show);
}

static const struct opt opts[] = {
	{"json", NULL, "the bytes of its info.json, or of an item's .json",
	 set_json, 0},
	SOURCE_OPTS,
	{NULL, NULL, NULL, NULL, 0},
};

const struct cmd cmd_info = {
	"info",
	"SRC [PATH]...",
	"Say what is at PATH and what reading it costs.",
	opts,
	run,
	EXIT_USAGE,
};
