/* SPDX-License-Identifier: MIT */

/* SRC as a tree, for the commands that look into it. */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmd/cmd_impl.h"
#include "util/cleanup.h"
#include "util/parse.h"
#include "util/text.h"

#define CACHE_LEAST (UINT64_C(1) << 16)
#define INDEX_LEAST (UINT64_C(1) << 16)

int strings_add(struct strings *s, const char *one)
{
	const char **v = realloc(s->v, (s->n + 2) * sizeof(*v));

	if (!v)
		return -ENOMEM;
	s->v = v;
	v[s->n++] = one;
	v[s->n] = NULL;
	return 0;
}

int source_set_cache_size(void *conf, const char *value)
{
	struct source_conf *c = conf;
	uint64_t n;

	if (parse_size(value, &n) || n < CACHE_LEAST || n > SIZE_MAX / 2)
		return -EINVAL;
	c->cache_size = n;
	return 0;
}

int source_set_index_size(void *conf, const char *value)
{
	struct source_conf *c = conf;
	uint64_t n;

	if (parse_size(value, &n) || n < INDEX_LEAST || n > SIZE_MAX / 2)
		return -EINVAL;
	c->index_size = n;
	return 0;
}

int source_set_index_dir(void *conf, const char *value)
{
	struct source_conf *c = conf;

	return *value ? cmd_absolute(value, &c->index_dir) : -EINVAL;
}

int source_set_view(void *conf, const char *value)
{
	struct source_conf *c = conf;

	return strings_add(&c->views, value);
}

int source_set_ext(void *conf, const char *value)
{
	struct source_conf *c = conf;

	value += *value == '.';
	if (!*value || strchr(value, '/'))
		return -EINVAL;
	return strings_add(&c->ext, value);
}

int source_set_allow_live(void *conf, const char *value)
{
	struct source_conf *c = conf;

	(void)value;
	c->allow_live = true;
	return 0;
}

static char *scanner_path(void)
{
	const char *dir = getenv("PATCHFS_LIBEXECDIR");

	return text_new("%s/patchfs-scan", dir ? dir : LIBEXECDIR);
}

uint64_t source_raise_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l))
		return UINT64_MAX;
	if (l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
	return l.rlim_cur;
}

static int source_new(struct source *s, const struct source_conf *conf,
		      const char *src, char **why)
{
	struct tree_conf t = {
		.index_size = conf->index_size,
		.index_dir = conf->index_dir,
		.index_threads = conf->index_threads,
		.ext = conf->ext.v,
		.views = conf->views.v,
		.allow_other = conf->allow_other,
		.direct_io = conf->direct_io,
		.logs_names = conf->logs_names,
		.uid = getuid(),
		.gid = getgid(),
		.container = {.allow_live = conf->allow_live},
		.metrics = &s->metrics,
	};

	s->path = realpath(src, NULL);
	if (!s->path)
		return -errno;
	s->cache_size =
		conf->cache_size ? conf->cache_size : memory_default_cache();
	s->problems = problems_new();
	s->scanner = scanner_path();
	if (!s->problems || !s->scanner)
		return -ENOMEM;
	t.src = s->path;
	t.cache_size = s->cache_size;
	t.problems = s->problems;
	t.container.scanner = s->scanner;
	tree_metrics(&s->metrics);
	source_raise_files();
	return tree_new(&t, &s->tree, why);
}

int source_open(struct source *s, const struct source_conf *conf,
		const char *src, char **why)
{
	int r;

	*s = (struct source){.tree = NULL};
	*why = NULL;
	r = source_new(s, conf, src, why);
	if (r == 0)
		return 0;
	if (!*why)
		*why = text_new("%s: %s", src, strerror(-r));
	source_close(s);
	return r;
}

void source_close(struct source *s)
{
	tree_free(s->tree);
	problems_free(s->problems);
	free(s->scanner);
	free(s->path);
	*s = (struct source){.tree = NULL};
}

void source_conf_fini(struct source_conf *conf)
{
	free(conf->views.v);
	free(conf->ext.v);
}

static int source_open_status(int err)
{
	switch (-err) {
	case EBADMSG:
	case EBUSY:
	case EFBIG:
	case EIO:
	case EOPNOTSUPP:
	case EOVERFLOW:
	case ESTALE:
	case ETIMEDOUT:
		return EXIT_UNREADABLE;
	default:
		return EXIT_USAGE;
	}
}

int source_status(int err)
{
	switch (-err) {
	case 0:
		return 0;
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case ELOOP:
	case ENAMETOOLONG:
		return EXIT_NO_ITEM;
	case ENOMEM:
	case EMFILE:
	case ENFILE:
	case EINVAL:
		return EXIT_USAGE;
	default:
		return EXIT_UNREADABLE;
	}
}

int source_each(const struct cmd *c, int n, char **argv, void *conf,
		int (*each)(void *conf, struct tree *t, const char *path))
{
	CLEANUP(cleanup_freep) char *why = NULL;
	struct source s;
	int r = source_open(&s, conf, argv[0], &why), status = 0;

	if (r) {
		fprintf(stderr, "patchfs %s: %s\n", c->name,
			why ? why : strerror(-r));
		return source_open_status(r);
	}
	for (int i = 1; i < n || i == 1; i++) {
		int one = each(conf, s.tree, i < n ? argv[i] : "");

		status = status ? status : one;
	}
	source_close(&s);
	return status;
}

int source_run(const struct cmd *c, int argc, char **argv, void *conf,
	       int least, const char *missing,
	       int (*each)(void *conf, struct tree *t, const char *path))
{
	int n, status;
	int r = cmd_parse(c, argc, argv, conf, &n);

	if (r > 0) {
		status = 0;
	} else if (r < 0) {
		status = c->usage;
	} else if (n < 1 + least) {
		fprintf(stderr, "patchfs %s: %s\n", c->name, missing);
		status = c->usage;
	} else {
		status = source_each(c, n, argv + 1, conf, each);
	}
	source_conf_fini(conf);
	return status;
}
