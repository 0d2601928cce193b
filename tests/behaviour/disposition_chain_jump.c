// SPDX-License-Identifier: MIT
// A handler that a component with its own rt_sigaction instruction calls as a function: it
// sees the mask of the delivery, and when it jumps out the mask is the saved one again.
#include "t.h"
#include <setjmp.h>

struct kernel_sigaction {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

static struct kernel_sigaction found;
static sigjmp_buf back;
static volatile int runs, returns, jumps;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	MASK(BIT(SIGHUP) | BIT(sig));
	runs++;
	if (jumps)
		siglongjmp(back, 1);
}

static void component(int sig, siginfo_t *info, void *context)
{
	found.handler(sig, info, context);
	returns++; // and no jump instead of the call
}

int main(void)
{
	t_start();
	t_setmask(BIT(SIGHUP));
	t_handle_info(SIGUSR1, handler, 0, 0);
	t_syscall(SYS_rt_sigaction, SIGUSR1, 0, (long)&found, 8);
	struct kernel_sigaction act = found;
	act.handler = component;
	t_syscall(SYS_rt_sigaction, SIGUSR1, (long)&act, 0, 8);
	for (int i = 1; i <= 10; i++) {
		jumps = i % 2;
		if (sigsetjmp(back, 1) == 0)
			raise(SIGUSR1);
		EQ(runs, i);
		EQ(returns, i / 2);
		MASK(BIT(SIGHUP));
	}
	return 0;
}
