/* SPDX-License-Identifier: MIT */

/*
 * The JSON document of a medh5 sample. It holds dates, pseudonyms and free
 * text, of which nothing may get out: kept are the label table, the split
 * claims and the group of the cohort, and nothing else is ever copied.
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "container/medh5_impl.h"
#include "util/cleanup.h"
#include "util/json.h"

/* Longer texts of a claim are no names of a split. */
#define CLAIM_TEXT_MAX 256
#define CLAIMS_MAX 64

static struct bytes text_of(const struct json *object, const char *key)
{
	struct bytes b = {"", 0};
	const char *s;
	size_t n;

	if (json_read_text(json_get(object, key), &s, &n))
		b = (struct bytes){s, n};
	return b;
}

static bool small_int(const struct json *j, int64_t max, int64_t *out)
{
	return json_read_int(j, out) && *out >= 0 && *out <= max;
}

static void read_color(const struct json *j, struct medh5_label *l)
{
	size_t n = json_length(j);
	int64_t v;

	if (n != 3 && n != 4)
		return;
	l->color[3] = 255;
	for (size_t i = 0; i < n; i++) {
		if (!small_int(json_at(j, i), 255, &v))
			return;
		l->color[i] = (uint8_t)v;
	}
	l->has_color = true;
}

/* One that has no id says nothing. */
static bool read_label(struct medh5_meta *m, const struct json *j,
		       struct medh5_label *l)
{
	const struct json *parents = json_get(j, "parents");
	int64_t id;

	if (!small_int(json_get(j, "id"), MEDH5_ID_MAX, &id) || !id)
		return false;
	*l = (struct medh5_label){
		.id = (uint32_t)id,
		.key = text_of(j, "key"),
		.name = text_of(j, "name"),
		.first_parent = m->nparent,
	};
	read_color(json_get(j, "color"), l);
	for (size_t i = 0; i < json_length(parents); i++)
		if (small_int(json_at(parents, i), MEDH5_ID_MAX, &id) && id) {
			m->parent[m->nparent++] = (uint32_t)id;
			l->nparent++;
		}
	return true;
}

static int by_id(const void *a, const void *b)
{
	const struct medh5_label *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	/* As they came. */
	return (x->first_parent > y->first_parent) -
	       (x->first_parent < y->first_parent);
}

static int by_key(const void *a, const void *b)
{
	const struct bytes x = (*(struct medh5_label *const *)a)->key;
	const struct bytes y = (*(struct medh5_label *const *)b)->key;
	const size_t n = x.n < y.n ? x.n : y.n;
	int d = n ? memcmp(x.p, y.p, n) : 0;

	return d ? d : (x.n > y.n) - (x.n < y.n);
}

/* Found once for all: each class asks it, and there may be 65534. */
static int find_own_keys(struct medh5_meta *m)
{
	CLEANUP(cleanup_freep)
	struct medh5_label **sorted = calloc(m->nlabel + 1u, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->nlabel; i++) {
		sorted[i] = &m->label[i];
		sorted[i]->has_own_key = sorted[i]->key.n > 0;
	}
	qsort(sorted, m->nlabel, sizeof(*sorted), by_key);
	for (uint32_t i = 1; i < m->nlabel; i++)
		if (by_key(&sorted[i - 1], &sorted[i]) == 0)
			sorted[i - 1]->has_own_key = sorted[i]->has_own_key =
				false;
	return 0;
}

static int read_labels(struct medh5_meta *m, const struct json *classes)
{
	size_t n = json_length(classes), parents = 0, kept = 0;

	for (size_t i = 0; i < n; i++)
		parents +=
			json_length(json_get(json_at(classes, i), "parents"));
	m->label = calloc(n + 1, sizeof(*m->label));
	m->parent = calloc(parents + 1, sizeof(*m->parent));
	if (!m->label || !m->parent)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (read_label(m, json_at(classes, i), &m->label[kept]))
			kept++;
	if (kept)
		qsort(m->label, kept, sizeof(*m->label), by_id);
	if (kept < n)
		m->problem = "classes of the label table have no id";
	for (size_t i = 0; i < kept; i++) {
		if (m->nlabel && m->label[m->nlabel - 1].id == m->label[i].id) {
			m->problem = "ids of the label table are there twice";
			continue;
		}
		m->label[m->nlabel++] = m->label[i];
	}
	return find_own_keys(m);
}

/* Of a claim only what names a split. */
static struct json *copy_claim(const struct json *claim)
{
	static const char *const name[] = {"set_id", "partition", "fold",
					   "manifest_sha256"};
	struct json *out = json_object_new();

	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
		const struct json *j = json_get(claim, name[i]);
		const char *s;
		int64_t v;
		size_t n;

		if (json_read_int(j, &v))
			json_set(out, name[i], json_int_new(v));
		else if (json_read_text(j, &s, &n) && n <= CLAIM_TEXT_MAX)
			json_set(out, name[i], json_text_new(s, n));
	}
	return out;
}

static int read_splits(struct medh5_meta *m, const struct json *splits)
{
	size_t n = json_length(splits), size;
	struct json *out;
	int err;

	if (n > CLAIMS_MAX)
		n = CLAIMS_MAX;
	if (!n && !json_is_members(splits))
		return 0;
	out = json_array_new();
	for (size_t i = 0; i < n; i++)
		json_append(out, copy_claim(json_at(splits, i)));
	if (!n)
		json_append(out, copy_claim(splits));
	err = json_dump(out, &m->splits, &size);
	json_free(out);
	if (!err)
		m->text[4] = (struct bytes){m->splits, size};
	return err;
}

int medh5_meta_init(struct medh5_meta *m, struct bytes text)
{
	const struct json *set;
	int err;

	*m = (struct medh5_meta){0};
	for (unsigned i = 0; i < SAMPLE_TEXTS; i++)
		m->text[i].p = "";
	err = json_parse(text.p, text.n, &m->json);
	if (err == -ENOMEM)
		return err;
	if (!json_is_members(m->json)) {
		m->problem = "it is no JSON document that can be read";
		return 0;
	}
	set = json_get(m->json, "label_set");
	m->text[0] = text_of(set, "id");
	m->text[1] = text_of(set, "version");
	m->text[2] = text_of(set, "sha256");
	m->text[3] = text_of(json_get(m->json, "cohort"), "group_id");
	err = read_labels(m, json_get(set, "classes"));
	return err ? err : read_splits(m, json_get(m->json, "splits"));
}

void medh5_meta_fini(struct medh5_meta *m)
{
	json_free(m->json);
	free(m->splits);
	free(m->label);
	free(m->parent);
	*m = (struct medh5_meta){0};
}

static int id_compare(const void *id, const void *label)
{
	uint32_t x = *(const uint32_t *)id;
	uint32_t y = ((const struct medh5_label *)label)->id;

	return (x > y) - (x < y);
}

const struct medh5_label *medh5_label_find(const struct medh5_meta *m,
					   uint32_t id)
{
	if (!m->nlabel)
		return NULL;
	return bsearch(&id, m->label, m->nlabel, sizeof(*m->label), id_compare);
}

static size_t texts_size(const struct medh5_meta *m)
{
	size_t n = 0;

	for (unsigned i = 0; i < SAMPLE_TEXTS; i++)
		n += m->text[i].n;
	for (uint32_t i = 0; i < m->nlabel; i++)
		n += m->label[i].key.n + m->label[i].name.n;
	return n;
}

static char *put_text(char *p, struct bytes b)
{
	if (b.n)
		memcpy(p, b.p, b.n);
	return p + b.n;
}

int medh5_meta_put(const struct medh5_meta *m, struct catalog_builder *b,
		   uint32_t root, uint32_t *at)
{
	size_t size = sizeof(struct cat_sample) +
		      m->nlabel * sizeof(struct cat_label) +
		      m->nparent * sizeof(uint32_t) + texts_size(m);
	struct cat_sample s = {
		.head = {CAT_SAMPLE, (uint32_t)((size + 7) & ~(size_t)7)},
		.root = root,
		.nlabel = m->nlabel,
		.nparent = m->nparent,
	};
	size_t off;
	char *p, *text, *first;
	int err = catalog_builder_room(b, s.head.size, &off);

	if (err)
		return err;
	p = b->blob + off;
	first = text = p + size - texts_size(m);
	for (unsigned i = 0; i < SAMPLE_TEXTS; i++) {
		s.text_len[i] = (uint32_t)m->text[i].n;
		text = put_text(text, m->text[i]);
	}
	memcpy(p, &s, sizeof(s));
	p += sizeof(s);
	for (uint32_t i = 0; i < m->nlabel; i++) {
		const struct medh5_label *l = &m->label[i];
		struct cat_label out = {
			.id = l->id,
			.has_color = l->has_color,
			.has_own_key = l->has_own_key,
			.first_parent = l->first_parent,
			.nparent = l->nparent,
			.text = (uint32_t)(text - first),
			.key_len = (uint32_t)l->key.n,
			.name_len = (uint32_t)l->name.n,
		};

		memcpy(out.color, l->color, sizeof(out.color));
		text = put_text(put_text(text, l->key), l->name);
		memcpy(p, &out, sizeof(out));
		p += sizeof(out);
	}
	if (m->nparent)
		memcpy(p, m->parent, m->nparent * sizeof(*m->parent));
	*at = (uint32_t)(off / 8);
	return 0;
}
