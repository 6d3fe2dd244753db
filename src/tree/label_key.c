/* SPDX-License-Identifier: MIT */

/*
 * What the sampling index of a label array is kept under: of an annotation
 * whose arrays have digests these, else the file as it is and where it is; and
 * in both cases how the planes make the classes. Two labels with one key would
 * share an index, so all that makes a difference to it is in the text.
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tree/label_source.h"
#include "util/hash.h"

struct key_text {
	FILE *f;
	bool whole; /* every array has a digest */
};

/* A line for each array; k->whole becomes false where one has no digest. */
static void put_digests(struct key_text *k, const struct catalog *c,
			uint32_t annotation)
{
	for (uint32_t i = 0; i < catalog_members(c, annotation); i++) {
		struct array_info a;
		struct member m;
		char algorithm[HASH_NAME_MAX];
		struct bytes d, hex;

		catalog_member(c, annotation, i, &m);
		if (m.kind != CAT_HARD ||
		    catalog_kind(c, m.target) != OBJECT_ARRAY)
			continue;
		catalog_array(c, m.target, &a);
		if (a.layout == CAT_DERIVED)
			continue;
		/* What is no digest may be the same beside any data. */
		if (!catalog_text(c, m.target, "digest", &d) ||
		    !hash_split(d.p, d.n, algorithm, &hex.p, &hex.n)) {
			k->whole = false;
			return;
		}
		fwrite(m.name.p, 1, m.name.n, k->f);
		fputc('\t', k->f);
		fwrite(d.p, 1, d.n, k->f);
		fputc('\n', k->f);
	}
}

/* The file, by path, size and time, and where in it the label is. */
static void put_file(struct label_origin *o, FILE *f)
{
	const struct source *s = source_at(o->t, o->dir->source);
	char path[4096];

	source_label(o->t, o->dir->source, path, sizeof(path));
	fprintf(f, "file %s/%s %lld %lld.%09ld %" PRIx64 "\n", o->t->conf.src,
		path, (long long)s->st.st_size, (long long)s->st.st_mtim.tv_sec,
		s->st.st_mtim.tv_nsec, catalog_addr(o->pin->k, o->dir->object));
}

/* How the planes make the classes. */
static void put_meaning(const struct label_origin *o, FILE *f)
{
	for (unsigned k = 0; k < o->shape.ndim; k++)
		fprintf(f, "%" PRIu64 "%c", o->shape.dim[k],
			k + 1 < o->shape.ndim ? 'x' : '\n');
	for (unsigned i = 0; i < o->nplane; i++) {
		const struct label_plane *p = &o->plane[i];

		fprintf(f, "plane %d %" PRIu64 " %a %c%u:", (int)p->rule,
			p->lead, p->threshold, p->array->kind,
			p->array->item_size);
		for (unsigned c = 0; c < p->nid; c++)
			fprintf(f, " %" PRId64, p->id[c]);
		fputc('\n', f);
	}
	for (unsigned i = 0; i < o->nclosure; i++)
		fprintf(f, "%" PRId64 ">%" PRId64 "\n", o->closure[i][0],
			o->closure[i][1]);
}

int label_source_key(struct label_origin *o, struct sidecar_key *out)
{
	CLEANUP(cleanup_freep) char *text = NULL;
	struct key_text k = {.whole = false};
	struct place_info place;
	char hex[65];
	size_t n;
	int err;

	k.f = open_memstream(&text, &n);
	if (!k.f)
		return -ENOMEM;
	fputs("patchfs label 2\n", k.f);
	if (o->is_annotation &&
	    catalog_place(o->pin->k, o->dir->object, &place)) {
		k.whole = true;
		put_digests(&k, o->pin->k, place.annotation);
	}
	if (!k.whole)
		put_file(o, k.f);
	put_meaning(o, k.f);
	if (fclose(k.f) != 0)
		return -ENOMEM;
	err = hash_sha256_hex(text, n, hex);
	for (unsigned i = 0; i < sizeof(out->digest) && err == 0; i++) {
		unsigned byte = 0;

		sscanf(hex + 2 * i, "%2x", &byte);
		out->digest[i] = (uint8_t)byte;
	}
	return err;
}
