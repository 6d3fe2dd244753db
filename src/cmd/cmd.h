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
	/*
	 * value is NULL for a flag; it is argv's and stays. 0; -EINVAL: not a
	 * good value; -ENOMEM; -ECANCELED: it has told what is wrong.
	 */
	int (*set)(void *conf, const char *value);
	char letter; /* 'f' for -f, or 0 */
};

struct cmd {
	const char *name, *args, *help;
	const struct opt *opts;		   /* name == NULL at the end */
	int (*run)(int argc, char **argv); /* exit status */
	int usage;			   /* exit status of wrong options */
};

/* In order of --help; NULL at the end. */
extern const struct cmd *const commands[];

void cmd_help(const struct cmd *c, FILE *f);

/*
 * Parse long options (--name=value, --name value) and -X letters. argv[0] is
 * the command's name. Operands are moved to argv[1] and on, *operands of them.
 * 0; 1: --help was printed, exit 0; -EINVAL with a line on stderr.
 */
int cmd_parse(const struct cmd *c, int argc, char **argv, void *conf,
	      int *operands);

/*
 * Options as mount(8) and fstab have them, "a,b=c": underscores serve as
 * hyphens, what mount(8) itself understands is passed over. The list is cut
 * up in place, setters keep pointers into it. As cmd_parse.
 */
int cmd_options(const struct cmd *c, char *list, void *conf);

#endif
