/* SPDX-License-Identifier: MIT */

/*
 * Says what the pure parts of the program answer, for comparison with NumPy:
 *
 *   answers draws     lines "SEED DRAW SHAPE SIZE"; each is printed with its
 *                     corner. SHAPE 7x9x11, SIZE 4x5 or allx5.
 *   answers foreground
 *                     lines "SEED DRAW FRACTION WEIGHTS BORDER SIZE", draws
 *                     from the label that foreground.py describes; each with
 *                     class, centre and start.
 *   answers headers   lines "KIND SIZE [DIM...]"; the header of each .npy file
 *                     in hexadecimal, and the size of the file.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "sample/foreground.h"
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

static const uint64_t label_dim[3] = {12, 16, 20};

static int64_t label_at(const uint64_t at[3])
{
	const uint64_t h = (7 * at[0] + 5 * at[1] + 3 * at[2]) % 23;

	return h < 9 ? 1 : h < 12 ? 2 : h == 12 ? 3 : 0;
}

static bool next_voxel(uint64_t at[3])
{
	for (unsigned a = 3; a--; at[a] = 0)
		if (++at[a] < label_dim[a])
			return true;
	return false;
}

/*
 * How many voxels of that class lie in [lo, hi); of number k the place. As
 * naive as can be: the index that does this fast is tested elsewhere.
 */
static uint64_t voxels(int64_t id, const uint64_t lo[3], const uint64_t hi[3],
		       uint64_t k, uint64_t place[3])
{
	uint64_t at[3] = {0}, n = 0;

	do {
		bool in = label_at(at) == id;

		for (unsigned a = 0; a < 3; a++)
			in = in && at[a] >= lo[a] && at[a] < hi[a];
		if (in && n++ == k)
			memcpy(place, at, sizeof(at));
	} while (next_voxel(at));
	return n;
}

/* "inverse", or "1@0.5,3@2". How many classes. */
static size_t classes(char *text, enum class_weights *weights,
		      struct draw_class c[3])
{
	const char *const names[] = {"uniform", "frequency", "inverse"};
	size_t n = 0;

	*weights = WEIGHTS_GIVEN;
	for (unsigned i = 0; i < 3; i++)
		if (!strcmp(text, names[i]))
			*weights = (enum class_weights)i;
	if (*weights != WEIGHTS_GIVEN) {
		for (int64_t id = 1; id <= 3; id++)
			c[n++] = (struct draw_class){.id = id};
		return n;
	}
	for (char *p = strtok(text, ","); p && n < 3; p = strtok(NULL, ","))
		n += sscanf(p, "%" SCNd64 "@%lf", &c[n].id, &c[n].weight) == 2;
	return n;
}

static void place(const char *before, const int64_t v[3], const char *after)
{
	printf("%s(%" PRId64 ",%" PRId64 ",%" PRId64 ")%s", before, v[0], v[1],
	       v[2], after);
}

static int foreground(const char *line)
{
	const char *const borders[] = {"clamp", "inside", "pad"};
	struct sampling s = {.kind = SAMPLE_UNIFORM, .ndim = 3};
	struct draw_class c[3] = {{.id = 0}};
	enum draw_border border = DRAW_CLAMP;
	enum class_weights weights;
	uint64_t draw, size[NDIM_MAX], lo[3], hi[3], at[3];
	int64_t centre[3], start[NDIM_MAX];
	char text[3][128];
	double fraction;
	unsigned kept;
	size_t n, i;

	if (sscanf(line, "%" SCNu64 " %" SCNu64 " %lf %127s %127s %127s",
		   &s.seed, &draw, &fraction, text[0], text[1], text[2]) != 6)
		return bad(line);
	for (unsigned b = 0; b < 3; b++)
		if (!strcmp(text[1], borders[b]))
			border = (enum draw_border)b;
	kept = parts(text[2], size);
	if (!kept || kept > 3)
		return bad(line);
	for (unsigned a = 0; a < 3; a++) {
		struct sample_axis *x = &s.axis[a];

		x->length = hi[a] = label_dim[a];
		x->keep = a >= 3 - kept;
		x->extent = x->keep ? size[a - (3 - kept)] : 1;
		lo[a] = 0;
		if (border == DRAW_INSIDE)
			draw_inside(x->length, x->extent, &lo[a], &hi[a]);
	}
	n = classes(text[0], &weights, c);
	for (i = 0; i < n; i++)
		c[i].count = voxels(c[i].id, lo, hi, UINT64_MAX, at);
	printf("%s ", line);
	if (draw_is_foreground(s.seed, draw, fraction) &&
	    draw_class(s.seed, draw, weights, c, n, &i) == 0) {
		voxels(c[i].id, lo, hi, draw_voxel(s.seed, draw, c[i].count),
		       at);
		printf("%" PRId64, c[i].id);
		for (unsigned a = 0; a < 3; a++) {
			centre[a] = (int64_t)at[a];
			start[a] = draw_window(border, label_dim[a],
					       s.axis[a].extent, at[a]);
		}
	} else {
		printf("-");
		sample_start(&s, draw, start);
		for (unsigned a = 0; a < 3; a++)
			centre[a] = start[a] + (int64_t)s.axis[a].extent / 2;
	}
	place(" ", centre, " ");
	place("", start, "\n");
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
		else if (!strcmp(what, "foreground"))
			r = foreground(line);
		else
			r = header(line);
	}
	return r;
}
