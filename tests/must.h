/* SPDX-License-Identifier: MIT */

/* For test programs that are no unit tests: what must hold, or the end. */

#ifndef TESTS_MUST_H
#define TESTS_MUST_H

#include <stdio.h>
#include <stdlib.h>

#define MUST(x)                                                          \
	do {                                                             \
		if (!(x)) {                                              \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, \
				__LINE__, #x);                           \
			abort();                                         \
		}                                                        \
	} while (0)

#endif
