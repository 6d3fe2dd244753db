/* SPDX-License-Identifier: MIT */

/*
 * Scanners that have answered and wait for the next request about their file:
 * who has looked into a file mostly reads an array of it next, and the scanner
 * has the file open and its metadata at hand. A few; the oldest is told to go
 * when a new scanner is started, so that by the time this one is to wait there
 * is room, and nobody has waited for the end of a process. One lock, never held
 * while anything is waited for.
 */

#include <config.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "container/container_impl.h"
#include "util/cleanup.h"

#define PARKED_MAX 4
#define LEAVING_MAX 16

struct slot {
	uint64_t key; /* 0: free */
	uint64_t since;
	struct scan_process process;
};

struct parked {
	pthread_mutex_t lock;
	uint64_t clock;
	struct slot slot[PARKED_MAX];
	struct scan_process leaving[LEAVING_MAX]; /* told to, not reaped yet */
	unsigned nleaving;
};

struct parked *parked_new(void)
{
	struct parked *k = calloc(1, sizeof(*k));

	if (k)
		pthread_mutex_init(&k->lock, NULL);
	return k;
}

static void end_all(struct scan_process *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		scan_process_end(&p[i], 0);
}

void parked_free(struct parked *k)
{
	if (!k)
		return;
	for (unsigned i = 0; i < PARKED_MAX; i++)
		if (k->slot[i].key)
			scan_process_end(&k->slot[i].process, 0);
	end_all(k->leaving, k->nleaving);
	pthread_mutex_destroy(&k->lock);
	free(k);
}

/* A free slot, or that which is longest in use. Locked. */
static struct slot *oldest(struct parked *k)
{
	struct slot *s = &k->slot[0];

	for (unsigned i = 1; i < PARKED_MAX; i++)
		if (k->slot[i].since < s->since)
			s = &k->slot[i];
	return s;
}

/* Locked. */
static void leave(struct parked *k, struct slot *s)
{
	/* The end of its socket is what it goes by. */
	shutdown(s->process.fd, SHUT_RDWR);
	k->leaving[k->nleaving++] = s->process;
	*s = (struct slot){.key = 0};
}

static void make_room(struct parked *k)
{
	struct slot *s = oldest(k);

	if (s->key && k->nleaving < LEAVING_MAX)
		leave(k, s);
}

/* It waits, as it should: it has not ended, and has said nothing. */
static bool is_waiting(const struct scan_process *p)
{
	char byte;

	return recv(p->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
	       errno == EAGAIN;
}

bool parked_take(struct parked *k, uint64_t key, struct scan_process *out)
{
	*out = (struct scan_process){.fd = -1};
	pthread_mutex_lock(&k->lock);
	for (unsigned i = 0; i < PARKED_MAX && !out->pid; i++) {
		struct slot *s = &k->slot[i];

		if (s->key != key)
			continue;
		*out = s->process;
		*s = (struct slot){.key = 0};
	}
	if (!out->pid)
		make_room(k);
	pthread_mutex_unlock(&k->lock);
	if (out->pid && is_waiting(out))
		return true;
	scan_process_end(out, 0);
	return false;
}

void parked_put(struct parked *k, uint64_t key, struct scan_process *p)
{
	struct scan_process old = {.fd = -1};
	struct slot *to;

	pthread_mutex_lock(&k->lock);
	to = oldest(k);
	if (to->key) /* others came meanwhile */
		old = to->process;
	*to = (struct slot){.key = key, .since = ++k->clock, .process = *p};
	pthread_mutex_unlock(&k->lock);
	scan_process_end(&old, 0);
	*p = (struct scan_process){.fd = -1};
}

void parked_reap(struct parked *k)
{
	struct scan_process gone[LEAVING_MAX];
	unsigned n;

	pthread_mutex_lock(&k->lock);
	n = k->nleaving;
	memcpy(gone, k->leaving, n * sizeof(*gone));
	k->nleaving = 0;
	pthread_mutex_unlock(&k->lock);
	end_all(gone, n);
}
