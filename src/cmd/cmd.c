/* SPDX-License-Identifier: MIT */

/* The parser and the help text, both driven by the table of a command. */

#include <config.h>

#include "cmd/cmd.h"
#include "cmd/cmd_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/text.h"

#define HELP_COLUMN 26

static void help_line(FILE *f, char letter, const char *name, const char *arg,
		      const char *help)
{
	int n = fprintf(f, "  ");

	if (letter)
		n += fprintf(f, "-%c, ", letter);
	n += fprintf(f, "--%s%s%s", name, arg ? "=" : "", arg ? arg : "");
	if (n > HELP_COLUMN - 2) {
		fputc('\n', f);
		n = 0;
	}
	fprintf(f, "%*s%s\n", HELP_COLUMN - n, "", help);
}

void cmd_help(const struct cmd *c, FILE *f)
{
	fprintf(f, "Usage: patchfs %s [OPTION]... %s\n%s\n\n", c->name, c->args,
		c->help);
	for (const struct opt *o = c->opts; o->name; o++)
		help_line(f, o->letter, o->name, o->arg, o->help);
	help_line(f, 'h', "help", NULL, "show this text");
}

static const struct opt *by_name(const struct cmd *c, const char *name,
				 size_t n)
{
	for (const struct opt *o = c->opts; o->name; o++) {
		if (strlen(o->name) == n && strncmp(o->name, name, n) == 0)
			return o;
	}
	return NULL;
}

static const struct opt *by_letter(const struct cmd *c, char letter)
{
	for (const struct opt *o = c->opts; o->name; o++) {
		if (o->letter == letter)
			return o;
	}
	return NULL;
}

/* What a value has to be, in words. */
static const char *wanted(const struct opt *o)
{
	if (o->arg && strcmp(o->arg, "SIZE") == 0)
		return "bytes, or such as 512M or 2G; a cache has 64K at least";
	if (o->arg && strcmp(o->arg, "TIME") == 0)
		return "such as 30s or 5m";
	return o->help;
}

static int set(const struct cmd *c, const struct opt *o, const char *value,
	       void *conf)
{
	int r;

	if (!o->arg && value) {
		fprintf(stderr, "patchfs %s: --%s takes no value\n", c->name,
			o->name);
		return -EINVAL;
	}
	r = o->set(conf, value);
	if (r == -ECANCELED)
		return -EINVAL; /* it has said why */
	if (r == -ENOMEM) {
		fprintf(stderr, "patchfs %s: out of memory\n", c->name);
		return -EINVAL;
	}
	if (r)
		fprintf(stderr, "patchfs %s: --%s: not a good value: %s (%s)\n",
			c->name, o->name, value ? value : "", wanted(o));
	return r ? -EINVAL : 0;
}

/* The value of an option that wants one: what follows, or the next word. */
static int set_next(const struct cmd *c, const struct opt *o, const char *value,
		    char **argv, int argc, int *i, void *conf)
{
	if (o->arg && !value) {
		if (*i + 1 >= argc) {
			fprintf(stderr, "patchfs %s: --%s needs %s\n", c->name,
				o->name, o->arg);
			return -EINVAL;
		}
		value = argv[++*i];
	}
	return set(c, o, value, conf);
}

static int parse_long(const struct cmd *c, char **argv, int argc, int *i,
		      void *conf)
{
	const char *word = argv[*i] + 2, *value = strchr(word, '=');
	size_t n = value ? (size_t)(value - word) : strlen(word);
	const struct opt *o = by_name(c, word, n);

	if (!o) {
		fprintf(stderr,
			"patchfs %s: unknown option --%.*s: see "
			"patchfs %s --help\n",
			c->name, (int)n, word, c->name);
		return -EINVAL;
	}
	return set_next(c, o, value ? value + 1 : NULL, argv, argc, i, conf);
}

static int parse_letters(const struct cmd *c, char **argv, int argc, int *i,
			 void *conf)
{
	for (const char *at = argv[*i] + 1; *at; at++) {
		const struct opt *o = by_letter(c, *at);
		int r;

		if (!o) {
			fprintf(stderr,
				"patchfs %s: unknown option -%c: see "
				"patchfs %s --help\n",
				c->name, *at, c->name);
			return -EINVAL;
		}
		if (o->arg)
			return set_next(c, o, at[1] ? at + 1 : NULL, argv, argc,
					i, conf);
		r = set(c, o, NULL, conf);
		if (r)
			return r;
	}
	return 0;
}

int cmd_parse(const struct cmd *c, int argc, char **argv, void *conf,
	      int *operands)
{
	bool only_operands = false;
	int n = 0;

	for (int i = 1; i < argc; i++) {
		char *word = argv[i];
		int r;

		if (only_operands || word[0] != '-' || !word[1]) {
			argv[++n] = word;
			continue;
		}
		if (strcmp(word, "--") == 0) {
			only_operands = true;
			continue;
		}
		if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
			cmd_help(c, stdout);
			return 1;
		}
		r = word[1] == '-' ? parse_long(c, argv, argc, &i, conf)
				   : parse_letters(c, argv, argc, &i, conf);
		if (r)
			return r;
	}
	*operands = n;
	return 0;
}

/* Words of fstab that are for mount(8), or say what is so anyway. */
static bool is_for_mount(const char *word)
{
	static const char *const words[] = {"rw",
					    "ro",
					    "defaults",
					    "auto",
					    "noauto",
					    "nofail",
					    "_netdev",
					    "user",
					    "users",
					    "nouser",
					    "owner",
					    "group",
					    "dev",
					    "nodev",
					    "suid",
					    "nosuid",
					    "exec",
					    "noexec",
					    "async",
					    "sync",
					    "dirsync",
					    "atime",
					    "noatime",
					    "diratime",
					    "relatime",
					    "nodiratime",
					    "norelatime",
					    "strictatime",
					    "nostrictatime",
					    "lazytime",
					    "nolazytime",
					    "iversion",
					    "noiversion",
					    "mand",
					    "nomand",
					    "silent",
					    "loud",
					    NULL};

	if (strncmp(word, "x-", 2) == 0 || strncmp(word, "X-", 2) == 0 ||
	    strncmp(word, "user=", 5) == 0 || strncmp(word, "comment=", 8) == 0)
		return true;
	for (const char *const *w = words; *w; w++) {
		if (strcmp(*w, word) == 0)
			return true;
	}
	return false;
}

static int set_word(const struct cmd *c, char *word, void *conf)
{
	char *value = strchr(word, '=');
	const struct opt *o;

	if (!*word || is_for_mount(word))
		return 0;
	if (value)
		*value++ = '\0';
	for (char *at = word; *at; at++) {
		if (*at == '_')
			*at = '-';
	}
	o = by_name(c, word, strlen(word));
	if (!o) {
		fprintf(stderr,
			"patchfs %s: unknown option -o %s: see "
			"patchfs %s --help\n",
			c->name, word, c->name);
		return -EINVAL;
	}
	if (o->arg && !value) {
		fprintf(stderr, "patchfs %s: -o %s needs =%s\n", c->name, word,
			o->arg);
		return -EINVAL;
	}
	return set(c, o, value, conf);
}

int cmd_options(const struct cmd *c, char *list, void *conf)
{
	char *in = list, *out = list, *word = list;
	int r = 0;

	while (r == 0 && *in) {
		if (in[0] == '\\' && in[1]) {
			*out++ = in[1];
			in += 2;
		} else if (*in == ',') {
			in++;
			*out++ = '\0';
			r = set_word(c, word, conf);
			word = out;
		} else {
			*out++ = *in++;
		}
	}
	*out = '\0';
	return r ? r : set_word(c, word, conf);
}

int cmd_write_all(int fd, const void *data, size_t n)
{
	const char *at = data;

	while (n > 0) {
		ssize_t done = write(fd, at, n);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			at += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

/* Paths made absolute: for good, and within reach of a leak checker. */
static struct kept {
	struct kept *next;
	char *path;
} * kept;

int cmd_absolute(const char *path, const char **out)
{
	struct kept *k;
	char *cwd;

	if (*path == '/') {
		*out = path;
		return 0;
	}
	cwd = getcwd(NULL, 0);
	if (!cwd)
		return -errno;
	k = calloc(1, sizeof(*k));
	if (k)
		k->path = text_new("%s/%s", cwd, path);
	free(cwd);
	if (!k || !k->path) {
		free(k);
		return -ENOMEM;
	}
	k->next = kept;
	kept = k;
	*out = k->path;
	return 0;
}
