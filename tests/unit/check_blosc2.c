/* SPDX-License-Identifier: MIT */

/*
 * Blosc2 frames of several writers, kept in tests/data, against the values
 * that they were made of; then cut, and with each byte changed: an error or
 * the right length, and whole chunks never contradict their blocks.
 */

#include <dirent.h>
#include <stdbool.h>

#include "blosc2_both.h"
#include "unit.h"

struct golden {
	char what[64], kind[16];
	uint64_t dim[NDIM_MAX];
	uint8_t *frame, *want;
	struct both both;
};

/* As make-frames.py has them. */
static void fill(uint8_t *p, size_t n, unsigned size, const char *kind)
{
	for (uint32_t k = 0; k < n; k++) {
		uint32_t v = 0;

		if (!strcmp(kind, "ramp"))
			v = k * 3;
		else if (!strcmp(kind, "steps"))
			v = k / 7 % 5;
		else if (!strcmp(kind, "noise"))
			v = (k * 2654435761u) ^ (k * k);
		else if (!strcmp(kind, "mixed"))
			v = k % 64 < 32 ? 0 : k * 2654435761u;
		else
			ck_assert_str_eq(kind, "zero");
		for (unsigned j = 0; j < size; j++)
			*p++ = (uint8_t)(v >> j % 4 * 8);
	}
}

static void load(const char *dir, const char *name, struct golden *g)
{
	struct codec_chunk *c = &g->both.chunk;
	char path[800], extents[64], *rest;
	FILE *f;

	memset(g, 0, sizeof(*g));
	ck_assert_int_eq(sscanf(name, "%63[^_]_%u_%63[^_]_%15[^.].frame",
				g->what, &c->item_size, extents, g->kind),
			 4);
	c->bytes = c->item_size;
	for (rest = extents; *rest; rest += *rest == 'x') {
		g->dim[c->ndim] = strtoul(rest, &rest, 10);
		c->bytes *= g->dim[c->ndim++];
	}
	c->dim = g->dim;
	c->plain = !strcmp(g->what, "ambiguous-plain");
	g->want = encode_room(c->bytes);
	fill(g->want, c->bytes / c->item_size, c->item_size, g->kind);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "rb");
	ck_assert_ptr_nonnull(f);
	g->frame = encode_room(1 << 16);
	c->stored = fread(g->frame, 1, 1 << 16, f);
	fclose(f);
	g->frame = encode_fit(g->frame, c->stored);
	g->both.frame = g->frame;
}

/* Each frame that is kept; how many. */
static unsigned each(void (*test)(struct golden *g))
{
	const char *top = getenv("srcdir");
	struct dirent *e;
	unsigned n = 0;
	char dir[400];
	DIR *d;

	snprintf(dir, sizeof(dir), "%s/tests/data/blosc2-frames",
		 top ? top : ".");
	d = opendir(dir);
	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d))) {
		struct golden g;

		if (e->d_name[0] == '.')
			continue;
		load(dir, e->d_name, &g);
		test(&g);
		free(g.frame);
		free(g.want);
		n++;
	}
	closedir(d);
	return n;
}

static void check_values(struct golden *g)
{
	struct both *b = &g->both;

	both_decode(b);
	ck_assert_msg(!b->opened && !b->blocks && !b->whole, "%s: %d %d %d",
		      g->what, b->opened, b->blocks, b->whole);
	ck_assert_msg(!memcmp(b->out, g->want, b->chunk.bytes),
		      "%s %s: wrong values", g->what, g->kind);
	ck_assert_int_eq(b->is_ambiguous, !strncmp(g->what, "ambiguous", 9));
	ck_assert_int_eq(b->is_whole, !!strstr(g->what, "delta"));
	ck_assert_int_eq(b->is_constant, !strcmp(g->kind, "zero"));
	/* Small ones are one read. */
	ck_assert_uint_eq(b->fetches, 1);
	free(b->out);
}

START_TEST(test_values)
{
	ck_assert_uint_ge(each(check_values), 30);
}
END_TEST

static void check_cut(struct golden *g)
{
	struct both *b = &g->both;
	const uint64_t n = b->chunk.stored;

	for (uint64_t cut = 0; cut < n; cut++) {
		uint8_t *part = encode_room(cut);

		memcpy(part, g->frame, cut);
		b->frame = part;
		b->chunk.stored = cut;
		both_decode(b);
		ck_assert_int_eq(b->whole, -EBADMSG);
		ck_assert_int_eq(b->opened, -EBADMSG);
		free(b->out);
		free(part);
	}
}

START_TEST(test_cut)
{
	each(check_cut);
}
END_TEST

static void check_flip(struct golden *g)
{
	static const uint8_t masks[] = {0x01, 0x10, 0x80, 0xff};
	struct both *b = &g->both;

	for (uint64_t at = 0; at < b->chunk.stored; at++)
		for (unsigned m = 0; m < sizeof(masks); m++) {
			g->frame[at] ^= masks[m];
			both_decode(b);
			free(b->out);
			g->frame[at] ^= masks[m];
		}
}

START_TEST(test_flip)
{
	each(check_flip);
}
END_TEST

/* Of another shape, item size or size than the frame's. */
static void check_shape(struct golden *g)
{
	struct both *b = &g->both;
	const unsigned last = b->chunk.ndim - 1;
	const bool has_boxes = strcmp(g->what, "schunk") != 0;

	b->chunk.item_size++;
	b->chunk.bytes =
		b->chunk.bytes / (b->chunk.item_size - 1) * b->chunk.item_size;
	both_decode(b);
	ck_assert_int_eq(b->opened, -EBADMSG);
	ck_assert_int_eq(b->whole, -EBADMSG);
	free(b->out);
	b->chunk.item_size--;
	b->chunk.bytes =
		b->chunk.bytes / (b->chunk.item_size + 1) * b->chunk.item_size;

	b->chunk.bytes = b->chunk.bytes / g->dim[last] * (g->dim[last] - 1);
	g->dim[last]--;
	both_decode(b);
	ck_assert_int_eq(b->opened, -EBADMSG);
	ck_assert_int_eq(b->whole, -EBADMSG);
	free(b->out);
	g->dim[last]++;
	b->chunk.bytes = b->chunk.bytes / (g->dim[last] - 1) * g->dim[last];

	/* As many bytes with another rank. */
	if (b->chunk.ndim < NDIM_MAX && has_boxes && last) {
		g->dim[b->chunk.ndim++] = 1;
		b->chunk.plain = false;
		both_decode(b);
		ck_assert_int_eq(b->opened, -EBADMSG);
		free(b->out);
		b->chunk.ndim--;
	}
}

START_TEST(test_shape)
{
	each(check_shape);
}
END_TEST

/* What the source says of a read is passed on. */
static void check_fetch(struct golden *g)
{
	g->both.fail_fetch = 1;
	both_decode(&g->both);
	ck_assert_int_eq(g->both.opened, -EIO);
	free(g->both.out);
}

START_TEST(test_fetch)
{
	each(check_fetch);
}
END_TEST

/* Blocks only where the filter alone was applied. */
START_TEST(test_chains)
{
	struct codec_chain chain = {.n = 2};

	chain.step[0] = (struct codec_step){.ops = codec_by_h5_filter(32026)};
	chain.step[1] = (struct codec_step){.ops = codec_by_h5_filter(3)};
	ck_assert_ptr_null(codec_blocks(&chain, 0));
	ck_assert_ptr_null(codec_blocks(&chain, 1));
	ck_assert_ptr_null(codec_blocks(&chain, 3));
	ck_assert_ptr_eq(codec_blocks(&chain, 2), chain.step[0].ops->blocks);
	chain.n = 0;
	ck_assert_ptr_null(codec_blocks(&chain, 0));
	chain.n = 1;
	chain.step[0].ops = NULL;
	ck_assert_ptr_null(codec_blocks(&chain, 0));
	chain.step[0].ops = codec_by_h5_filter(1);
	ck_assert_ptr_null(codec_blocks(&chain, 0));
	/* Two buffers of its own beside the chain's. */
	chain.step[0].ops = codec_by_h5_filter(32026);
	ck_assert_uint_eq(codec_scratch(&chain, 1000), 2000);
}
END_TEST

static Suite *blosc2_suite(void)
{
	Suite *s = suite_create("blosc2");
	TCase *t = tcase_create("blosc2");

	tcase_set_timeout(t, 600);
	tcase_add_test(t, test_values);
	tcase_add_test(t, test_cut);
	tcase_add_test(t, test_flip);
	tcase_add_test(t, test_shape);
	tcase_add_test(t, test_fetch);
	tcase_add_test(t, test_chains);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(blosc2_suite)
