// SPDX-License-Identifier: MIT
// The mask in a handler, and after it, for handlers that change the mask themselves.
#include "t.h"

static volatile int runs;

static void changes(int sig)
{
	MASK(BIT(sig) | BIT(SIGHUP));
	t_setmask(BIT(SIGTERM));
	MASK(BIT(SIGTERM));
	sigset_t set = t_set(BIT(SIGRTMAX));
	EQ(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	MASK(BIT(SIGTERM) | BIT(SIGRTMAX));
	runs++;
}

static void empties(int sig)
{
	t_setmask(0);
	MASK(0);
	static volatile int again = 2;
	if (again-- > 0)
		raise(sig);
	MASK(0);
	runs++;
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, changes, 0, 0);
	t_handle(SIGUSR2, empties, 0, BIT(SIGINT));
	t_setmask(BIT(SIGHUP));
	raise(SIGUSR1);
	EQ(runs, 1);
	MASK(BIT(SIGHUP));
	raise(SIGUSR2);
	EQ(runs, 4);
	MASK(BIT(SIGHUP));
	t_setmask(0);
	MASK(0);
	return 0;
}
