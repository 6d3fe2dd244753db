/* SPDX-License-Identifier: MIT */

/*
 * Scanners that lie, crash, hang, spin and flood: each is an error within the
 * limits that says what happened, and leaves no process and no descriptor.
 * The scripts are those of false_scanner.c.
 */

#include <config.h>

#include "scanner_test.h"

static int scan_limited(size_t max, char **why)
{
	unsigned fds = count_fds();
	struct container *c = open_container();
	void *out = NULL;
	size_t size;
	int err = container_catalog(c, max, &out, &size, why);

	ck_assert_int_eq(!err, out != NULL);
	ck_assert_int_eq(held, 0);
	if (err)
		ck_assert_ptr_nonnull(*why);
	free(out);
	close_container(c);
	ck_assert_uint_eq(count_fds(), fds);
	expect_no_child();
	return err;
}

static void expect(int want, const char *reason)
{
	char *why;
	int err = scan_limited(64 << 20, &why);

	ck_assert_msg(err == want, "%d, not %d: %s", err, want, why);
	if (err)
		ck_assert_msg(strstr(why, reason), "%s lacks %s", why, reason);
	free(why);
}

START_TEST(test_good)
{
	struct record_array v = record_array();

	records_link(&r, 0, "a", records_array(&r, &v));
	add_message(SCAN_PAGE, r.p, r.n);
	add_end();
	script_send("");
	expect(0, NULL);
	/* What comes after the end, or how it ends, is nothing to us. */
	script_send("hang");
	expect(0, NULL);
	script_send("spin");
	expect(0, NULL);
	script_send("signal 11");
	expect(0, NULL);
}
END_TEST

START_TEST(test_clean)
{
	int fd = dup(0);

	ck_assert_int_ge(fd, 0);
	setenv("HDF5_PLUGIN_PATH", "/x", 1);
	setenv("PATCHFS_FAULTS", "/x", 1);
	add_message(SCAN_PAGE, r.p, r.n);
	add_end();
	sprintf(content + 512, "leak\nenv\nsend %d %zu", DATA,
		content_size - DATA);
#ifdef HAVE_POSIX_SPAWN_FILE_ACTIONS_ADDCLOSEFROM_NP
	expect(0, NULL);
#endif
	unsetenv("HDF5_PLUGIN_PATH");
	unsetenv("PATCHFS_FAULTS");
	close(fd);
}
END_TEST

START_TEST(test_ends)
{
	script("exit 0");
	expect(-EBADMSG, "ended with status 0");
	script("exit 3");
	expect(-EBADMSG, "ended with status 3");
	script("signal 11");
	expect(-EBADMSG, "killed by signal 11 (Segmentation fault)");
	/* Not the file's fault. */
	script("signal 9");
	expect(-ETIMEDOUT, "killed by signal 9");
	script("signal 15");
	expect(-ETIMEDOUT, "killed by signal 15");
	script("signal 24");
	expect(-EBADMSG, "of CPU time");
	script("close\nexit 4");
	expect(-EBADMSG, "ended with status 4");
	script("close\nhang");
	expect(-EBADMSG, "killed by signal 9");
	script("close\nspin");
	expect(-EBADMSG, "killed by signal 9");
	conf.scanner = "/nowhere/patchfs-scan";
	expect(-EIO, "/nowhere/patchfs-scan cannot be started: ");
	conf.scanner = "/dev/null";
	expect(-EIO, "cannot be started");
	conf.scanner = "/bin/false";
	expect(-EIO, "/bin/false cannot be started: ");
}
END_TEST

START_TEST(test_stuck)
{
	script("hang");
	expect(-ETIMEDOUT, "no result within 1 s");
	script("spin");
	expect(-EBADMSG, "no result within 1 s of CPU time");
	script("ask 4194304 0");
	expect(-ETIMEDOUT, "no result within 1 s");
	add_message(SCAN_PAGE, r.p, r.n);
	script_send("hang");
	expect(-ETIMEDOUT, "no result within 1 s");
	script_send("spin");
	expect(-EBADMSG, "no result within 1 s of CPU time");
}
END_TEST

/* Nobody waits any more: no limit is waited for. */
START_TEST(test_over)
{
	static atomic_bool over = true;

	conf.is_over = &over;
	conf.scan_cpu_s = conf.scan_wall_s = 60;
	script("hang");
	expect(-EINTR, "nobody waits");
	script("spin");
	expect(-EINTR, "nobody waits");
	script("read 8 0");
	expect(-EINTR, "nobody waits");
}
END_TEST

/* Half of a message, then nothing. */
START_TEST(test_short)
{
	size_t all;

	add_message(SCAN_PAGE, r.p, r.n);
	add_end();
	all = content_size;
	for (content_size = DATA; content_size < all; content_size += 3) {
		script_send("exit 0");
		expect(-EBADMSG, "ended with status 0");
	}
	content_size = DATA + 5;
	script_send("hang");
	expect(-ETIMEDOUT, "no result within 1 s");
}
END_TEST

START_TEST(test_endless)
{
	const struct scan_msg large = {SCAN_PAGE, SCAN_PAYLOAD_MAX};
	uint64_t empty[1] = {0};

	/* CPU time, or the number of reads: whichever is used up first. */
	script("read 8 0");
	conf.scan_cpu_s = 60;
	conf.scan_wall_s = 60;
	expect(-EBADMSG, "read more than the file can justify");
	script("read 4194304 0");
	expect(-EBADMSG, "read more than the file can justify");
	conf.scan_cpu_s = conf.scan_wall_s = 1;
	/* Sent a megabyte at a time they cost the scanner next to nothing. */
	for (size_t i = 0; i < (1 << 20) / 8; i++)
		add_message(SCAN_PAGE, empty, 0);
	sprintf(content + 512, "repeat %d %d", DATA, 1 << 20);
	expect(-EBADMSG, "empty page");
	content_size = DATA;
	add(&large, sizeof(large));
	sprintf(content + 512, "slow %d 65536", DATA);
	expect(-ETIMEDOUT, "no result within");
}
END_TEST

/* Send records and an end, in messages as long as they may be. */
static void script_records(void)
{
	char *to = content + 512;
	size_t at = 0, n;

	while (at < r.n) {
		struct cat_record head;

		for (n = 0; at + n < r.n; n += head.size) {
			memcpy(&head, r.p + at + n, sizeof(head));
			if (n + head.size > SCAN_PAYLOAD_MAX)
				break;
		}
		to += sprintf(to, "send %zu %zu\n", content_size,
			      n + sizeof(struct scan_msg));
		add_message(SCAN_PAGE, r.p + at, n);
		at += n;
	}
	sprintf(to, "send %zu %zu\n", content_size,
		sizeof(struct scan_msg) + sizeof(struct scan_end));
	add_end();
}

/* What comes is told as it comes, up to its last byte, and given back. */
START_TEST(test_memory)
{
	struct container *c;
	char name[16], *why;
	void *out;
	size_t size;

	for (unsigned i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "%05u", i);
		records_link(&r, 0, name, records_group(&r));
	}
	script_records();
	conf.scan_wall_s = 10;
	c = open_container();
	rss_before = rss();
	ck_assert_int_eq(container_catalog(c, 64 << 20, &out, &size, &why), 0);
	ck_assert_int_eq(held, 0);
	ck_assert_uint_ge(size, 6 << 20);
	ck_assert_int_ge(held_most, (int64_t)size);
#ifndef HAVE_SANITIZER
	ck_assert_int_le(untold_most, 3 << 20);
#endif
	rss_before = 0;
	free(out);
	close_container(c);
	expect_no_child();
	/* The same with an end that is a lie. */
	content_size -= sizeof(struct scan_msg) + sizeof(struct scan_end);
	r.links--;
	add_end();
	expect(-EBADMSG, "records are missing");
}
END_TEST

/* Objects without end: more than a catalog may take. */
START_TEST(test_flood)
{
	char *why;

	while (r.n + 16 <= SCAN_PAYLOAD_MAX)
		records_group(&r);
	add_message(SCAN_PAGE, r.p, r.n);
	sprintf(content + 512, "repeat %d %zu", DATA, content_size - DATA);
	ck_assert_int_eq(scan_limited(16 << 20, &why), -EFBIG);
	ck_assert_ptr_nonnull(strstr(why, "more than 16777216 bytes"));
	free(why);
}
END_TEST

START_TEST(test_bad_messages)
{
	static const struct {
		uint32_t type, len;
		const char *reason;
	} row[] = {
		{0, 0, "message"},
		{6, 0, "message"},
		{UINT32_MAX, 0, "message"},
		{SCAN_PAGE, 0, "empty page"},
		{SCAN_PAGE, 7, "page length"},
		{SCAN_PAGE, SCAN_PAYLOAD_MAX + 1, "length of a message"},
		{SCAN_PAGE, UINT32_MAX, "length of a message"},
		{SCAN_CHUNKS, 0, "message"},
		{SCAN_CHUNKS, 32, "message"},
		{SCAN_READ, 0, "length of a read"},
		{SCAN_READ, 15, "length of a read"},
		{SCAN_READ, 24, "length of a read"},
		{SCAN_END, 39, "message"},
		{SCAN_END, 48, "message"},
		{SCAN_FAIL, 7, "length of a failure"},
		{SCAN_FAIL, 0, "length of a failure"},
	};
	static const char zeros[64];

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct scan_msg m = {row[i].type, row[i].len};

		content_size = DATA;
		add(&m, sizeof(m));
		add(zeros, row[i].len < 64 ? row[i].len : 0);
		script_send("hang");
		expect(-EBADMSG, row[i].reason);
	}
}
END_TEST

START_TEST(test_reads)
{
	struct scan_read bad = {0, SCAN_READ_MAX + 1};

	add_message(SCAN_PAGE, r.p, r.n);
	add_end();
	/* Past the end of the file all is 0; nothing at all is fine too. */
	sprintf(content + 512, "read 4194304 2\nread 0 3\nsend %d %zu", DATA,
		content_size - DATA);
	expect(0, NULL);
	content_size = DATA;
	add_message(SCAN_READ, &bad, sizeof(bad));
	script_send("hang");
	expect(-EBADMSG, "size of a read");
	content_size = DATA;
	bad.n = UINT64_MAX;
	add_message(SCAN_READ, &bad, sizeof(bad));
	script_send("hang");
	expect(-EBADMSG, "size of a read");
}
END_TEST

START_TEST(test_failures)
{
	static const struct {
		int sent, got;
	} row[] = {
		{-EBADMSG, -EBADMSG},
		{-EBUSY, -EBUSY},
		{-EOPNOTSUPP, -EOPNOTSUPP},
		{-ENOMEM, -ENOMEM},
		{-EFBIG, -EFBIG},
		{-EAGAIN, -EBADMSG},
		{-ERESTART, -EBADMSG},
		{-ESTALE, -EBADMSG},
		{0, -EBADMSG},
		{5, -EBADMSG},
		{INT32_MIN, -EBADMSG},
		{INT32_MAX, -EBADMSG},
	};
	char text[1025], *why;

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		content_size = DATA;
		add_fail(row[i].sent, "no\nsuch\tfile \033[31m\177");
		script_send("hang");
		expect(row[i].got, "no such file  [31m ");
	}
	content_size = DATA;
	add_fail(-EBADMSG, "");
	script_send("");
	expect(-EBADMSG, "gave no reason");
	memset(text, 'x', 1024);
	text[1024] = '\0';
	content_size = DATA;
	add_fail(-EBADMSG, text);
	script_send("");
	ck_assert_int_eq(scan_limited(1 << 20, &why), -EBADMSG);
	ck_assert_uint_eq(strlen(why), 512);
	free(why);
}
END_TEST

START_TEST(test_lies)
{
	records_link(&r, 0, "x", 77);
	add_message(SCAN_PAGE, r.p, r.n);
	add_end();
	script_send("hang");
	expect(-EBADMSG, "no such object");
	records_free(&r);
	records_group(&r);
	content_size = DATA;
	add_message(SCAN_PAGE, r.p, r.n);
	r.links = 1;
	add_end();
	script_send("hang");
	expect(-EBADMSG, "records are missing");
}
END_TEST

/* The index: the same conversation, other results. */
START_TEST(test_index)
{
	static const uint64_t dim[] = {8}, chunk[] = {4};
	struct array_info a = {
		.addr = 800,
		.rank = 1,
		.dim = dim,
		.chunk = chunk,
		.kind = 'u',
		.order = '|',
		.item_size = 1,
		.layout = CAT_CHUNKED,
	};
	struct scan_chunk sent[] = {{0, 512, 4, 0, 0}, {1, 516, 4, 0, 0}};
	struct scan_end end = {.located = 2, .allocated = 2};
	struct container *c;
	struct stored at;
	void *out;
	size_t size;
	char *why;

	add_message(SCAN_CHUNKS, &sent[0], sizeof(sent[0]));
	add_message(SCAN_CHUNKS, &sent[1], sizeof(sent[1]));
	add_message(SCAN_END, &end, sizeof(end));
	script_send("");
	c = open_container();
	ck_assert_int_eq(container_index(c, &a, 0, 4096, &out, &size, &why), 0);
	ck_assert_ptr_null(why);
	ck_assert_int_eq(chunk_index_locate(out, 1, &at), 0);
	ck_assert_uint_eq(at.off, 516);
	free(out);
	ck_assert_int_eq(container_index(c, &a, 1, 4096, &out, &size, &why),
			 -EINVAL);
	free(why);
	close_container(c);
	sent[1].slot = 2;
	content_size = DATA;
	add_message(SCAN_CHUNKS, sent, sizeof(sent));
	script_send("hang");
	c = open_container();
	ck_assert_int_eq(container_index(c, &a, 0, 4096, &out, &size, &why),
			 -EBADMSG);
	ck_assert_ptr_nonnull(strstr(why, "number of a chunk"));
	free(why);
	close_container(c);
	expect_no_child();
}
END_TEST

/* A source that changes is the reason, whatever the scanner says. */
START_TEST(test_stale)
{
	struct metrics m = {0};
	struct container *c;
	struct store *s;
	int64_t failed;
	size_t size;
	void *out;
	char *why;

	container_metrics(&m);
	failed = metric_get(metric_find(&m, "scans_failed"));
	add_fail(-EBADMSG, "the scanner's own");
	script_send("");
	write_content();
	ck_assert_int_eq(store_open(path, -1, &s), 0);
	open_store(s, &c);
	ck_assert_int_eq(truncate(path, 100), 0);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(container_catalog(c, 1 << 20, &out, &size, &why),
			 -ESTALE);
	ck_assert_ptr_nonnull(strstr(why, "changed"));
	free(why);
	close_container(c);
	expect_no_child();
	ck_assert_int_eq(metric_get(metric_find(&m, "scans_failed")),
			 failed + 1);
}
END_TEST

START_TEST(test_signature)
{
	struct container *c;
	struct store *s;
	int fd;

	for (int at = 256; at <= 4096; at *= 2) {
		char file[64] = "check_scanner.XXXXXX";
		bool is_one = at >= 512;

		fd = mkstemp(file);
		ck_assert_int_eq(pwrite(fd, content, 8, at), 8);
		close(fd);
		ck_assert_int_eq(store_open(file, -1, &s), 0);
		unlink(file);
		ck_assert_int_eq(container_open(s, &conf, &c),
				 is_one ? 0 : -EOPNOTSUPP);
		if (is_one) {
			ck_assert_str_eq(container_format(c), "hdf5");
			container_close(c);
		} else {
			store_close(s);
		}
	}
	for (size_t n = 0; n < 8; n++) {
		char file[64] = "check_scanner.XXXXXX";

		fd = mkstemp(file);
		ck_assert_int_eq(write(fd, content, n), (ssize_t)n);
		close(fd);
		ck_assert_int_eq(store_open(file, -1, &s), 0);
		unlink(file);
		ck_assert_int_eq(container_open(s, &conf, &c), -EOPNOTSUPP);
		store_close(s);
	}
}
END_TEST

static Suite *make_suite(void)
{
	Suite *s = suite_create("scanner");
	TCase *t = tcase_create("scanner");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_good);
	tcase_add_test(t, test_clean);
	tcase_add_test(t, test_ends);
	tcase_add_test(t, test_stuck);
	tcase_add_test(t, test_over);
	tcase_add_test(t, test_short);
	tcase_add_test(t, test_endless);
	tcase_add_test(t, test_flood);
	tcase_add_test(t, test_memory);
	tcase_add_test(t, test_bad_messages);
	tcase_add_test(t, test_reads);
	tcase_add_test(t, test_failures);
	tcase_add_test(t, test_lies);
	tcase_add_test(t, test_index);
	tcase_add_test(t, test_stale);
	tcase_add_test(t, test_signature);
	suite_add_tcase(s, t);
	return s;
}

UNIT_MAIN(make_suite)
