/* SPDX-License-Identifier: MIT */

/*
 * The array that an object of a catalog is: stored, or derived from some that
 * are, with these. Messages about a source name it, not what is derived.
 */

#include <config.h>

#include "array/array.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "array/derived_impl.h"
#include "util/checked.h"

#define DEPTH_MAX 64

/* ----------------------------------------------------------------- labels */

/*
 * The part of a label before the path of the object, which it ends with.
 * 0: the label has another path.
 */
static size_t before_path(const struct catalog *k, uint32_t object,
			  const char *label)
{
	struct path_step step[DEPTH_MAX];
	unsigned depth = catalog_path(k, object, step, DEPTH_MAX);
	size_t n = strlen(label);

	for (unsigned i = 0; i < depth; i++) {
		while (n > 0 && label[n - 1] != '/')
			n--;
		if (n == 0)
			return 0;
		n--;
	}
	return depth > 0 && n >= 2 && memcmp(label + n - 2, ": ", 2) == 0 ? n
									  : 0;
}

/* Text of the labels. */
struct room {
	char *p;
	size_t n;
};

static bool add(struct room *r, size_t *at, const char *text, size_t n)
{
	if (n >= r->n - *at)
		return false;
	memcpy(r->p + *at, text, n);
	*at += n;
	r->p[*at] = '\0';
	return true;
}

/* "file.h5: /path" of a source; that of the derived array if it cannot be. */
static const char *source_label(struct room *r, const struct catalog *k,
				uint32_t object, const char *label,
				size_t before)
{
	struct path_step step[DEPTH_MAX];
	unsigned depth = catalog_path(k, object, step, DEPTH_MAX);
	const char *start = r->p;
	size_t at = 0;
	bool fits = before > 0 && depth > 0 && depth <= DEPTH_MAX && r->n > 0 &&
		    add(r, &at, label, before);

	for (unsigned i = 0; fits && i < depth; i++) {
		struct member m;

		catalog_member(k, step[i].group, step[i].member, &m);
		fits = add(r, &at, "/", 1) && add(r, &at, m.name.p, m.name.n);
	}
	if (!fits)
		return label;
	r->p += at + 1;
	r->n -= at + 1;
	return start;
}

/* ---------------------------------------------------------------- sources */

/* The array cannot be read as this source of it cannot. */
static void set_error(struct derived *d, struct room *r, int err,
		      const struct stored_array *s, const char *label)
{
	static const char vague[] = "it needs an array that cannot be read";
	size_t n = s->info.refused.n < 256 ? s->info.refused.n : 256;
	int len;

	d->error = err == -EOPNOTSUPP ? err : -EIO;
	d->why = (struct bytes){vague, strlen(vague)};
	len = snprintf(r->p, r->n, "it needs %s, which cannot be read%s%.*s",
		       label, n ? ": " : "", (int)n,
		       n ? s->info.refused.p : "");
	if (len < 0 || (size_t)len >= r->n)
		return;
	d->why = (struct bytes){r->p, (size_t)len};
	r->p += len + 1;
	r->n -= (size_t)len + 1;
}

static void object_numbers(const struct derived_info *i, uint32_t out[SOURCES])
{
	out[SOURCE_DATA] = i->data;
	out[SOURCE_IGNORE] = i->ignore_mask;
	out[SOURCE_BOXES] = i->boxes;
	out[SOURCE_CLASS_IDS] = i->class_ids;
	out[SOURCE_OFFSETS] = i->mask_offsets;
	out[SOURCE_SHAPES] = i->mask_shapes;
}

static void open_sources(struct derived_array *a, const struct array_env *env,
			 struct container *c, uint64_t source,
			 const struct catalog *k, uint32_t object,
			 const char *label)
{
	struct room room = {a->text, sizeof(a->text)};
	size_t before = before_path(k, object, label);
	uint32_t number[SOURCES];

	object_numbers(&a->derived.info, number);
	for (unsigned i = 0; i < SOURCES && !a->derived.error; i++) {
		struct stored_array *s = &a->stored[i];
		const char *own;
		int err;

		if (number[i] == OBJECT_NONE)
			continue;
		assert(number[i] < catalog_objects(k) &&
		       catalog_kind(k, number[i]) == OBJECT_ARRAY);
		own = source_label(&room, k, number[i], label, before);
		err = stored_array_init(s, env, c, source, k, number[i], own);
		if (err)
			set_error(&a->derived, &room, err, s, own);
		else
			a->derived.source[i] = &s->base;
	}
}

/* ------------------------------------------------------------------- open */

static int open_derived(struct derived_array *a, const struct array_env *env,
			struct container *c, uint64_t source,
			const struct catalog *k, uint32_t object,
			const struct array_info *info, const char *label)
{
	struct shape shape = {.ndim = info->rank};
	uint64_t n;

	if (info->rank > NDIM_MAX)
		return -EOPNOTSUPP;
	for (unsigned i = 0; i < info->rank; i++)
		shape.dim[i] = info->dim[i];
	if (shape_count(&shape, &n) < 0 ||
	    !checked_mul(n, info->item_size, &n) || n > INT64_MAX)
		return -EOVERFLOW;
	memset(&a->derived, 0, sizeof(a->derived));
	catalog_derived(k, object, &a->derived.info);
	if (a->derived.info.broken.n == 0)
		open_sources(a, env, c, source, k, object, label);
	derived_init(&a->derived, &shape, env->problems, label);
	assert(a->derived.base.kind == info->kind &&
	       a->derived.base.item_size == info->item_size);
	return 0;
}

int array_open(const struct array_env *env, struct container *c,
	       uint64_t source, const struct catalog *k, uint32_t object,
	       const char *label, struct any_array *out)
{
	struct array_info info;

	catalog_array(k, object, &info);
	out->is_derived = info.layout == CAT_DERIVED;
	if (out->is_derived) {
		out->base = &out->derived.derived.base;
		return open_derived(&out->derived, env, c, source, k, object,
				    &info, label);
	}
	out->base = &out->stored.base;
	return stored_array_init(&out->stored, env, c, source, k, object,
				 label);
}

int array_open_masks(const struct array_env *env, struct container *c,
		     uint64_t source, const struct catalog *k, uint32_t object,
		     const char *label, struct any_array *out)
{
	int err = array_open(env, c, source, k, object, label, out);

	if (err)
		return err;
	if (!out->is_derived)
		return -EINVAL;
	return class_masks_init(&out->derived.derived);
}
