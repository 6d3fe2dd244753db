/* SPDX-License-Identifier: MIT */

/* A source directory and a tree on it, for tests of the tree. */

#ifndef TESTS_UNIT_TREE_TEST_H
#define TESTS_UNIT_TREE_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "tree/tree.h"
#include "unit.h"
#include "util/log.h"
#include "util/metric.h"
#include "util/problem.h"
#include "volume.h"

static struct metrics metrics;
static struct tree_conf conf;
static struct tree *tree;
static char src[64], scanner[4096];

static const uint64_t dim345[] = {3, 4, 5};
static const uint64_t dim4[] = {4};

/* A file of the source, in a buffer that the next call takes. */
static inline const char *in_src(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", src, name);
	return path;
}

static inline void write_text(const char *name, const char *text)
{
	FILE *f = fopen(in_src(name), "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

/* train.h5: volume (3, 4, 5), a/b/line (4,), links of each kind. */
static inline void write_train(const char *name)
{
	struct volume v = {.data = 0};
	uint32_t a, b;

	records_group(&v.r);
	a = records_group(&v.r);
	records_link(&v.r, 0, "a", a);
	b = records_group(&v.r);
	records_link(&v.r, a, "b", b);
	volume_array(&v, b, "line", 1, dim4);
	volume_array(&v, 0, "volume", 3, dim345);
	volume_array(&v, 0, "info.json", 1, dim4);
	volume_array(&v, 0, "slices", 1, dim4);
	volume_array(&v, 0, "new\nline", 1, dim4);
	volume_array(&v, 0, "scalar", 0, dim4);
	volume_array(&v, 0, "empty", 2, (uint64_t[]){0, 6});
	records_link(&v.r, b, "up", a);
	records_link(&v.r, b, "here", b);
	records_link(&v.r, b, "top", 0);
	records_symlink(&v.r, b, "soft", "/volume", NULL);
	records_symlink(&v.r, b, "near", "line", NULL);
	records_symlink(&v.r, b, "lost", "/no/where", NULL);
	records_symlink(&v.r, a, "other", "/volume", "other.h5");
	records_symlink(&v.r, a, "deep", "x/y", "./sub/../sub/deep.h5");
	records_symlink(&v.r, a, "mine", "/volume", "train.h5");
	records_symlink(&v.r, a, "outside", "/volume", "../../train.h5");
	records_symlink(&v.r, a, "absent", "/volume", "absent.h5");
	volume_write(&v, in_src(name), "");
}

static inline void remove_source(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", src);
	ck_assert_int_eq(system(command), 0);
}

static inline void open_tree(void)
{
	char *why = NULL;
	int err = tree_new(&conf, &tree, &why);

	ck_assert_msg(err == 0, "%s", why ? why : "?");
	ck_assert_ptr_null(why);
}

static inline void close_tree(void)
{
	tree_free(tree);
	tree = NULL;
}

static inline void make_source(void)
{
	static char real[4096];
	const char *dir = getenv("builddir");

	log_level = LOG_LEVEL_ERROR;
	ck_assert_int_eq(log_open("/dev/null"), 0);
	snprintf(scanner, sizeof(scanner), "%s/tests/unit/false_scanner",
		 dir ? dir : ".");
	strcpy(src, "check_tree.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(src));
	ck_assert_ptr_nonnull(realpath(src, real));
	metrics.head = NULL;
	conf = (struct tree_conf){
		.src = real,
		.cache_size = 8 << 20,
		.uid = 1234,
		.gid = 5678,
		.container =
			{
				.scanner = scanner,
				.scan_cpu_s = 5,
				.scan_wall_s = 10,
				.scan_memory = 1 << 29,
			},
		.metrics = &metrics,
		.problems = problems_new(),
	};
	tree_metrics(&metrics);
}

static inline void setup(void)
{
	struct volume v = {.data = 0};

	make_source();
	write_train("train.h5");
	records_group(&v.r);
	volume_array(&v, 0, "volume", 3, dim345);
	volume_write(&v, in_src("other.h5"), "");
	write_text("bad.h5", "nothing of the kind\n");
	write_text("plain.txt", "as it is\n");
	ck_assert_int_eq(mkdir(in_src("sub"), 0777), 0);
	records_group(&v.r);
	volume_array(&v, 0, "x", 1, dim4);
	volume_write(&v, in_src("sub/deep.h5"), "");
	ck_assert_int_eq(symlink("..", in_src("sub/loop")), 0);
	ck_assert_int_eq(symlink("nothing", in_src("dangling")), 0);
	ck_assert_int_eq(mkfifo(in_src("fifo"), 0666), 0);
	open_tree();
}

static inline void teardown(void)
{
	close_tree();
	problems_free(conf.problems);
	remove_source();
}

/* The node at a path, links followed; 0 if there is none. */
static inline uint64_t at(const char *path)
{
	struct tree_entry e;
	int err = tree_walk(tree, path, true, &e);

	ck_assert_msg(err == 0 || err == -ENOENT, "%s: %d", path, err);
	return err ? 0 : e.ino;
}

/* Whole file; *n its bytes. Caller frees. */
static inline char *content(uint64_t ino, size_t *n)
{
	struct stat st;
	char *buf;

	ck_assert_int_eq(tree_stat(tree, ino, &st, NULL), 0);
	buf = malloc((size_t)st.st_size + 2);
	ck_assert_int_eq(
		vfile_read(tree, ino, buf, (size_t)st.st_size + 1, 0, NULL),
		st.st_size);
	buf[st.st_size] = '\0';
	*n = (size_t)st.st_size;
	return buf;
}

#endif
