// SPDX-License-Identifier: MIT
// Block, unblock and set: the mask and the old mask after each.
#include "t.h"

static uint64_t change(int how, uint64_t mask)
{
	sigset_t set = t_set(mask), old = t_set(0);
	EQ(sigprocmask(how, &set, &old), 0);
	return t_bits(&old);
}

int main(void)
{
	t_start();
	MASK(0);
	EQ(change(SIG_BLOCK, BIT(SIGUSR1)), 0);
	MASK(BIT(SIGUSR1));
	EQ(change(SIG_BLOCK, BIT(SIGUSR1)), BIT(SIGUSR1));
	MASK(BIT(SIGUSR1));
	EQ(change(SIG_BLOCK, BIT(SIGUSR2) | BIT(SIGHUP)), BIT(SIGUSR1));
	MASK(BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGHUP));
	EQ(change(SIG_UNBLOCK, BIT(SIGHUP) | BIT(SIGTERM)),
	   BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGHUP));
	MASK(BIT(SIGUSR1) | BIT(SIGUSR2));
	EQ(change(SIG_SETMASK, BIT(SIGALRM)), BIT(SIGUSR1) | BIT(SIGUSR2));
	MASK(BIT(SIGALRM));
	EQ(change(SIG_SETMASK, BIT(SIGALRM)), BIT(SIGALRM));
	MASK(BIT(SIGALRM));
	EQ(change(SIG_BLOCK, 0), BIT(SIGALRM));
	EQ(change(SIG_UNBLOCK, 0), BIT(SIGALRM));
	MASK(BIT(SIGALRM));
	EQ(change(SIG_SETMASK, 0), BIT(SIGALRM));
	MASK(0);
	return 0;
}
