// SPDX-License-Identifier: MIT
// A child of fork starts in the section of its parent and has to leave it, and inherits nothing of
// what is pending.
#include <sigzero.h>

#include "t.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void in_child(void)
{
	EQ(sigzero_blocked(), 1);
	EQ(runs, 0);
	raise(SIGUSR2);
	EQ(runs, 0);
	sigzero_block();
	sigzero_unblock();
	EQ(sigzero_blocked(), 1);
	sigzero_unblock();
	EQ(runs, 1);
	EQ(sigzero_blocked(), 0);
	MASK(BIT(SIGHUP));
	sigzero_block();
	raise(SIGUSR1);
	EQ(runs, 1);
	sigzero_unblock();
	EQ(runs, 2);
}

static void leaves_in_peace(void)
{
	sigzero_unblock();
	EQ(runs, 0);
	MASK(BIT(SIGHUP));
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	t_handle(SIGUSR2, handler, 0, 0);
	t_setmask(BIT(SIGHUP));
	for (int i = 0; i < 50; i++) {
		sigzero_block();
		if (i % 10 == 0)
			EQ(t_child(in_child), 0); // nothing pending
		raise(SIGUSR1);
		if (i % 10 == 0) {
			EQ(t_child(in_child), 0);
			EQ(t_child(leaves_in_peace), 0);
		}
		EQ(runs, 0);
		sigzero_unblock();
		EQ(runs, 1);
		runs = 0;
	}
	MASK(BIT(SIGHUP));
	return 0;
}
