/* SPDX-License-Identifier: MIT */

/*
 * The distance of Damerau and Levenshtein, where what was exchanged is not
 * changed again: three rows of the table are enough.
 */

#include <config.h>

#include "util/near.h"

#include <string.h>

#define WORD_MAX 64 /* longer ones are near to nothing */

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned near_word(const char *s, size_t n, const char *word)
{
	unsigned row[3][WORD_MAX + 1];
	unsigned *before = row[0], *last = row[1], *now = row[2];
	const size_t m = strlen(word);
	const unsigned most = (unsigned)((n > m ? n : m) / 3);

	if (n > WORD_MAX || m > WORD_MAX)
		return NEAR_NOT;
	for (unsigned k = 0; k <= m; k++)
		last[k] = k;
	for (unsigned i = 1; i <= n; i++) {
		unsigned *free_row = before;

		now[0] = i;
		for (unsigned k = 1; k <= m; k++) {
			const unsigned is_other = s[i - 1] != word[k - 1];

			now[k] = least(last[k - 1] + is_other,
				       least(last[k], now[k - 1]) + 1);
			if (i > 1 && k > 1 && s[i - 1] == word[k - 2] &&
			    s[i - 2] == word[k - 1])
				now[k] = least(now[k], before[k - 2] + 1);
		}
		before = last;
		last = now;
		now = free_row;
	}
	return last[m] > most ? NEAR_NOT : last[m];
}
