/* SPDX-License-Identifier: MIT */

/*
 * Says what the pure parts of the program answer, for comparison with NumPy:
 *
 *   answers draws     lines "SEED DRAW SHAPE SIZE"; each is printed with its
 *                     corner. SHAPE 7x9x11, SIZE 4x5 or allx5.
 *   answers headers   lines "KIND SIZE [DIM...]"; the header of each .npy file
 *                     in hexadecimal, and the size of the file.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "sample/sample.h"

static int bad(const char *line)
{
	fprintf(stderr, "answers: cannot read: %s\n", line);
	return 1;
}

/* Numbers with an x between them; "all" is 0. How many, 0 if too many. */
static unsigned parts(char *text, uint64_t out[NDIM_MAX])
{
	unsigned n = 0;

	for (char *p = strtok(text, "x"); p; p = strtok(NULL, "x")) {
		if (n == NDIM_MAX)
			return 0;
		out[n++] = strcmp(p, "all") ? strtoull(p, NULL, 10) : 0;
	}
	return n;
}

static int draw(const char *line)
{
	struct sampling s = {.kind = SAMPLE_UNIFORM};
	uint64_t number, dim[NDIM_MAX], size[NDIM_MAX];
	int64_t start[NDIM_MAX];
	char text[2][256];
	unsigned kept;

	if (sscanf(line, "%" SCNu64 " %" SCNu64 " %255s %255s", &s.seed,
		   &number, text[0], text[1]) != 4)
		return bad(line);
	s.ndim = parts(text[0], dim);
	kept = parts(text[1], size);
	if (!s.ndim || !kept || kept > s.ndim)
		return bad(line);
	for (unsigned a = 0; a < s.ndim; a++) {
		struct sample_axis *x = &s.axis[a];

		x->length = dim[a];
		x->step = 1;
		x->keep = a >= s.ndim - kept;
		x->extent = x->keep ? size[a - (s.ndim - kept)] : 1;
		x->all = !x->extent;
		if (x->all)
			x->extent = x->length;
	}
	if (!sample_fits(&s) || number >= sample_count(&s))
		return bad(line);
	sample_start(&s, number, start);
	printf("%s ", line);
	for (unsigned a = 0; a < s.ndim; a++)
		printf("%c%" PRId64, a ? ',' : '(', start[a]);
	puts(")");
	return 0;
}

static int header(const char *line)
{
	const struct format_ops *npy = format_at(FORMAT_NPY);
	struct item_type t = {0};
	struct layout l;
	int n, at;

	if (sscanf(line, "%c %u%n", &t.kind, &t.item_size, &at) != 2)
		return bad(line);
	while (t.shape.ndim < NDIM_MAX &&
	       sscanf(line + at, "%" SCNu64 "%n", &t.shape.dim[t.shape.ndim],
		      &n) == 1) {
		t.shape.ndim++;
		at += n;
	}
	if (!npy->accepts(&t) || npy->layout(&t, &l) < 0)
		return bad(line);
	for (uint64_t i = 0; i < l.seg[0].len; i++)
		printf("%02x", (unsigned char)l.header[i]);
	printf(" %" PRIu64 "\n", l.size);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	char line[1024];
	int r = 0;

	while (!r && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(what, "draws"))
			r = draw(line);
		else
			r = header(line);
	}
	return r;
}
