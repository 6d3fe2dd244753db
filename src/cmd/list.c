/* SPDX-License-Identifier: MIT */

/*
 * patchfs list: which items to read in an epoch, for a sampler over cases in
 * any language: cases shuffled, the items of each together, and every shard
 * its share. What is printed follows from the arguments and the names and
 * shapes of the arrays alone; the rule is in the manual and may never change.
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd_impl.h"
#include "sample/order.h"
#include "util/checked.h"
#include "util/cleanup.h"
#include "util/parse.h"

/* Items of a grid that is shuffled; each takes 8 bytes meanwhile. */
#define GRID_MAX (UINT64_C(1) << 26)
#define WHY_MAX 400

struct list_case {
	char *array; /* path */
	char view[NAME_MAX + 1];
	uint64_t ino; /* of the view */
	struct tree_items items;
};

struct list {
	struct source_conf source; /* first */
	const char *view;
	struct strings patterns;
	uint64_t per_case, epoch, seed;
	uint64_t shard, shards;
	enum order_rest rest;
	/* What was found, by path. */
	struct list_case *found;
	size_t n, room;
	uint64_t *order; /* of the cases */
	/* The items of one grid, shuffled. */
	uint64_t *grid;
	uint64_t grid_of; /* case, or UINT64_MAX */
};

/* -------------------------------------------------------------- options */

static int set_view(void *conf, const char *value)
{
	struct list *c = conf;

	c->view = value;
	return 0;
}

static int set_array(void *conf, const char *value)
{
	struct list *c = conf;

	return arrays_add_pattern(&c->patterns, value);
}

static int set_number(const char *value, uint64_t *out)
{
	return parse_decimal(value, strlen(value), out);
}

static int set_per_case(void *conf, const char *value)
{
	struct list *c = conf;

	return set_number(value, &c->per_case) || !c->per_case ? -EINVAL : 0;
}

static int set_epoch(void *conf, const char *value)
{
	struct list *c = conf;

	return set_number(value, &c->epoch) ? -EINVAL : 0;
}

static int set_seed(void *conf, const char *value)
{
	struct list *c = conf;

	return set_number(value, &c->seed) ? -EINVAL : 0;
}

static int set_slurm(struct list *c)
{
	const char *i = getenv("SLURM_PROCID"), *n = getenv("SLURM_NTASKS");

	if (i && n && set_number(i, &c->shard) == 0 &&
	    set_number(n, &c->shards) == 0 && c->shard < c->shards)
		return 0;
	fprintf(stderr,
		"patchfs list: --shard=slurm: SLURM_PROCID is %s and "
		"SLURM_NTASKS %s: is this inside srun?\n",
		i ? i : "not set", n ? n : "not set");
	return -ECANCELED;
}

static int set_shard(void *conf, const char *value)
{
	struct list *c = conf;
	const char *slash = strchr(value, '/');

	if (strcmp(value, "slurm") == 0)
		return set_slurm(c);
	if (!slash ||
	    parse_decimal(value, (uint64_t)(slash - value), &c->shard) ||
	    set_number(slash + 1, &c->shards) || c->shard >= c->shards)
		return -EINVAL;
	return 0;
}

static int set_rest(void *conf, const char *value)
{
	struct list *c = conf;

	if (strcmp(value, "repeat") == 0)
		c->rest = ORDER_REPEAT;
	else if (strcmp(value, "drop") == 0)
		c->rest = ORDER_DROP;
	else if (strcmp(value, "keep") == 0)
		c->rest = ORDER_KEEP;
	else
		return -EINVAL;
	return 0;
}

/* --------------------------------------------------------------- finding */

/* 0; -ENOENT: the array has no such view, and why. */
static int find_view(struct tree *t, uint64_t array, const char *name,
		     struct list_case *c, char why[WHY_MAX])
{
	int err = tree_view(t, array, name, &c->ino, why, WHY_MAX);

	if (err == 0)
		err = tree_view_name(t, c->ino, c->view, sizeof(c->view));
	return err < 0 ? err : tree_items(t, c->ino, &c->items);
}

static int keep(struct list *l, struct list_case *c, const char *path)
{
	if (l->n == l->room) {
		size_t room = 2 * l->room + 64;
		struct list_case *v = realloc(l->found, room * sizeof(*v));

		if (!v)
			return -ENOMEM;
		l->found = v;
		l->room = room;
	}
	c->array = strdup(path);
	if (!c->array)
		return -ENOMEM;
	l->found[l->n++] = *c;
	return 0;
}

static int take_array(void *arg, struct tree *t, const char *path, uint64_t ino,
		      bool is_failed)
{
	struct list *l = arg;
	struct list_case c = {.ino = 0};
	char why[WHY_MAX];
	int err = is_failed && l->patterns.n
			  ? 0
			  : find_view(t, ino, l->view, &c, why);

	/* Others do not have the view; it matters if they were asked for. */
	if (err == -ENOENT && !l->patterns.n)
		return 0;
	if (err < 0 && err != -ENOENT)
		return err;
	if (err < 0)
		fprintf(stderr, "patchfs list: %s: no view %s: %s\n", path,
			l->view, why);
	else if (is_failed)
		fprintf(stderr,
			"patchfs list: %s: skipped: it is not served, see its "
			"info.json\n",
			path);
	else if (c.items.count == 0)
		fprintf(stderr, "patchfs list: %s: skipped: it is empty\n",
			path);
	else
		return keep(l, &c, path);
	return -EBADMSG;
}

static int by_path(const void *a, const void *b)
{
	const struct list_case *x = a, *y = b;

	return strcmp(x->array, y->array);
}

/* -------------------------------------------------------------- printing */

/* Number of item j of a case in this epoch. 0 or -ENOMEM. */
static int item_of(struct list *l, uint64_t number, uint64_t j, uint64_t *item)
{
	const struct tree_items *items = &l->found[number].items;
	uint64_t rounds, first;

	if (!items->is_grid) {
		*item = l->epoch * l->per_case + j;
		return 0;
	}
	rounds = items->count / l->per_case;
	rounds = rounds ? rounds : 1;
	/* Below count, or all of them. */
	first = l->epoch % rounds * l->per_case;
	if (l->grid_of != number) {
		uint64_t *v = realloc(l->grid, items->count * sizeof(*v));

		if (!v)
			return -ENOMEM;
		l->grid = v;
		l->grid_of = number;
		order_shuffle(v, items->count,
			      rounds > 1 ? first + l->per_case : items->count,
			      l->seed, l->epoch / rounds, ORDER_ITEMS, number);
	}
	*item = l->grid[(first + j) % items->count];
	return 0;
}

static int print(struct list *l, struct tree *t, uint64_t total)
{
	char name[NAME_MAX + 1];
	uint64_t first, stop;
	int err =
		order_shard(total, l->shard, l->shards, l->rest, &first, &stop);

	for (uint64_t i = first; err == 0 && i < stop && !ferror(stdout); i++) {
		uint64_t at = i % total, item, number;
		const struct list_case *c;

		number = l->order[at / l->per_case];
		c = &l->found[number];
		err = item_of(l, number, at % l->per_case, &item);
		if (err == 0)
			err = tree_item_name(t, c->ino, item, name,
					     sizeof(name));
		if (err == 0)
			printf("%s/%s/%s\n", c->array, c->view, name);
	}
	return err;
}

/* What cannot be counted, said before anything is printed. 0 or -ECANCELED. */
static int check(const struct list *l, uint64_t *total)
{
	uint64_t last;

	if (!checked_mul(l->n, l->per_case, total) ||
	    !checked_mul(l->epoch, l->per_case, &last) ||
	    !checked_add(last, l->per_case - 1, &last)) {
		fprintf(stderr, "patchfs list: --epoch and --per-case are too "
				"large\n");
		return -ECANCELED;
	}
	for (size_t i = 0; i < l->n; i++) {
		const struct list_case *c = &l->found[i];

		if (!c->items.is_grid && last >= c->items.count) {
			fprintf(stderr,
				"patchfs list: epoch %" PRIu64 " of %" PRIu64
				" items a case needs draw %" PRIu64
				", and draws are below %" PRIu64 "\n",
				l->epoch, l->per_case, last, c->items.count);
			return -ECANCELED;
		}
		if (c->items.is_grid && c->items.count > GRID_MAX) {
			fprintf(stderr,
				"patchfs list: %s: a grid of %" PRIu64
				" items is too large to shuffle: use a random "
				"view\n",
				c->array, c->items.count);
			return -ECANCELED;
		}
	}
	return 0;
}

static int list_all(void *conf, struct tree *t, const char *path)
{
	struct list *l = conf;
	const struct arrays_conf arrays = {
		.cmd = "list",
		.patterns = &l->patterns,
		.each = take_array,
		.arg = l,
	};
	uint64_t total;
	int status = 0, err;

	(void)path;
	err = arrays_each(t, &arrays, &status);
	if (err == 0 && l->n == 0) {
		fputs("patchfs list: no array", stderr);
		arrays_print_patterns(&l->patterns, stderr);
		fprintf(stderr, " of SRC has items of %s\n", l->view);
		return status ? status : EXIT_NO_ITEM;
	}
	if (err == 0) {
		qsort(l->found, l->n, sizeof(*l->found), by_path);
		err = check(l, &total);
	}
	if (err == 0) {
		l->order = malloc(l->n * sizeof(*l->order));
		err = l->order ? 0 : -ENOMEM;
	}
	if (err == 0) {
		order_shuffle(l->order, l->n, l->n, l->seed, l->epoch,
			      ORDER_CASES, 0);
		err = print(l, t, total);
	}
	if (err == -ECANCELED)
		return EXIT_USAGE;
	if (err < 0)
		source_complain("list", t, "", err);
	return err < 0 ? source_status(err) : status;
}

/* --------------------------------------------------------------- command */

static bool is_crops(const char *view)
{
	return strncmp(view, "crops", 5) == 0 && strchr("+", view[5]);
}

/* The view, before SRC is looked into. Exit status. */
static int begin(struct list *l, int *argc, char **argv)
{
	int n, r = cmd_parse(&cmd_list, *argc, argv, l, &n);

	if (r > 0)
		return -1;
	if (r < 0)
		return EXIT_USAGE;
	if (n != 1 || !l->view) {
		fprintf(stderr, "patchfs list: %s\n",
			n > 1	? "one SRC, please"
			: n < 1 ? "which SRC?"
				: "which --view?");
		return EXIT_USAGE;
	}
	if (is_crops(l->view)) {
		fprintf(stderr,
			"patchfs list: %s: crops are named by their corner, "
			"there are no numbers to choose from: use random\n",
			l->view);
		return EXIT_USAGE;
	}
	*argc = n + 1;
	return strings_add(&l->source.views, l->view) ? EXIT_USAGE : 0;
}

static int run(int argc, char **argv)
{
	struct list l = {.per_case = 1, .shards = 1, .grid_of = UINT64_MAX};
	int status = begin(&l, &argc, argv);

	if (status == 0)
		status = source_each(&cmd_list, argc - 1, argv + 1, &l,
				     list_all);
	source_conf_fini(&l.source);
	for (size_t i = 0; i < l.n; i++)
		free(l.found[i].array);
	free(l.found);
	free(l.order);
	free(l.grid);
	free(l.patterns.v);
	return status < 0 ? 0 : status;
}

static const struct opt opts[] = {
	{"view", "NAME", "the items are of this view", set_view, 0},
	{"array", "PATTERN", "of arrays with such a path in a case; repeatable",
	 set_array, 0},
	{"per-case", "K", "items of each case in an epoch (default 1)",
	 set_per_case, 0},
	{"epoch", "E", "which epoch (default 0)", set_epoch, 0},
	{"seed", "S", "of the shuffles (default 0)", set_seed, 0},
	{"shard", "I/N", "share I of N (from 0), or slurm: this task's",
	 set_shard, 0},
	{"rest", "HOW", "what does not divide by N: repeat, drop or keep",
	 set_rest, 0},
	READ_OPTS,
	{NULL, NULL, NULL, NULL, 0},
};

const struct cmd cmd_list = {
	"list",
	"--view=NAME SRC",
	"Say which items of which cases to read in an epoch.",
	opts,
	run,
	EXIT_USAGE,
};
