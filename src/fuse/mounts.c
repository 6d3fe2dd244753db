/* SPDX-License-Identifier: MIT */

/*
 * Reading /proc/self/mountinfo, and unmounting. A mount may be dead (its
 * server has gone) or stuck, so paths are resolved up to, not into, it.
 */

#include <config.h>

#include "fuse/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/text.h"

extern char **environ;

void mount_fini(struct mount *m)
{
	free(m->path);
	free(m->type);
	free(m->source);
	free(m->dev);
	free(m->root);
	free(m->super);
	*m = (struct mount){.path = NULL};
}

bool mount_is_patchfs(const struct mount *m)
{
	return strcmp(m->type, "fuse.patchfs") == 0 ||
	       (strcmp(m->type, "fuse") == 0 &&
		strncmp(m->source, "patchfs#", 8) == 0);
}

/* Octal escapes of blanks and backslashes, in place. */
static void unescape(char *s)
{
	char *out = s;

	while (*s) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' &&
		    s[2] <= '7' && s[3] >= '0' && s[3] <= '7') {
			*out++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 +
					(s[3] - '0'));
			s += 4;
		} else {
			*out++ = *s++;
		}
	}
	*out = '\0';
}

/* The words of a line, borrowed from it; false: not such a line. */
struct words {
	char *dev, *root, *path, *type, *source, *super;
};

static bool split(char *line, struct words *w)
{
	char *save = NULL, *word;

	line[strcspn(line, "\n")] = '\0';
	if (!strtok_r(line, " ", &save) || !strtok_r(NULL, " ", &save))
		return false;
	w->dev = strtok_r(NULL, " ", &save);
	w->root = strtok_r(NULL, " ", &save);
	w->path = strtok_r(NULL, " ", &save);
	do {
		word = strtok_r(NULL, " ", &save);
	} while (word && strcmp(word, "-") != 0);
	if (!word)
		return false;
	w->type = strtok_r(NULL, " ", &save);
	/* An empty source is two blanks in a row. */
	w->source = save && *save == ' ' ? NULL : strtok_r(NULL, " ", &save);
	w->super = strtok_r(NULL, " ", &save);
	if (!w->type)
		return false;
	unescape(w->root);
	unescape(w->path);
	if (w->source)
		unescape(w->source);
	return true;
}

static int copy(const struct words *w, struct mount *out)
{
	struct mount m = {
		.path = strdup(w->path),
		.type = strdup(w->type),
		.source = strdup(w->source ? w->source : ""),
		.dev = strdup(w->dev),
		.root = strdup(w->root),
		.super = strdup(w->super ? w->super : ""),
	};

	mount_fini(out);
	*out = m;
	if (m.path && m.type && m.source && m.dev && m.root && m.super)
		return 0;
	mount_fini(out);
	return -ENOMEM;
}

static bool has_word(const char *options, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = options; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, word, n) == 0 && (!at[n] || at[n] == ','))
			return true;
	}
	return false;
}

bool mounts_lies_in(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (strcmp(dir, "/") == 0)
		return true;
	return strncmp(path, dir, n) == 0 && (!path[n] || path[n] == '/');
}

struct query {
	const char *at, *over, *type, *word;
};

static bool matches(const struct query *q, const struct words *w,
		    const struct mount *best)
{
	if (q->at)
		return strcmp(w->path, q->at) == 0;
	if (q->over)
		return mounts_lies_in(q->over, w->path) &&
		       (!best->path || strlen(w->path) >= strlen(best->path));
	return !best->path && strcmp(w->type, q->type) == 0 &&
	       (!q->word || (w->super && has_word(w->super, q->word)));
}

/* Later lines lie on top of earlier ones. */
static int find(const struct query *q, struct mount *out)
{
	CLEANUP(cleanup_fclosep)
	FILE *f = fopen("/proc/self/mountinfo", "re");
	CLEANUP(cleanup_freep) char *line = NULL;
	struct mount best = {.path = NULL};
	size_t room = 0;

	if (!f)
		return -errno;
	while (getline(&line, &room, f) >= 0) {
		struct words w;

		if (!split(line, &w) || !matches(q, &w, &best))
			continue;
		int r = copy(&w, &best);

		if (r)
			return r;
	}
	if (!best.path)
		return -ENOENT;
	*out = best;
	return 0;
}

int mounts_at(const char *path, struct mount *out)
{
	return find(&(struct query){.at = path}, out);
}

int mounts_over(const char *path, struct mount *out)
{
	return find(&(struct query){.over = path}, out);
}

int mounts_of_type(const char *type, const char *word, struct mount *out)
{
	return find(&(struct query){.type = type, .word = word}, out);
}

/* ------------------------------------------------------------ resolving */

/* path without trailing slashes, cut into a resolved directory and a name. */
static int cut(const char *path, char dir[PATH_MAX], char name[NAME_MAX + 1])
{
	char copied[PATH_MAX];
	size_t n = strlen(path);
	char *slash;

	if (n == 0)
		return -ENOENT;
	if (n >= sizeof(copied))
		return -ENAMETOOLONG;
	memcpy(copied, path, n + 1);
	while (n > 1 && copied[n - 1] == '/')
		copied[--n] = '\0';
	slash = strrchr(copied, '/');
	if (strlen(slash ? slash + 1 : copied) > NAME_MAX)
		return -ENAMETOOLONG;
	strcpy(name, slash ? slash + 1 : copied);
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || !*name) {
		*name = '\0';
		return realpath(copied, dir) ? 0 : -errno;
	}
	if (slash)
		slash[slash == copied] = '\0';
	return realpath(slash ? copied : ".", dir) ? 0 : -errno;
}

int mounts_resolve(const char *path, char **out)
{
	char at[PATH_MAX], dir[PATH_MAX], name[NAME_MAX + 1], full[PATH_MAX];

	if (strlen(path) >= sizeof(at))
		return -ENAMETOOLONG;
	strcpy(at, path);
	for (int links = 0; links < 40; links++) {
		int r = cut(at, dir, name);
		ssize_t n;

		if (r)
			return r;
		if (snprintf(full, sizeof(full), "%s%s%s",
			     strcmp(dir, "/") == 0 && *name ? "" : dir,
			     *name ? "/" : "", name) >= (int)sizeof(full))
			return -ENAMETOOLONG;
		/* The root of a mount is no link: its server is not asked. */
		n = readlink(full, at, sizeof(at) - 1);
		if (n < 0) {
			*out = strdup(full);
			return *out ? 0 : -ENOMEM;
		}
		at[n] = '\0';
		if (at[0] == '/')
			continue;
		if (snprintf(full, sizeof(full), "%s/%s", dir, at) >=
		    (int)sizeof(full))
			return -ENAMETOOLONG;
		strcpy(at, full);
	}
	return -ELOOP;
}

/* ----------------------------------------------------------- unmounting */

/* The first line that a program says on stderr; its exit status. */
static int run_quiet(char *const argv[], char **said)
{
	posix_spawn_file_actions_t fa;
	char text[512];
	ssize_t n, got = 0;
	int fd[2], r, status = 0;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return -errno;
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, fd[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&fa, fd[1], STDERR_FILENO);
	r = posix_spawnp(&pid, argv[0], &fa, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	close(fd[1]);
	if (r) {
		close(fd[0]);
		return -r;
	}
	while ((n = read(fd[0], text + got, sizeof(text) - 1 - (size_t)got)) >
		       0 ||
	       (n < 0 && errno == EINTR)) {
		if (n > 0)
			got += n;
	}
	close(fd[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	*said = strdup(text);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int mounts_detach(const char *path, bool is_lazy, char **why)
{
	char *argv[] = {(char *)"fusermount3", (char *)"-u", (char *)"--",
			(char *)path, NULL};
	char *said = NULL;
	int r;

	*why = NULL;
	if (umount2(path, UMOUNT_NOFOLLOW | (is_lazy ? MNT_DETACH : 0)) == 0)
		return 0;
	if (errno != EPERM) {
		r = -errno;
		*why = strdup(strerror(-r));
		return r;
	}
	if (is_lazy)
		argv[1] = (char *)"-uz";
	r = run_quiet(argv, &said);
	if (r == 0) {
		free(said);
		return 0;
	}
	if (r < 0) {
		*why = text_new("cannot run fusermount3: %s", strerror(-r));
		return r;
	}
	*why = said;
	return said && strstr(said, "busy") ? -EBUSY : -EPERM;
}

enum mount_state mounts_probe(const char *path, int ms)
{
	struct pollfd p = {.events = POLLIN};
	enum mount_state state = MOUNT_SILENT;
	int fd[2];
	char dead;
	pid_t pid;

	/* A child asks, since nothing ends a call that a stuck server keeps. */
	if (pipe2(fd, O_CLOEXEC) < 0)
		return MOUNT_SILENT;
	pid = fork();
	if (pid == 0) {
		struct statfs st;

		dead = statfs(path, &st) < 0 &&
		       (errno == ENOTCONN || errno == ECONNABORTED);
		_exit(write(fd[1], &dead, 1) != 1);
	}
	close(fd[1]);
	p.fd = fd[0];
	if (pid > 0 && poll(&p, 1, ms) > 0 && read(fd[0], &dead, 1) == 1)
		state = dead ? MOUNT_DEAD : MOUNT_ALIVE;
	close(fd[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, state == MOUNT_SILENT ? WNOHANG : 0);
	}
	return state;
}
