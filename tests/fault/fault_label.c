/* SPDX-License-Identifier: MIT */

/*
 * The Nth allocation fails, for every N, while an index is built, trimmed, kept
 * as a file and read again: each call gives its result or -ENOMEM, nothing
 * leaks (with a sanitizer), and what failed works afterwards.
 */

#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../model/memory_array.h"
#include "failing.h"
#include "index/indices.h"
#include "util/cleanup.h"
#include "util/log.h"

static struct memory_array array;
static struct label_plane plane = {.array = &array.base};
static const int64_t closure[][2] = {{1, 200}, {200, 201}};
static bool wrong;
static char root[64], path[80];

static int origin(void *arg, struct wait *w, struct index_origin *out)
{
	(void)arg;
	(void)w;
	*out = (struct index_origin){
		.label = {.shape = array.base.shape,
			  .nplane = 1,
			  .plane = &plane,
			  .closure = closure,
			  .nclosure = 2},
		.has_key = true,
	};
	return 0;
}

static int trim(const struct label_index *x)
{
	const uint64_t lo[NDIM_MAX] = {1, 1}, hi[NDIM_MAX] = {100, 100};
	const int64_t ids[] = {200, 3};
	void *out;
	size_t size;
	int err = label_index_trim(x, ids, 2, lo, hi, SIZE_MAX, &out, &size);

	if (err)
		return err;
	wrong |= label_index_check(out, size, &array.base.shape) != 0;
	free(out);
	return 0;
}

/* Built, or read from the file of an earlier turn. */
static int use(struct indices *x)
{
	const struct index_ask ask = {.source = 1, .origin = origin};
	struct index_pin pin;
	int err = indices_get(x, &ask, NULL, &pin);

	if (err)
		return err;
	/* 128 values, and two classes that the first is part of. */
	wrong |= label_index_classes(pin.index) != 130;
	err = trim(pin.index);
	indices_put(x, &pin);
	return err;
}

/* True: no allocation failed, the scenario is over. */
static bool run(long nth, int dir)
{
	const struct indices_conf conf = {
		.size = (size_t)8 << 20,
		.threads = 2,
		.memory = 128 << 10,
		.max_classes = 1000,
		.dir = dir,
	};
	struct indices *x;
	bool over;
	int err;

	left = nth;
	x = indices_new(&conf);
	if (!x) {
		left = -1;
		return false;
	}
	err = use(x);
	over = left >= 0;
	left = -1;
	wrong |= err != 0 && err != -ENOMEM;
	wrong |= over && err;
	wrong |= use(x) != 0;
	indices_free(x);
	return over;
}

static void remove_files(int dir)
{
	CLEANUP(cleanup_closep) int fd = openat(dir, ".", O_RDONLY);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!d) {
		wrong = true;
		return;
	}
	fd = -1; /* the stream's */
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			unlinkat(dir, e->d_name, 0);
	closedir(d);
}

int main(void)
{
	const struct shape shape = {.ndim = 2, .dim = {300, 400}};
	char command[128];
	long nth = 0;
	int dir;

	log_level = LOG_LEVEL_ERROR;
	memory_array_init(&array, &shape, 'u', 1);
	for (unsigned i = 0; i < 300 * 400; i++)
		array.data[i] = (unsigned char)(i / 7 * 31 % 128 + 1);
	strcpy(root, "fault_label.XXXXXX");
	if (!mkdtemp(root))
		return EXIT_FAILURE;
	snprintf(path, sizeof(path), "%s/d", root);
	/* Without files all is built; with them only the first time, */
	while (!wrong && !run(nth, -1))
		nth++;
	dir = sidecar_dir(path);
	wrong |= dir < 0;
	for (long i = 0; !wrong && !run(i, dir); i++)
		;
	/*
	 * but each time where they are taken away, which is among the last
	 * things that are done; and what writing leaves
	 */
	for (long i = nth > 40 ? nth - 40 : 0; !wrong; i++) {
		remove_files(dir);
		if (run(i, dir))
			break;
	}
	remove_files(dir);
	wrong |= rmdir(path) != 0; /* is nothing. */
	if (dir >= 0)
		close(dir);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	wrong |= system(command) != 0;
	memory_array_fini(&array);
	printf("1..1\n# %ld allocations\n%sok 1 - the index of a label\n", nth,
	       wrong ? "not " : "");
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
