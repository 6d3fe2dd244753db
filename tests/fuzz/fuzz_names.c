/* SPDX-License-Identifier: MIT */

/*
 * Names that users and files come with. The first byte says what the rest is:
 *
 *   v  lines: shape and type ("7x9x11 f4"), view, item. What is accepted is
 *      printed, and what was printed means the same.
 *   m  the raw name of a member: encoded and decoded again.
 *   s  a shown name, decoded.
 *   p  a path in an empty mount.
 */

#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tree/names.h"
#include "tree/tree.h"
#include "tree/view.h"
#include "util/log.h"
#include "util/metric.h"
#include "util/problem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_member(const char *s, size_t n)
{
	char shown[NAME_BYTES_MAX + 1], raw[NAME_BYTES_MAX + 1];
	bool cut;
	size_t len;

	assert(name_encode((struct bytes){s, n}, NAME_IN_MOUNT_ROOT, shown) ==
	       0);
	assert(*shown && strlen(shown) <= NAME_BYTES_MAX);
	assert(!strchr(shown, '/') && strcmp(shown, ".") != 0 &&
	       strcmp(shown, "..") != 0);
	for (const char *p = shown; *p; p += utf8_length(p, strlen(p)))
		assert(utf8_length(p, strlen(p)) > 0 && (uint8_t)*p >= 0x20);
	assert(name_decode(shown, raw, &len, &cut) == 0);
	assert(len <= n && memcmp(raw, s, len) == 0 && (cut || len == n));
}

static void fuzz_shown(const char *s)
{
	char raw[NAME_BYTES_MAX + 1];
	bool cut;
	size_t len;

	if (name_decode(s, raw, &len, &cut) == 0)
		assert(len <= NAME_BYTES_MAX && raw[len] == '\0');
}

/* False if the line is none. */
static bool parse_type(char *line, struct item_type *t)
{
	char *type = strchr(line, ' ');

	if (!type || !strchr("iufb", type[1]) || !strchr("1248", type[2]) ||
	    !type[1] || !type[2])
		return false;
	*type = '\0';
	memset(t, 0, sizeof(*t));
	t->kind = type[1];
	t->item_size = (unsigned)(type[2] - '0');
	if (t->kind == 'f' && t->item_size == 1)
		return false;
	while (*line && t->shape.ndim < NDIM_MAX) {
		t->shape.dim[t->shape.ndim++] = strtoull(line, &line, 10);
		if (*line++ != 'x')
			break;
	}
	return true;
}

static void fuzz_items(const struct view_spec *s, const struct view_geometry *g,
		       const char *name)
{
	char back[NAME_BYTES_MAX + 1];
	int64_t start[NDIM_MAX];
	uint64_t item, again;
	size_t n;

	if (view_item(s, g, name, strlen(name), &item) < 0)
		return;
	assert(item < g->count);
	sample_start(&g->sampling, item, start);
	n = view_item_name(s, g, item, back);
	assert(view_item(s, g, back, n, &again) == 0 && again == item);
}

static void fuzz_view(char *text)
{
	char *save, *type = strtok_r(text, "\n", &save);
	char *name = strtok_r(NULL, "\n", &save);
	char *item = strtok_r(NULL, "\n", &save);
	char canonical[NAME_BYTES_MAX + 1], twice[NAME_BYTES_MAX + 1];
	char why[VIEW_WHY_MAX] = "";
	struct view_geometry g, again;
	struct view_spec s, back;
	struct item_type t;

	if (!type || !name || !parse_type(type, &t))
		return;
	if (view_parse(name, &s, why) < 0 || view_bind(&s, &t, &g, why) < 0) {
		assert(strlen(why) < VIEW_WHY_MAX);
		return;
	}
	if (view_print(&s, canonical) < 0)
		return;
	assert(view_parse(canonical, &back, why) == 0);
	assert(view_bind(&back, &t, &again, why) == 0);
	assert(view_print(&back, twice) == 0);
	assert(strcmp(canonical, twice) == 0);
	assert(memcmp(g.pad, again.pad, sizeof(g.pad)) == 0);
	assert(g.count == again.count && g.listed == again.listed);
	if (item)
		fuzz_items(&s, &g, item);
}

static char dir[] = "/tmp/fuzz_names.XXXXXX";

static void remove_dir(void)
{
	rmdir(dir);
}

static struct tree *make_tree(void)
{
	static struct metrics metrics;
	static struct tree_conf conf;
	struct tree *t;
	char *why;

	if (!mkdtemp(dir))
		abort();
	atexit(remove_dir);
	log_open("/dev/null");
	conf = (struct tree_conf){
		.src = dir,
		.cache_size = 1 << 20,
		.container = {.scanner = "/nonexistent"},
		.metrics = &metrics,
		.problems = problems_new(),
	};
	if (tree_new(&conf, &t, &why) < 0)
		abort();
	return t;
}

static void fuzz_path(const char *path)
{
	static struct tree *t;
	struct tree_entry e;
	char buf[64];

	if (!t)
		t = make_tree();
	if (tree_walk(t, path, true, &e) == 0)
		vfile_read(t, e.ino, buf, sizeof(buf), 0, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size == 0)
		return 0;
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	switch (data[0]) {
	case 'v':
		fuzz_view(text);
		break;
	case 'm':
		fuzz_member(text, size - 1);
		break;
	case 's':
		fuzz_shown(text);
		break;
	case 'p':
		fuzz_path(text);
		break;
	default:
		break;
	}
	free(text);
	return 0;
}
