/* SPDX-License-Identifier: MIT */

/*
 * The keys that foreground views alone have, and priority. Names in their
 * values are percent-encoded, so that a comma, a slash or a space in a name is
 * none in a path; what need not be is accepted so too.
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tree/grammar_impl.h"
#include "util/parse.h"

#define RULE_MEDH5 "medh5.2"

static const char *const weight_names[] = {
	[WEIGHTS_UNIFORM] = "uniform",
	[WEIGHTS_FREQUENCY] = "frequency",
	[WEIGHTS_INVERSE] = "inverse",
	NULL,
};
static const char *const border_names[] = {
	[DRAW_CLAMP] = "clamp",
	[DRAW_INSIDE] = "inside",
	[DRAW_PAD] = "pad",
	NULL,
};
static const char *const index_names[] = {
	[VIEW_INDEX_AUTO] = "auto",
	[VIEW_INDEX_EXACT] = "exact",
	[VIEW_INDEX_STORED] = "stored",
	NULL,
};

/* ----------------------------------------------------------------- names */

static bool is_plain(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int value_decode(const char *s, size_t n, char *out)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		int high, low;

		if (s[i] != '%') {
			out[used++] = s[i];
			continue;
		}
		if (n - i < 3)
			return -EINVAL;
		high = hex_digit(s[i + 1]);
		low = hex_digit(s[i + 2]);
		if (high < 0 || low < 0 || !(high | low))
			return -EINVAL;
		out[used++] = (char)(high << 4 | low);
		i += 2;
	}
	out[used] = '\0';
	return 0;
}

size_t value_encode(const char *s, char *out, size_t size)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t n = 0;

	for (const char *c = s; *c; c++)
		n += is_plain(*c) ? 1 : 3;
	if (n >= size)
		return n;
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (is_plain(*s)) {
			*out++ = *s;
			continue;
		}
		*out++ = '%';
		*out++ = digits[c >> 4];
		*out++ = digits[c & 15];
	}
	*out = '\0';
	return n;
}

const char *view_labels(const struct view_draw *d)
{
	return d->text;
}

const char *view_class(const struct view_draw *d, unsigned i)
{
	return d->text + d->class_at[i];
}

static int add_text(struct view_draw *d, const char *s)
{
	size_t n = strlen(s) + 1;

	if (n > sizeof(d->text) - d->used)
		return -ENAMETOOLONG;
	memcpy(d->text + d->used, s, n);
	d->used = (uint16_t)(d->used + n);
	return 0;
}

void view_drop_classes(struct view_draw *d)
{
	const size_t n = strlen(d->text);

	memset(d->text + n, 0, sizeof(d->text) - n);
	d->used = (uint16_t)(n + 1);
	d->nclass = 0;
	d->is_given = false;
}

int view_add_class(struct view_draw *d, const char *name, double weight)
{
	unsigned at;
	int err;

	/* That of the labels is empty so far. */
	if (d->used == 0)
		d->used = 1;
	at = d->used;
	if (d->nclass == VIEW_CLASSES_MAX)
		return -ENAMETOOLONG;
	err = add_text(d, name);
	if (err)
		return err;
	d->class_at[d->nclass] = (uint16_t)at;
	d->weight[d->nclass++] = weight;
	if (weight != 1)
		d->is_given = true;
	return 0;
}

int view_set_labels(struct view_draw *d, const char *labels)
{
	const struct view_draw old = *d;
	int err;

	*d->text = '\0';
	view_drop_classes(d);
	d->used = 0;
	err = add_text(d, labels);
	for (unsigned i = 0; i < old.nclass && !err; i++)
		err = view_add_class(d, view_class(&old, i), old.weight[i]);
	return err;
}

/* --------------------------------------------------------------- setters */

static int set_word(const char *const *words, const char *v, size_t n,
		    uint8_t *out)
{
	for (unsigned i = 0; words[i]; i++) {
		if (strlen(words[i]) != n || memcmp(words[i], v, n) != 0)
			continue;
		*out = (uint8_t)i;
		return 0;
	}
	return -EINVAL;
}

static int parse_double(const char *v, size_t n, double *out)
{
	uint8_t bytes[8];

	if (number_pack(v, n, 'f', 8, bytes) < 0)
		return -EINVAL;
	memcpy(out, bytes, sizeof(*out));
	/* Zero has one spelling. */
	if (!isfinite(*out) || *out < 0)
		return -EINVAL;
	*out = fabs(*out);
	return 0;
}

int draw_set_labels(struct view_spec *s, const char *v, size_t n)
{
	char text[NAME_BYTES_MAX + 1];

	if (n > NAME_BYTES_MAX || value_decode(v, n, text) < 0)
		return -EINVAL;
	return view_set_labels(&s->draw, text);
}

int draw_add_class(struct view_spec *s, const char *v, size_t n)
{
	const char *at = memchr(v, '@', n);
	size_t len = at ? (size_t)(at - v) : n;
	char text[NAME_BYTES_MAX + 1];
	double weight = 1;

	if (at && parse_double(at + 1, n - len - 1, &weight) < 0)
		return -EINVAL;
	if (len == 0 || len > NAME_BYTES_MAX || value_decode(v, len, text) < 0)
		return -EINVAL;
	return view_add_class(&s->draw, text, weight);
}

int draw_set_fraction(struct view_spec *s, const char *v, size_t n)
{
	if (parse_double(v, n, &s->draw.fraction) < 0 || s->draw.fraction > 1)
		return -EINVAL;
	return 0;
}

int draw_set_weights(struct view_spec *s, const char *v, size_t n)
{
	return set_word(weight_names, v, n, &s->draw.weights);
}

int draw_set_border(struct view_spec *s, const char *v, size_t n)
{
	return set_word(border_names, v, n, &s->draw.border);
}

int draw_set_index(struct view_spec *s, const char *v, size_t n)
{
	return set_word(index_names, v, n, &s->draw.index);
}

int draw_set_rule(struct view_spec *s, const char *v, size_t n)
{
	s->draw.is_medh5 =
		n == strlen(RULE_MEDH5) && memcmp(v, RULE_MEDH5, n) == 0;
	return s->draw.is_medh5 ? 0 : -EINVAL;
}

int draw_set_epoch(struct view_spec *s, const char *v, size_t n)
{
	return parse_decimal(v, n, &s->draw.epoch);
}

int add_priority(struct view_spec *s, const char *v, size_t n)
{
	char text[NAME_BYTES_MAX + 1];

	if (n > NAME_BYTES_MAX || value_decode(v, n, text) < 0)
		return -EINVAL;
	return view_add_priority(s, text);
}

/* -------------------------------------------------------------- printing */

static void put_name(char out[NAME_BYTES_MAX + 1], size_t *n, const char *key,
		     const char *name)
{
	char text[3 * sizeof(((struct view_draw *)0)->text)];

	value_encode(name, text, sizeof(text));
	view_put(out, n, "+%s-%s", key, text);
}

static void put_double(char out[NAME_BYTES_MAX + 1], size_t *n,
		       const char *before, double v)
{
	char text[NUMBER_TEXT_MAX];
	uint8_t bytes[8];

	memcpy(bytes, &v, sizeof(bytes));
	number_print(bytes, 'f', 8, text);
	view_put(out, n, "%s%s", before, text);
}

void draw_print_what(const struct view_draw *d, char out[NAME_BYTES_MAX + 1],
		     size_t *n)
{
	if (*view_labels(d))
		put_name(out, n, "labels", view_labels(d));
	for (unsigned i = 0; i < d->nclass; i++) {
		put_name(out, n, "class", view_class(d, i));
		if (d->weight[i] != 1)
			put_double(out, n, "@", d->weight[i]);
	}
	if (d->fraction != 1)
		put_double(out, n, "+fraction-", d->fraction);
	if (d->weights != WEIGHTS_UNIFORM)
		view_put(out, n, "+weights-%s", weight_names[d->weights]);
	if (d->border != DRAW_CLAMP)
		view_put(out, n, "+border-%s", border_names[d->border]);
}

void print_priority(const struct view_spec *s, char out[NAME_BYTES_MAX + 1],
		    size_t *n)
{
	for (unsigned i = 0; i < s->priority.n; i++)
		put_name(out, n, "priority", view_priority(s, i));
}

void draw_print_how(const struct view_draw *d, char out[NAME_BYTES_MAX + 1],
		    size_t *n)
{
	if (d->index != VIEW_INDEX_AUTO)
		view_put(out, n, "+index-%s", index_names[d->index]);
	if (d->is_medh5)
		view_put(out, n, "+rule-" RULE_MEDH5);
	if (d->epoch)
		view_put(out, n, "+epoch-%" PRIu64, d->epoch);
}
