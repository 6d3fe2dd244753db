/* SPDX-License-Identifier: MIT */

/*
 * patchfs COMMAND ..., and patchfs SRC MNT -o ..., which is how mount(8) and
 * mount.fuse3 call a file system's program.
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/cmd_impl.h"
#include "codec/codec.h"
#include "util/near.h"

const struct cmd *const commands[] = {&cmd_mount, &cmd_umount, &cmd_ls,
				      &cmd_cat,	  &cmd_info,   &cmd_list,
				      &cmd_index, &cmd_stats,  NULL};

static void help(FILE *f)
{
	fprintf(f, "Usage: patchfs COMMAND [OPTION]... [ARGUMENT]...\n"
		   "       patchfs SRC MNT [-o OPTION,...]\n"
		   "Volumes as ordinary files: see patchfs(1).\n\n");
	for (const struct cmd *const *c = commands; *c; c++)
		fprintf(f, "  %-8s %s\n", (*c)->name, (*c)->help);
	fprintf(f, "\n  -h, --help     show this text\n"
		   "  -V, --version  show the version\n\n"
		   "patchfs COMMAND --help shows the options of a command.\n");
}

static void version(void)
{
	const struct codec_ops *c;

	printf("patchfs %s\ncodecs:", PACKAGE_VERSION);
	for (unsigned i = 0; (c = codec_at(i)); i++) {
		if (c->decode)
			printf(" %s", c->name);
	}
	printf("\n");
}

/*
 * So that no file of ours becomes one that others write to by habit. Reading
 * only: what is written to an output that is closed goes nowhere, and the
 * status has to say so.
 */
static void take_standard_fds(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/*
 * What mount(8) calls the program with is a path that is there, or that is
 * written as one.
 */
static bool is_source(const char *name)
{
	return strchr(name, '/') || access(name, F_OK) == 0;
}

static int no_command(const char *name)
{
	const char *nearest = NULL;
	unsigned least = NEAR_NOT;

	for (const struct cmd *const *c = commands; *c; c++) {
		unsigned n = near_word(name, strlen(name), (*c)->name);

		if (n < least) {
			least = n;
			nearest = (*c)->name;
		}
	}
	fprintf(stderr, "patchfs: unknown command %s", name);
	if (nearest)
		fprintf(stderr, ", perhaps %s", nearest);
	fputs("; there are", stderr);
	for (const struct cmd *const *c = commands; *c; c++)
		fprintf(stderr, "%s %s", c == commands ? "" : ",", (*c)->name);
	fputs("; see patchfs --help\n", stderr);
	return EXIT_USAGE;
}

/* The status to end with. */
static int end(int status)
{
	int err = ferror(stdout) ? EIO : 0;

	if (fflush(stdout))
		err = errno;
	/* A reader that has left (head) is no fault. */
	if (!err || err == EPIPE || status)
		return status;
	fprintf(stderr, "patchfs: stdout: %s\n", strerror(err));
	return 2;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	take_standard_fds();
	signal(SIGPIPE, SIG_IGN);
	for (const struct cmd *const *c = commands; *c; c++) {
		if (strcmp((*c)->name, name) == 0)
			return end((*c)->run(argc - 1, argv + 1));
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
		help(stdout);
		return end(0);
	}
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		version();
		return end(0);
	}
	if (argc > 2 && name[0] != '-' && is_source(name))
		return end(cmd_mount.run(argc, argv));
	if (argc > 1 && name[0] != '-')
		return no_command(name);
	if (argc > 1) {
		fprintf(stderr,
			"patchfs: unknown option %s: see patchfs --help\n",
			name);
		return EXIT_USAGE;
	}
	help(stderr);
	return EXIT_MOUNT_USAGE;
}
