/* SPDX-License-Identifier: MIT */

/*
 * How much memory there is for us: the smallest of RAM and of the limits of
 * our cgroup and those above it, versions 1 and 2. A batch job's limit is in
 * one of them and well below the RAM of its node.
 */

#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd_impl.h"
#include "fuse/mounts.h"
#include "util/cleanup.h"
#include "util/text.h"

#define MIB (UINT64_C(1) << 20)
#define CACHE_MOST (UINT64_C(2) << 30)
#define CACHE_LEAST (16 * MIB)

/* Lower *least to the number in a file; "max" and no file are no limit. */
static void lower(const char *dir, const char *name, uint64_t *least)
{
	char path[4096];
	uint64_t n;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >=
	    (int)sizeof(path))
		return;
	CLEANUP(cleanup_fclosep) FILE *f = fopen(path, "re");
	if (f && fscanf(f, "%" SCNu64, &n) == 1 && n > 0 && n < *least)
		*least = n;
}

/* The limits of a group and of all above it, up to where it is mounted. */
static void walk_up(const struct mount *m, const char *group, bool is_v2,
		    uint64_t *least)
{
	CLEANUP(cleanup_freep) char *dir = NULL;
	size_t nroot = strcmp(m->root, "/") == 0 ? 0 : strlen(m->root);
	size_t nbase = strlen(m->path);
	char *slash;

	/* In a container the mount may show a part of the hierarchy only. */
	if (strncmp(group, m->root, nroot) == 0)
		group += nroot;
	else if (nroot)
		group = "";
	dir = text_new("%s%s", m->path, group);
	if (!dir)
		return;
	for (;;) {
		if (is_v2) {
			lower(dir, "memory.max", least);
			lower(dir, "memory.high", least);
		} else {
			lower(dir, "memory.limit_in_bytes", least);
		}
		slash = strrchr(dir, '/');
		if (strlen(dir) <= nbase || !slash)
			return;
		*slash = '\0';
	}
}

static bool names_memory(const char *controllers)
{
	char copy[256], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", controllers);
	for (char *w = strtok_r(copy, ",", &save); w;
	     w = strtok_r(NULL, ",", &save)) {
		if (strcmp(w, "memory") == 0)
			return true;
	}
	return false;
}

/* A line of /proc/self/cgroup: "0::/path" or "7:cpu,memory:/path". */
static void look_at(char *line, uint64_t *least)
{
	char *controllers = strchr(line, ':');
	char *group = controllers ? strchr(controllers + 1, ':') : NULL;
	CLEANUP(mount_fini) struct mount m = {.path = NULL};
	bool is_v2;
	int r;

	if (!group)
		return;
	line[strcspn(line, "\n")] = '\0';
	*group++ = '\0';
	controllers++;
	is_v2 = !*controllers;
	if (!is_v2 && !names_memory(controllers))
		return;
	r = is_v2 ? mounts_of_type("cgroup2", NULL, &m)
		  : mounts_of_type("cgroup", "memory", &m);
	if (r == 0)
		walk_up(&m, group, is_v2, least);
}

static uint64_t memory_limit(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t least = UINT64_MAX;
	CLEANUP(cleanup_fclosep) FILE *f = fopen("/proc/self/cgroup", "re");
	CLEANUP(cleanup_freep) char *line = NULL;
	size_t room = 0;

	if (pages > 0 && size > 0)
		least = (uint64_t)pages * (uint64_t)size;
	while (f && getline(&line, &room, f) >= 0)
		look_at(line, &least);
	return least;
}

uint64_t memory_default_cache(void)
{
	uint64_t n = memory_limit() / 4;

	if (n > CACHE_MOST)
		n = CACHE_MOST;
	if (n < CACHE_LEAST)
		n = CACHE_LEAST;
	return n / MIB * MIB;
}
