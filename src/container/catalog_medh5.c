/* SPDX-License-Identifier: MIT */

/*
 * What a catalog knows of medh5 samples beside their arrays: label tables, and
 * which grid an array lies on. Immutable; any thread.
 */

#include <config.h>

#include <assert.h>
#include <errno.h>

#include "container/container_impl.h"

static const struct cat_medh5 *record(const struct catalog *k)
{
	return k->medh5_at ? catalog_rec(k, k->medh5_at) : NULL;
}

static const struct place_info *places(const struct cat_medh5 *r)
{
	return (const struct place_info *)(r + 1);
}

enum medh5_kind catalog_medh5(const struct catalog *k)
{
	const struct cat_medh5 *r = record(k);

	return r ? (enum medh5_kind)r->kind : MEDH5_NOT;
}

const char *catalog_format(const struct catalog *k)
{
	return k->medh5_at ? "medh5" : NULL;
}

uint32_t catalog_samples(const struct catalog *k)
{
	const struct cat_medh5 *r = record(k);

	return r ? r->nsample : 0;
}

static const struct cat_sample *sample_rec(const struct catalog *k, uint32_t at)
{
	return catalog_rec(k, at);
}

static const struct cat_label *labels(const struct cat_sample *s)
{
	return (const struct cat_label *)(s + 1);
}

static const uint32_t *parents(const struct cat_sample *s)
{
	return (const uint32_t *)(labels(s) + s->nlabel);
}

static const char *texts(const struct cat_sample *s)
{
	return (const char *)(parents(s) + s->nparent);
}

void catalog_sample(const struct catalog *k, uint32_t i,
		    struct sample_info *out)
{
	const struct cat_medh5 *r = record(k);
	const struct cat_sample *s;
	struct bytes text[SAMPLE_TEXTS];
	const char *p;
	uint32_t at;

	assert(i < catalog_samples(k));
	at = ((const uint32_t *)(places(r) + r->nplace))[i];
	s = sample_rec(k, at);
	p = texts(s);
	for (unsigned t = 0; t < SAMPLE_TEXTS; t++) {
		text[t] = (struct bytes){p, s->text_len[t]};
		p += s->text_len[t];
	}
	*out = (struct sample_info){
		.root = s->root,
		.set_id = text[0],
		.set_version = text[1],
		.set_sha256 = text[2],
		.nlabel = s->nlabel,
		.group_id = text[3],
		.splits = text[4],
		.at = at,
	};
}

int64_t catalog_sample_at(const struct catalog *k, uint32_t group)
{
	const struct cat_medh5 *r = record(k);
	uint32_t low = 0, high = r ? r->nsample : 0;
	const uint32_t *at;

	if (!r)
		return -ENOENT;
	at = (const uint32_t *)(places(r) + r->nplace);
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		uint32_t root = sample_rec(k, at[mid])->root;

		if (root == group)
			return mid;
		if (group < root)
			high = mid;
		else
			low = mid + 1;
	}
	return -ENOENT;
}

void catalog_label(const struct catalog *k, const struct sample_info *s,
		   uint32_t i, struct label_info *out)
{
	const struct cat_sample *rec = sample_rec(k, s->at);
	const struct cat_label *l = labels(rec) + i;
	const char *text = texts(rec) + l->text;

	assert(i < rec->nlabel);
	*out = (struct label_info){
		.id = l->id,
		.key = {text, l->key_len},
		.name = {text + l->key_len, l->name_len},
		.has_own_key = l->has_own_key,
		.has_color = l->has_color,
		.color = {l->color[0], l->color[1], l->color[2], l->color[3]},
		.nparent = l->nparent,
		.parent = parents(rec) + l->first_parent,
	};
}

bool catalog_label_by_id(const struct catalog *k, const struct sample_info *s,
			 uint32_t id, struct label_info *out)
{
	uint32_t low = 0, high = s->nlabel;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		catalog_label(k, s, mid, out);
		if (out->id == id)
			return true;
		if (id < out->id)
			high = mid;
		else
			low = mid + 1;
	}
	return false;
}

bool catalog_place(const struct catalog *k, uint32_t array,
		   struct place_info *out)
{
	const struct cat_medh5 *r = record(k);
	uint32_t low = 0, high = r ? r->nplace : 0;

	/* The first of those of one array. */
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (places(r)[mid].object < array)
			low = mid + 1;
		else
			high = mid;
	}
	if (!r || low == r->nplace || places(r)[low].object != array)
		return false;
	*out = places(r)[low];
	return true;
}
