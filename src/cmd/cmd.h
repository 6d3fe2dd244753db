/* SPDX-License-Identifier: MIT */

/* Commands and their options: one table is parser, --help, completion. */

#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdbool.h>
#include <stdio.h>

/* One row is the parser, the help line and what the manual test compares. */
struct opt {
	const char *name; /* "cache-size" */
	const char *arg;  /* "SIZE", or NULL for a flag */
	const char *help;
	/* value is NULL for a flag. 0, or -EINVAL: not a good value. */
	int (*set)(void *conf, const char *value);
	char letter; /* 'f' for -f, or 0 */
};

struct cmd {
	const char *name, *args, *help;
	const struct opt *opts;		   /* name == NULL at the end */
	int (*run)(int argc, char **argv); /* exit status */
};

/* In order of --help; NULL at the end. */
extern const struct cmd *const commands[];

void cmd_help(const struct cmd *c, FILE *f);

/*
 * Parse long options (--name=value, --name value), -X letters, and, where
 * dash_o, `-o a,b=c`; operands are moved to the front of argv, *operands of
 * them. 0; 1: --help was printed, exit 0; -EINVAL with a line on stderr.
 */
int cmd_parse(const struct cmd *c, int argc, char **argv, void *conf,
	      bool dash_o, int *operands);

#endif
