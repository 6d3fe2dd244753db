/* SPDX-License-Identifier: MIT */

/* Types, shapes, times and paths as people read them. */

#include <config.h>

#include "tree/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/shape.h"

const char *dtype_text(char kind, unsigned item_size, char buf[DTYPE_MAX])
{
	snprintf(buf, DTYPE_MAX, "%c%c%u", item_size == 1 ? '|' : '<', kind,
		 item_size);
	return buf;
}

const char *shape_text(unsigned rank, const uint64_t *dim,
		       char buf[SHAPE_TEXT_MAX])
{
	size_t n = 0;

	strcpy(buf, "scalar");
	for (unsigned k = 0; k < rank; k++) {
		if (k == NDIM_MAX) {
			strcpy(buf + n, "x...");
			break;
		}
		n += (size_t)sprintf(buf + n, "%s%" PRIu64, k ? "x" : "",
				     dim[k]);
	}
	return buf;
}

const char *layout_text(enum cat_layout l)
{
	switch (l) {
	case CAT_CONTIGUOUS:
		return "contiguous";
	case CAT_COMPACT:
		return "compact";
	case CAT_CHUNKED:
		return "chunked";
	case CAT_VIRTUAL:
		return "virtual";
	case CAT_EXTERNAL:
		return "external";
	case CAT_NO_STORAGE:
		return "unallocated";
	case CAT_DERIVED:
		return "derived";
	}
	return "unknown";
}

void text_doubled(const char *s, FILE *f)
{
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}
}

const char *time_text(const struct timespec *ts, char buf[40])
{
	struct tm tm;
	size_t n;

	if (!gmtime_r(&ts->tv_sec, &tm))
		memset(&tm, 0, sizeof(tm));
	n = strftime(buf, 24, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + n, 40 - n, ".%09ldZ", ts->tv_nsec);
	return buf;
}

const char *object_path(const struct catalog *k, uint32_t object,
			enum name_place root, char **buf, size_t *room)
{
	struct path_step few[32], *step = few;
	CLEANUP(cleanup_freep) struct path_step *many = NULL;
	unsigned depth = catalog_path(k, object, few, 32);
	size_t n = 0;

	if (depth > 32) {
		many = malloc(depth * sizeof(*many));
		if (!many)
			return NULL;
		step = many;
		catalog_path(k, object, many, depth);
	}
	for (unsigned i = 0; i <= depth; i++) {
		struct member m;

		if (n + NAME_BYTES_MAX + 2 > *room) {
			size_t more = 2 * *room + NAME_BYTES_MAX + 2;
			char *p = realloc(*buf, more);

			if (!p)
				return NULL;
			*buf = p;
			*room = more;
		}
		if (i == depth)
			break;
		if (i)
			(*buf)[n++] = '/';
		catalog_member(k, step[i].group, step[i].member, &m);
		if (name_encode(m.name, i ? NAME_INSIDE : root, *buf + n) < 0)
			return NULL;
		n += strlen(*buf + n);
	}
	(*buf)[n] = '\0';
	return *buf;
}
