// SPDX-License-Identifier: MIT
// A stack that overflows: the handler on the alternate stack runs and jumps out.
#include "t.h"
#include <setjmp.h>
#pragma GCC diagnostic ignored "-Winfinite-recursion"

static sigjmp_buf env;
static volatile int runs;
static char stack[64 * 1024];

static void handler(int sig)
{
	(void)sig;
	char here;
	CHECK(&here >= stack && &here < stack + sizeof stack);
	runs++;
	siglongjmp(env, 1);
}

__attribute__((noinline)) static int deeper(volatile char *above)
{
	volatile char frame[4096];
	frame[0] = above[0];
	return deeper(frame) + frame[1];
}

static void *overflow(void *arg)
{
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
	EQ(sigaltstack(&alternate, NULL), 0);
	for (int i = 0; i < 5; i++) {
		if (sigsetjmp(env, 1) == 0)
			deeper((volatile char *)"x");
		MASK(0);
		stack_t now;
		EQ(sigaltstack(NULL, &now), 0);
		EQ(now.ss_flags & SS_ONSTACK, 0);
	}
	return arg;
}

int main(void)
{
	t_start();
	t_handle(SIGSEGV, handler, SA_ONSTACK, 0);
	pthread_attr_t attr;
	pthread_t thread;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	EQ(pthread_create(&thread, &attr, overflow, NULL), 0);
	EQ(pthread_join(thread, NULL), 0);
	EQ(runs, 5);
	return 0;
}
