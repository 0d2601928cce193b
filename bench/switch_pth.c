// SPDX-License-Identifier: MIT
// One switch by GNU Pth's user-space contexts, which Debian builds on swapcontext.
#include "bench.h"

#include <pth.h>

static pth_uctx_t caller, other;
static char stack[64 * 1024] __attribute__((aligned(16)));

static void echo(void *unused)
{
	(void)unused;
	for (;;)
		pth_uctx_switch(other, caller);
}

static void ping_pong(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		pth_uctx_switch(caller, other);
}

int main(void)
{
	static const struct bench_case cases[] = {{"GNU Pth", ping_pong, 2}};

	if (!pth_uctx_create(&caller) || !pth_uctx_create(&other) ||
	    !pth_uctx_make(other, stack, sizeof stack, NULL, echo, NULL, NULL))
		return 1;
	bench_run(cases, 1);
	return 0;
}
