/* SPDX-License-Identifier: MIT */

/* A catalog of the records in r, built anew for each test. */

#ifndef TESTS_UNIT_CATALOG_FIXTURE_H
#define TESTS_UNIT_CATALOG_FIXTURE_H

#include <check.h>
#include <errno.h>
#include <string.h>

#include "container/container_impl.h"
#include "records.h"

#define FILE_SIZE 100000

static struct records r;
static struct catalog *k;
static size_t size;
static char why[WHY_MAX];

static inline void setup(void)
{
	records_group(&r);
}

static inline void teardown(void)
{
	records_free(&r);
	free(k);
	k = NULL;
}

/* In one page, or in many of one record. */
static inline int build_limited(bool one_page, size_t max)
{
	struct catalog_builder b;
	struct scan_end end = {.objects = r.objects, .links = r.links};
	void *out = NULL;
	int err = catalog_builder_init(&b, FILE_SIZE, max);

	for (size_t at = 0, n; at < r.n && !err; at += n) {
		n = r.n;
		if (!one_page)
			n = ((struct cat_record *)(r.p + at))->size;
		err = catalog_builder_page(&b, r.p + at, n);
	}
	if (!err)
		err = catalog_builder_finish(&b, &end, &out, &size);
	memcpy(why, b.why, sizeof(why));
	catalog_builder_fini(&b);
	free(k);
	k = out;
	return err;
}

static inline int build(void)
{
	return build_limited(true, 1 << 20);
}

static inline void expect_good(void)
{
	int err = build();

	ck_assert_msg(err == 0, "%d: %s", err, why);
	ck_assert_int_eq(build_limited(false, 1 << 20), 0);
}

/* Refused, with a reason; and the next test begins anew. */
static inline void expect_bad(const char *reason)
{
	ck_assert_int_eq(build(), -EBADMSG);
	ck_assert_msg(strstr(why, reason), "%s lacks %s", why, reason);
	teardown();
	setup();
}

static inline bool equal(struct bytes b, const char *s)
{
	return b.n == strlen(s) && !memcmp(b.p, s, b.n);
}

#endif
