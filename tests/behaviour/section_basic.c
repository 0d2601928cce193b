// SPDX-License-Identifier: MIT
// A signal in a section is held, and delivered where the outermost section is left. The
// program's own mask is what it was.
#include <sigzero.h>

#include "t.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void inner(void)
{
	sigzero_block();
	raise(SIGUSR1);
	EQ(sigzero_blocked(), 1);
	sigzero_unblock();
	EQ(runs, 0);
	EQ(sigzero_blocked(), 1);
}

static void outer(void)
{
	EQ(sigzero_blocked(), 0);
	EQ(sigzero_pending(), 0);
	sigzero_block();
	EQ(sigzero_pending(), 0);
	inner();
	inner();
	EQ(sigzero_pending(), 1);
	EQ(runs, 0);
	sigzero_unblock();
	EQ(runs, 1); // a standard signal is held once
	EQ(sigzero_blocked(), 0);
	EQ(sigzero_pending(), 0);
	runs = 0;
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	for (int i = 0; i < 100; i++)
		outer();
	MASK(0);
	t_setmask(BIT(SIGUSR2));
	for (int i = 0; i < 100; i++)
		outer();
	MASK(BIT(SIGUSR2));
	return 0;
}
