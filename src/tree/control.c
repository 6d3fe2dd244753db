/* SPDX-License-Identifier: MIT */

/*
 * .patchfs. Snapshots lie in a ring by their number and are counted while
 * they are read; the oldest go when there are too many, or too many bytes.
 */

#include <config.h>

#include "tree/control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree/classes.h"
#include "tree/text.h"
#include "tree/tree_impl.h"
#include "util/metric.h"

#define RING_BYTES (8u << 20) /* the newest may be larger */

struct snapshot {
	/* constant */
	uint64_t number;
	size_t n;
	char *text;
	/* protected by the lock of the ring */
	unsigned users;
};

enum control_file {
	CONTROL_README,
	CONTROL_VERSION,
	CONTROL_CONFIG,
	CONTROL_STATS,
	CONTROL_METRICS,
	CONTROL_PROBLEMS,
	CONTROL_INDEX,
	CONTROL_CLASSES,
};

static const char *const names[] = {"README",	 "version",	"config",
				    "stats",	 "metrics",	"problems",
				    "index.csv", "classes.csv", NULL};

static const char readme[] =
	"This is a patchfs mount: slices and patches of HDF5 containers as "
	"files.\n"
	"\n"
	"FILE.h5            the container itself, byte for byte\n"
	"FILE/              what is in it: groups and arrays as directories\n"
	"FILE/info.json     format, arrays, values, attributes, problems\n"
	"ARRAY/info.json    shape, type, chunks, attributes, what views cost\n"
	"ARRAY/array.npy    the whole array\n"
	"ARRAY/slices/000017.npy                       array[17]\n"
	"ARRAY/slices+axis-2/000017.npy                array[:, :, 17]\n"
	"ARRAY/patches+size-96x96x96/000017.npy        of a grid\n"
	"ARRAY/crops+size-96x96x96/17_128_64.npy       at a corner\n"
	"ARRAY/random+size-96x96x96+seed-1/000017.npy  at a random place\n"
	"ARRAY/foreground+size-96x96x96/000017.npy     around a labelled "
	"voxel\n"
	"LABELS/classes.json    counts and boxes of classes, once indexed\n"
	"\n"
	"Views are reached by their name and not listed, but for slices and\n"
	"what was given to --view. ITEM.json beside an item says where it "
	"lies;\n"
	"index.csv in a grid says it of all items. See patchfs-views(7).\n"
	"\n"
	"Here: version, config, stats (one \"name value\" a line), metrics\n"
	"(Prometheus), problems (what is wrong with the data), index.csv (all\n"
	"arrays of the containers looked into so far), classes.csv (classes "
	"of\n"
	"the label arrays that have a sampling index).\n";

void control_init(struct control *c)
{
	memset(c, 0, sizeof(*c));
	pthread_mutex_init(&c->lock, NULL);
	c->next = c->oldest = 1;
}

static void snapshot_free(struct snapshot *s)
{
	if (!s)
		return;
	free(s->text);
	free(s);
}

void control_fini(struct control *c)
{
	for (unsigned i = 0; i < CONTROL_RING; i++)
		snapshot_free(c->ring[i]);
	pthread_mutex_destroy(&c->lock);
}

const char *control_name(unsigned file)
{
	return file < sizeof(names) / sizeof(names[0]) ? names[file] : NULL;
}

int control_by_name(const char *name)
{
	for (int i = 0; names[i]; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	return -1;
}

/* ------------------------------------------------------------- contents */

/* Path of a directory below the root with a final slash. Caller frees. */
static char *mount_path(const struct tree *t, uint32_t dir)
{
	size_t n = dirs_path(t->dirs, DIR_ROOT, dir, NULL, 0);
	char *path = malloc(n + 2);

	if (!path)
		return NULL;
	dirs_path(t->dirs, DIR_ROOT, dir, path, n + 1);
	if (n)
		strcpy(path + n, "/");
	return path;
}

static int write_container(struct tree *t, uint32_t dir, struct wait *w,
			   FILE *f)
{
	const struct dir *d = dirs_at(t->dirs, dir);
	CLEANUP(cleanup_freep) char *outer = mount_path(t, dir);
	CLEANUP(cleanup_freep) char *buf = NULL;
	char shape[SHAPE_TEXT_MAX], dtype[DTYPE_MAX];
	size_t room = 0;
	struct pin pin;
	int err = outer ? pin_get(t, d, w, &pin) : -ENOMEM;

	if (err == -EAGAIN || err == -ERESTART || err == -ENOMEM)
		return err;
	/* What cannot be read now is not of this list. */
	if (err < 0)
		return 0;
	for (uint32_t i = 0; i < catalog_arrays(pin.k); i++) {
		uint32_t object = catalog_nth_array(pin.k, i);
		const char *inner = object_path(
			pin.k, object, member_place(t, d), &buf, &room);
		struct array_info a;

		if (!inner) {
			err = -ENOMEM;
			break;
		}
		catalog_array(pin.k, object, &a);
		fputc('"', f);
		text_doubled(outer, f);
		text_doubled(inner, f);
		fprintf(f, "\",%s,",
			a.is_null ? "" : shape_text(a.rank, a.dim, shape));
		if (a.kind)
			fprintf(f, "%s\n",
				dtype_text(a.kind, a.item_size, dtype));
		else
			fprintf(f, "\n");
	}
	pin_put(&pin);
	return err;
}

static int write_index(struct tree *t, struct wait *w, FILE *f)
{
	uint32_t n = dirs_count(t->dirs);
	int err = 0;

	fputs("path,shape,dtype\n", f);
	for (uint32_t i = 0; i < n && err == 0; i++) {
		const struct dir *d = dirs_at(t->dirs, i);

		if (d->kind == DIR_CONTAINER &&
		    source_at(t, d->source)->scanned)
			err = write_container(t, i, w, f);
	}
	return err;
}

static int write_file(struct tree *t, uint32_t dir, unsigned file,
		      struct wait *w, FILE *f)
{
	if (file == CONTROL_CLASSES_JSON)
		return classes_json(t, dir, w, f);
	switch ((enum control_file)file) {
	case CONTROL_README:
		fputs(readme, f);
		break;
	case CONTROL_VERSION:
		fputs("patchfs " PACKAGE_VERSION "\n", f);
		break;
	case CONTROL_CONFIG:
		if (t->config)
			fputs(t->config, f);
		break;
	case CONTROL_STATS:
		tree_update_metrics(t);
		metrics_write_plain(t->conf.metrics, f);
		break;
	case CONTROL_METRICS:
		tree_update_metrics(t);
		metrics_write_prometheus(t->conf.metrics, f);
		break;
	case CONTROL_PROBLEMS:
		problems_write(t->conf.problems, f);
		break;
	case CONTROL_INDEX:
		return write_index(t, w, f);
	case CONTROL_CLASSES:
		return classes_csv(t, w, f);
	}
	return 0;
}

static int make_snapshot(struct tree *t, uint32_t dir, unsigned file,
			 struct wait *w, struct snapshot **out)
{
	struct snapshot *s = calloc(1, sizeof(*s));
	FILE *f = s ? open_memstream(&s->text, &s->n) : NULL;
	int err;

	if (!f) {
		free(s);
		return -ENOMEM;
	}
	err = write_file(t, dir, file, w, f);
	if (fclose(f) != 0 && err == 0)
		err = -ENOMEM;
	if (err < 0) {
		snapshot_free(s);
		return err;
	}
	*out = s;
	return 0;
}

/* ----------------------------------------------------------------- ring */

/* With the lock held: take the oldest out. Returns what is to be freed. */
static struct snapshot *drop_oldest(struct control *c)
{
	struct snapshot **slot = &c->ring[c->oldest++ % CONTROL_RING];
	struct snapshot *s = *slot;

	*slot = NULL;
	if (!s)
		return NULL;
	c->bytes -= s->n;
	/* Who reads it frees it. */
	return s->users ? NULL : s;
}

int control_snapshot(struct tree *t, uint32_t dir, unsigned file,
		     struct wait *w, uint64_t *item, uint64_t *size)
{
	struct control *c = &t->control;
	struct snapshot *s, *gone[CONTROL_RING];
	unsigned ngone = 0;
	int64_t before, after;
	int err = make_snapshot(t, dir, file, w, &s);

	if (err < 0)
		return err;
	pthread_mutex_lock(&c->lock);
	before = (int64_t)c->bytes;
	s->number = c->next++;
	while (c->oldest < s->number &&
	       (s->number - c->oldest >= CONTROL_RING ||
		c->bytes + s->n > RING_BYTES)) {
		struct snapshot *old = drop_oldest(c);

		if (old)
			gone[ngone++] = old;
	}
	c->ring[s->number % CONTROL_RING] = s;
	c->bytes += s->n;
	after = (int64_t)c->bytes;
	*item = s->number * CONTROL_FILES + file;
	*size = s->n;
	pthread_mutex_unlock(&c->lock);
	array_env_charge(&t->env, after - before);
	while (ngone)
		snapshot_free(gone[--ngone]);
	return 0;
}

static int snapshot_get(struct control *c, uint64_t number,
			struct snapshot **out)
{
	struct snapshot *s;

	LOCK_SCOPE(&c->lock);
	if (number >= c->next)
		return -ENOENT;
	s = c->ring[number % CONTROL_RING];
	if (!s || s->number != number)
		return -ESTALE;
	s->users++;
	*out = s;
	return 0;
}

static void snapshot_put(struct control *c, struct snapshot *s)
{
	bool last;

	pthread_mutex_lock(&c->lock);
	last = --s->users == 0 && c->ring[s->number % CONTROL_RING] != s;
	pthread_mutex_unlock(&c->lock);
	if (last)
		snapshot_free(s);
}

/*
 * A listing gives each file the number 0, as there is no snapshot yet: who
 * comes with that gets the text of this moment.
 */
static int get_text(struct tree *t, uint64_t item, struct snapshot **out)
{
	unsigned file = (unsigned)(item % CONTROL_FILES);

	if (item / CONTROL_FILES)
		return snapshot_get(&t->control, item / CONTROL_FILES, out);
	if (!control_name(file))
		return -ENOENT;
	return make_snapshot(t, t->control_dir, file, NULL, out);
}

static void put_text(struct tree *t, uint64_t item, struct snapshot *s)
{
	if (item / CONTROL_FILES)
		snapshot_put(&t->control, s);
	else
		snapshot_free(s);
}

int control_size(struct tree *t, uint64_t item, uint64_t *size)
{
	struct snapshot *s;
	int err = get_text(t, item, &s);

	if (err < 0)
		return err;
	*size = s->n;
	put_text(t, item, s);
	return 0;
}

ssize_t control_read(struct tree *t, uint64_t item, void *buf, size_t n,
		     uint64_t off)
{
	struct snapshot *s;
	int err = get_text(t, item, &s);

	if (err < 0)
		return err;
	n = read_clip(n, off, s->n);
	if (n)
		memcpy(buf, s->text + off, n);
	put_text(t, item, s);
	return (ssize_t)n;
}
