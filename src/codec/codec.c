/* SPDX-License-Identifier: MIT */

/*
 * The table of codecs, and the runner of a chain. A chain is planned before
 * anything runs: which steps apply, and how large each result in between may
 * be, so that no length found in the data ever decides how much is allocated.
 * The step that runs last writes straight into the caller's buffer.
 */

#include <config.h>

#include "codec/codec.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "codec/codec_impl.h"

static const struct codec_ops *const table[] = {
	&codec_deflate, &codec_shuffle, &codec_fletcher32,
	&codec_lz4,	&codec_zstd,	&codec_blosc2,
	NULL,
};

/* Registered filters that users meet and that have no row in the table. */
static const struct {
	unsigned filter;
	const char *name;
} known[] = {
	{4, "szip"},	   {5, "nbit"},		 {6, "scaleoffset"},
	{305, "lzo"},	   {307, "bzip2"},	 {32000, "lzf"},
	{32001, "blosc"},  {32003, "snappy"},	 {32008, "bitshuffle"},
	{32012, "jpegls"}, {32013, "zfp"},	 {32014, "fpzip"},
	{32017, "sz"},	   {32018, "fcidecomp"}, {32019, "jpeg"},
	{32020, "vbz"},	   {32024, "sz3"},
};

struct plan {
	unsigned n;
	/* In the order in which they run. */
	const struct codec_step *step[CODEC_STEPS_MAX];
	/* Room for the result of each; the last one's is the chunk. */
	size_t room[CODEC_STEPS_MAX];
};

const struct codec_ops *codec_at(unsigned i)
{
	return i < sizeof(table) / sizeof(table[0]) ? table[i] : NULL;
}

const struct codec_ops *codec_by_h5_filter(unsigned filter)
{
	for (unsigned i = 0; table[i]; i++)
		if (table[i]->h5_filter && table[i]->h5_filter == filter)
			return table[i];
	return NULL;
}

const char *codec_h5_filter_name(unsigned filter)
{
	const struct codec_ops *ops = codec_by_h5_filter(filter);

	if (ops)
		return ops->name;
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].filter == filter)
			return known[i].name;
	return NULL;
}

static bool is_built(const struct codec_step *step)
{
	return step->ops && step->ops->decode;
}

/* Unknown steps are left out: codec_decode has refused them before. */
static void plan_make(const struct codec_chain *chain, uint32_t skip,
		      size_t nout, struct plan *p)
{
	const size_t most = size_add(size_mul(nout, 8), 64 << 10);
	size_t room = nout;

	assert(chain->n <= CODEC_STEPS_MAX);
	p->n = 0;
	for (unsigned i = chain->n; i-- > 0;)
		if (!(skip >> i & 1) && is_built(&chain->step[i]))
			p->step[p->n++] = &chain->step[i];
	for (unsigned i = p->n; i-- > 0;) {
		p->room[i] = room;
		room = p->step[i]->ops->bound(room);
		if (room > most)
			room = most;
	}
}

static int plan_run(const struct plan *p, const void *in, size_t nin, void *out,
		    size_t nout, struct codec_note *note)
{
	enum codec_buffer which = CODEC_BUFFER_CHAIN_0;

	for (unsigned i = 0; i < p->n; i++) {
		const struct codec_step *step = p->step[i];
		const bool is_last = i == p->n - 1;
		size_t got = p->room[i];
		void *to = out;
		int r;

		if (!is_last && step->ops->strip) {
			r = step->ops->strip(step, in, nin, &nin);
			if (r < 0)
				return r;
			continue;
		}
		if (!is_last) {
			to = codec_scratch_get(which, got);
			if (!to)
				return -ENOMEM;
			which = which == CODEC_BUFFER_CHAIN_0
					? CODEC_BUFFER_CHAIN_1
					: CODEC_BUFFER_CHAIN_0;
		}
		r = step->ops->decode(step, in, nin, to, &got, note);
		if (r < 0)
			return r;
		assert(got <= p->room[i]);
		in = to;
		nin = got;
	}
	return nin == nout ? 0 : -EBADMSG;
}

int codec_decode_note(const struct codec_chain *chain, uint32_t skip,
		      const void *in, size_t nin, void *out, size_t nout,
		      struct codec_note *note)
{
	struct plan p;
	int r;

	*note = (struct codec_note){NULL, false};
	for (unsigned i = 0; i < chain->n; i++)
		if (!(skip >> i & 1) && !is_built(&chain->step[i]))
			return -EOPNOTSUPP;
	plan_make(chain, skip, nout, &p);
	if (!p.n) {
		if (nin != nout)
			return -EBADMSG;
		if (nout)
			memcpy(out, in, nout);
		return 0;
	}
	r = plan_run(&p, in, nin, out, nout, note);
	codec_scratch_done();
	/* More than the chunk holds is as wrong as less. */
	return r == -ENOSPC ? -EBADMSG : r;
}

int codec_decode(const struct codec_chain *chain, uint32_t skip, const void *in,
		 size_t nin, void *out, size_t nout)
{
	struct codec_note note;

	return codec_decode_note(chain, skip, in, nin, out, nout, &note);
}

/* The only step that was applied; NULL: none, or several. */
static const struct codec_step *only_step(const struct codec_chain *chain,
					  uint32_t skip)
{
	const struct codec_step *only = NULL;

	for (unsigned i = 0; i < chain->n; i++) {
		if (skip >> i & 1)
			continue;
		if (only)
			return NULL;
		only = &chain->step[i];
	}
	return only;
}

bool codec_is_plain(const struct codec_chain *chain, uint32_t skip,
		    const void *head, size_t nin, size_t nout, size_t *at)
{
	const struct codec_step *only = only_step(chain, skip);

	return only && only->ops && only->ops->plain &&
	       only->ops->plain(head, nin, nout, at);
}

bool codec_may_be_plain(const struct codec_chain *chain, uint32_t skip,
			size_t nin, size_t nout)
{
	const struct codec_step *only = only_step(chain, skip);

	return only && only->ops && only->ops->plain && nin >= CODEC_HEAD &&
	       nin - CODEC_HEAD == nout;
}

const struct codec_block_ops *codec_blocks(const struct codec_chain *chain,
					   uint32_t skip)
{
	const struct codec_step *only = only_step(chain, skip);

	return only && is_built(only) ? only->ops->blocks : NULL;
}

size_t codec_scratch(const struct codec_chain *chain, size_t n)
{
	unsigned buffers = 0;
	size_t sum = 0, own = 0;
	struct plan p;

	/* Rooms shrink from step to step: the first two are the largest. */
	plan_make(chain, 0, n, &p);
	for (unsigned i = 0; i + 1 < p.n && buffers < 2; i++) {
		if (p.step[i]->ops->strip)
			continue;
		sum = size_add(sum, p.room[i]);
		buffers++;
	}
	for (unsigned i = 0; i < p.n; i++) {
		size_t one = size_mul(p.room[i], p.step[i]->ops->scratch);

		if (own < one)
			own = one;
	}
	return size_add(sum, own);
}
