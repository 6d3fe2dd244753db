/* SPDX-License-Identifier: MIT */

/*
 * The Nth allocation fails, for every N, while a tree is made, walked, listed
 * and read, draws from labels too: each call does its work or says -ENOMEM,
 * nothing leaks (with a sanitizer), what failed works afterwards, and what was
 * charged to the cache is given back. The scanner is the false one.
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/cache.h"
#include "failing.h"
#include "tree/tree_impl.h"
#include "util/log.h"
#include "util/metric.h"
#include "util/problem.h"
#include "volume.h"

static bool wrong;

static char src[PATH_MAX], scanner[PATH_MAX];
static struct metrics metrics;
static struct problems *problems;

static void make_source(void)
{
	struct volume v = {.data = 0};
	char path[PATH_MAX + 16];
	uint32_t a;
	FILE *f;

	records_group(&v.r);
	a = records_group(&v.r);
	records_link(&v.r, 0, "a", a);
	volume_array(&v, 0, "volume", 3, (uint64_t[]){3, 4, 5});
	volume_array(&v, 0, "label", 3, (uint64_t[]){3, 4, 5});
	records_symlink(&v.r, a, "soft", "/volume", NULL);
	records_symlink(&v.r, a, "gone", "/volume", "gone.h5");
	snprintf(path, sizeof(path), "%s/v.h5", src);
	volume_write(&v, path, "");
	snprintf(path, sizeof(path), "%s/plain.txt", src);
	f = fopen(path, "w");
	if (!f || fputs("plain\n", f) < 0 || fclose(f) != 0)
		abort();
}

static int count(void *arg, const char *name, uint64_t ino, mode_t type,
		 const struct stat *st, uint64_t next)
{
	(void)name;
	(void)ino;
	(void)type;
	(void)st;
	(void)next;
	++*(unsigned *)arg;
	return 0;
}

static const char *const paths[] = {
	"",
	"v",
	"v/a",
	"v/a/soft",
	"v/a/soft/slices/1.npy",
	"v/volume/patches+size-02x2x2/3.npy",
	"v/volume/patches+size-2x2x2/3.json",
	"v/volume/patches+size-2x2x2/index.csv",
	"v/volume/info.json",
	"v/info.json",
	"v/volume/foreground+size-2x2x2/7.json",
	"v/volume/foreground+size-2x2x2/7.npy",
	"v/volume/foreground+size-2x2x2+class-4+class-5@2+border-inside/1.json",
	"v/label/foreground+size-2x2x2+rule-medh5.2+weights-inverse/3.json",
	"v/label/foreground+size-1x1x1+index-exact+fraction-0.5/3.npy",
	"v/label/classes.json",
	".patchfs/classes.csv",
	"plain.txt",
	".patchfs/index.csv",
	".patchfs/stats",
};

static int visit(struct tree *t, const char *path)
{
	struct tree_entry e;
	char buf[4096];
	unsigned n = 0;
	ssize_t got;
	int err = tree_walk(t, path, true, &e);

	if (err)
		return err;
	if (S_ISDIR(e.st.st_mode)) {
		err = tree_list(t, e.ino, 0, true, count, &n, NULL);
		wrong |= !err && n < 3;
		return err;
	}
	got = vfile_read(t, e.ino, buf, sizeof(buf), 0, NULL);
	wrong |= got >= 0 && got != (e.st.st_size < 4096 ? e.st.st_size : 4096);
	return got < 0 ? (int)got : 0;
}

static int visit_all(struct tree *t)
{
	int worst = 0;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		int err = visit(t, paths[i]);

		if (err && err != -ENOMEM)
			printf("%s: %s\n", paths[i], strerror(-err));
		wrong |= err && err != -ENOMEM;
		if (err)
			worst = err;
	}
	return worst;
}

/*
 * With nothing cached, what is charged is what the tree has: ever the same, but
 * for the snapshots, of which there are more or fewer.
 */
static void check_charges(struct tree *t)
{
	static int64_t charged;
	int64_t now;

	cache_drop(t->env.cache);
	now = metric_get(metric_find(&metrics, "cache_bytes"));
	now -= (int64_t)t->control.bytes;
	charged = charged ? charged : now;
	if (now > 0 && now == charged)
		return;
	printf("charged: %" PRId64 ", was %" PRId64 "\n", now, charged);
	wrong = true;
}

/* True: no allocation failed, the scenario is over. */
static bool run(long nth)
{
	const char *const views[] = {"slices+axis-2", NULL};
	const struct tree_conf conf = {
		.src = src,
		.cache_size = 1 << 20,
		.views = views,
		.container =
			{
				.scanner = scanner,
				.scan_cpu_s = 5,
				.scan_wall_s = 10,
				.scan_memory = 1 << 29,
			},
		.metrics = &metrics,
		.problems = problems,
	};
	struct tree *t;
	char *why;
	bool over;
	int err;

	left = nth;
	metrics.head = NULL;
	err = tree_new(&conf, &t, &why);
	if (err) {
		wrong |= err != -ENOMEM;
		free(why);
		left = -1;
		return false;
	}
	err = visit_all(t);
	over = left >= 0;
	left = -1;
	wrong |= over && err;
	/* What a scan could not allocate is forgotten; what failed works. */
	err = visit_all(t);
	if (err)
		printf("afterwards: %s\n", strerror(-err));
	wrong |= err != 0;
	check_charges(t);
	tree_free(t);
	return over;
}

int main(void)
{
	const char *dir = getenv("builddir");
	char command[PATH_MAX + 16];
	char here[PATH_MAX - 32];
	long n = 0;

	log_open("/dev/null");
	problems = problems_new();
	if (!problems || !getcwd(here, sizeof(here)))
		return 1;
	snprintf(scanner, sizeof(scanner), "%s/tests/unit/false_scanner",
		 dir ? dir : ".");
	snprintf(src, sizeof(src), "%s/fault_tree.XXXXXX", here);
	if (!mkdtemp(src))
		return 1;
	make_source();
	printf("1..1\n");
	while (!wrong && !run(n) && n < 100000)
		n++;
	snprintf(command, sizeof(command), "rm -rf '%s'", src);
	wrong |= system(command) != 0;
	problems_free(problems);
	wrong |= n < 20 || n == 100000;
	printf("%sok 1 - %ld allocations failed\n", wrong ? "not " : "", n);
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
