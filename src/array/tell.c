/* SPDX-License-Identifier: MIT */

/*
 * What is told of units that cannot be read: each line names the array, and
 * the chunk or the place in the file.
 */

#include <config.h>

#include "array/array_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "codec/codec.h"
#include "util/checked.h"
#include "util/parse.h"
#include "util/problem.h"

/* "chunk (1, 2, 3), block 4", or where contiguous data lies. */
static const char *unit_name(const struct stored_array *s, uint64_t unit,
			     const uint32_t *block, const struct stored *at,
			     char *buf, size_t n)
{
	size_t used;

	if (s->info.layout != CAT_CHUNKED) {
		snprintf(buf, n, "%" PRIu64 " bytes at %" PRIu64 " of the file",
			 at->n, at->off);
		return buf;
	}
	used = (size_t)snprintf(buf, n, "chunk (");
	for (unsigned k = 0; k < s->grid.ndim && used < n; k++)
		used += (size_t)snprintf(
			buf + used, n - used, "%s%" PRIu64, k ? ", " : "",
			unit / s->grid_stride[k] % s->grid.dim[k]);
	if (used < n)
		used += (size_t)snprintf(buf + used, n - used, ")");
	if (block && used < n)
		snprintf(buf + used, n - used, ", block %" PRIu32, *block);
	return buf;
}

static int tell(const struct stored_array *s, uint64_t unit,
		const uint32_t *block, int err, const struct stored *at)
{
	struct problems *p = s->env->problems;
	char buf[256], size[16];
	const char *name = unit_name(s, unit, block, at, buf, sizeof(buf));

	switch (err) {
	case -EBADMSG:
		return problem_tell(p, err,
				    "%s: %s: %s; compare the file with its "
				    "original",
				    s->label, name,
				    at->n ? "damaged"
					  : "lost, the index is damaged");
	case -EIO:
		return problem_tell(p, err,
				    "%s: %s: cannot be read (%" PRIu64
				    " bytes at %" PRIu64 "); is the file "
				    "whole?",
				    s->label, name, at->n, at->off);
	case -ESTALE:
		return problem_tell(p, err,
				    "%s: the file has changed since it was "
				    "mounted; mount it again",
				    s->label);
	case -ENOMEM:
		return problem_tell(p, err, "%s: not enough memory for %s",
				    s->label,
				    format_size(s->chunk_bytes, size));
	default:
		return problem_tell(p, err, "%s: %s: %s", s->label, name,
				    strerror(-err));
	}
}

int unit_tell(const struct stored_array *s, uint64_t unit, int err,
	      const struct stored *at)
{
	return tell(s, unit, NULL, err, at);
}

int block_tell(const struct stored_array *s, uint64_t unit, uint32_t block,
	       int err, const struct stored *at)
{
	return tell(s, unit, &block, err, at);
}

int frame_tell(const struct stored_array *s, uint64_t unit, const char *what)
{
	char buf[256];

	return problem_tell(
		s->env->problems, -EOPNOTSUPP,
		"%s: %s: cannot be decoded, it uses %s", s->label,
		unit_name(s, unit, NULL, &(struct stored){0}, buf, sizeof(buf)),
		what);
}

int size_tell(const struct stored_array *s, const struct codec_frame *frame,
	      uint64_t bytes, uint64_t scratch)
{
	uint64_t want = scratch > bytes ? bytes + scratch : 2 * bytes;
	char unit[16];

	return problem_tell(
		s->env->problems, -EFBIG,
		"%s: its %s of %s need a larger cache: mount with "
		"--cache-size=%" PRIu64 "M",
		s->label, frame ? "blocks" : "chunks",
		format_size(frame ? frame->block_bytes : s->chunk_bytes, unit),
		div_up(want, (uint64_t)1 << 20));
}
