/* SPDX-License-Identifier: MIT */

/* Which label arrays a foreground view could draw from, where it has none. */

#include <config.h>

#include <stdio.h>
#include <string.h>

#include "tree/label_find.h"
#include "tree/text.h"
#include "util/cleanup.h"
#include "util/near.h"

#define LISTED 5
#define LOOKED_AT 1000 /* arrays of one container */

struct labels {
	const char *wanted;
	unsigned least, n; /* n: at most LISTED */
	uint32_t nearest;  /* or ROW_NONE */
	uint32_t dir[LISTED];
	bool has_more;
};

/*
 * Whether it is one that somebody may mean: of a sample the labels of an
 * annotation, not what they are made of, nor its images.
 */
static int is_meant(struct label_search *s, uint32_t dir, bool *out)
{
	const struct dir *d = dirs_at(s->t->dirs, dir);
	struct place_info p;
	uint32_t label;
	int err;

	*out = d->kind == DIR_ARRAY && dir != s->array &&
	       label_check(s, dir, NULL) == 0;
	if (!*out || !catalog_place(s->pin->k, d->object, &p))
		return 0;
	*out = false;
	if (!s->has_place || p.sample != s->place.sample ||
	    p.annotation == OBJECT_NONE)
		return 0;
	err = label_of_annotation(s, d->parent, &label);
	*out = label == dir;
	return err;
}

static void add(const struct label_search *s, struct labels *x, uint32_t dir)
{
	const struct dir *d = dirs_at(s->t->dirs, dir);
	char name[NAME_BYTES_MAX + 1];
	unsigned distance;

	snprintf(name, sizeof(name), "%.*s", d->name_len,
		 dirs_name(s->t->dirs, d));
	distance = near_word(x->wanted, strlen(x->wanted), name);
	if (distance < x->least) {
		x->least = distance;
		x->nearest = dir;
	}
	if (x->n < LISTED)
		x->dir[x->n++] = dir;
	else
		x->has_more = true;
}

static int collect(struct label_search *s, struct labels *x)
{
	uint32_t top = tree_container_dir(s->t, s->array), dir;
	CLEANUP(cleanup_freep) char *buf = NULL;
	uint32_t n = catalog_arrays(s->pin->k);
	size_t room = 0;
	int err = 0;

	for (uint32_t i = 0; i < n && i < LOOKED_AT && err == 0; i++) {
		const char *path =
			object_path(s->pin->k, catalog_nth_array(s->pin->k, i),
				    root_place(s->t), &buf, &room);
		bool meant = false;

		if (!path)
			return -ENOMEM;
		err = label_walk(s, top, path, &dir);
		if (err == 0 && dir != ROW_NONE)
			err = is_meant(s, dir, &meant);
		if (err == 0 && meant)
			add(s, x, dir);
	}
	return err;
}

/* As the key labels has it. */
static int put(struct label_search *s, uint32_t dir, char *out, size_t size,
	       size_t *n)
{
	char name[NAME_BYTES_MAX + 1], text[3 * sizeof(name)];
	int err = label_named(s, dir, name, sizeof(name));

	if (err < 0)
		return err == -ENAMETOOLONG ? 0 : err;
	value_encode(name, text, sizeof(text));
	if (*n + strlen(text) + 10 < size)
		*n += (size_t)sprintf(out + *n, "%s%s",
				      *n ? ", " : "there are ", text);
	return 0;
}

int label_list(struct label_search *s, const char *wanted, char *out,
	       size_t size)
{
	struct labels x = {
		.wanted = wanted, .least = NEAR_NOT, .nearest = ROW_NONE};
	size_t n = 0;
	int err = collect(s, &x);

	*out = '\0';
	if (err == 0 && x.nearest != ROW_NONE)
		err = put(s, x.nearest, out, size, &n);
	for (unsigned i = 0; i < x.n && err == 0; i++)
		if (x.dir[i] != x.nearest)
			err = put(s, x.dir[i], out, size, &n);
	if (err == 0 && x.has_more && n > 0 && n + 6 < size)
		strcpy(out + n, ", ...");
	return err;
}
