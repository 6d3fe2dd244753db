/* SPDX-License-Identifier: MIT */

/*
 * Problems are kept as lines. Whether one was told before is asked of a small
 * open-addressed table of their hashes: two different lines with one 64-bit
 * hash would lose the second, which is not worth a comparison.
 */

#include <config.h>

#include "util/problem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/hash.h"
#include "util/log.h"

#define SEEN_SLOTS (4 * PROBLEMS_MAX)
#define TEXT_MAX 2048

struct problems {
	pthread_mutex_t lock;
	/* protected by lock */
	size_t n, more;
	char *line[PROBLEMS_MAX];
	uint64_t seen[SEEN_SLOTS]; /* 0: free */
	size_t nseen;
};

struct problems *problems_new(void)
{
	struct problems *p = calloc(1, sizeof(*p));

	if (p)
		pthread_mutex_init(&p->lock, NULL);
	return p;
}

void problems_free(struct problems *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		free(p->line[i]);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* Control characters made visible, so that a line stays a line. */
static void clean(const char *in, char *out, size_t room)
{
	size_t n = 0;

	for (; *in && n + 5 < room; in++) {
		unsigned char c = (unsigned char)*in;

		if (c == '\n')
			n += (size_t)snprintf(out + n, room - n, "\\n");
		else if (c < 0x20 || c == 0x7f)
			n += (size_t)snprintf(out + n, room - n, "\\x%02x", c);
		else
			out[n++] = (char)c;
	}
	out[n] = '\0';
}

/* True if the line is new. Full table: every line counts as new, unkept. */
static bool remember(struct problems *p, const char *line)
{
	uint64_t h = hash_bytes(line, strlen(line));
	size_t at;

	h += !h;
	LOCK_SCOPE(&p->lock);
	for (at = h % SEEN_SLOTS; p->seen[at]; at = (at + 1) % SEEN_SLOTS) {
		if (p->seen[at] == h)
			return false;
	}
	if (p->nseen + 1 < SEEN_SLOTS) {
		p->seen[at] = h;
		p->nseen++;
	}
	char *copy = p->n < PROBLEMS_MAX ? strdup(line) : NULL;

	if (copy)
		p->line[p->n++] = copy;
	else
		p->more++;
	/* A flood is not passed on to the log: its first lines are there. */
	return copy != NULL;
}

static void tell_v(struct problems *p, enum log_level level, const char *fmt,
		   va_list ap) __attribute__((format(printf, 3, 0)));

static void tell_v(struct problems *p, enum log_level level, const char *fmt,
		   va_list ap)
{
	char raw[TEXT_MAX], line[TEXT_MAX];
	int saved = errno;

	vsnprintf(raw, sizeof(raw), fmt, ap);
	clean(raw, line, sizeof(line));
	if (remember(p, line))
		log_line(level, "%s", line);
	errno = saved;
}

int problem_tell(struct problems *p, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell_v(p, LOG_LEVEL_ERROR, fmt, ap);
	va_end(ap);
	return err;
}

void problem_note(struct problems *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell_v(p, LOG_LEVEL_WARN, fmt, ap);
	va_end(ap);
}

void problems_write(struct problems *p, FILE *f)
{
	size_t n, more;

	{
		LOCK_SCOPE(&p->lock);
		n = p->n;
		more = p->more;
	}
	/* Lines only ever join those that are there. */
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s\n", p->line[i]);
	if (more)
		fprintf(f, "and %zu more\n", more);
}

size_t problems_count(struct problems *p)
{
	LOCK_SCOPE(&p->lock);
	return p->n + p->more;
}
