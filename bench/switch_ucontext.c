// SPDX-License-Identifier: MIT
// One switch between two contexts by swapcontext, which keeps the signal mask.
#include "bench.h"

#include <ucontext.h>

static ucontext_t caller, other;
static char stack[64 * 1024] __attribute__((aligned(16)));

static void echo(void)
{
	for (;;)
		swapcontext(&other, &caller);
}

static void ping_pong(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		swapcontext(&caller, &other);
}

int main(void)
{
	static const struct bench_case cases[] = {{"swapcontext", ping_pong, 2}};

	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof stack;
	makecontext(&other, echo, 0);
	bench_run(cases, 1);
	return 0;
}
