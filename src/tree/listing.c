/* SPDX-License-Identifier: MIT */

/*
 * Which names a source directory has: its files and directories, and a
 * directory for each file whose extension is a container's. NAME.EXT gets
 * NAME, unless something else has that name or wants it too; then NAME.EXT.d.
 * What is asked of a name does not depend on the order of names.
 */

#include <config.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tree/srcdir.h"
#include "util/cleanup.h"

static const char *const extensions[] = {
	"h5",  "hdf5", "he5", "hdf",  "nxs", "nc",  "nc4",   "mat",    "emd",
	"nwb", "hspy", "ilp", "h5ad", "ims", "cxi", "medh5", "medh5c", NULL};

static bool is_among(const char *s, const char *const *list)
{
	for (; *list; list++) {
		const char *one = **list == '.' ? *list + 1 : *list;

		if (strcasecmp(s, one) == 0)
			return true;
	}
	return false;
}

size_t container_stem(const char *name, const char *const *ext)
{
	const char *dot = strrchr(name, '.');
	size_t stem = dot ? (size_t)(dot - name) : 0;

	if (stem == 0)
		return 0;
	if (!is_among(dot + 1, extensions) && !(ext && is_among(dot + 1, ext)))
		return 0;
	/* "..h5": a directory cannot be called that. */
	if ((stem == 1 || (stem == 2 && name[1] == '.')) && name[0] == '.')
		return 0;
	return stem;
}

/* A name that a file wants for its directory. */
struct wish {
	const char *name;
	size_t len; /* of its stem */
	size_t found;
};

static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int compare_stems(const char *a, size_t na, const char *b, size_t nb)
{
	int c = memcmp(a, b, na < nb ? na : nb);

	return c ? c : (na > nb) - (na < nb);
}

static int compare_wishes(const void *a, const void *b)
{
	const struct wish *x = a, *y = b;

	return compare_stems(x->name, x->len, y->name, y->len);
}

static const struct found *find(const struct found *f, size_t n,
				const char *name, size_t len)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = compare_stems(f[mid].name, strlen(f[mid].name), name,
				      len);

		if (c == 0)
			return &f[mid];
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static bool is_taken(const struct found *f, size_t n, const struct wish *w,
		     const char *const *ext)
{
	const struct found *other;

	if (find(f, n, w->name, w->len))
		return true;
	if (w->len == 8 && memcmp(w->name, ".patchfs", 8) == 0)
		return true;
	/* "a.h5.d.h5" beside "a.h5", whose own name is always "a.h5.d". */
	if (w->len < 3 || memcmp(w->name + w->len - 2, ".d", 2) != 0)
		return false;
	other = find(f, n, w->name, w->len - 2);
	return other && !other->is_dir && container_stem(other->name, ext);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct entry *add(struct listing *l, const char *name, size_t len,
			 const char *tail, enum entry_kind kind)
{
	struct entry *e = &l->entry[l->n++];
	char *text = l->text + l->bytes;

	memcpy(text, name, len);
	strcpy(text + len, tail);
	l->bytes += len + strlen(tail) + 1;
	e->name = text;
	e->kind = (uint8_t)kind;
	e->other = ROW_NONE;
	atomic_init(&e->source, ROW_NONE);
	return e;
}

/* The directories' names, unsorted, other being the file's found number. */
static void add_containers(struct listing *l, const struct found *f, size_t n,
			   struct wish *wish, size_t nwish,
			   const char *const *ext)
{
	for (size_t i = 0; i < nwish; i++) {
		const struct wish *w = &wish[i];
		const char *file = f[w->found].name;
		size_t len = strlen(file);
		struct entry *e;

		if ((i == 0 || compare_wishes(w, w - 1) != 0) &&
		    (i + 1 == nwish || compare_wishes(w, w + 1) != 0) &&
		    !is_taken(f, n, w, ext)) {
			e = add(l, file, w->len, "", ENTRY_CONTAINER);
		} else {
			char own[512];

			/* Even that may be taken, or too long. */
			if (len + 2 > 255)
				continue;
			memcpy(own, file, len);
			memcpy(own + len, ".d", 2);
			if (find(f, n, own, len + 2))
				continue;
			e = add(l, file, len, ".d", ENTRY_CONTAINER);
		}
		e->other = (uint32_t)w->found;
	}
}

/* Sort, then let files and their containers know each other. */
static int link_entries(struct listing *l, size_t n)
{
	CLEANUP(cleanup_freep) uint32_t *container = NULL;
	uint32_t file = 0;

	container = malloc((n + 1) * sizeof(*container));
	if (!container)
		return -ENOMEM;
	memset(container, 0xff, (n + 1) * sizeof(*container));
	qsort(l->entry, l->n, sizeof(*l->entry), compare_entries);
	for (uint32_t i = 0; i < l->n; i++)
		if (l->entry[i].kind == ENTRY_CONTAINER)
			container[l->entry[i].other] = i;
	/* Files and directories keep the order that they were found in. */
	for (uint32_t i = 0; i < l->n; i++) {
		struct entry *e = &l->entry[i];

		if (e->kind == ENTRY_CONTAINER)
			continue;
		e->other = container[file++];
		if (e->other != ROW_NONE)
			l->entry[e->other].other = i;
	}
	return 0;
}

struct listing *listing_make(struct found *found, size_t n,
			     const char *const *ext)
{
	struct listing *l = calloc(1, sizeof(*l));
	CLEANUP(cleanup_freep) struct wish *wish = NULL;
	size_t nwish = 0, text = 0;

	wish = malloc((n + 1) * sizeof(*wish));
	if (!l || !wish || n > UINT32_MAX / 4)
		goto fail;
	if (n) /* of an empty directory found is NULL */
		qsort(found, n, sizeof(*found), compare_found);
	for (size_t i = 0; i < n; i++) {
		size_t stem = container_stem(found[i].name, ext);

		text += 2 * strlen(found[i].name) + 4;
		if (found[i].is_dir || stem == 0)
			continue;
		wish[nwish].name = found[i].name;
		wish[nwish].len = stem;
		wish[nwish++].found = i;
	}
	qsort(wish, nwish, sizeof(*wish), compare_wishes);
	l->entry = malloc((n + nwish + 1) * sizeof(*l->entry));
	l->text = malloc(text + 1);
	if (!l->entry || !l->text)
		goto fail;
	for (size_t i = 0; i < n; i++)
		add(l, found[i].name, strlen(found[i].name), "",
		    found[i].is_dir ? ENTRY_DIR : ENTRY_FILE);
	add_containers(l, found, n, wish, nwish, ext);
	if (link_entries(l, n) < 0)
		goto fail;
	l->bytes += (n + nwish) * sizeof(*l->entry);
	return l;
fail:
	listing_free(l);
	return NULL;
}

void listing_free(struct listing *l)
{
	if (!l)
		return;
	free(l->entry);
	free(l->text);
	free(l);
}

uint32_t listing_find(const struct listing *l, const char *name, size_t n)
{
	uint32_t low = 0, high = l->n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const char *s = l->entry[mid].name;
		int c = compare_stems(s, strlen(s), name, n);

		if (c == 0)
			return mid;
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return ROW_NONE;
}
