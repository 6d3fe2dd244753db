/* SPDX-License-Identifier: MIT */

/*
 * The tree over time: who may wait and load, what failures are remembered,
 * sources that change, snapshots, descriptors, many threads at once.
 */

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/cache.h"
#include "tree/tree_impl.h"
#include "tree_test.h"

static void drop_cached(struct tree *t)
{
	cache_drop(t->env.cache);
}

/* ----------------------------------------------------------------- waits */

struct asker {
	struct wait w; /* first */
	int answer;
	unsigned asked, scans, woken;
};

static int admit(struct wait *w, const struct wait_need *need)
{
	struct asker *a = (struct asker *)w;

	a->asked++;
	a->scans += need->device == WAIT_DEVICE_SCAN;
	return a->answer;
}

static void wake(struct wait *w)
{
	((struct asker *)w)->woken++;
}

static struct asker asker(int answer)
{
	return (struct asker){.w = {.admit = admit, .wake = wake},
			      .answer = answer};
}

static int entries;
static int count(void *arg, const char *name, uint64_t ino, mode_t type,
		 const struct stat *st, uint64_t next)
{
	(void)arg;
	(void)name;
	(void)ino;
	(void)type;
	(void)st;
	(void)next;
	entries++;
	return 0;
}

START_TEST(nothing_is_touched_without_leave)
{
	struct asker no = asker(-ERESTART), yes = asker(0);
	struct tree_entry e;
	struct stat st;
	uint64_t train, volume;
	char buf[64];

	ck_assert_int_eq(tree_lookup(tree, TREE_ROOT, "train", &e, &no.w),
			 -ERESTART);
	ck_assert_uint_eq(no.asked, 1);
	ck_assert_int_eq(tree_lookup(tree, TREE_ROOT, "train", &e, &yes.w), 0);
	train = e.ino;
	ck_assert_uint_eq(yes.scans, 0);
	/* Looking into it opens and scans. */
	ck_assert_int_eq(tree_lookup(tree, train, "volume", &e, &no.w),
			 -ERESTART);
	ck_assert_int_eq(tree_lookup(tree, train, "volume", &e, &yes.w), 0);
	ck_assert_uint_eq(yes.scans, 1);
	volume = e.ino;
	/* From here on it is in memory. */
	no.asked = 0;
	ck_assert_int_eq(tree_lookup(tree, train, "volume", &e, &no.w), 0);
	ck_assert_int_eq(tree_lookup(tree, volume, "slices", &e, &no.w), 0);
	ck_assert_int_eq(tree_lookup(tree, e.ino, "1.npy", &e, &no.w), 0);
	ck_assert_int_eq(tree_stat(tree, e.ino, &st, &no.w), 0);
	ck_assert_uint_eq(no.asked, 0);
	/* The values are not. */
	ck_assert_int_eq(vfile_read(tree, e.ino, buf, 64, 128, &no.w),
			 -ERESTART);
	ck_assert_uint_eq(no.asked, 1);
	ck_assert_int_eq(vfile_read(tree, e.ino, buf, 64, 128, &yes.w), 40);
	ck_assert_int_eq(vfile_read(tree, e.ino, buf, 64, 128, &no.w), 40);
	/* Nor is what has to be made. */
	ck_assert_int_eq(tree_lookup(tree, volume, "info.json", &e, &no.w),
			 -ERESTART);
	ck_assert_int_eq(tree_lookup(tree, volume, "info.json", &e, &yes.w), 0);
	no.asked = 0;
	ck_assert_int_eq(tree_stat(tree, e.ino, &st, &no.w), 0);
	ck_assert_int_eq(vfile_read(tree, e.ino, buf, 64, 0, &no.w), 64);
	ck_assert_uint_eq(no.asked, 0);
}
END_TEST

START_TEST(items_need_no_catalog)
{
	struct asker no = asker(-ERESTART);
	uint64_t view = at("train/volume/patches+size-2x2");
	uint64_t info = at("train/volume/info.json");
	char buf[600];
	struct tree_entry e;
	struct stat st;

	drop_cached(tree);
	entries = 0;
	ck_assert_int_eq(tree_list(tree, view, 0, true, count, NULL, &no.w), 0);
	ck_assert_int_eq(entries, 2 + 3 * 2 * 3);
	ck_assert_int_eq(tree_lookup(tree, view, "7.npy", &e, &no.w), 0);
	ck_assert_int_eq(tree_stat(tree, e.ino, &st, &no.w), 0);
	ck_assert_int_eq(tree_lookup(tree, view, "7.json", &e, &no.w), 0);
	ck_assert_int_eq(vfile_read(tree, e.ino, buf, 600, 0, &no.w),
			 e.st.st_size);
	ck_assert_int_eq(tree_lookup(tree, view, "index.csv", &e, &no.w), 0);
	/* A size once known stays known. */
	ck_assert_int_eq(tree_stat(tree, info, &st, &no.w), 0);
	ck_assert_uint_eq(no.asked, 0);
	ck_assert_int_eq(vfile_read(tree, info, buf, 600, 0, &no.w), -ERESTART);
}
END_TEST

/* -------------------------------------------------------------- failures */

static int64_t metric_value(const char *name)
{
	return metric_get(metric_find(&metrics, name));
}

START_TEST(failures_are_remembered)
{
	struct volume v = {.data = 0};
	int64_t scans;
	int64_t bytes;
	uint64_t dir;
	struct tree_entry e;
	size_t n;
	char *text;

	records_group(&v.r);
	volume_write(&v, in_src("crash.h5"), "signal 11");
	/* Cut where the messages are. */
	ck_assert_int_eq(truncate(in_src("crash.h5"), 1030), 0);
	close_tree();
	open_tree();
	dir = at("crash");
	scans = metric_value("scans_tree");
	bytes = metric_value("cache_bytes");
	entries = 0;
	ck_assert_int_eq(tree_list(tree, dir, 0, true, count, NULL, NULL), 0);
	ck_assert_int_eq(entries, 3);
	ck_assert_int_eq(metric_value("scans_tree"), scans + 1);
	ck_assert_int_eq(metric_value("cache_bytes"), bytes);
	for (unsigned i = 0; i < 10; i++) {
		drop_cached(tree);
		ck_assert_int_eq(tree_lookup(tree, dir, "volume", &e, NULL), 0);
		ck_assert_uint_eq(e.ino, 0);
	}
	text = content(at("crash/info.json"), &n);
	ck_assert_ptr_nonnull(strstr(text, "\"format\": null"));
	ck_assert_ptr_nonnull(strstr(text, "\"source\": \"crash.h5\""));
	ck_assert_ptr_nonnull(strstr(text, "\"problems\": [\n    \""));
	free(text);
	ck_assert_int_eq(metric_value("scans_tree"), scans + 1);
	ck_assert_uint_eq(problems_count(conf.problems), 1);
	/* Others do not mind. */
	ck_assert_uint_ne(at("train/volume"), 0);
}
END_TEST

START_TEST(sources_that_change)
{
	uint64_t plain = at("plain.txt"), item, other;
	char buf[64], to[512];

	/* Before it was ever opened: the file that was listed, or none. */
	write_text("new.txt", "another\n");
	strcpy(to, in_src("plain.txt"));
	ck_assert_int_eq(rename(in_src("new.txt"), to), 0);
	ck_assert_int_eq(vfile_read(tree, plain, buf, 64, 0, NULL), -ESTALE);

	/* Opened, then replaced: the old one is held. */
	item = at("train/volume/slices/0.raw");
	ck_assert_int_eq(vfile_read(tree, item, buf, 40, 0, NULL), 40);
	write_train("next.h5");
	strcpy(to, in_src("train.h5"));
	ck_assert_int_eq(rename(in_src("next.h5"), to), 0);
	drop_cached(tree);
	ck_assert_int_eq(vfile_read(tree, item, buf, 40, 0, NULL), 40);

	/* Rewritten in place: what is cached is served, nothing else. */
	item = at("other/volume/slices/0.raw");
	other = at("other/volume/slices+axis-1/0.raw");
	ck_assert_int_eq(vfile_read(tree, item, buf, 40, 0, NULL), 40);
	ck_assert_int_eq(truncate(in_src("other.h5"), 70000), 0);
	ck_assert_int_eq(vfile_read(tree, item, buf, 40, 0, NULL), 40);
	drop_cached(tree);
	ck_assert_int_eq(vfile_read(tree, other, buf, 30, 0, NULL), -ESTALE);
	ck_assert_int_eq(vfile_read(tree, item, buf, 40, 0, NULL), -ESTALE);
}
END_TEST

static unsigned open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

START_TEST(few_files_stay_open)
{
	unsigned before;
	char name[32], buf[16];

	for (unsigned i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "f%02u.txt", i);
		write_text(name, name);
	}
	close_tree();
	open_tree();
	tree->sources.max_plain = 8;
	before = open_files();
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 50; i++) {
			snprintf(name, sizeof(name), "f%02u.txt", i);
			ck_assert_int_eq(
				vfile_read(tree, at(name), buf, 16, 0, NULL),
				7);
			ck_assert_mem_eq(buf, name, 7);
			ck_assert_uint_le(open_files(), before + 8);
		}
	}
	/* Closed and changed: not the file that it was. */
	write_text("f00.txt", "changed, and longer");
	ck_assert_int_eq(vfile_read(tree, at("f00.txt"), buf, 16, 0, NULL),
			 -ESTALE);
}
END_TEST

/* Directories of each kind; what there is goes on, and one line says so. */
START_TEST(too_many_directories)
{
	static const char *const paths[] = {"other", "sub", "train/a/b",
					    "train/volume/slices+axis-1"};
	char line[128], *text = NULL;
	struct tree_entry e;
	size_t n = 0;
	FILE *f;

	at("train/volume/slices/000001.npy");
	at("train/a");
	snprintf(line, sizeof(line),
		 "no more directories: this mount has "
		 "shown %u, which is the limit",
		 dirs_count(tree->dirs));
	dirs_set_max(tree->dirs, dirs_count(tree->dirs));
	for (unsigned i = 0; i < 2 * sizeof(paths) / sizeof(*paths); i++)
		ck_assert_int_eq(tree_walk(tree, paths[i / 2], false, &e),
				 -ENOSPC);
	at("train/volume/slices/000002.npy");
	at("train/a");
	at("plain.txt");
	ck_assert_uint_eq(problems_count(conf.problems), 1);
	f = open_memstream(&text, &n);
	problems_write(conf.problems, f);
	fclose(f);
	ck_assert_msg(strstr(text, line) == text, "%s", text);
	free(text);
}
END_TEST

/* -------------------------------------------------------------- snapshots */

START_TEST(snapshots)
{
	uint64_t dir = at(".patchfs"), first;
	struct tree_entry e;
	char *text;
	size_t n;
	char buf[16];

	ck_assert_int_eq(tree_lookup(tree, dir, "stats", &e, NULL), 0);
	ck_assert(e.is_snapshot);
	first = e.ino;
	ck_assert_int_eq(tree_lookup(tree, dir, "stats", &e, NULL), 0);
	ck_assert_uint_ne(e.ino, first);
	text = content(first, &n);
	ck_assert_ptr_nonnull(strstr(text, "tree_directories "));
	free(text);
	tree_set_config(tree, "cache_size 8388608\n");
	text = content(at(".patchfs/config"), &n);
	ck_assert_str_eq(text, "cache_size 8388608\n");
	free(text);
	at("train/volume");
	text = content(at(".patchfs/index.csv"), &n);
	ck_assert_ptr_nonnull(strstr(text, "\"train/volume\",3x4x5,<i2\n"));
	ck_assert_ptr_null(strstr(text, "\"other/"));
	free(text);
	/* The old ones make room in the end. */
	for (unsigned i = 0; i < 1000; i++)
		ck_assert_int_eq(tree_lookup(tree, dir, "version", &e, NULL),
				 0);
	ck_assert_int_eq(vfile_read(tree, first, buf, 16, 0, NULL), -ESTALE);
	ck_assert_int_gt(vfile_read(tree, e.ino, buf, 16, 0, NULL), 0);
}
END_TEST

/* However deep a container lies, the index names it by its whole path. */
START_TEST(index_of_a_deep_container)
{
	char path[256] = "", quoted[300], *text;
	struct volume v = {.data = 0};
	size_t n;

	for (unsigned i = 0; i < 70; i++) {
		strcat(path, i ? "/d" : "d");
		ck_assert_int_eq(mkdir(in_src(path), 0777), 0);
	}
	records_group(&v.r);
	volume_array(&v, 0, "x", 1, dim4);
	strcat(path, "/v");
	snprintf(quoted, sizeof(quoted), "%s.h5", path);
	volume_write(&v, in_src(quoted), "");
	close_tree();
	open_tree();
	strcat(path, "/x");
	ck_assert_uint_ne(at(path), 0);
	text = content(at(".patchfs/index.csv"), &n);
	snprintf(quoted, sizeof(quoted), "\n\"%s\",4,<i2\n", path);
	ck_assert_msg(strstr(text, quoted), "%s", text);
	free(text);
}
END_TEST

/* ---------------------------------------------------------- one container */

START_TEST(one_container_alone)
{
	char path[600];
	struct tree_entry e;
	char *why, *text;
	size_t n;

	snprintf(path, sizeof(path), "%s/train.h5", conf.src);
	close_tree();
	conf.src = path;
	open_tree();
	ck_assert_uint_ne(at("volume/slices/0.npy"), 0);
	ck_assert_uint_ne(at(".patchfs/stats"), 0);
	ck_assert_uint_eq(at("a/b/top"), TREE_ROOT);
	ck_assert_uint_eq(at("a/mine"), at("volume"));
	ck_assert_int_eq(tree_walk(tree, "a/other", false, &e), -ENOENT);
	text = content(at("info.json"), &n);
	ck_assert_ptr_nonnull(strstr(text, "\"source\": \"train.h5\""));
	ck_assert_ptr_nonnull(strstr(text, "{\"path\": \"volume\", \"shape\": "
					   "[3, 4, 5], \"dtype\": \"<i2\"}"));
	free(text);
	close_tree();
	snprintf(path, sizeof(path), "%s/bad.h5", src);
	ck_assert_int_eq(tree_new(&conf, &tree, &why), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(why, "HDF5"));
	free(why);
	snprintf(path, sizeof(path), "%s/nothing", src);
	ck_assert_int_eq(tree_new(&conf, &tree, &why), -ENOENT);
	free(why);
	tree = NULL;
}
END_TEST

/* ---------------------------------------------------------------- threads */

static const char *const everything[] = {
	"train/volume/slices/1.npy",
	"train/volume/patches+size-2x2/3.npy",
	"train/volume/patches+size-02x2/3.json",
	"train/volume/random+size-2x2/3.npy",
	"train/a/b/soft/array.npy",
	"train/a/other/info.json",
	"train/info.json",
	"train/new%0Aline/array.npy",
	"sub/deep/x/array.npy",
	"plain.txt",
	".patchfs/stats",
	"bad/info.json",
};
#define EVERYTHING (sizeof(everything) / sizeof(everything[0]))

struct worker {
	pthread_t thread;
	unsigned number;
	uint64_t ino[EVERYTHING];
};

static void *work(void *arg)
{
	struct worker *w = arg;

	for (unsigned i = 0; i < 40 * EVERYTHING; i++) {
		unsigned k = (i + w->number * 5) % EVERYTHING;
		struct tree_entry e;
		char buf[256];

		if (tree_walk(tree, everything[k], true, &e) < 0 ||
		    vfile_read(tree, e.ino, buf, sizeof(buf), 0, NULL) < 0)
			return w;
		if (k != 10) /* each time a snapshot */
			w->ino[k] = e.ino;
		if (i % 16 == 0)
			drop_cached(tree);
	}
	return NULL;
}

START_TEST(many_threads_one_tree)
{
	static struct worker w[4];

	for (unsigned i = 0; i < 4; i++) {
		w[i].number = i;
		ck_assert_int_eq(
			pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++) {
		void *bad;

		pthread_join(w[i].thread, &bad);
		ck_assert_ptr_null(bad);
		ck_assert_mem_eq(w[i].ino, w[0].ino, sizeof(w[0].ino));
	}
}
END_TEST

/* --------------------------------------------------------- human readers */

START_TEST(descriptions)
{
	static const char *const paths[] = {"",
					    "sub",
					    "train",
					    "bad",
					    "train/a",
					    "train/volume",
					    "train/volume/slices+axis-2",
					    "train/volume/slices/0.npy",
					    "train/scalar",
					    "train/empty",
					    "plain.txt",
					    ".patchfs/stats"};
	char *text = NULL;
	size_t n = 0;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		FILE *f = open_memstream(&text, &n);
		int err = tree_describe(tree, at(paths[i]), f);

		fclose(f);
		ck_assert_int_eq(err,
				 strcmp(paths[i], "bad") ? 0 : -EOPNOTSUPP);
		ck_assert_uint_gt(n, 0);
		free(text);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("tree state");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, nothing_is_touched_without_leave);
	tcase_add_test(t, items_need_no_catalog);
	tcase_add_test(t, failures_are_remembered);
	tcase_add_test(t, sources_that_change);
	tcase_add_test(t, few_files_stay_open);
	tcase_add_test(t, too_many_directories);
	tcase_add_test(t, snapshots);
	tcase_add_test(t, index_of_a_deep_container);
	tcase_add_test(t, one_container_alone);
	tcase_add_test(t, many_threads_one_tree);
	tcase_add_test(t, descriptions);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(suite)
