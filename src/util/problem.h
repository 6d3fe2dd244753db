/* SPDX-License-Identifier: MIT */

/*
 * What is wrong with the data, each said once: a line in the log and a line
 * of .patchfs/problems. Bounded: past PROBLEMS_MAX lines only a count is kept,
 * and nothing is logged any more.
 * Threads: new and free from one; the rest from any.
 */

#ifndef UTIL_PROBLEM_H
#define UTIL_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PROBLEMS_MAX 4096

struct problems;

struct problems *problems_new(void); /* NULL: out of memory */
void problems_free(struct problems *p);

/*
 * Returns err. The line is made of the arguments, newlines and control
 * characters in it shown as \n, \xNN. If the same line was told before nothing
 * else happens; otherwise it is logged (error level) and kept.
 */
int problem_tell(struct problems *p, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* As problem_tell, but a warning in the log, and nothing to return. */
void problem_note(struct problems *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Every line kept, then, if there were more, one that says how many. */
void problems_write(struct problems *p, FILE *f);
size_t problems_count(struct problems *p);

#endif
