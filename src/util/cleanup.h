/* SPDX-License-Identifier: MIT */

/* Scope-bound cleanup. Everything here keeps errno. */

#ifndef UTIL_CLEANUP_H
#define UTIL_CLEANUP_H

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(fn) __attribute__((cleanup(fn)))

static inline void cleanup_freep(void *p)
{
	int saved = errno;

	free(*(void **)p);
	errno = saved;
}

static inline void cleanup_closep(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

static inline void cleanup_fclosep(FILE **f)
{
	int saved = errno;

	if (*f)
		fclose(*f);
	errno = saved;
}

static inline void cleanup_closedirp(DIR **d)
{
	int saved = errno;

	if (*d)
		closedir(*d);
	errno = saved;
}

/* Hand ownership to the caller: return take_ptr(buf); */
#define take_ptr(p)                         \
	({                                  \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})

static inline pthread_mutex_t *lock_enter(pthread_mutex_t *m)
{
	pthread_mutex_lock(m);
	return m;
}

static inline void lock_leave(pthread_mutex_t **m)
{
	pthread_mutex_unlock(*m);
}

/* Held from here to the end of the block. */
#define LOCK_SCOPE(m) LOCK_SCOPE_(m, __COUNTER__)
#define LOCK_SCOPE_(m, n) LOCK_SCOPE__(m, n)
#define LOCK_SCOPE__(m, n)                                            \
	CLEANUP(lock_leave)                                           \
	__attribute__((__unused__)) pthread_mutex_t *lock_scope_##n = \
		lock_enter(m)

#endif
