/* SPDX-License-Identifier: MIT */

/*
 * The tree on a small source: what is listed is found under the same node id,
 * what is found can be read at any offset, and each directory has one name.
 */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tree_test.h"

/* ------------------------------------------------------------- listings */

#define SEEN_MAX 64

struct seen {
	unsigned n, room; /* room: entries taken before it is full */
	struct {
		char name[256];
		uint64_t ino, next;
		mode_t type;
		bool has_stat;
		struct stat st;
	} e[SEEN_MAX];
};

static int see(void *arg, const char *name, uint64_t ino, mode_t type,
	       const struct stat *st, uint64_t next)
{
	struct seen *s = arg;

	if (s->n == s->room)
		return 1;
	ck_assert_uint_le(strlen(name), 255);
	strcpy(s->e[s->n].name, name);
	s->e[s->n].ino = ino;
	s->e[s->n].next = next;
	s->e[s->n].type = type;
	s->e[s->n].has_stat = st != NULL;
	if (st)
		s->e[s->n].st = *st;
	s->n++;
	return 0;
}

static void check_entry(uint64_t dir, const struct seen *s, unsigned i)
{
	struct tree_entry e;
	struct stat st;

	ck_assert_int_eq(tree_lookup(tree, dir, s->e[i].name, &e, NULL), 0);
	/* A snapshot has a new number each time. */
	if (!e.is_snapshot)
		ck_assert_uint_eq(e.ino, s->e[i].ino);
	ck_assert_uint_eq(e.st.st_ino, e.ino);
	ck_assert_uint_eq(e.st.st_mode & S_IFMT, s->e[i].type & S_IFMT);
	ck_assert_int_eq(tree_stat(tree, e.ino, &st, NULL), 0);
	ck_assert_mem_eq(&st, &e.st, sizeof(st));
	if (s->e[i].has_stat)
		ck_assert_mem_eq(&st, &s->e[i].st, sizeof(st));
}

/* All of a directory, and from each cookie on, and one entry at a time. */
static void check_dir(uint64_t dir, struct seen *all)
{
	static struct seen part;

	for (int with_stat = 0; with_stat < 2; with_stat++) {
		all->n = 0;
		all->room = SEEN_MAX;
		ck_assert_int_eq(
			tree_list(tree, dir, 0, with_stat, see, all, NULL), 0);
		ck_assert_uint_ge(all->n, 2);
		ck_assert_str_eq(all->e[0].name, ".");
		ck_assert_str_eq(all->e[1].name, "..");
		for (unsigned i = 2; i < all->n; i++)
			check_entry(dir, all, i);
	}
	for (unsigned i = 0; i < all->n; i++) {
		part.n = 0;
		part.room = 1;
		ck_assert_int_eq(tree_list(tree, dir, all->e[i].next, false,
					   see, &part, NULL),
				 0);
		ck_assert_uint_eq(part.n, i + 1 < all->n);
		if (part.n)
			ck_assert_str_eq(part.e[0].name, all->e[i + 1].name);
		part.n = 0;
		part.room = SEEN_MAX;
		ck_assert_int_eq(tree_list(tree, dir, all->e[i].next, false,
					   see, &part, NULL),
				 0);
		ck_assert_uint_eq(part.n, all->n - i - 1);
	}
}

static void check_names(const char *path, const char *want)
{
	static struct seen all;
	char got[8192] = "";

	check_dir(at(path), &all);
	for (unsigned i = 2; i < all.n; i++)
		strcat(strcat(got, i > 2 ? " " : ""), all.e[i].name);
	ck_assert_str_eq(got, want);
}

START_TEST(what_is_listed)
{
	check_names("", "bad bad.h5 other other.h5 plain.txt sub train "
			"train.h5");
	check_names("sub", "deep deep.h5");
	check_names("bad", "info.json");
	check_names("train", "info.json a empty %69nfo.json new%0Aline scalar "
			     "slices volume");
	check_names("train/a", "b deep mine other");
	check_names("train/a/b", "here line lost near soft top up");
	check_names("train/volume", "info.json array.npy slices");
	check_names("train/a/b/line", "info.json array.npy");
	check_names("train/scalar", "info.json array.npy");
	check_names("train/empty", "info.json array.npy slices");
	check_names("train/empty/slices", "");
	check_names("train/volume/slices", "000000.npy 000001.npy 000002.npy");
	check_names("train/volume/slices+axis-1+format-raw",
		    "000000.raw 000001.raw 000002.raw 000003.raw");
	check_names("train/volume/crops+size-2x2x2", "");
	check_names("train/volume/random+size-2x2+count-2",
		    "000000.npy 000001.npy");
	check_names(".patchfs", "README version config stats metrics problems "
				"index.csv classes.csv");
}
END_TEST

START_TEST(listed_views)
{
	static const char *const views[] = {"patches+stride-2x2x2+size-2x2x2",
					    "slices+axis-0",
					    "slices+axis-2",
					    "patches+size-2x2x2+stride-2x2x2",
					    "crops+size-9x9x9",
					    NULL};
	static const char *const bad[] = {"patches+size", NULL};
	char *why;

	close_tree();
	conf.views = views;
	open_tree();
	check_names("train/volume", "info.json array.npy slices "
				    "patches+size-2x2x2 slices+axis-2");
	check_names("train/a/b/line", "info.json array.npy slices");
	close_tree();
	conf.views = bad;
	ck_assert_int_eq(tree_new(&conf, &tree, &why), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "patches+size"));
	free(why);
	tree = NULL;
}
END_TEST

/* The table is full: what is listed can be looked up, others cannot. */
START_TEST(too_many_views)
{
	static const char *const views[] = {"slices+axis-2", NULL};
	struct tree_entry e;
	char path[64];
	int err = 0;

	close_tree();
	conf.views = views;
	open_tree();
	for (unsigned i = 0; err == 0 && i <= TREE_PARAMS_MAX; i++) {
		sprintf(path, "train/a/b/line/random+size-1+seed-%u", i);
		err = tree_walk(tree, path, false, &e);
	}
	ck_assert_int_eq(err, -ENOSPC);
	at("train/volume/slices/000001.npy");
	at("train/volume/slices+axis-2/000001.npy");
	err = tree_walk(tree, "train/volume/crops+size-1", false, &e);
	ck_assert_int_eq(err, -ENOSPC);
}
END_TEST

/* ------------------------------------------------------------- spellings */

static void check_link(const char *path, const char *target)
{
	struct tree_entry e;
	char buf[4096];

	ck_assert_int_eq(tree_walk(tree, path, false, &e), 0);
	ck_assert_msg(S_ISLNK(e.st.st_mode), "%s is no link", path);
	ck_assert_int_eq(tree_readlink(tree, e.ino, buf, sizeof(buf), NULL), 0);
	ck_assert_str_eq(buf, target);
	ck_assert_int_eq(e.st.st_size, (off_t)strlen(target));
	ck_assert_int_eq(tree_readlink(tree, e.ino, buf, strlen(target), NULL),
			 -ENAMETOOLONG);
}

START_TEST(one_name_for_a_directory)
{
	uint64_t dir = at("train/volume/patches+size-2x2x2");

	check_link("train/volume/patches+stride-2x2x2+size-02x2x2",
		   "patches+size-2x2x2");
	check_link("train/volume/patches+size-2x2x2+border-snap",
		   "patches+size-2x2x2");
	check_link("train/volume/slices+axis--1", "slices+axis-2");
	check_link("train.h5.d", "train");
	check_link("bad.h5.d", "bad");
	ck_assert_uint_eq(
		at("train.h5.d/volume/patches+stride-2x2x2+size-2x2x2"), dir);
	ck_assert_uint_eq(at("sub/deep.h5.d/x"), at("sub/deep/x"));
	/* Items have many names, being files. */
	ck_assert_uint_eq(at("train/volume/slices/2.npy"),
			  at("train/volume/slices/000002.npy"));
	ck_assert_uint_eq(at("train/volume/slices/0000000000000002.npy"),
			  at("train/volume/slices/000002.npy"));
}
END_TEST

START_TEST(links_of_the_container)
{
	check_link("train/a/b/up", "..");
	check_link("train/a/b/here", ".");
	check_link("train/a/b/top", "../..");
	check_link("train/a/b/soft", "../../volume");
	check_link("train/a/b/near", "line");
	check_link("train/a/b/lost", "../../no/where");
	check_link("train/a/other", "../../other/volume");
	check_link("train/a/deep", "../../sub/deep/x/y");
	check_link("train/a/mine", "../volume");
	ck_assert_uint_eq(at("train/a/b/soft"), at("train/volume"));
	ck_assert_uint_eq(at("train/a/b/top/a/b/up/b/line"),
			  at("train/a/b/line"));
	ck_assert_uint_eq(at("train/a/other/array.npy"),
			  at("other/volume/array.npy"));
	ck_assert_uint_eq(at("train/a/b/lost"), 0);
	ck_assert_uint_eq(at("train/a/outside"), 0);
	ck_assert_uint_eq(at("train/a/absent"), 0);
	ck_assert_uint_ge(problems_count(conf.problems), 2);
}
END_TEST

START_TEST(walking)
{
	struct tree_entry e;

	ck_assert_uint_eq(at(""), TREE_ROOT);
	ck_assert_uint_eq(at("/"), TREE_ROOT);
	ck_assert_uint_eq(at("//train/./a/../..//"), TREE_ROOT);
	ck_assert_uint_eq(at("../../.."), TREE_ROOT);
	ck_assert_uint_eq(at("train/a/b/../../volume"), at("train/volume"));
	ck_assert_int_eq(tree_walk(tree, "plain.txt/x", true, &e), -ENOTDIR);
	ck_assert_int_eq(tree_walk(tree, "plain.txt/", true, &e), 0);
	ck_assert_int_eq(tree_walk(tree, "train/a/b/up", false, &e), 0);
	ck_assert(S_ISLNK(e.st.st_mode));
	ck_assert_int_eq(tree_walk(tree, "train/a/b/up/", false, &e), 0);
	ck_assert(S_ISDIR(e.st.st_mode));
}
END_TEST

static const char *const absent[] = {
	"nothing",
	"nothing.h5.d",
	"plain.txt.d",
	"fifo",
	"dangling",
	"sub/loop",
	".d",
	"bad/volume",
	"train/info",
	"train/new\nline",
	"train/%41",
	"train/%61",
	"train/a/info.json",
	"train/slices/slices/000000.json.npy",
	"train/volume/array.xyz",
	"train/volume/array",
	"train/volume/slices+axis-3",
	"train/volume/slices/000003.npy",
	"train/volume/slices/-1.npy",
	"train/volume/slices/+1.npy",
	"train/volume/slices/0x1.npy",
	"train/volume/slices/1",
	"train/volume/slices/.npy",
	"train/volume/slices/1.npy.npy",
	"train/volume/slices/99999999999999999999.npy",
	"train/volume/crops+size-2x2x2/index.csv",
	"train/volume/crops+size-2x2x2/2_0_0.npy",
	"train/volume/random+size-2x2/68719476736.npy",
	"train/volume/patches+size-9x9",
	"train/classes.json",
	"train/scalar/slices",
};

START_TEST(what_is_not_there)
{
	char name[300];
	struct tree_entry e;

	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		ck_assert_msg(at(absent[i]) == 0, "%s", absent[i]);
	memset(name, 'n', sizeof(name));
	name[255] = '\0';
	ck_assert_int_eq(tree_lookup(tree, TREE_ROOT, name, &e, NULL), 0);
	ck_assert_uint_eq(e.ino, 0);
	ck_assert(e.may_appear);
	strcpy(name + 255, "n");
	ck_assert_int_eq(tree_lookup(tree, TREE_ROOT, name, &e, NULL),
			 -ENAMETOOLONG);
	ck_assert_int_eq(
		tree_lookup(tree, at("train/volume"), "nothing", &e, NULL), 0);
	ck_assert_uint_eq(e.ino, 0);
	ck_assert(!e.may_appear);
	ck_assert_int_eq(tree_lookup(tree, at("plain.txt"), "x", &e, NULL),
			 -ENOTDIR);
}
END_TEST

/* -------------------------------------------------------------- contents */

/* Read at every offset, in every length up to a few past the end. */
static void check_reads(const char *path)
{
	uint64_t ino = at(path);
	char buf[1024];
	char *all;
	size_t n;

	ck_assert_msg(ino != 0, "%s", path);
	all = content(ino, &n);
	for (size_t off = 0; off <= n + 1; off++) {
		for (size_t len = 0; len < 40; len++) {
			size_t want = off > n	      ? 0
				      : n - off < len ? n - off
						      : len;

			memset(buf, '#', sizeof(buf));
			ck_assert_int_eq(
				vfile_read(tree, ino, buf, len, off, NULL),
				(ssize_t)want);
			ck_assert_mem_eq(buf, all + off, want);
			ck_assert_int_eq(buf[want], '#');
		}
	}
	free(all);
}

START_TEST(reads_at_every_offset)
{
	static const char *const paths[] = {
		"plain.txt",
		"bad/info.json",
		"train/volume/info.json",
		"train/volume/array.npy",
		"train/volume/array.raw",
		"train/volume/slices+axis-2/3.npy",
		"train/volume/slices/1.json",
		"train/volume/patches+size-2x3x3+border-pad+pad-7/index.csv",
		"train/volume/patches+size-2x3x3+border-pad+pad-7/7.npy",
		"train/volume/crops+size-2x2x2/1_2_3.raw",
		"train/scalar/array.npy",
		"train/empty/array.npy",
	};

	check_reads(paths[_i]);
}
END_TEST
#define READ_PATHS 12

/* Values of a raw file. */
static void check_values(const char *path, size_t n, const int16_t *want)
{
	size_t bytes;
	char *all = content(at(path), &bytes);

	ck_assert_uint_eq(bytes, n * 2);
	ck_assert_mem_eq(all, want, bytes);
	free(all);
}

START_TEST(values_of_items)
{
	check_values("train/a/b/line/array.raw", 4,
		     (const int16_t[]){0, 1, 2, 3});
	check_values("train/scalar/array.raw", 1, (const int16_t[]){0});
	check_values("train/empty/array.raw", 0, (const int16_t[]){0});
	check_values("train/volume/slices+axis-2/1.raw", 12,
		     (const int16_t[]){1, 6, 11, 16, 21, 26, 31, 36, 41, 46, 51,
				       56});
	check_values("train/volume/crops+size-2x2/1_2_3.raw", 4,
		     (const int16_t[]){33, 34, 38, 39});
	check_values("train/volume/patches+size-3x4+border-pad+pad--9/3.raw",
		     12,
		     (const int16_t[]){19, -9, -9, -9, -9, -9, -9, -9, -9, -9,
				       -9, -9});
	check_values("train/volume/patches+size-3x4+border-pad+pad--9/4.raw",
		     12,
		     (const int16_t[]){20, 21, 22, 23, 25, 26, 27, 28, 30, 31,
				       32, 33});
}
END_TEST

START_TEST(records_have_one_size)
{
	static const char *const views[] = {"slices", "patches+size-2x2",
					    "patches+size-1x2+border-pad",
					    "random+size-2x2+count-5"};
	char path[128];

	for (unsigned i = 0; i < 4; i++) {
		size_t size = 0;

		for (unsigned k = 0; k < 100; k++) {
			uint64_t ino;
			size_t n;
			char *all;

			snprintf(path, sizeof(path), "train/volume/%s/%u.json",
				 views[i], k);
			ino = at(path);
			if (!ino)
				break;
			all = content(ino, &n);
			if (!size)
				size = n;
			ck_assert_uint_eq(n, size);
			ck_assert_uint_eq(n % 512, 0);
			ck_assert_int_eq(all[0], '{');
			ck_assert_int_eq(all[n - 1], '\n');
			ck_assert_ptr_nonnull(strstr(all, "\"array\": "
							  "\"volume\""));
			free(all);
		}
		ck_assert_uint_ne(size, 0);
	}
}
END_TEST

START_TEST(attributes)
{
	struct tree_entry e;
	struct stat st;

	ck_assert_int_eq(stat(in_src("train.h5"), &st), 0);
	ck_assert_int_eq(tree_walk(tree, "train/volume/slices/0.npy", true, &e),
			 0);
	ck_assert_int_eq(e.st.st_mode, S_IFREG | 0444);
	ck_assert_int_eq(e.st.st_size, 128 + 40);
	ck_assert_int_eq(e.st.st_blocks, 1);
	ck_assert_int_eq(e.st.st_blksize, 4096);
	ck_assert_int_eq(e.st.st_nlink, 1);
	ck_assert_int_eq(e.st.st_uid, 1234);
	ck_assert_int_eq(e.st.st_gid, 5678);
	ck_assert_mem_eq(&e.st.st_mtim, &st.st_mtim, sizeof(st.st_mtim));
	ck_assert_mem_eq(&e.st.st_ctim, &st.st_ctim, sizeof(st.st_ctim));
	ck_assert_int_eq(tree_walk(tree, "train/volume", true, &e), 0);
	ck_assert_int_eq(e.st.st_mode, S_IFDIR | 0555);

	close_tree();
	conf.allow_other = true;
	ck_assert_int_eq(chmod(in_src("train.h5"), 0640), 0);
	ck_assert_int_eq(chmod(in_src("sub"), 0710), 0);
	open_tree();
	ck_assert_int_eq(tree_walk(tree, "train/volume/slices/0.npy", true, &e),
			 0);
	ck_assert_int_eq(e.st.st_mode, S_IFREG | 0440);
	ck_assert_int_eq(e.st.st_uid, st.st_uid);
	ck_assert_int_eq(tree_walk(tree, "train/volume", true, &e), 0);
	ck_assert_int_eq(e.st.st_mode, S_IFDIR | 0550);
	ck_assert_int_eq(tree_walk(tree, "sub", true, &e), 0);
	ck_assert_int_eq(e.st.st_mode, S_IFDIR | 0510);
}
END_TEST

/* Any number is an id that somebody may come with. */
START_TEST(ids_out_of_nowhere)
{
	uint64_t x = 88172645463325252u;
	static struct seen some;
	char buf[4200];
	struct tree_entry e;
	struct stat st;
	uint64_t parent;

	at("train/volume/slices/0.npy");
	at("train/a/b/soft");
	at("sub/deep/x");
	at(".patchfs/stats");
	for (unsigned i = 0; i < 200000; i++) {
		uint64_t ino;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		/* Mostly directories that exist, and small items. */
		ino = (x % 40) << 41 | (x >> 8) % 32 << 36;
		ino |= x >> 16 & (x & 1 << 15 ? 7 : 0xfffffffff);
		if (i % 8 == 0)
			ino = x;
		some.n = 0;
		some.room = 4;
		if (tree_stat(tree, ino, &st, NULL) == 0)
			ck_assert_uint_eq(st.st_ino, ino);
		tree_readlink(tree, ino, buf, sizeof(buf), NULL);
		tree_parent(tree, ino, &parent);
		tree_lookup(tree, ino, "info.json", &e, NULL);
		tree_list(tree, ino, x >> 40, true, see, &some, NULL);
		vfile_read(tree, ino, buf, 100, x >> 50, NULL);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("tree");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, what_is_listed);
	tcase_add_test(t, listed_views);
	tcase_add_test(t, too_many_views);
	tcase_add_test(t, one_name_for_a_directory);
	tcase_add_test(t, links_of_the_container);
	tcase_add_test(t, walking);
	tcase_add_test(t, what_is_not_there);
	tcase_add_loop_test(t, reads_at_every_offset, 0, READ_PATHS);
	tcase_add_test(t, values_of_items);
	tcase_add_test(t, records_have_one_size);
	tcase_add_test(t, attributes);
	tcase_add_test(t, ids_out_of_nowhere);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(suite)
