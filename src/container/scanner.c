/* SPDX-License-Identifier: MIT */

/*
 * The conversation with a scanner: one request, then its reads are answered
 * from the store and its results handed to a sink until it ends, fails, or
 * runs into a limit: of wire.c, or of what it may read. It worked on foreign
 * bytes, so every message is foreign too. One thread; no locks.
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container/container_impl.h"
#include "util/cleanup.h"
#include "util/text.h"

/* Instrumented code is slower, and is not what a hostile file meets. */
#ifdef HAVE_SANITIZER
#define SCAN_CPU_S 30
#else
#define SCAN_CPU_S 5
#endif

/* Of a scanner that may wait for more requests: what it has read, and used. */
#define PARK_BYTES (8u << 20)
#define PARK_CPU_S 1

struct scan {
	struct scan_wire wire;
	struct store *store;
	const struct scan_sink *sink;
	struct scan_end *end;
	uint64_t file_size;
	uint64_t reads, reads_max, bytes, bytes_max;
	char *payload; /* SCAN_PAYLOAD_MAX */
	char *reply;   /* reply_room bytes, struct scan_data first */
	size_t reply_room;
	struct scan_memory memory;
};

static int bad_answer(struct scan *x, const char *what)
{
	return wire_fail(&x->wire, -EBADMSG,
			 "the HDF5 scanner gave a bad answer: %s", what);
}

/* --------------------------------------------------------------- messages */

static int reply_reserve(struct scan *x, size_t n)
{
	char *p;

	n += sizeof(struct scan_data);
	if (n <= x->reply_room)
		return 0;
	p = realloc(x->reply, n);
	if (!p)
		return wire_fail(&x->wire, -ENOMEM, "out of memory");
	x->reply = p;
	x->reply_room = n;
	scan_memory_set(&x->memory, SCAN_PAYLOAD_MAX + n);
	return 0;
}

static int answer_read(struct scan *x, uint32_t len)
{
	struct scan_read r;
	struct scan_data d = {0};
	size_t inside = 0;
	int err;

	if (len != sizeof(r))
		return bad_answer(x, "length of a read");
	memcpy(&r, x->payload, sizeof(r));
	if (r.n > SCAN_READ_MAX)
		return bad_answer(x, "size of a read");
	x->bytes += r.n;
	if (++x->reads > x->reads_max || x->bytes > x->bytes_max)
		return wire_fail(&x->wire, -EBADMSG,
				 "the HDF5 scanner read more than the file can "
				 "justify (%llu reads, %llu bytes)",
				 (unsigned long long)x->reads,
				 (unsigned long long)x->bytes);
	err = wire_check_limits(&x->wire);
	if (!err)
		err = reply_reserve(x, (size_t)r.n);
	if (err)
		return err;
	if (r.off < x->file_size)
		inside = r.n < x->file_size - r.off
				 ? (size_t)r.n
				 : (size_t)(x->file_size - r.off);
	if (inside) {
		err = store_read(x->store, r.off, inside, x->reply + sizeof(d));
		/* Nothing a scanner makes of this is worth waiting for. */
		if (err)
			return wire_fail(&x->wire, err, "%s", source_why(err));
	}
	memset(x->reply + sizeof(d) + inside, 0, (size_t)r.n - inside);
	d.n = (uint32_t)r.n;
	memcpy(x->reply, &d, sizeof(d));
	return wire_transmit(&x->wire, x->reply, sizeof(d) + (size_t)r.n);
}

static int take_result(struct scan *x, uint32_t len)
{
	char why[WHY_MAX];
	int err;

	/* Nothing else would end a stream of these: it costs no CPU time. */
	if (!len)
		return bad_answer(x, "empty page");
	err = x->sink->data(x->sink->arg, x->payload, len, why);
	if (err)
		return wire_fail(&x->wire, err, "%s", why);
	wire_progress(&x->wire);
	return 0;
}

/* Errors that a scanner may hand on; any other is about the data. */
static int passed_errno(int32_t err)
{
	switch (err) {
	case -EBUSY:
	case -EFBIG:
	case -ENOMEM:
	case -EOPNOTSUPP:
		return err;
	default:
		return -EBADMSG;
	}
}

static int take_failure(struct scan *x, uint32_t len)
{
	struct scan_fail f;
	size_t n;

	if (len < sizeof(f))
		return bad_answer(x, "length of a failure");
	memcpy(&f, x->payload, sizeof(f));
	n = len - sizeof(f);
	if (n > SCAN_TEXT_MAX)
		n = SCAN_TEXT_MAX;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)x->payload[sizeof(f) + i];

		x->wire.why[i] = (char)(c < ' ' || c == 0x7f ? ' ' : c);
	}
	x->wire.why[n] = '\0';
	if (!n)
		snprintf(x->wire.why, sizeof(x->wire.why),
			 "the HDF5 scanner gave no reason");
	return passed_errno(f.error);
}

/* The next message; *is_end: it is the last, and good. */
static int one_message(struct scan *x, bool *is_end)
{
	struct scan_msg m;
	int err = wire_receive(&x->wire, &m, sizeof(m));

	if (err)
		return err;
	if (m.len > SCAN_PAYLOAD_MAX)
		return bad_answer(x, "length of a message");
	err = wire_receive(&x->wire, x->payload, m.len);
	if (err)
		return err;
	switch (m.type) {
	case SCAN_READ:
		return answer_read(x, m.len);
	case SCAN_PAGE:
	case SCAN_CHUNKS:
		if (m.type != x->sink->type)
			break;
		return take_result(x, m.len);
	case SCAN_END:
		if (m.len != sizeof(*x->end))
			break;
		memcpy(x->end, x->payload, sizeof(*x->end));
		*is_end = true;
		return 0;
	case SCAN_FAIL:
		return take_failure(x, m.len);
	}
	return bad_answer(x, "message");
}

static int converse(struct scan *x, const struct scan_request *req)
{
	int err = wire_transmit(&x->wire, req, sizeof(*req));
	bool is_end = false;

	while (!err && !is_end) {
		err = wire_check_over(&x->wire);
		if (!err)
			err = one_message(x, &is_end);
	}
	return err;
}

static uint64_t or_default(uint64_t v, uint64_t d)
{
	return v ? v : d;
}

/*
 * One that has the file open already, or a new one; *is_old: the first. What
 * an old one knows it may have read long ago.
 */
static int get_process(struct scan *x, const struct container *c, bool *is_old)
{
	struct scanners *from = c->conf->scanners;
	int err;

	*is_old = parked_take(scanners_parked(from), c->key, &x->wire.process);
	if (*is_old) {
		scan_process_limit_cpu(&x->wire.process, x->wire.total_s);
		wire_progress(&x->wire);
		return 0;
	}
	err = scanners_start(from, c->conf->scan_memory, x->wire.total_s,
			     &x->wire.process);
	if (!err)
		return 0;
	return wire_fail(&x->wire, err == -ENOMEM ? err : -EIO,
			 "the HDF5 scanner %s cannot be started: %s",
			 c->conf->scanner,
			 err == -ELIBACC ? "it or a library of it is missing, "
					   "or it was killed"
					 : strerrordesc_np(-err));
}

static int check_source(struct scan *x)
{
	int err = store_check(x->store);

	return err ? wire_fail(&x->wire, err, "%s", source_why(err)) : 0;
}

/* One of a large file may hold much of its metadata. */
static bool may_wait(const struct scan *x)
{
	return x->end->stays && x->bytes <= PARK_BYTES &&
	       scan_process_cpu(&x->wire.process) <
		       PARK_CPU_S * UINT64_C(1000000000);
}

/* What it does before the next request is nobody's: it has to wait. */
static void park(struct scan *x, const struct container *c)
{
	scan_process_limit_cpu(&x->wire.process, PARK_CPU_S + 1);
	parked_put(scanners_parked(c->conf->scanners), c->key,
		   &x->wire.process);
}

int scan_run(struct container *c, const struct scan_request *req,
	     const struct scan_sink *sink, struct scan_end *end, char **why)
{
	CLEANUP(cleanup_freep) char *payload = malloc(SCAN_PAYLOAD_MAX);
	const struct container_conf *conf = c->conf;
	uint64_t size = req->file_size;
	struct scan x = {
		.store = c->store,
		.wire =
			{
				.conf = conf,
				.cpu_s = or_default(conf->scan_cpu_s,
						    SCAN_CPU_S),
				.wall_s = or_default(conf->scan_wall_s, 10),
				.total_s = 20 + size / (2u << 20),
			},
		.sink = sink,
		.end = end,
		.file_size = size,
		.reads_max = 65536 + size / 2048,
		.bytes_max = (UINT64_C(256) << 20) + size * 4,
		.payload = payload,
		.memory = {.conf = conf},
	};
	bool is_old;
	int err;

	*why = NULL;
	if (!payload)
		return -ENOMEM;
	scan_memory_set(&x.memory, SCAN_PAYLOAD_MAX);
	/* A dataset takes 300 bytes of metadata and 35 us at the least. */
	if (x.wire.total_s > 600)
		x.wire.total_s = 600;
	err = get_process(&x, c, &is_old);
	if (!err)
		err = converse(&x, req);
	if (!err && is_old)
		err = check_source(&x);
	if (!err && may_wait(&x))
		park(&x, c);
	scan_process_end(&x.wire.process, 0);
	parked_reap(scanners_parked(conf->scanners));
	free(x.reply);
	scan_memory_fini(&x.memory);
	if (err)
		*why = text_new("%s", x.wire.why);
	return err;
}
