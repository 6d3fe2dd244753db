/* SPDX-License-Identifier: MIT */

/* The sampling indices of label arrays, whole and trimmed, of a mount. */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree/label_source.h"
#include "util/hash.h"

#define WHOLE 0 /* the variant that is not trimmed */

static struct index_ask ask_for(const struct pin *p, const struct dir *d)
{
	return (struct index_ask){
		.source = p->key,
		.object = catalog_addr(p->k, d->object),
		.variant = WHOLE,
		.device = container_device(p->container),
	};
}

/* What the label itself is the cause of, told in words. */
static int explain(struct label_origin *o, int err)
{
	switch (err) {
	case -E2BIG:
		return label_source_fail(
			o, -EOPNOTSUPP,
			"it has more than 65536 different "
			"values, so it is no label array; name "
			"another with labels-A");
	case -EFBIG:
		return label_source_fail(o, err,
					 "it would take more than half of what "
					 "all may take; raise --index-size");
	case -EINVAL:
		return label_source_fail(o, -EOPNOTSUPP,
					 "its values are no class ids");
	case -EOVERFLOW:
		return label_source_fail(o, -EOPNOTSUPP,
					 "it has more than 2^40 elements or "
					 "2^28 chunks");
	case -ECANCELED:
		return -EINTR;
	default:
		return err;
	}
}

int label_index_get(struct tree *t, const struct pin *p, uint32_t label,
		    const struct index_watch *watch, struct wait *w,
		    struct index_pin *out)
{
	CLEANUP(label_source_fini) struct label_origin o;
	struct index_ask ask;
	int err;

	label_source_init(&o, t, p, label);
	ask = ask_for(p, o.dir);
	ask.origin = label_source_make;
	ask.arg = &o;
	if (watch) {
		o.watch = watch;
		ask.progress = label_source_progress;
	}
	err = indices_get(t->indices, &ask, w, out);
	return err ? explain(&o, err) : 0;
}

/* Whether its key follows from the catalog alone. */
static bool has_plain_key(const struct pin *p, const struct dir *d)
{
	struct derived_info derived;
	struct array_info a;

	catalog_array(p->k, d->object, &a);
	if (a.layout != CAT_DERIVED)
		return true;
	catalog_derived(p->k, d->object, &derived);
	return derived.encoding != LABELS_INSTANCES;
}

static int read_kept(struct tree *t, const struct pin *p, uint32_t label,
		     struct wait *w, void **data)
{
	CLEANUP(label_source_fini) struct label_origin o;
	struct index_origin from = {0};
	size_t size;
	int err;

	label_source_init(&o, t, p, label);
	o.is_quiet = true;
	err = label_source_make(&o, w, &from);
	if (!err && from.has_key)
		err = indices_read_sidecar(t->indices, &from.key,
					   &from.label.shape, data, &size);
	return err == -ENOMEM ? err : *data ? 0 : -ENOENT;
}

int label_index_look(struct tree *t, const struct pin *p, uint32_t label,
		     struct wait *w, struct index_look *out)
{
	const struct dir *d = dirs_at(t->dirs, label);
	const struct index_ask ask = ask_for(p, d);
	const struct wait_need need = {.source = ask.source,
				       .device = ask.device};
	int err;

	*out = (struct index_look){0};
	if (indices_peek(t->indices, ask.source, ask.object, ask.variant,
			 &out->pin)) {
		out->index = out->pin.index;
		return 0;
	}
	if (t->index_dir < 0 || !has_plain_key(p, d))
		return -ENOENT;
	err = w ? w->admit(w, &need) : 0;
	if (!err)
		err = read_kept(t, p, label, w, &out->data);
	out->index = out->data;
	return err;
}

void label_index_unlook(struct tree *t, struct index_look *look)
{
	indices_put(t->indices, &look->pin);
	free(look->data);
	*look = (struct index_look){0};
}

/* --------------------------------------------------------------- trimmed */

struct trim {
	struct tree *t;
	const struct pin *p;
	uint32_t label;
	const int64_t *ids;
	unsigned n;
	const uint64_t *lo, *hi;
};

static int trim_all(const struct trim *m, const struct label_index *x,
		    size_t max, void **data, size_t *size)
{
	CLEANUP(cleanup_freep) int64_t *ids = NULL;
	uint32_t n = label_index_classes(x);

	if (m->n)
		return label_index_trim(x, m->ids, m->n, m->lo, m->hi, max,
					data, size);
	ids = calloc(n + 1u, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct label_class c;

		label_index_class(x, i, &c);
		ids[i] = c.id;
	}
	return label_index_trim(x, ids, n, m->lo, m->hi, max, data, size);
}

static int make_trimmed(void *arg, struct wait *w, size_t max, void **data,
			size_t *size)
{
	const struct trim *m = arg;
	struct index_pin whole;
	int err = label_index_get(m->t, m->p, m->label, NULL, w, &whole);

	if (err < 0)
		return err;
	err = trim_all(m, whole.index, max, data, size);
	indices_put(m->t->indices, &whole);
	return err;
}

/* Which part of a label it is: 64 bits of a digest, and never the whole. */
static int variant_of(const struct trim *m, unsigned ndim, uint64_t *out)
{
	char text[VIEW_CLASSES_MAX * 24 + NDIM_MAX * 48], hex[65];
	size_t n = 0;
	int err;

	for (unsigned i = 0; i < m->n; i++)
		n += (size_t)sprintf(text + n, "%" PRId64 " ", m->ids[i]);
	for (unsigned k = 0; k < ndim; k++)
		n += (size_t)sprintf(text + n, "%" PRIu64 ":%" PRIu64 " ",
				     m->lo[k], m->hi[k]);
	err = hash_sha256_hex(text, n, hex);
	if (err < 0)
		return err;
	hex[16] = '\0';
	*out = strtoull(hex, NULL, 16) | 1;
	return 0;
}

int label_index_inside(struct tree *t, const struct pin *p, uint32_t label,
		       const int64_t *ids, unsigned n,
		       const uint64_t lo[NDIM_MAX], const uint64_t hi[NDIM_MAX],
		       struct wait *w, struct index_pin *out)
{
	const struct dir *d = dirs_at(t->dirs, label);
	struct trim m = {t, p, label, ids, n, lo, hi};
	CLEANUP(label_source_fini) struct label_origin o;
	struct index_ask ask = ask_for(p, d);
	int err = variant_of(&m, dirs_type_at(t->dirs, d->type)->shape.ndim,
			     &ask.variant);

	if (err < 0)
		return err;
	label_source_init(&o, t, p, label);
	ask.make = make_trimmed;
	ask.arg = &m;
	err = indices_get(t->indices, &ask, w, out);
	return err ? explain(&o, err) : 0;
}
