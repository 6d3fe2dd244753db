/* SPDX-License-Identifier: MIT */

/*
 * The Nth allocation fails, for every N, while a catalog is built and passed
 * over for medh5: it is the same catalog or -ENOMEM, and nothing leaks (with a
 * sanitizer).
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fuzz/scan_totals.h"
#include "container/container_impl.h"
#include "failing.h"

/* Whether one of the last build did. */
static bool failed;

/* Pages of a scanner, of which the totals are those of their records. */
static char page[1 << 16];
static size_t npage;
static struct scan_end end;

static bool load(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/catalog/%s",
		 srcdir ? srcdir : ".", name);
	f = fopen(path, "rb");
	if (!f)
		return false;
	npage = fread(page, 1, sizeof(page), f);
	fclose(f);
	end = scan_totals((const uint8_t *)page, npage);
	return npage > 0;
}

static int build(long nth, void **out, size_t *size)
{
	struct catalog_builder b;
	int err;

	left = nth;
	err = catalog_builder_init(&b, 1 << 20, 4 << 20);
	if (!err)
		err = catalog_builder_page(&b, page, npage);
	if (!err)
		err = catalog_builder_finish(&b, &end, out, size);
	if (!err)
		err = medh5_apply(&b, NULL, out, size, NULL);
	failed = left < 0;
	left = -1;
	catalog_builder_fini(&b);
	return err;
}

/* Allocations of a build, or less than 0 if one went wrong. */
static long fail_each(void)
{
	void *whole = NULL;
	size_t size;
	long nth = 0;
	int err = build(-1, &whole, &size);

	if (err)
		return -1;
	for (failed = true; failed && nth >= 0; nth++) {
		void *out = NULL;
		size_t n = 0;

		err = build(nth, &out, &n);
		/* One that only makes a block smaller may fail. */
		if (err ? err != -ENOMEM
			: n != size || memcmp(out, whole, n) != 0)
			nth = -2;
		free(out);
	}
	free(whole);
	return nth;
}

int main(void)
{
	static const char *const name[] = {"medh5-every", "medh5-collection",
					   "medh5-broken", "medh5-index",
					   "medh5-index-malformed"};
	const unsigned n = sizeof(name) / sizeof(*name);

	printf("1..%u\n", n);
	for (unsigned i = 0; i < n; i++) {
		long times = load(name[i]) ? fail_each() : -1;

		printf("%sok %u - %s # %ld\n", times < 0 ? "not " : "", i + 1,
		       name[i], times);
	}
	return EXIT_SUCCESS;
}
