// SPDX-License-Identifier: MIT
// A handler that runs during system() writes uc_sigmask. system() puts the mask back that it
// found, inside libc: the edit has gone with it.
#include "t.h"

static volatile int runs;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	ucontext_t *uc = context;
	SAME_MASK();
	sigaddset(&uc->uc_sigmask, SIGUSR2);
	runs++;
}

int main(void)
{
	t_start();
	t_handle_info(SIGUSR1, handler, SA_RESTART, 0);
	for (int i = 1; i <= 5; i++) {
		uint64_t mask = i % 2 ? BIT(SIGCHLD) : BIT(SIGHUP);
		t_setmask(mask);
		EQ(system("kill -USR1 $PPID"), 0);
		EQ(runs, i);
		MASK(mask);
	}
	return 0;
}
