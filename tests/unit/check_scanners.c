/* SPDX-License-Identifier: MIT */

/*
 * Where scanners come from and how long they stay: many at once, the process
 * they are forked from, those that wait for more.
 */

#include <config.h>

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "scanner_test.h"

static void *scan_in_thread(void *arg)
{
	struct container *c = arg;
	intptr_t failed = 0;

	for (int i = 0; i < 10; i++) {
		size_t size;
		void *out = NULL;
		char *why;

		failed += container_catalog(c, 1 << 20, &out, &size, &why) != 0;
		free(out);
		free(why);
	}
	return (void *)failed;
}

START_TEST(test_threads)
{
	unsigned fds = count_fds();
	pthread_t thread[4];
	struct container *c;

	add_message(SCAN_PAGE, r.p, r.n);
	add_end();
	script_send("");
	conf.scan_wall_s = 10;
	c = open_container();
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(
			pthread_create(&thread[i], NULL, scan_in_thread, c), 0);
	for (int i = 0; i < 4; i++) {
		void *failed;

		ck_assert_int_eq(pthread_join(thread[i], &failed), 0);
		ck_assert_ptr_null(failed);
	}
	close_container(c);
	ck_assert_uint_eq(count_fds(), fds);
	expect_no_child();
}
END_TEST

/* Our children of that name, oldest first; how many. */
static unsigned children(const char *name, pid_t *out, unsigned max)
{
	char file[64], comm[32];
	unsigned n = 0;
	FILE *f, *g;
	int pid;

	snprintf(file, sizeof(file), "/proc/self/task/%d/children", getpid());
	f = fopen(file, "r");
	ck_assert_ptr_nonnull(f);
	while (fscanf(f, "%d", &pid) == 1) {
		snprintf(file, sizeof(file), "/proc/%d/comm", pid);
		g = fopen(file, "r");
		ck_assert_ptr_nonnull(g);
		ck_assert_ptr_nonnull(fgets(comm, sizeof(comm), g));
		fclose(g);
		comm[strcspn(comm, "\n")] = '\0';
		if (!strcmp(comm, name) && n < max)
			out[n++] = pid;
	}
	fclose(f);
	return n;
}

/* The process that scanners are forked from. */
static pid_t forkserver_pid(void)
{
	pid_t pid;

	ck_assert_uint_eq(children("patchfs-forks", &pid, 1), 1);
	return pid;
}

/* Killed or stopped by somebody; it is seen to be. */
static void hit(pid_t pid, int number)
{
	ck_assert_int_eq(kill(pid, number), 0);
	ck_assert_int_eq(
		waitid(P_PID, (id_t)pid, NULL, WEXITED | WSTOPPED | WNOWAIT),
		0);
}

static int scan_again(struct container *c, char **why)
{
	void *out = NULL;
	size_t size;
	int err = container_catalog(c, 1 << 20, &out, &size, why);

	free(out);
	return err;
}

/* As if of another file: no scanner waits for it. */
static int scan_anew(char **why)
{
	struct container *c;
	struct store *s;
	int err;

	write_content();
	ck_assert_int_eq(store_open(path, -1, &s), 0);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(container_open(s, &conf, &c), 0);
	err = scan_again(c, why);
	container_close(c);
	return err;
}

static void script_good(const char *then)
{
	content_size = DATA;
	add_message(SCAN_PAGE, r.p, r.n);
	add_end();
	script_send(then);
}

/* Killed, it is started again; stopped, it fails one scan, not the next. */
START_TEST(test_forkserver)
{
	unsigned fds = count_fds();
	pid_t pid;
	char *why;

	script_good("");
	ck_assert_int_eq(scanners_new(conf.scanner, &conf.scanners), 0);
	ck_assert_int_eq(scan_anew(&why), 0);
	pid = forkserver_pid();
	ck_assert_int_eq(scan_anew(&why), 0);
	ck_assert_int_eq(forkserver_pid(), pid);
	hit(pid, SIGKILL);
	ck_assert_int_eq(scan_anew(&why), 0); /* by one that was ready */
	ck_assert_int_eq(scan_anew(&why), 0);
	ck_assert_int_ne(forkserver_pid(), pid);
	hit(forkserver_pid(), SIGSTOP);
	if (scan_anew(&why) == 0)
		ck_assert_int_eq(scan_anew(&why), -EIO);
	ck_assert_ptr_nonnull(strstr(why, "cannot be started: "));
	free(why);
	ck_assert_int_eq(scan_anew(&why), 0);
	scanners_free(conf.scanners);
	ck_assert_uint_eq(count_fds(), fds);
	expect_no_child();
}
END_TEST

/* A scanner serves its file again, and that file alone; few wait for that. */
START_TEST(test_parked)
{
	unsigned fds = count_fds();
	struct container *c;
	pid_t pid, other[16];
	char *why;

	script_good("");
	c = open_container();
	ck_assert_int_eq(scan_again(c, &why), 0);
	ck_assert_uint_eq(children("patchfs-scan", &pid, 1), 1);
	ck_assert_int_eq(scan_again(c, &why), 0);
	ck_assert_uint_eq(children("patchfs-scan", other, 16), 1);
	ck_assert_int_eq(other[0], pid);
	hit(pid, SIGKILL);
	ck_assert_int_eq(scan_again(c, &why), 0);
	ck_assert_uint_eq(children("patchfs-scan", other, 16), 1);
	ck_assert_int_ne(other[0], pid);
	ck_assert_int_eq(scan_anew(&why), 0);
	ck_assert_uint_eq(children("patchfs-scan", other, 16), 2);
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(scan_anew(&why), 0);
		ck_assert_uint_le(children("patchfs-scan", other, 16), 4);
	}
	close_container(c);
	ck_assert_uint_eq(count_fds(), fds);
	expect_no_child();
}
END_TEST

/* One that goes on computing when it should wait is ended. */
START_TEST(test_parked_spins)
{
	struct container *c;
	siginfo_t info;
	char *why;
	pid_t pid;

	script_good("spin");
	c = open_container();
	ck_assert_int_eq(scan_again(c, &why), 0);
	ck_assert_uint_eq(children("patchfs-scan", &pid, 1), 1);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(info.si_status, SIGXCPU);
	close_container(c);
	expect_no_child();
}
END_TEST

static Suite *make_suite(void)
{
	Suite *s = suite_create("scanners");
	TCase *t = tcase_create("scanners");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_threads);
	tcase_add_test(t, test_forkserver);
	tcase_add_test(t, test_parked);
	tcase_add_test(t, test_parked_spins);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(make_suite)
