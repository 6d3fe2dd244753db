/* SPDX-License-Identifier: MIT */

/*
 * KIND[+KEY-VALUE]...: parsing and printing, from one table of keys. The order
 * of the table is the canonical order.
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tree/grammar_impl.h"
#include "tree/tree.h"
#include "util/near.h"
#include "util/parse.h"

static const char *const kind_names[] = {
	[VIEW_SLICES] = "slices",	  [VIEW_PATCHES] = "patches",
	[VIEW_CROPS] = "crops",		  [VIEW_RANDOM] = "random",
	[VIEW_FOREGROUND] = "foreground",
};

/* Known, so that the log can say more than "no such key". */
static const char *const later_keys[] = {"step",    "dtype", "window", "scale",
					 "channel", "flip",  "order",  NULL};

static bool same(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(s, word, n) == 0;
}

static bool among(const char *s, size_t n, const char *const *list)
{
	for (; *list; list++)
		if (same(s, n, *list))
			return true;
	return false;
}

/* "96x96x96", "allx64x64". 0 or -EINVAL. */
static int parse_lengths(const char *s, size_t n, uint64_t *out, uint8_t *count)
{
	const char *end = s + n;
	unsigned k = 0;

	for (;;) {
		const char *stop = memchr(s, 'x', (size_t)(end - s));
		size_t len = (size_t)((stop ? stop : end) - s);

		if (k == NDIM_MAX)
			return -EINVAL;
		if (same(s, len, "all"))
			out[k] = VIEW_WHOLE;
		else if (parse_decimal(s, len, &out[k]) < 0 || out[k] == 0)
			return -EINVAL;
		k++;
		if (!stop)
			break;
		s = stop + 1;
	}
	*count = (uint8_t)k;
	return 0;
}

static int set_axis(struct view_spec *s, const char *v, size_t n)
{
	bool negative = n > 0 && *v == '-';
	uint64_t axis;

	if (parse_decimal(v + negative, n - negative, &axis) < 0 ||
	    axis > INT32_MAX)
		return -EINVAL;
	s->axis = negative ? -(int64_t)axis : (int64_t)axis;
	return 0;
}

static int set_size(struct view_spec *s, const char *v, size_t n)
{
	return parse_lengths(v, n, s->size, &s->nsize);
}

static int set_stride(struct view_spec *s, const char *v, size_t n)
{
	return parse_lengths(v, n, s->stride, &s->nstride);
}

static int set_border(struct view_spec *s, const char *v, size_t n)
{
	if (same(v, n, "even") || same(v, n, "drop"))
		return -EOPNOTSUPP;
	if (same(v, n, "pad"))
		s->border = SAMPLE_PAD;
	else if (!same(v, n, "snap"))
		return -EINVAL;
	return 0;
}

static int set_pad(struct view_spec *s, const char *v, size_t n)
{
	uint8_t unused[8];

	if (same(v, n, "edge") || same(v, n, "reflect"))
		return -EOPNOTSUPP;
	/* Whether the type of the array has the value is found out later. */
	if (n >= sizeof(s->pad) || number_pack(v, n, 'f', 8, unused) < 0)
		return -EINVAL;
	memcpy(s->pad, v, n);
	s->pad[n] = '\0';
	return 0;
}

static int set_seed(struct view_spec *s, const char *v, size_t n)
{
	return parse_decimal(v, n, &s->seed);
}

static int set_count(struct view_spec *s, const char *v, size_t n)
{
	int err = parse_decimal(v, n, &s->count);

	return err < 0 || s->count > SAMPLE_ITEMS_MAX ? -EINVAL : 0;
}

static int set_format(struct view_spec *s, const char *v, size_t n)
{
	unsigned number = format_by_ext(v, n);

	s->format = (uint8_t)number;
	return number ? 0 : -EINVAL;
}

#define ON(kind) (1u << (kind))
#define ON_DRAWS (ON(VIEW_RANDOM) | ON(VIEW_FOREGROUND))
#define ON_SIZED (ON(VIEW_PATCHES) | ON(VIEW_CROPS) | ON_DRAWS)

static const struct key {
	const char *key, *value;
	unsigned kinds;
	int (*set)(struct view_spec *s, const char *v, size_t n);
	const char *help;
} keys[] = {
	{"axis", "K", ON(VIEW_SLICES), set_axis,
	 "axis that is indexed and dropped, negative: from the last; default "
	 "0"},
	{"size", "S", ON_SIZED, set_size,
	 "extents of an item, 96x96x96 or allx64x64; required, but of patches "
	 "and foreground where the container states it"},
	{"stride", "S", ON(VIEW_PATCHES), set_stride,
	 "distance between patches; default the size"},
	{"labels", "A", ON(VIEW_FOREGROUND), draw_set_labels,
	 "the label array, by its name or a path relative to the array's "
	 "group"},
	{"class", "C", ON(VIEW_FOREGROUND), draw_add_class,
	 "a class to draw, name or id, NAME@W with a weight; repeatable; "
	 "default all"},
	{"fraction", "F", ON(VIEW_FOREGROUND), draw_set_fraction,
	 "share of the draws that are foreground, 0 to 1; default 1"},
	{"weights", "W", ON(VIEW_FOREGROUND), draw_set_weights,
	 "of classes: uniform, frequency or inverse; default uniform"},
	{"border", "B", ON(VIEW_FOREGROUND), draw_set_border,
	 "near the ends: clamp moves a patch inside, inside draws no centre "
	 "there, pad fills; default clamp"},
	{"border", "B", ON(VIEW_PATCHES), set_border,
	 "at the upper end: snap moves the last patch back, pad fills; default "
	 "snap"},
	{"pad", "V", ON(VIEW_PATCHES) | ON(VIEW_FOREGROUND), set_pad,
	 "number that fills what overhangs with border-pad; default 0"},
	{"index", "I", ON(VIEW_FOREGROUND), draw_set_index,
	 "exact: of all voxels; stored: the file's own; auto: that if it is "
	 "fresh; default auto"},
	{"rule", "R", ON(VIEW_FOREGROUND), draw_set_rule,
	 "medh5.2: the draws of medh5 2.x in place of ours"},
	{"epoch", "E", ON(VIEW_FOREGROUND), draw_set_epoch,
	 "of rule-medh5.2; default 0"},
	{"seed", "N", ON_DRAWS, set_seed, "key of the generator; default 0"},
	{"count", "N", ON_DRAWS, set_count,
	 "draws that a listing shows, any draw can be opened; default 0"},
	{"priority", "C", ON(VIEW_SLICES) | ON_SIZED, add_priority,
	 "of labels of a medh5 annotation: a class that wins where several "
	 "overlap; repeatable, the first wins; default the last painted"},
	{"format", "EXT", ON(VIEW_SLICES) | ON_SIZED, set_format,
	 "file format that a listing shows; default npy"},
};
#define NKEYS (sizeof(keys) / sizeof(keys[0]))
#define NKINDS (sizeof(kind_names) / sizeof(kind_names[0]))

static int no_key(unsigned kind, const char *part, size_t len,
		  char why[VIEW_WHY_MAX])
{
	char known[256];
	size_t n = 0;

	for (unsigned i = 0; i < NKEYS; i++)
		if (keys[i].kinds & ON(kind))
			n += (size_t)snprintf(known + n, sizeof(known) - n,
					      "%s%s", n ? ", " : "",
					      keys[i].key);
	return view_bad(why, "views %s have no key \"%.*s\", but %s",
			kind_names[kind], (int)(len > 64 ? 64 : len), part,
			known);
}

static int parse_key(struct view_spec *s, const char *part, size_t n,
		     unsigned *seen, char why[VIEW_WHY_MAX])
{
	const char *dash = memchr(part, '-', n);
	size_t len = dash ? (size_t)(dash - part) : n;
	size_t nvalue = dash ? n - len - 1 : 0;
	int shown = (int)(n > 64 ? 64 : n);

	for (unsigned i = 0; i < NKEYS; i++) {
		const struct key *k = &keys[i];
		int err;

		if (!(k->kinds & ON(s->kind)) || !same(part, len, k->key))
			continue;
		if (*seen & 1u << i && k->set != draw_add_class &&
		    k->set != add_priority)
			return view_bad(why, "key %s is given twice", k->key);
		*seen |= 1u << i;
		if (nvalue == 0)
			return view_bad(why, "key %s has no value", k->key);
		err = k->set(s, dash + 1, nvalue);
		if (err == -EOPNOTSUPP)
			return view_bad(why, "%.*s is not served yet", shown,
					part);
		if (err < 0)
			return view_bad(why, "%.*s: not a good value (%s)",
					shown, part, k->help);
		return 0;
	}
	if (among(part, len, later_keys))
		return view_bad(why, "key %.*s is not served yet", (int)len,
				part);
	return no_key(s->kind, part, len, why);
}

/* The nearest kind, or NKINDS. */
static unsigned nearest_kind(const char *name)
{
	const size_t n = strcspn(name, "+");
	unsigned least = NEAR_NOT, found = NKINDS;

	for (unsigned i = 0; i < NKINDS; i++) {
		unsigned distance = near_word(name, n, kind_names[i]);

		if (distance < least) {
			least = distance;
			found = i;
		}
	}
	return found;
}

bool view_kind_near(const char *name)
{
	return nearest_kind(name) < NKINDS;
}

int view_no_kind(const char *name, char why[VIEW_WHY_MAX])
{
	const unsigned first = nearest_kind(name);
	char kinds[128] = "";
	size_t n = 0;

	if (first < NKINDS)
		n = (size_t)snprintf(kinds, sizeof(kinds), "%s, ",
				     kind_names[first]);
	for (unsigned i = 0, left = NKINDS - (first < NKINDS); i < NKINDS; i++)
		if (i != first)
			n += (size_t)snprintf(kinds + n, sizeof(kinds) - n,
					      "%s%s", kind_names[i],
					      --left > 1  ? ", "
					      : left == 1 ? " or "
							  : "");
	return view_bad(why, "views begin with %s", kinds);
}

int view_parse(const char *name, struct view_spec *out, char why[VIEW_WHY_MAX])
{
	struct view_spec s = {.format = FORMAT_NPY, .draw.fraction = 1};
	size_t n = strcspn(name, "+");
	unsigned seen = 0;

	while (s.kind < NKINDS && !same(name, n, kind_names[s.kind]))
		s.kind++;
	if (s.kind == NKINDS)
		return -ENOENT;
	while (name[n] == '+') {
		int err;

		name += n + 1;
		n = strcspn(name, "+");
		err = parse_key(&s, name, n, &seen, why);
		if (err < 0)
			return err;
	}
	/* Of the others an array may know better. */
	if ((s.kind == VIEW_CROPS || s.kind == VIEW_RANDOM) && s.nsize == 0)
		return view_bad(why, "no size: it is %s+size-S, with S as %s",
				kind_names[s.kind], "96x96x96 or allx64x64");
	*out = s;
	return 0;
}

void view_put(char out[NAME_BYTES_MAX + 1], size_t *n, const char *fmt, ...)
{
	size_t room = *n <= NAME_BYTES_MAX ? NAME_BYTES_MAX + 1 - *n : 0;
	va_list ap;

	va_start(ap, fmt);
	*n += (size_t)vsnprintf(room ? out + *n : NULL, room, fmt, ap);
	va_end(ap);
}

static void put_lengths(char out[NAME_BYTES_MAX + 1], size_t *n,
			const char *key, const uint64_t *v, unsigned count)
{
	for (unsigned k = 0; k < count; k++) {
		if (k == 0)
			view_put(out, n, "+%s-", key);
		else
			view_put(out, n, "x");
		if (v[k] == VIEW_WHOLE)
			view_put(out, n, "all");
		else
			view_put(out, n, "%" PRIu64, v[k]);
	}
}

int view_print(const struct view_spec *s, char out[NAME_BYTES_MAX + 1])
{
	size_t n = 0;

	view_put(out, &n, "%s", kind_names[s->kind]);
	if (s->axis)
		view_put(out, &n, "+axis-%" PRId64, s->axis);
	put_lengths(out, &n, "size", s->size, s->nsize);
	put_lengths(out, &n, "stride", s->stride, s->nstride);
	if (s->border == SAMPLE_PAD)
		view_put(out, &n, "+border-pad");
	if (s->kind == VIEW_FOREGROUND)
		draw_print_what(&s->draw, out, &n);
	if (s->pad[0])
		view_put(out, &n, "+pad-%s", s->pad);
	if (s->kind == VIEW_FOREGROUND)
		draw_print_how(&s->draw, out, &n);
	if (s->seed)
		view_put(out, &n, "+seed-%" PRIu64, s->seed);
	if (s->count)
		view_put(out, &n, "+count-%" PRIu64, s->count);
	print_priority(s, out, &n);
	if (s->format != FORMAT_NPY)
		view_put(out, &n, "+format-%s", format_at(s->format)->ext);
	return n > NAME_BYTES_MAX ? -ENAMETOOLONG : 0;
}

static struct view_key rows[NKINDS * NKEYS];
static unsigned nrows; /* written once, before anyone reads */

static void fill_rows(void)
{
	for (unsigned kind = 0; kind < NKINDS; kind++) {
		for (unsigned i = 0; i < NKEYS; i++) {
			if (!(keys[i].kinds & ON(kind)))
				continue;
			rows[nrows].kind = kind_names[kind];
			rows[nrows].key = keys[i].key;
			rows[nrows].value = keys[i].value;
			rows[nrows].help = keys[i].help;
			nrows++;
		}
	}
}

const struct view_key *view_keys(unsigned *n)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, fill_rows);
	*n = nrows;
	return rows;
}
