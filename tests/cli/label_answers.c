/* SPDX-License-Identifier: MIT */

/*
 * What the indices of labels of a file say, for label.py, which asks NumPy.
 *
 *     label_answers FILE THREADS <LINES
 *
 * A line is an index, its planes one after the other:
 *     {ARRAY values|bits|above LEAD|- THRESHOLD ID[,ID]...|-}... [>FROM:TO...]
 * For each a line "index", then a line of each class: id, count, runs, box, and
 * the sum of (k + 1) * (number of voxel k in C order) modulo 2^64.
 */

#include <config.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/array_file.h"
#include "index/index.h"

#define PLANES 8
#define IDS 64
#define PAIRS 16

static struct stored_array array[PLANES];
static struct label_plane plane[PLANES];
static int64_t id[PLANES][IDS], closure[PAIRS][2];

static bool parse_plane(unsigned i, char **save)
{
	struct label_plane *p = &plane[i];
	char *rule = strtok_r(NULL, " \n", save);
	char *lead = strtok_r(NULL, " \n", save);
	char *threshold = strtok_r(NULL, " \n", save);
	char *ids = strtok_r(NULL, " \n", save), *inner;

	if (!ids)
		return false;
	*p = (struct label_plane){.array = &array[i].base, .id = id[i]};
	p->rule = !strcmp(rule, "bits")	   ? LABEL_BITS
		  : !strcmp(rule, "above") ? LABEL_ABOVE
					   : LABEL_VALUES;
	p->has_lead = lead[0] != '-';
	p->lead = strtoull(lead, NULL, 10);
	p->threshold = strtod(threshold, NULL);
	if (ids[0] == '-' && ids[1] == '\0')
		return true;
	for (char *s = strtok_r(ids, ",", &inner); s && p->nid < IDS;
	     s = strtok_r(NULL, ",", &inner))
		id[i][p->nid++] = strtoll(s, NULL, 10);
	return true;
}

static bool parse(struct array_file *f, char *line, struct label_source *s)
{
	char *save, *word = strtok_r(line, " \n", &save);

	*s = (struct label_source){.plane = plane,
				   .closure = (const int64_t(*)[2])closure};
	for (; word; word = strtok_r(NULL, " \n", &save)) {
		if (word[0] == '>') {
			int64_t *pair = closure[s->nclosure++];

			if (sscanf(word, ">%" SCNd64 ":%" SCNd64, &pair[0],
				   &pair[1]) != 2)
				return false;
			continue;
		}
		if (s->nplane == PLANES ||
		    array_file_get(f, word, &array[s->nplane]) ||
		    !parse_plane(s->nplane, &save))
			return false;
		s->nplane++;
	}
	if (s->nplane == 0)
		return false;
	s->shape = array[0].base.shape;
	if (plane[0].has_lead) {
		s->shape.ndim--;
		memmove(s->shape.dim, s->shape.dim + 1,
			s->shape.ndim * sizeof(s->shape.dim[0]));
	}
	return true;
}

static void print_class(const struct label_index *x, uint32_t i)
{
	const struct shape *s = label_index_shape(x);
	uint64_t sum = 0, at[NDIM_MAX];
	struct label_class c;

	label_index_class(x, i, &c);
	for (uint64_t k = 0; k < c.count; k++) {
		uint64_t pos = 0;

		label_index_voxel(x, i, k, at);
		for (unsigned a = 0; a < s->ndim; a++)
			pos = pos * s->dim[a] + at[a];
		sum += (k + 1) * pos;
	}
	printf("%" PRId64 " %" PRIu64 " %" PRIu64, c.id, c.count, c.runs);
	for (unsigned a = 0; a < s->ndim; a++)
		printf(" %" PRIu64 ":%" PRIu64, c.start[a], c.stop[a]);
	printf(" %" PRIu64 "\n", sum);
}

int main(int argc, char **argv)
{
	struct index_conf conf = {
		.memory = (size_t)1 << 20,
		.max = (size_t)1 << 28,
		.max_classes = 100000,
	};
	struct array_file f;
	char line[4096];
	int r = argc == 3 ? array_file_open(&f, argv[1], (size_t)8 << 20) : -1;

	if (r < 0)
		return EXIT_FAILURE;
	conf.threads = (unsigned)strtoul(argv[2], NULL, 10);
	while (r == 0 && fgets(line, sizeof(line), stdin)) {
		struct label_source s;
		size_t size;
		void *x;

		r = -1;
		if (parse(&f, line, &s))
			r = label_index_build(&s, &conf, &x, &size);
		if (r < 0)
			break;
		printf("index\n");
		for (uint32_t i = 0; i < label_index_classes(x); i++)
			print_class(x, i);
		free(x);
	}
	array_file_close(&f);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
