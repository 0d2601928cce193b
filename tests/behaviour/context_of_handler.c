// SPDX-License-Identifier: MIT
// A coroutine that is preempted in a handler and resumed there finishes as if undisturbed.
#include "t.h"
#include <ucontext.h>

static ucontext_t interrupted, here;
static char stack[64 * 1024];
static volatile int runs, resumed, finished;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)info;
	ucontext_t *uc = context;
	EQ(t_bits(&uc->uc_sigmask), BIT(SIGHUP));
	runs++;
	EQ(swapcontext(&interrupted, &here), 0);
	MASK(BIT(sig) | BIT(SIGHUP) | BIT(SIGTERM));
	resumed++;
}

static void body(void)
{
	MASK(BIT(SIGHUP));
	raise(SIGUSR1);
	MASK(BIT(SIGHUP));
	finished++;
}

int main(void)
{
	t_start();
	t_handle_info(SIGUSR1, handler, 0, BIT(SIGTERM));
	for (int i = 1; i <= 20; i++) {
		EQ(getcontext(&interrupted), 0);
		interrupted.uc_stack.ss_sp = stack;
		interrupted.uc_stack.ss_size = sizeof stack;
		interrupted.uc_link = &here;
		interrupted.uc_sigmask = t_set(BIT(SIGHUP));
		makecontext(&interrupted, body, 0);
		t_setmask(BIT(SIGINT));
		EQ(swapcontext(&here, &interrupted), 0);
		EQ(runs, i);
		EQ(resumed, i - 1);
		MASK(BIT(SIGINT));
		EQ(swapcontext(&here, &interrupted), 0);
		EQ(resumed, i);
		EQ(finished, i);
		MASK(BIT(SIGINT));
	}
	return 0;
}
