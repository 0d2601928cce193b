// SPDX-License-Identifier: MIT
// The mask changed by syscall() between changes by libc's functions: both see one mask, and what
// waits comes when either opens it.
#include "lazy.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static uint64_t raw(int how, uint64_t set)
{
	uint64_t old = 0;
	EQ(syscall(SYS_rt_sigprocmask, how, &set, &old, 8L), 0);
	return old;
}

int main(void)
{
	t_hot();
	t_handle(SIGUSR1, handler, 0, 0);
	for (int i = 0; i < 200; i++) {
		runs = 0;
		t_setmask(BIT(SIGUSR1) | BIT(SIGTERM));
		EQ(raw(SIG_BLOCK, BIT(SIGHUP)), BIT(SIGUSR1) | BIT(SIGTERM));
		MASK(BIT(SIGUSR1) | BIT(SIGTERM) | BIT(SIGHUP));
		raise(SIGUSR1);
		EQ(runs, 0);
		EQ(raw(SIG_UNBLOCK, BIT(SIGUSR1)), BIT(SIGUSR1) | BIT(SIGTERM) | BIT(SIGHUP));
		EQ(runs, 1);
		MASK(BIT(SIGTERM) | BIT(SIGHUP));
		EQ(raw(SIG_SETMASK, BIT(SIGUSR1)), BIT(SIGTERM) | BIT(SIGHUP));
		raise(SIGUSR1);
		EQ(runs, 1);
		t_setmask(0);
		EQ(runs, 2);
		EQ(raw(SIG_SETMASK, 0), 0);
	}
	return 0;
}
