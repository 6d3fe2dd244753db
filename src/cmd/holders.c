/* SPDX-License-Identifier: MIT */

/*
 * Who uses a mount: processes with their working directory, root, an open
 * file or a mapping in it. /proc's links and maps alone are read; the mount,
 * which may be stuck, is not touched. Only what we may see is found.
 */

#include <config.h>

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd_impl.h"
#include "fuse/mounts.h"
#include "util/cleanup.h"

static bool links_into(const char *link, const char *mount, char *target,
		       size_t room)
{
	ssize_t n = readlink(link, target, room - 1);

	if (n < 0)
		return false;
	target[n] = '\0';
	return mounts_lies_in(target, mount);
}

static bool holds_file(const char *proc, const char *mount, char *target,
		       size_t room)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/fd", proc);
	CLEANUP(cleanup_closedirp) DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/fd/%s", proc, e->d_name);
		if (links_into(path, mount, target, room))
			return true;
	}
	return false;
}

static bool maps_file(const char *proc, const char *mount, char *target,
		      size_t room)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/maps", proc);
	CLEANUP(cleanup_fclosep) FILE *f = fopen(path, "re");
	CLEANUP(cleanup_freep) char *line = NULL;
	size_t n = 0;

	while (f && getline(&line, &n, f) >= 0) {
		const char *at = strchr(line, '/');

		if (!at)
			continue;
		line[strcspn(line, "\n")] = '\0';
		if (!mounts_lies_in(at, mount))
			continue;
		snprintf(target, room, "%s", at);
		return true;
	}
	return false;
}

/* How a process holds the mount, or NULL. */
static const char *how_held(const char *proc, const char *mount, char *target,
			    size_t room)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/cwd", proc);
	if (links_into(path, mount, target, room))
		return "works in";
	snprintf(path, sizeof(path), "%s/root", proc);
	if (links_into(path, mount, target, room))
		return "has as its root";
	if (holds_file(proc, mount, target, room))
		return "has open";
	if (maps_file(proc, mount, target, room))
		return "has mapped";
	return NULL;
}

static void name_of(const char *proc, char *name, size_t room)
{
	char path[PATH_MAX];

	*name = '\0';
	snprintf(path, sizeof(path), "%s/comm", proc);
	CLEANUP(cleanup_fclosep) FILE *f = fopen(path, "re");
	if (f && fgets(name, (int)room, f))
		name[strcspn(name, "\n")] = '\0';
}

unsigned holders_print(const char *path, FILE *f)
{
	CLEANUP(cleanup_closedirp) DIR *d = opendir("/proc");
	struct dirent *e;
	unsigned n = 0;

	while (d && (e = readdir(d))) {
		char proc[32], name[64], target[PATH_MAX];
		const char *how;

		if (!isdigit((unsigned char)e->d_name[0]) ||
		    strlen(e->d_name) > 20 || atol(e->d_name) == getpid())
			continue;
		snprintf(proc, sizeof(proc), "/proc/%.20s", e->d_name);
		how = how_held(proc, path, target, sizeof(target));
		if (!how)
			continue;
		name_of(proc, name, sizeof(name));
		fprintf(f, "patchfs: process %s (%s) %s %s\n", e->d_name, name,
			how, target);
		n++;
	}
	return n;
}
