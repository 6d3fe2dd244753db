/* SPDX-License-Identifier: MIT */

/*
 * libhdf5 is not safe against the files it reads, so the process gives away
 * all that a file could misuse: new privileges, files, sockets, programs,
 * executable memory. What is left is one socket, memory and the clock; any
 * other system call ends the process. The parent sets limits before it starts
 * the program; what it left open is closed here.
 */

#include <config.h>

#include "scan/scan_impl.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CPU_SECONDS 300u
#define ADDRESS_SPACE (1u << 30)
#define NSYSCALL_MAX 128u

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define ARCH AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define ARCH AUDIT_ARCH_PPC64LE
#else
#error "sandbox.c: name the audit architecture of this machine"
#endif

static const unsigned allowed[] = {
	__NR_read,
	__NR_write,
	__NR_readv,
	__NR_writev,
	__NR_close,
	__NR_fstat,
	__NR_lseek,
	__NR_munmap,
	__NR_mremap,
	__NR_brk,
	__NR_madvise,
	__NR_futex,
	__NR_clock_gettime,
	__NR_clock_getres,
	__NR_gettimeofday,
	__NR_getrandom,
	__NR_rt_sigaction,
	__NR_rt_sigprocmask,
	__NR_rt_sigreturn,
	__NR_restart_syscall,
	__NR_getpid,
	__NR_gettid,
	__NR_exit,
	__NR_exit_group,
#ifdef __NR_time
	__NR_time,
#endif
#ifdef HAVE_SANITIZER
	/* What their reports and their bookkeeping of threads need. */
	__NR_openat,
	__NR_newfstatat,
	__NR_readlinkat,
	__NR_getrlimit,
	__NR_prlimit64,
	__NR_sched_yield,
	__NR_sched_getaffinity,
	__NR_sigaltstack,
	__NR_clone,
	__NR_prctl,
	__NR_getcwd,
	__NR_ioctl,
	__NR_uname,
	__NR_pipe2,
	__NR_wait4,
	__NR_mincore,
#ifdef __NR_open
	__NR_open,
	__NR_stat,
	__NR_readlink,
	__NR_arch_prctl,
	__NR_pipe,
	__NR_fork,
#endif
#endif
};

/* Done by not doing it: libhdf5 naps before it reads a bad node again. */
static const unsigned skipped[] = {
	__NR_clock_nanosleep,
#ifdef __NR_nanosleep
	__NR_nanosleep,
#endif
};

/* Memory may be mapped and protected, but not made executable. */
static const unsigned not_exec[] = {__NR_mmap, __NR_mprotect};

struct program {
	struct sock_filter insn[NSYSCALL_MAX * 2];
	unsigned short n;
};

static void add(struct program *p, struct sock_filter insn)
{
	p->insn[p->n++] = insn;
}

static void load(struct program *p, size_t offset)
{
	add(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					    (unsigned)offset));
}

static void result(struct program *p, unsigned what)
{
	add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what));
}

static void answer(struct program *p, unsigned nr, unsigned what)
{
	add(p,
	    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1));
	result(p, what);
}

/* The low half of argument i. */
static size_t argument(unsigned i)
{
	size_t at = offsetof(struct seccomp_data, args) + i * 8;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	at += 4;
#endif
	return at;
}

/* Allowed if (argument i, op, value) is as wanted, else the end. */
static void test(struct program *p, unsigned nr, unsigned i, unsigned short op,
		 unsigned value, bool wanted)
{
	add(p,
	    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 4));
	load(p, argument(i));
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | op | BPF_K, value, wanted,
					    !wanted));
	result(p, SECCOMP_RET_KILL_PROCESS);
	result(p, SECCOMP_RET_ALLOW);
}

static void make_program(struct program *p)
{
	load(p, offsetof(struct seccomp_data, arch));
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1,
					    0));
	result(p, SECCOMP_RET_KILL_PROCESS);
	load(p, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		answer(p, allowed[i], SECCOMP_RET_ALLOW);
	for (size_t i = 0; i < sizeof(skipped) / sizeof(skipped[0]); i++)
		answer(p, skipped[i], SECCOMP_RET_ERRNO | 0);
	for (size_t i = 0; i < sizeof(not_exec) / sizeof(not_exec[0]); i++)
		test(p, not_exec[i], 2, BPF_JSET, PROT_EXEC, false);
	test(p, __NR_prctl, 0, BPF_JEQ, PR_SET_NAME, true);
	/* abort() should look like that. */
	test(p, __NR_tgkill, 0, BPF_JEQ, (unsigned)getpid(), true);
	result(p, SECCOMP_RET_KILL_PROCESS);
}

/*
 * The limit of the parent stands; without one there is ours. The parent may set
 * its own between our look and our change, which then fails: look again.
 */
static void limit(int what, rlim_t value)
{
	struct rlimit r;

	do {
		if (getrlimit(what, &r) < 0)
			wire_fail(-errno, "no sandbox: getrlimit: %s",
				  strerror(errno));
		if (r.rlim_cur != RLIM_INFINITY)
			return;
		r.rlim_cur = value;
		if (setrlimit(what, &r) == 0)
			return;
	} while (errno == EPERM);
	wire_fail(-errno, "no sandbox: setrlimit: %s", strerror(errno));
}

static int by_byte(const void *a, const void *b)
{
	return *(const uint8_t *)a - *(const uint8_t *)b;
}

/*
 * What libc asks of the system once and then remembers: the time zone, and
 * for sorting more than a kilobyte, how much memory there is.
 */
void sandbox_warm_up(void)
{
	uint8_t bytes[4096] = {2, 1};

	setenv("TZ", "UTC0", 1);
	tzset();
	qsort(bytes, sizeof(bytes), 1, by_byte);
}

void sandbox_enter(void)
{
	struct rlimit no_core = {0, 0};
	struct program p = {.n = 0};
	struct sock_fprog fprog;

#ifdef __NR_close_range
	syscall(__NR_close_range, SCAN_FD + 1, ~0u, 0);
#endif
	setrlimit(RLIMIT_CORE, &no_core);
	limit(RLIMIT_CPU, CPU_SECONDS);
#ifndef HAVE_SANITIZER
	limit(RLIMIT_AS, ADDRESS_SPACE);
#endif
	make_program(&p);
	fprog = (struct sock_fprog){.len = p.n, .filter = p.insn};
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &fprog) < 0)
		wire_fail(-errno, "no sandbox: prctl: %s", strerror(errno));
}
