/* SPDX-License-Identifier: MIT */

/* Words that somebody may have meant. Pure; any thread. */

#ifndef UTIL_NEAR_H
#define UTIL_NEAR_H

#include <limits.h>
#include <stddef.h>

#define NEAR_NOT UINT_MAX

/*
 * How many characters of the n at s have to be put in, taken out, replaced, or
 * exchanged with their neighbour to make word of them. NEAR_NOT: more than
 * slips of the hand, a third of the longer one.
 */
unsigned near_word(const char *s, size_t n, const char *word);

#endif
