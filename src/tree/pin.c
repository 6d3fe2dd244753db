/* SPDX-License-Identifier: MIT */

/*
 * A container with its catalog, and an array in it, for the length of a call.
 * What a directory's record says was true of the catalog when it was made; a
 * catalog that was scanned again is asked anew.
 */

#include <config.h>

#include <errno.h>

#include "tree/text.h"
#include "tree/tree_impl.h"

int pin_get(struct tree *t, const struct dir *d, struct wait *w,
	    struct pin *out)
{
	int err =
		source_catalog(t, d->source, w, &out->container, &out->cached);

	if (err < 0)
		return err;
	out->env = &t->env;
	out->key = source_key(t, d->source);
	out->k = out->cached.data;
	return 0;
}

void pin_put(struct pin *p)
{
	cached_put(p->env, &p->cached);
}

int pin_check(const struct pin *p, const struct dir *d)
{
	enum object_kind want =
		d->kind == DIR_ARRAY ? OBJECT_ARRAY : OBJECT_GROUP;

	if (d->object >= catalog_objects(p->k) ||
	    catalog_kind(p->k, d->object) != want)
		return -ESTALE;
	return 0;
}

static int init_array(const struct pin *p, const struct dir *d,
		      const char *label, struct any_array *out)
{
	return array_open(p->env, p->container, p->key, p->k, d->object, label,
			  out);
}

int pin_array(const struct pin *p, const struct dir *d, const char *label,
	      struct any_array *out)
{
	struct array_info a;
	int err = init_array(p, d, label, out);

	if (err != -EOPNOTSUPP)
		return err;
	catalog_array(p->k, d->object, &a);
	return problem_tell(p->env->problems, err, "%s: %.*s", label,
			    TEXT_CUT(a.refused, 512));
}

bool pin_try_array(const struct pin *p, const struct dir *d, const char *label,
		   struct any_array *out)
{
	struct array_info a;

	catalog_array(p->k, d->object, &a);
	return d->type != ROW_NONE && a.refused.n == 0 &&
	       init_array(p, d, label, out) == 0;
}
