// SPDX-License-Identifier: MIT
// Looking at the mask, and changing it.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "target.h"

void fail(const char *where, uint64_t seen, uint64_t kernel)
{
	char line[160];
	int n = snprintf(line, sizeof line, "%s: the program sees %#lx, the kernel has %#lx\n",
	                 where, seen, kernel);
	(void)!write(2, line, (size_t)n);
	_exit(1);
}

// In assembly: libc's syscall() is one of the functions under test.
uint64_t kernel_mask(void)
{
	uint64_t mask;
	register long size __asm__("r10") = 8;
	long result;

	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "a"(SYS_rt_sigprocmask), "D"(0L), "S"(0L), "d"(&mask), "r"(size)
	                 : "rcx", "r11", "memory");
	return mask;
}

uint64_t word(const sigset_t *set)
{
	uint64_t mask;

	memcpy(&mask, set, sizeof mask);
	return mask;
}

static sigset_t set_of(uint64_t mask)
{
	sigset_t set;

	sigemptyset(&set);
	memcpy(&set, &mask, sizeof mask);
	return set;
}

static uint64_t seen_mask(void)
{
	sigset_t set;

	sigprocmask(SIG_SETMASK, NULL, &set);
	return word(&set);
}

// These modes may block without telling the kernel.
static bool is_lazy(void)
{
	static int lazy = -1;

	if (lazy < 0)
		lazy = getenv("STEPS_LAZY") != NULL; // the runtime's own names are gone by now
	return lazy;
}

// The signal may come between two looks and change the mask: only a kernel's mask between
// two equal looks of the program counts.
uint64_t same(const char *where)
{
	uint64_t seen, kernel, again;

	do {
		seen = seen_mask();
		kernel = kernel_mask();
		again = seen_mask();
	} while (seen != again);
	if (is_lazy() ? kernel & ~seen : kernel != seen)
		fail(where, seen, kernel);
	return seen;
}

void change(int how, int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(how, &set, NULL);
}

uint64_t block(uint64_t mask)
{
	sigset_t set = set_of(mask), old;

	sigprocmask(SIG_BLOCK, &set, &old);
	return word(&old);
}

void unblock(uint64_t mask)
{
	sigset_t set = set_of(mask);

	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void set_mask(uint64_t mask)
{
	sigset_t set = set_of(mask);

	sigprocmask(SIG_SETMASK, &set, NULL);
}

void note_pending(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigpending(&set);
	note("pending", word(&set) & (BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGHUP)));
}
