/* SPDX-License-Identifier: MIT */

/*
 * A decorator for tests: delays, errors, short reads, flipped bits, reads that
 * hang. What happens stands in the file named by PATCHFS_FAULT, which is
 * looked at before each read and may appear, change and vanish in mid-test:
 *
 *   PATTERN ACTION [ARG] [RATE]
 *
 * PATTERN is an fnmatch(3) over the path of the source. Actions: delay MS,
 * error NAME, short, flip, block (until the line is gone). RATE: 0 to 1.
 * Every line that matches is obeyed, in order; the first that fails ends it.
 * One lock, over the table of lines; never held while a read is made to wait.
 */

#include <config.h>

#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/store_impl.h"
#include "util/cleanup.h"
#include "util/hash.h"
#include "util/log.h"

#define RULES_MAX 64

enum action {
	ACTION_DELAY,
	ACTION_ERROR,
	ACTION_SHORT,
	ACTION_FLIP,
	ACTION_BLOCK
};

static const char *const action_name[] = {
	[ACTION_DELAY] = "delay", [ACTION_ERROR] = "error",
	[ACTION_SHORT] = "short", [ACTION_FLIP] = "flip",
	[ACTION_BLOCK] = "block",
};

struct rule {
	char pattern[256];
	enum action action;
	long arg; /* milliseconds, or an errno */
	double rate;
};

struct fault {
	struct store base;
	struct store *inner;
};

static struct {
	pthread_mutex_t lock;
	struct stat seen; /* all below: protected by lock */
	bool is_there;
	unsigned n;
	struct rule rule[RULES_MAX];
	uint64_t reads;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static long errno_by_name(const char *name)
{
	for (int i = 1; i < 134; i++) {
		const char *known = strerrorname_np(i);

		if (known && !strcmp(known, name))
			return i;
	}
	return -1;
}

/* 0, or -EINVAL. */
static int rule_parse(char *line, struct rule *r)
{
	char *save, *word = strtok_r(line, " \t\n", &save), *end;

	if (!word || strlen(word) >= sizeof(r->pattern))
		return -EINVAL;
	strcpy(r->pattern, word);
	word = strtok_r(NULL, " \t\n", &save);
	if (!word)
		return -EINVAL;
	for (r->action = ACTION_DELAY; strcmp(action_name[r->action], word);)
		if (++r->action > ACTION_BLOCK)
			return -EINVAL;
	if (r->action == ACTION_DELAY || r->action == ACTION_ERROR) {
		word = strtok_r(NULL, " \t\n", &save);
		if (!word)
			return -EINVAL;
		r->arg = r->action == ACTION_ERROR ? errno_by_name(word)
						   : strtol(word, NULL, 10);
		if (r->arg < 0)
			return -EINVAL;
	}
	word = strtok_r(NULL, " \t\n", &save);
	r->rate = word ? strtod(word, &end) : 1.0;
	return word && *end ? -EINVAL : 0;
}

static void rules_load(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[512];

	table.n = 0;
	if (!f)
		return;
	while (table.n < RULES_MAX && fgets(line, sizeof(line), f)) {
		if (line[strspn(line, " \t\n")] == '\0' || line[0] == '#')
			continue;
		if (!rule_parse(line, &table.rule[table.n]))
			table.n++;
		else
			log_warn("%s: line not understood", path);
	}
	fclose(f);
}

#define ANY_COUNT UINT64_MAX

/*
 * The next rule from *i on that is due for read number count (ANY_COUNT: that
 * may ever be due); false: no more.
 */
static bool rule_next(const char *source, uint64_t count, unsigned *i,
		      struct rule *out)
{
	const char *path = getenv("PATCHFS_FAULT");
	struct stat st = {0};
	bool is_there = path && stat(path, &st) == 0;

	LOCK_SCOPE(&table.lock);
	if (is_there != table.is_there || st.st_ino != table.seen.st_ino ||
	    st.st_size != table.seen.st_size ||
	    memcmp(&st.st_mtim, &table.seen.st_mtim, sizeof(st.st_mtim))) {
		table.is_there = is_there;
		table.seen = st;
		table.n = 0;
		if (is_there)
			rules_load(path);
	}
	for (; *i < table.n; ++*i) {
		const struct rule *r = &table.rule[*i];
		double draw = (double)(hash_mix(count, *i) >> 11) * 0x1p-53;

		if ((count == ANY_COUNT || draw < r->rate) &&
		    !fnmatch(r->pattern, source, 0)) {
			*out = *r;
			++*i;
			return true;
		}
	}
	return false;
}

static uint64_t count_read(void)
{
	LOCK_SCOPE(&table.lock);
	return table.reads++;
}

static void sleep_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

/* Until no line says block for this source. */
static void blocked(const char *source)
{
	bool is_held;

	do {
		struct rule r;
		unsigned i = 0;

		sleep_ms(5);
		is_held = false;
		while (rule_next(source, ANY_COUNT, &i, &r))
			is_held |= r.action == ACTION_BLOCK;
	} while (is_held);
}

static int fault_read(struct store *s, uint64_t off, size_t n, void *out)
{
	struct store *inner = ((struct fault *)s)->inner;
	uint64_t count = count_read();
	struct rule r;
	bool flip = false;
	unsigned i = 0;
	int err;

	while (rule_next(s->path, count, &i, &r)) {
		switch (r.action) {
		case ACTION_DELAY:
			sleep_ms(r.arg);
			break;
		case ACTION_ERROR:
			return (int)-r.arg;
		case ACTION_SHORT:
			return -EIO;
		case ACTION_FLIP:
			flip = true;
			break;
		case ACTION_BLOCK:
			blocked(s->path);
			break;
		}
	}
	err = inner->ops->read(inner, off, n, out);
	if (!err && flip && n) {
		uint64_t at = hash_mix(off, 1);

		((unsigned char *)out)[at / 8 % n] ^=
			(unsigned char)(1 << at % 8);
	}
	return err;
}

static void fault_close(struct store *s)
{
	struct fault *f = (struct fault *)s;

	f->inner->ops->close(f->inner);
	free(f);
}

static const struct store_ops store_fault = {
	.read = fault_read,
	.close = fault_close,
};

int store_fault_wrap(struct store *inner, struct store **out)
{
	struct fault *f;

	if (!getenv("PATCHFS_FAULT")) {
		*out = inner;
		return 0;
	}
	f = calloc(1, sizeof(*f));
	if (!f) {
		inner->ops->close(inner);
		return -ENOMEM;
	}
	f->base.ops = &store_fault;
	f->base.path = inner->path;
	f->base.fd = inner->fd;
	f->base.st = inner->st;
	f->inner = inner;
	*out = &f->base;
	return 0;
}
