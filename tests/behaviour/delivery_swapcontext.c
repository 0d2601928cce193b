// SPDX-License-Identifier: MIT
// swapcontext inside a handler: away to a coroutine, and back into the handler.
#include "t.h"
#include <ucontext.h>

static ucontext_t in_handler, coroutine;
static char stack[64 * 1024];
static volatile int runs, steps;

static void body(void)
{
	for (;;) {
		MASK(BIT(SIGINT));
		steps++;
		t_setmask(BIT(SIGALRM));
		swapcontext(&coroutine, &in_handler);
		MASK(BIT(SIGALRM));
		t_setmask(BIT(SIGINT));
	}
}

static void handler(int sig)
{
	MASK(BIT(sig) | BIT(SIGTERM) | BIT(SIGHUP));
	EQ(swapcontext(&in_handler, &coroutine), 0);
	MASK(BIT(sig) | BIT(SIGTERM) | BIT(SIGHUP));
	runs++;
}

int main(void)
{
	t_start();
	EQ(getcontext(&coroutine), 0);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof stack;
	coroutine.uc_link = NULL;
	coroutine.uc_sigmask = t_set(BIT(SIGINT));
	makecontext(&coroutine, body, 0);

	t_handle(SIGUSR1, handler, 0, BIT(SIGTERM));
	t_setmask(BIT(SIGHUP));
	for (int i = 1; i <= 50; i++) {
		raise(SIGUSR1);
		EQ(runs, i);
		EQ(steps, i);
		MASK(BIT(SIGHUP));
	}
	return 0;
}
