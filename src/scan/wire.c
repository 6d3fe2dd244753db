/* SPDX-License-Identifier: MIT */

/*
 * The scanner's end of the protocol in container/catalog.h. When the server
 * is gone there is nobody to tell: the process ends.
 */

#include <config.h>

#include "scan/scan_impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_all(const void *buf, size_t n)
{
	const char *p = buf;

	while (n) {
		ssize_t w = write(SCAN_FD, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			_exit(EXIT_FAILURE);
		p += w;
		n -= (size_t)w;
	}
}

/* at_end: the status to exit with when there is nothing more. */
static void take(void *buf, size_t n, int at_end)
{
	char *p = buf;

	while (n) {
		ssize_t r = read(SCAN_FD, p, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			_exit(r == 0 ? at_end : EXIT_FAILURE);
		p += r;
		n -= (size_t)r;
	}
}

void wire_take(void *buf, size_t n)
{
	take(buf, n, EXIT_FAILURE);
}

void wire_request(struct scan_request *req)
{
	take(req, sizeof(*req), EXIT_SUCCESS);
}

void wire_send(enum scan_type type, const void *payload, size_t n)
{
	struct scan_msg msg = {.type = type, .len = (uint32_t)n};

	write_all(&msg, sizeof(msg));
	write_all(payload, n);
}

int wire_read(uint64_t off, size_t n)
{
	struct {
		struct scan_msg msg;
		struct scan_read read;
	} ask = {
		.msg = {.type = SCAN_READ, .len = sizeof(ask.read)},
		.read = {.off = off, .n = n},
	};
	struct scan_data data;

	write_all(&ask, sizeof(ask));
	wire_take(&data, sizeof(data));
	if (data.error)
		return data.error < 0 ? data.error : -EIO;
	return data.n == n ? 0 : -EPROTO;
}

void wire_end(struct scan_end *end)
{
	end->stays = !vfd_has_failed();
	wire_send(SCAN_END, end, sizeof(*end));
	if (!end->stays)
		_exit(EXIT_SUCCESS);
}

void wire_fail(int error, const char *fmt, ...)
{
	struct {
		struct scan_fail fail;
		char text[512];
	} m = {.fail = {.error = error}};
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(m.text, sizeof(m.text), fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	if ((size_t)n >= sizeof(m.text))
		n = sizeof(m.text) - 1;
	wire_send(SCAN_FAIL, &m, sizeof(m.fail) + (size_t)n);
	_exit(EXIT_SUCCESS);
}

void *scan_realloc(void *p, size_t n)
{
	void *q = realloc(p, n ? n : 1);

	if (!q)
		wire_fail(-ENOMEM, "the scanner has no memory for %zu bytes",
			  n);
	return q;
}

void *scan_malloc(size_t n)
{
	return scan_realloc(NULL, n);
}
