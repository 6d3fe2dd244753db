/* SPDX-License-Identifier: MIT */

/*
 * patchfs-scan: what is in an HDF5 file, and where its chunks are. Started by
 * the server with one end of a socketpair as descriptor 3, and nothing else;
 * container/catalog.h has the protocol. This program is the only one on the
 * way of a read that links libhdf5. It opens nothing, and each file has a
 * process of its own.
 */

#include <config.h>

#include "scan/forkserver.h"
#include "scan/scan_impl.h"

#include <errno.h>
#ifdef HAVE_MALLOPT
#include <malloc.h>
#endif
#include <signal.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* libhdf5 obeys a dozen variables; some open files or plugins. */
static void clear_environment(void)
{
	for (char **e = environ; *e;) {
		char name[64] = "";
		size_t n = strcspn(*e, "=");

		if (strncmp(*e, "HDF5_", 5) || n >= sizeof(name)) {
			e++;
			continue;
		}
		memcpy(name, *e, n);
		unsetenv(name);
	}
}

/*
 * A batch system sends them to every process of a job, for the server to act
 * upon. This one ends with its socket.
 */
static void ignore_signals(void)
{
	static const int ignored[] = {SIGHUP,  SIGINT,	SIGPIPE,
				      SIGTERM, SIGUSR1, SIGUSR2};

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
}

/*
 * libhdf5 takes half a megabyte to open a file, and the walk takes more. A
 * scanner that waits to be wanted has time to fetch fresh pages for both, if
 * they come from the heap and stay there.
 */
#define HEAP_READY ((size_t)1 << 20)

static void keep_heap(void)
{
#ifdef HAVE_MALLOPT
	mallopt(M_TOP_PAD, 2 << 20);
	mallopt(M_MMAP_THRESHOLD, 4 << 20);
	mallopt(M_TRIM_THRESHOLD, 8 << 20);
#endif
}

static void touch_heap(void)
{
	void *p = malloc(HEAP_READY);

	if (p)
		explicit_bzero(p, HEAP_READY);
	free(p);
}

static void next_request(struct scan_request *req)
{
	wire_request(req);
	if (req->version != SCAN_VERSION ||
	    (req->what != SCAN_TREE && req->what != SCAN_INDEX))
		wire_fail(-EPROTO, "scanner and server are not of one build");
}

int main(void)
{
	struct scan_request req;
	struct vfd v = {0};
	hid_t driver, file;

	clear_environment();
	ignore_signals();
	sandbox_warm_up();
	driver = vfd_start();
	keep_heap();
	forkserver();
	touch_heap();
	if (driver < 0)
		wire_fail(-ENOMEM, "libhdf5 cannot be started");
	sandbox_enter();
	next_request(&req);
	forkserver_wanted();
	v.pages = pages_new(req.file_size);
	super_check(v.pages, req.allow_live);
	file = vfd_open_file(driver, &v);
	if (file < 0) {
		struct text why = {0};

		text_add(&why, "cannot be opened");
		text_add_why(&why);
		pages_check(v.pages);
		wire_fail(-EBADMSG, "%s", why.s);
	}
	for (;; next_request(&req)) {
		if (req.what == SCAN_TREE)
			scan_tree(file, &req, &v);
		else
			scan_index(file, &req, &v);
	}
}
