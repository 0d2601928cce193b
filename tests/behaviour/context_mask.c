// SPDX-License-Identifier: MIT
// Each context has its mask: in uc_sigmask as the program sees it, in the kernel as it runs.
#include "t.h"
#include <ucontext.h>

static ucontext_t here, there, probe;
static char stack[64 * 1024];

static void body(void)
{
	MASK(BIT(SIGHUP) | BIT(SIGRTMAX));
	EQ(swapcontext(&there, &here), 0);
	MASK(BIT(SIGHUP) | BIT(SIGRTMAX));
	t_setmask(BIT(SIGTERM));
	EQ(swapcontext(&there, &here), 0);
	MASK(BIT(SIGTERM));
	EQ(swapcontext(&there, &here), 0);
	// The resumer has put another mask into our saved context.
	MASK(BIT(SIGALRM));
}

int main(void)
{
	t_start();
	t_setmask(BIT(SIGUSR1));
	EQ(getcontext(&probe), 0);
	EQ(t_bits(&probe.uc_sigmask), BIT(SIGUSR1));
	EQ(getcontext(&there), 0);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof stack;
	there.uc_link = &here;
	there.uc_sigmask = t_set(BIT(SIGHUP) | BIT(SIGRTMAX));
	makecontext(&there, body, 0);

	EQ(swapcontext(&here, &there), 0);
	MASK(BIT(SIGUSR1));
	EQ(t_bits(&here.uc_sigmask), BIT(SIGUSR1));
	EQ(t_bits(&there.uc_sigmask), BIT(SIGHUP) | BIT(SIGRTMAX));
	t_setmask(BIT(SIGUSR2));
	EQ(swapcontext(&here, &there), 0);
	MASK(BIT(SIGUSR2));
	EQ(t_bits(&there.uc_sigmask), BIT(SIGTERM));
	EQ(swapcontext(&here, &there), 0);
	MASK(BIT(SIGUSR2));
	uint64_t mask = BIT(SIGALRM);
	memcpy(&there.uc_sigmask, &mask, 8);
	EQ(swapcontext(&here, &there), 0);
	MASK(BIT(SIGUSR2));

	// KILL and STOP in a context's mask have no effect.
	volatile int turn = 0;
	EQ(getcontext(&probe), 0);
	if (turn++ == 0) {
		mask = BIT(SIGKILL) | BIT(SIGSTOP) | BIT(SIGINT);
		memcpy(&probe.uc_sigmask, &mask, 8);
		setcontext(&probe);
	}
	MASK(BIT(SIGINT));
	return 0;
}
