/* SPDX-License-Identifier: MIT */

/*
 * patchfs ls: the names that a mount of SRC would have, without one. Entries
 * are taken from the tree a batch at a time; nothing is asked of the tree from
 * within its own listing.
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd_impl.h"
#include "util/cleanup.h"

#define BATCH 256

struct ls_conf {
	struct source_conf source; /* first */
	bool is_long, is_recursive;
};

static int set_long(void *conf, const char *value)
{
	struct ls_conf *c = conf;

	(void)value;
	c->is_long = true;
	return 0;
}

static int set_recursive(void *conf, const char *value)
{
	struct ls_conf *c = conf;

	(void)value;
	c->is_recursive = true;
	return 0;
}

struct entry {
	char *name;
	uint64_t ino, next;
	mode_t type;
	bool has_stat;
	struct stat st;
};

struct batch {
	struct entry entry[BATCH];
	unsigned n;
	bool stop_at_dir, is_full, no_memory;
};

/* A directory on the way down: where it is in the path, how far it was read. */
struct level {
	uint64_t ino, cookie;
	size_t len;
};

struct ls {
	struct ls_conf conf; /* first */
	struct tree *tree;
	struct batch batch;
	struct level *level;
	size_t depth, room;
	char *path; /* of the directory that is listed, with a final slash */
	size_t path_room;
	const char *given; /* what the user asks for just now */
	int status;
};

static int add(void *arg, const char *name, uint64_t ino, mode_t type,
	       const struct stat *st, uint64_t next)
{
	struct batch *b = arg;
	struct entry *e = &b->entry[b->n];

	if (b->is_full)
		return 1;
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	*e = (struct entry){.name = strdup(name),
			    .ino = ino,
			    .next = next,
			    .type = type & S_IFMT,
			    .has_stat = st != NULL};
	if (st)
		e->st = *st;
	b->no_memory |= !e->name;
	b->n++;
	b->is_full = b->n == BATCH || b->no_memory ||
		     (b->stop_at_dir && S_ISDIR(e->type));
	return 0;
}

static void batch_clear(struct batch *b)
{
	for (unsigned i = 0; i < b->n; i++)
		free(b->entry[i].name);
	b->n = 0;
	b->is_full = b->no_memory = false;
}

static void complain(struct ls *l, const char *path, int err)
{
	int status = source_status(err);

	fflush(stdout);
	source_complain("ls", l->tree, path, err);
	if (l->status == 0)
		l->status = status;
}

static void print_stat(const struct stat *st)
{
	static const char bits[] = "rwxrwxrwx";
	char mode[11] = "?", when[32];
	struct tm tm;

	mode[0] = S_ISDIR(st->st_mode) ? 'd' : S_ISLNK(st->st_mode) ? 'l' : '-';
	for (unsigned i = 0; i < 9; i++)
		mode[i + 1] = st->st_mode & (0400u >> i) ? bits[i] : '-';
	if (!gmtime_r(&st->st_mtime, &tm) ||
	    !strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &tm))
		/* A year that no calendar has. */
		snprintf(when, sizeof(when), "@%" PRId64,
			 (int64_t)st->st_mtime);
	printf("%s %12" PRId64 " %s ", mode, (int64_t)st->st_size, when);
}

static void print_entry(struct ls *l, const char *dir, const struct entry *e)
{
	char target[PATH_MAX] = "?";
	struct stat st = e->st;

	if (l->conf.is_long) {
		int r = e->has_stat ? 0 : tree_stat(l->tree, e->ino, &st, NULL);

		if (r) {
			complain(l, e->name, r);
			return;
		}
		print_stat(&st);
	}
	printf("%s%s", dir, e->name);
	if (S_ISDIR(e->type) && l->conf.is_recursive) {
		printf("/");
	} else if (S_ISLNK(e->type) &&
		   (l->conf.is_recursive || l->conf.is_long)) {
		int r = tree_readlink(l->tree, e->ino, target, sizeof(target),
				      NULL);

		if (r)
			complain(l, e->name, r);
		printf(" -> %s", target);
	}
	printf("\n");
}

static int push(struct ls *l, uint64_t ino, size_t len)
{
	if (l->depth == l->room) {
		size_t room = 2 * l->room + 16;
		struct level *v = realloc(l->level, room * sizeof(*v));

		if (!v)
			return -ENOMEM;
		l->level = v;
		l->room = room;
	}
	l->level[l->depth++] = (struct level){.ino = ino, .len = len};
	return 0;
}

/* The path becomes its first len bytes, then name, then a slash. */
static int path_set(struct ls *l, size_t len, const char *name)
{
	size_t n = strlen(name);

	if (len + n + 2 > l->path_room) {
		size_t room = 2 * (len + n + 2);
		char *path = realloc(l->path, room);

		if (!path)
			return -ENOMEM;
		l->path = path;
		l->path_room = room;
	}
	memcpy(l->path + len, name, n);
	len += n;
	if (n)
		l->path[len++] = '/';
	l->path[len] = '\0';
	return 0;
}

/* A container that cannot be read, which was told, has been listed. */
static void note_failed(struct ls *l, uint64_t ino)
{
	struct tree_what what;

	if (tree_what(l->tree, ino, &what) == 0 && what.kind == TREE_CASE &&
	    what.is_failed && l->status == 0)
		l->status = EXIT_UNREADABLE;
}

/*
 * One batch of the innermost directory; goes down, or up at its end. -ENOMEM
 * ends all; of other trouble it has told.
 */
static int step(struct ls *l)
{
	struct level *at = &l->level[l->depth - 1];
	struct batch *b = &l->batch;
	size_t len = at->len;
	int r;

	l->path[len] = '\0';
	b->stop_at_dir = l->conf.is_recursive;
	r = tree_list(l->tree, at->ino, at->cookie, l->conf.is_long, add, b,
		      NULL);
	if (r == 0 && b->no_memory)
		r = -ENOMEM;
	if (r || b->n == 0) {
		if (r && r != -ENOMEM)
			complain(l, l->conf.is_recursive ? l->path : l->given,
				 r);
		note_failed(l, at->ino);
		l->depth--;
		batch_clear(b);
		return r == -ENOMEM ? r : 0;
	}
	for (unsigned i = 0; i < b->n; i++)
		print_entry(l, l->path, &b->entry[i]);

	const struct entry *last = &b->entry[b->n - 1];

	at->cookie = last->next;
	if (l->conf.is_recursive && S_ISDIR(last->type)) {
		uint64_t ino = last->ino;

		r = path_set(l, len, last->name);
		if (r == 0)
			r = push(l, ino, strlen(l->path));
	}
	batch_clear(b);
	return r;
}

static int list_tree(struct ls *l, uint64_t ino, const char *dir)
{
	int r = path_set(l, 0, dir);

	if (r == 0)
		r = push(l, ino, strlen(l->path));
	/* Walking on for a reader that has left may take hours. */
	while (r == 0 && l->depth && !ferror(stdout))
		r = step(l);
	return r;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* PATH without the slashes around it. */
static char *trimmed(const char *path)
{
	char *copy;
	size_t n;

	path += strspn(path, "/");
	copy = strdup(path);
	n = copy ? strlen(copy) : 0;
	while (n && copy[n - 1] == '/')
		copy[--n] = '\0';
	return copy;
}

static int list_path(void *conf, struct tree *tree, const char *given)
{
	struct ls *l = conf;
	CLEANUP(cleanup_freep) char *path = trimmed(given);
	struct tree_entry t;
	int r = path ? source_walk(tree, path, &t) : -ENOMEM;

	l->tree = tree;
	l->given = given;
	if (r) {
		complain(l, given, r);
	} else if (!S_ISDIR(t.st.st_mode)) {
		struct entry e = {.name = (char *)base_name(path),
				  .ino = t.ino,
				  .type = t.st.st_mode & S_IFMT,
				  .has_stat = true,
				  .st = t.st};

		print_entry(l, "", &e);
	} else {
		/* Only with -R do names have a directory before them. */
		if (!l->conf.is_recursive)
			*path = '\0';
		r = list_tree(l, t.ino, path);
		if (r)
			complain(l, given, r);
	}
	return l->status;
}

static int run(int argc, char **argv)
{
	struct ls *l = calloc(1, sizeof(*l));
	int status;

	if (!l) {
		fprintf(stderr, "patchfs ls: %s\n", strerror(ENOMEM));
		return EXIT_USAGE;
	}
	status = source_run(&cmd_ls, argc, argv, l, 0, "which SRC?", list_path);
	free(l->level);
	free(l->path);
	free(l);
	return status;
}

static const struct opt opts[] = {
	{"long", NULL, "mode, size and time (UTC) before each name", set_long,
	 'l'},
	{"recursive", NULL, "all there is below, as paths relative to SRC",
	 set_recursive, 'R'},
	SOURCE_OPTS,
	{NULL, NULL, NULL, NULL, 0},
};

const struct cmd cmd_ls = {
	"ls", "SRC [PATH]...", "List what a mount of SRC would show.", opts,
	run,  EXIT_USAGE,
};
