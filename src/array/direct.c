/* SPDX-License-Identifier: MIT */

/*
 * Values that lie in the file as they are served, read past the cache: long
 * runs of them are not worth a copy there. They are stored bare, or in chunks
 * whose filter gained nothing.
 */

#include <config.h>

#include "array/array_impl.h"

#include "codec/codec.h"

/* The thread is asked for first. Errors were told. */
static int read_stored(const struct stored_array *s, uint64_t unit,
		       uint64_t off, uint64_t n, void *out, struct wait *w)
{
	const struct wait_need need = {.source = s->source,
				       .device = s->device};
	int err = w ? w->admit(w, &need) : 0;

	if (err)
		return err;
	err = container_read(s->container, off, (size_t)n, out);
	if (err)
		return unit_tell(s, unit, err,
				 &(struct stored){.off = off, .n = n});
	return 0;
}

int direct_copy(const struct stored_array *s, uint64_t unit, uint64_t off,
		const struct copy *plan, unsigned char *out, struct wait *w)
{
	struct copy_walk row = {0};

	while (copy_next(plan, &row)) {
		uint64_t from = off + row.src;
		unsigned char *to = out + row.dst;

		for (uint64_t i = 0; i < row.n; i++) {
			int err = read_stored(s, unit, from, plan->row, to, w);

			if (err)
				return err;
			from += row.src_step;
			to += row.dst_step;
		}
	}
	return 0;
}

/* Rows worth a pread each: long ones, or the one row of a long run. */
static bool is_long(const struct chunk_walk *k, const struct chunk_part *p,
		    const struct copy *plan)
{
	const struct stored_array *s = k->s;
	uint64_t extent[NDIM_MAX], run;

	if (plan->row >= DIRECT_ROW)
		return true;
	for (unsigned i = 0; i < s->chunk.ndim; i++) {
		uint64_t c = s->chunk.dim[i];
		uint64_t first = p->at[i] * c;
		uint64_t from = k->item->start[i];
		uint64_t end = from + k->item->extent[i];

		from = from < first ? 0 : from - first;
		extent[i] = end - first < c ? end - first - from : c - from;
	}
	run = copy_one_run(s->chunk.ndim, s->base.item_size, extent,
			   s->chunk_stride);
	return plan->ndim == 0 && (run >= DIRECT_RUN || run == p->job.bytes);
}

/* Whether the values of a chunk may lie there as they are served. */
static bool may_be_plain(const struct unit_job *j)
{
	const struct stored_array *s = j->s;

	if (s->swap)
		return false;
	if (j->raw)
		return j->at.n == j->bytes;
	return codec_may_be_plain(&s->chain, j->at.skip, (size_t)j->at.n,
				  (size_t)j->bytes);
}

/* Where they begin in the file, if they do: of that the filter's head tells. */
static int find_plain(const struct unit_job *j, struct wait *w, bool *is_plain,
		      uint64_t *off)
{
	const struct stored_array *s = j->s;
	unsigned char head[CODEC_HEAD];
	size_t at = 0;
	int err;

	*is_plain = true;
	*off = j->at.off;
	if (j->raw)
		return 0;
	err = read_stored(s, j->unit, j->at.off, sizeof(head), head, w);
	if (err)
		return err;
	*is_plain = codec_is_plain(&s->chain, j->at.skip, head, (size_t)j->at.n,
				   (size_t)j->bytes, &at);
	*off += at;
	return 0;
}

int chunk_read_direct(const struct chunk_walk *k, const struct chunk_part *p,
		      const struct copy *plan, uint64_t src, bool *is_read)
{
	uint64_t off;
	int err;

	*is_read = false;
	if (!may_be_plain(&p->job) || !is_long(k, p, plan))
		return 0;
	err = find_plain(&p->job, k->w, is_read, &off);
	if (err || !*is_read)
		return err;
	return direct_copy(k->s, p->slot, off + src, plan, p->dst, k->w);
}
