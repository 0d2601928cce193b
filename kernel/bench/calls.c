// SPDX-License-Identifier: GPL-2.0
// What a call costs that has nothing to do with signals, for a thread that has not registered a
// word and for one that has; and a section by mask against one by word. Prints NAME VALUE lines in
// nanoseconds: the median of ROUNDS rounds of COUNT calls each, the kinds taking turns.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "phase.h"

// Not from <linux/sigfastblock.h>: the same program runs on the kernel that has none.
enum { NR_SIGFASTBLOCK = 573, SETPTR = 1, UNBLOCK = 2, UNSETPTR = 3, PEND = 1, INC = 16 };

static volatile uint32_t word;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int setptr(void) { return syscall(NR_SIGFASTBLOCK, SETPTR, &word) == 0; }
static void unsetptr(void) { syscall(NR_SIGFASTBLOCK, UNSETPTR, NULL); }
static int always(void) { return 1; }
static void nothing(void) { }

static void getppid_loop(long n)
{
	while (n--)
		syscall(SYS_getppid);
}

static void mask_loop(long n)
{
	sigset_t all, old;

	sigfillset(&all);
	while (n--) {
		sigprocmask(SIG_BLOCK, &all, &old);
		sigprocmask(SIG_SETMASK, &old, NULL);
	}
}

static void section_loop(long n)
{
	while (n--) {
		__asm__ volatile("addl %1, %0" : "+m"(word) : "i"(INC) : "memory");
		if (__atomic_fetch_sub(&word, INC, __ATOMIC_RELAXED) == (PEND | INC))
			syscall(NR_SIGFASTBLOCK, UNBLOCK, NULL);
	}
}

static void handler(int sig) { }

static void signal_loop(long n)
{
	pid_t pid = getpid();

	while (n--)
		syscall(SYS_tgkill, pid, pid, SIGUSR1);
}

// One that is held back in a section, and delivered at its end.
static void held_loop(long n)
{
	pid_t pid = getpid();

	while (n--) {
		word += INC;
		syscall(SYS_tgkill, pid, pid, SIGUSR1);
		if (__atomic_fetch_sub(&word, INC, __ATOMIC_RELAXED) == (PEND | INC))
			syscall(NR_SIGFASTBLOCK, UNBLOCK, NULL);
	}
}

static void blocked_loop(long n)
{
	pid_t pid = getpid();
	sigset_t all, old;

	sigfillset(&all);
	while (n--) {
		sigprocmask(SIG_BLOCK, &all, &old);
		syscall(SYS_tgkill, pid, pid, SIGUSR1);
		sigprocmask(SIG_SETMASK, &old, NULL);
	}
}

static const struct kind {
	const char *name;
	int (*before)(void);
	void (*loop)(long);
	void (*after)(void);
	int share; // of COUNT
} kinds[] = {
	{ "getppid", always, getppid_loop, nothing, 1 },
	{ "getppid-registered", setptr, getppid_loop, unsetptr, 1 },
	{ "mask-pair", always, mask_loop, nothing, 2 },
	{ "section", setptr, section_loop, unsetptr, 1 },
	{ "signal", always, signal_loop, nothing, 10 },
	{ "signal-registered", setptr, signal_loop, unsetptr, 10 },
	{ "signal-in-mask-pair", always, blocked_loop, nothing, 10 },
	{ "signal-in-section", setptr, held_loop, unsetptr, 10 },
};

enum { KINDS = sizeof kinds / sizeof kinds[0], MOST = 1000 };
static double times[KINDS][MOST];

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	long count = getenv("COUNT") ? atol(getenv("COUNT")) : 20000;
	int rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 41;

	signal(SIGUSR1, handler);
	phase();
	for (int round = 0; round < rounds && round < MOST; round++)
		for (int i = 0; i < KINDS; i++) {
			const struct kind *kind = &kinds[i];
			long n = count / kind->share;
			double start;

			if (!kind->before())
				continue;
			start = now();
			kind->loop(n);
			times[i][round] = (now() - start) / n;
			kind->after();
		}
	for (int i = 0; i < KINDS; i++) {
		qsort(times[i], rounds, sizeof(double), compare);
		if (times[i][rounds / 2] > 0)
			printf("%s %.1f\n", kinds[i].name, times[i][rounds / 2]);
	}
	return 0;
}
