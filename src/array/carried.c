/* SPDX-License-Identifier: MIT */

/* Glue between the catalog of a medh5 sample and arrays that can be read. */

#include <config.h>

#include "array/carried.h"

#include <errno.h>

#include "array/digest.h"
#include "util/problem.h"

void carried_where(const struct carried_ask *ask, uint64_t *object,
		   uint64_t *device)
{
	*object = catalog_addr(ask->k, ask->annotation);
	*device = container_device(ask->container);
}

bool carried_is_broken(int err)
{
	switch (-err) {
	case EBADMSG:
	case EOPNOTSUPP:
	case EOVERFLOW:
		return true;
	default:
		return false;
	}
}

int carried_array(const struct carried_ask *ask, uint32_t object,
		  struct stored_array *out)
{
	if (object >= catalog_objects(ask->k) ||
	    catalog_kind(ask->k, object) != OBJECT_ARRAY)
		return -ESTALE;
	return stored_array_init(out, ask->env, ask->container, ask->source,
				 ask->k, object, ask->label);
}

/* More is not read for a digest, whether it is stored or not. */
#define BYTES_MAX (UINT64_C(1) << 36)
#define CHUNKS_MAX (UINT64_C(1) << 28)

static bool is_too_large(const struct stored_array *s)
{
	uint64_t n;

	return s->bytes > BYTES_MAX ||
	       (s->info.layout == CAT_CHUNKED &&
		(shape_count(&s->grid, &n) < 0 || n > CHUNKS_MAX));
}

static int compute(void *arg, uint32_t array, const char *path,
		   const char *algorithm, char *hex)
{
	const struct carried_ask *ask = arg;
	struct stored_array s;
	int err = carried_array(ask, array, &s);

	if (!err && is_too_large(&s))
		err = -EOPNOTSUPP;
	if (!err)
		err = array_digest(&s.base, path, algorithm, hex);
	return carried_is_broken(err) ? -EOPNOTSUPP : err;
}

int carried_read(const struct carried_ask *ask, struct carried_index *out)
{
	struct carried_ask in = *ask;
	int err = catalog_carried(ask->k, ask->sample, ask->annotation, NULL,
				  NULL, out);

	if (err || out->state != CARRIED_UNKNOWN)
		return err;
	err = catalog_carried(ask->k, ask->sample, ask->annotation, compute,
			      &in, out);
	if (!err && out->state != CARRIED_FRESH)
		carried_tell(ask, out->state, out->why);
	return err;
}

int carried_coords(const struct carried_ask *ask, const struct carried_index *x,
		   uint32_t id, uint64_t rows, struct stored_array *out)
{
	uint32_t o = catalog_carried_coords(ask->k, x, id, rows);

	return o == OBJECT_NONE ? -ENOENT : carried_array(ask, o, out);
}

void carried_tell(const struct carried_ask *ask, enum carried_state state,
		  const char *why)
{
	char line[CARRIED_LINE];

	catalog_carried_line(catalog_medh5(ask->k), state, why, line);
	problem_note(ask->env->problems, "%s: %s", ask->label, line);
}
