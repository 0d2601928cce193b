// SPDX-License-Identifier: MIT
// A child of one that blocks: it blocks the same, nothing waits for it, and what either does
// later is its own affair.
#include "lazy.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void child(void)
{
	EQ(runs, 0);
	EQ(t_pending(), 0);
	MASK(BIT(SIGUSR1) | BIT(SIGTERM));
	raise(SIGUSR1);
	kill(getpid(), SIGTERM);
	EQ(runs, 0);
	EQ(t_pending(), BIT(SIGUSR1) | BIT(SIGTERM));
	t_setmask(BIT(SIGTERM));
	EQ(runs, 1);
	t_setmask(0);
	_exit(9);
}

static void child_opens(void)
{
	t_setmask(0);
	EQ(runs, 0);
	raise(SIGUSR1);
	EQ(runs, 1);
}

static void child_signals_parent(void)
{
	kill(getppid(), SIGUSR1);
}

int main(void)
{
	t_hot();
	t_handle(SIGUSR1, handler, 0, 0);
	for (int i = 0; i < 20; i++) {
		runs = 0;
		t_setmask(BIT(SIGUSR1) | BIT(SIGTERM));
		if (i % 2)
			kill(getpid(), SIGUSR1);
		int status = t_child(child);
		EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGTERM);
		EQ(t_child(child_opens), 0);
		EQ(t_child(child_signals_parent), 0);
		EQ(runs, 0);
		EQ(t_pending(), BIT(SIGUSR1));
		t_setmask(0);
		EQ(runs, 1);
	}
	return 0;
}
