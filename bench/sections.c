// SPDX-License-Identifier: MIT
// What keeping all signals out for a moment costs, and beside it a bare counter of the thread,
// below which nothing can be.
#include "bench.h"

#include <signal.h>
#include <sigzero.h>

#define COMPILER_BARRIER() __asm__ volatile("" ::: "memory")

static _Thread_local unsigned depth;

// The barriers keep the loops, so that no counter in memory is part of the figures.
static void counter_pair(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		depth++;
		COMPILER_BARRIER();
		depth--;
		COMPILER_BARRIER();
	}
}

// Some processors forward what was just written to the next reader only where the address is
// in a register: then this is much the faster, and what sections are measured against.
static void near_counter_pair(unsigned long n)
{
	unsigned *counter = &depth;

	__asm__("" : "+r"(counter));
	for (unsigned long i = 0; i < n; i++) {
		++*counter;
		COMPILER_BARRIER();
		--*counter;
		COMPILER_BARRIER();
	}
}

static void section_pair(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		sigzero_block();
		sigzero_unblock();
	}
}

static void nested_pair(unsigned long n)
{
	sigzero_block();
	section_pair(n);
	sigzero_unblock();
}

static void mask_pair(unsigned long n)
{
	sigset_t all, old;

	sigfillset(&all);
	for (unsigned long i = 0; i < n; i++) {
		pthread_sigmask(SIG_BLOCK, &all, &old);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
}

// Guards are put up only in a process that does it often.
static void become_hot(void)
{
	section_pair(1000);
}

int main(void)
{
	static const struct bench_case cases[] = {
		{"thread-local counter up+down", counter_pair, 1},
		{"the same, address in a register", near_counter_pair, 1},
		{"sigzero_block+sigzero_unblock", section_pair, 1},
		{"a section in a section", nested_pair, 1},
		{"pthread_sigmask block all+restore", mask_pair, 1},
	};

	become_hot();
	bench_run(cases, sizeof cases / sizeof *cases);
	return 0;
}
