/* SPDX-License-Identifier: MIT */

/*
 * The tree as a whole: made, freed, named in messages.
 */

#include <config.h>

#include "tree/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/indices.h"
#include "tree/foreground.h"
#include "tree/tree_impl.h"
#include "util/metric.h"
#include "util/text.h"

static struct metric directories_metric = {
	.name = "tree_directories",
	.help = "Directories seen: each takes about 150 bytes.",
	.kind = METRIC_GAUGE,
};
static struct metric params_metric = {
	.name = "tree_params",
	.help = "Different views seen; 65536 at most.",
	.kind = METRIC_GAUGE,
};
static struct metric problems_metric = {
	.name = "problems",
	.help = "Lines in .patchfs/problems.",
	.kind = METRIC_GAUGE,
};

void tree_metrics(struct metrics *m)
{
	container_metrics(m);
	array_metrics(m);
	indices_metrics(m);
	metric_register(m, &directories_metric);
	metric_register(m, &params_metric);
	metric_register(m, &problems_metric);
	foreground_metrics(m);
}

void tree_update_metrics(struct tree *t)
{
	metric_set(&directories_metric, dirs_count(t->dirs));
	metric_set(&params_metric, dirs_params_count(t->dirs));
	metric_set(&problems_metric, (int64_t)problems_count(t->conf.problems));
}

int tree_admit(const struct tree *t, uint64_t source, struct wait *w)
{
	const struct wait_need need = {.source = source, .device = t->device};

	return w ? w->admit(w, &need) : 0;
}

/* ---------------------------------------------------------------- names */

uint32_t tree_container_dir(const struct tree *t, uint32_t dir)
{
	while (dirs_at(t->dirs, dir)->kind != DIR_CONTAINER)
		dir = dirs_at(t->dirs, dir)->parent;
	return dir;
}

char *tree_inner_path(const struct tree *t, uint32_t dir)
{
	uint32_t top = tree_container_dir(t, dir);
	size_t size = dirs_path(t->dirs, top, dir, NULL, 0) + 1;
	char *path = malloc(size);

	if (path)
		dirs_path(t->dirs, top, dir, path, size);
	return path;
}

void tree_label(const struct tree *t, uint32_t dir, char *buf, size_t size)
{
	uint32_t top = tree_container_dir(t, dir);
	size_t n;

	if (dirs_at(t->dirs, dir)->kind == DIR_VIEW)
		dir = dirs_at(t->dirs, dir)->parent;
	source_label(t, dirs_at(t->dirs, top)->source, buf, size);
	if (dir == top)
		return;
	n = strlen(buf);
	if (n + 3 < size && dirs_path(t->dirs, top, dir, buf + n + 3,
				      size - n - 3) < size - n - 3)
		memcpy(buf + n, ": /", 3);
	else
		snprintf(buf + n, size - n, ": ...");
}

/* ----------------------------------------------------------- directories */

static int tell_full(struct tree *t)
{
	return problem_tell(t->conf.problems, -ENOSPC,
			    "no more directories: this mount has shown %u, "
			    "which is the limit; mount parts of the source "
			    "apart",
			    dirs_count(t->dirs));
}

int tree_add_dir(struct tree *t, const struct dir *d, const char *name,
		 uint32_t *number)
{
	int err = dirs_add(t->dirs, d, name, number);

	return err == -ENOSPC ? tell_full(t) : err;
}

int tree_has_room(struct tree *t)
{
	return dirs_count(t->dirs) < dirs_max(t->dirs) ? 0 : tell_full(t);
}

/* ------------------------------------------------------------ new, free */

static int parse_views(struct tree *t, char **why)
{
	const char *const *names = t->conf.views;
	char reason[VIEW_WHY_MAX];
	unsigned n = 0;

	while (names && names[n])
		n++;
	t->views = calloc(n + 1, sizeof(*t->views));
	if (!t->views)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		int err = view_parse(names[i], &t->views[i], reason);

		if (err == -ENOENT)
			view_no_kind(names[i], reason);
		if (err < 0) {
			*why = text_new("--view=%s: %s%s", names[i],
					err == -ENOENT
						? "not the name of a view: "
						: "",
					reason);
			return -EINVAL;
		}
	}
	t->nviews = n;
	return 0;
}

/* The source as it is now: a directory, or one container. */
static int open_source(struct tree *t, char **why)
{
	int fd;

	if (stat(t->conf.src, &t->root_st) < 0) {
		int err = -errno;

		*why = text_new("%s: %s", t->conf.src, strerror(-err));
		return err;
	}
	t->device = t->root_st.st_dev;
	if (!S_ISDIR(t->root_st.st_mode))
		return 0;
	fd = open(t->conf.src, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		int err = -errno;

		*why = text_new("%s: %s", t->conf.src, strerror(-err));
		return err;
	}
	t->root_fd = fd;
	return 0;
}

/* A container alone must be readable, or there is nothing to mount. */
static int try_single(struct tree *t, char **why)
{
	struct container *c;
	struct cached cached;
	int err;

	if (!S_ISREG(t->root_st.st_mode)) {
		*why = text_new("%s: neither a directory nor a file",
				t->conf.src);
		return -EINVAL;
	}
	err = source_container(t, 0, false, NULL, &c);
	if (err == 0)
		err = source_catalog(t, 0, NULL, &c, &cached);
	if (err == 0) {
		cached_put(&t->env, &cached);
		return 0;
	}
	*why = text_new("%s: %s", t->conf.src,
			source_at(t, 0)->why ? source_at(t, 0)->why
					     : strerror(-err));
	return err;
}

static int add_roots(struct tree *t)
{
	struct dir root = {
		.key = ROW_NONE,
		.params = ROW_NONE,
		.type = ROW_NONE,
		.kind = DIR_SOURCE,
	};
	struct dir control = {
		.params = ROW_NONE,
		.type = ROW_NONE,
		.kind = DIR_CONTROL,
	};
	const struct stat *st;
	uint32_t number;
	int err;

	if (tree_is_single(t)) {
		root.kind = DIR_CONTAINER;
		err = source_add(t, DIR_ROOT, ROW_NONE, &root.source);
	} else {
		err = srcdir_add(t, &root.srcdir);
	}
	if (err == 0)
		err = dirs_add(t->dirs, &root, "", &number);
	if (err == 0)
		err = dirs_add(t->dirs, &control, CONTROL_DIR, &t->control_dir);
	if (err < 0)
		return err;
	return tree_is_single(t) ? source_know(t, 0, NULL)
				 : srcdir_know(t, DIR_ROOT, NULL, &st);
}

/* What a scan holds is the cache's to make room for. */
static void charge(void *arg, int64_t bytes)
{
	struct tree *t = arg;

	array_env_charge(&t->env, bytes);
}

#define INDEX_SIZE ((size_t)256 << 20)
#define INDEX_THREADS_MAX 16
#define INDEX_MEMORY ((size_t)16 << 20) /* of the buffers of one build */
#define INDEX_CLASSES_MAX 65536

static int open_indices(struct tree *t, char **why)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct indices_conf conf = {
		.size = t->conf.index_size ? t->conf.index_size : INDEX_SIZE,
		.memory = INDEX_MEMORY,
		.max_classes = INDEX_CLASSES_MAX,
		.dir = -1,
	};

	if (cpus < 1)
		cpus = 1;
	conf.threads =
		cpus < INDEX_THREADS_MAX ? (unsigned)cpus : INDEX_THREADS_MAX;
	if (t->conf.index_dir) {
		t->index_dir = sidecar_dir(t->conf.index_dir);
		if (t->index_dir < 0) {
			int err = t->index_dir;

			*why = text_new("%s: cannot keep sampling indices: %s",
					t->conf.index_dir, strerror(-err));
			return err;
		}
		conf.dir = t->index_dir;
	}
	if (t->conf.index_threads)
		conf.threads = t->conf.index_threads;
	t->indices = indices_new(&conf);
	return t->indices ? 0 : -ENOMEM;
}

void tree_set_config(struct tree *t, const char *text)
{
	t->config = text;
}

uint64_t tree_kept_indices(const struct tree *t)
{
	return t->index_dir < 0 ? 0 : sidecar_count(t->index_dir);
}

int tree_new(const struct tree_conf *conf, struct tree **out, char **why)
{
	struct tree *t = calloc(1, sizeof(*t));
	int err = -ENOMEM;

	*why = NULL;
	if (!t)
		return -ENOMEM;
	t->conf = *conf;
	t->conf.container.charge = charge;
	t->conf.container.charge_arg = t;
	t->conf.container.is_over = &t->is_over;
	t->root_fd = -1;
	t->index_dir = -1;
	t->started = time(NULL);
	control_init(&t->control);
	t->dirs = dirs_new();
	if (sources_init(&t->sources) < 0 || srcdirs_init(&t->srcdirs) < 0 ||
	    !t->dirs ||
	    array_env_init(&t->env, conf->cache_size, conf->metrics,
			   conf->problems) < 0)
		goto fail;
	t->env.direct_io = conf->direct_io;
	err = scanners_new(conf->container.scanner,
			   &t->conf.container.scanners);
	if (err == 0)
		err = open_indices(t, why);
	if (err == 0)
		err = parse_views(t, why);
	if (err == 0)
		err = view_keep_listed(t);
	if (err == 0)
		err = open_source(t, why);
	if (err == 0)
		err = add_roots(t);
	if (err == 0 && tree_is_single(t))
		err = try_single(t, why);
	if (err < 0)
		goto fail;
	*out = t;
	return 0;
fail:
	if (!*why)
		*why = text_new("%s: %s", conf->src, strerror(-err));
	tree_free(t);
	return err;
}

void tree_stop(struct tree *t)
{
	atomic_store(&t->is_over, true);
	indices_stop(t->indices);
}

void tree_free(struct tree *t)
{
	if (!t)
		return;
	control_fini(&t->control);
	indices_free(t->indices);
	if (t->index_dir >= 0)
		close(t->index_dir);
	array_env_fini(&t->env);
	sources_fini(&t->sources);
	scanners_free(t->conf.container.scanners);
	srcdirs_fini(&t->srcdirs);
	dirs_free(t->dirs);
	free(t->views);
	if (t->root_fd >= 0)
		close(t->root_fd);
	free(t);
}

/* ---------------------------------------------------------------- nodes */

int tree_node(const struct tree *t, uint64_t ino, struct node *n,
	      const struct dir **d)
{
	int err = node_unpack(ino, n);

	if (err < 0)
		return err;
	*d = dirs_at(t->dirs, n->dir);
	return *d ? 0 : -ENOENT;
}

int tree_dir(const struct tree *t, uint64_t ino, uint32_t *number,
	     const struct dir **d)
{
	struct node n;
	int err = tree_node(t, ino, &n, d);

	if (err < 0)
		return err;
	*number = n.dir;
	return n.format == NODE_DIR ? 0 : -ENOTDIR;
}

int tree_parent(struct tree *t, uint64_t ino, uint64_t *parent)
{
	const struct dir *d;
	uint32_t number;
	int err = tree_dir(t, ino, &number, &d);

	if (err == 0)
		*parent = node_pack(d->parent, NODE_DIR, 0);
	return err;
}

bool tree_names_container(const struct tree *t, const char *name)
{
	return container_stem(name, t->conf.ext) > 0;
}

void tree_counts(struct tree *t, uint64_t *directories, uint64_t *containers)
{
	*directories = dirs_count(t->dirs);
	*containers = atomic_load_explicit(&t->sources.ncontainers,
					   memory_order_relaxed);
}
