// SPDX-License-Identifier: MIT
// A section is no part of the mask: inside, the mask is read and changed as outside, and the change
// takes effect at the end.
#include <sigzero.h>

#include "t.h"

static volatile int usr1, usr2;

static void handler(int sig)
{
	if (sig == SIGUSR1)
		usr1++;
	else
		usr2++;
}

static void block_inside(void)
{
	t_setmask(BIT(SIGHUP));
	sigzero_block();
	EQ(t_view(), BIT(SIGHUP));
	EQ(t_setmask(BIT(SIGHUP) | BIT(SIGUSR1)), BIT(SIGHUP));
	raise(SIGUSR1);
	raise(SIGUSR2);
	EQ(t_view(), BIT(SIGHUP) | BIT(SIGUSR1));
	EQ(usr1 + usr2, 0);
	sigzero_unblock();
	EQ(usr1, 0);
	EQ(usr2, 1);
	MASK(BIT(SIGHUP) | BIT(SIGUSR1));
	t_setmask(0);
	EQ(usr1, 1);
	usr1 = usr2 = 0;
}

static void unblock_inside(void)
{
	t_setmask(BIT(SIGUSR1) | BIT(SIGUSR2));
	raise(SIGUSR1);
	sigzero_block();
	raise(SIGUSR2);
	sigset_t set = t_set(BIT(SIGUSR1) | BIT(SIGUSR2)), old;
	EQ(pthread_sigmask(SIG_UNBLOCK, &set, &old), 0);
	EQ(t_bits(&old), BIT(SIGUSR1) | BIT(SIGUSR2));
	EQ(t_view(), 0);
	EQ(usr1 + usr2, 0);
	EQ(t_pending(), BIT(SIGUSR1) | BIT(SIGUSR2));
	sigzero_unblock();
	EQ(usr1, 1);
	EQ(usr2, 1);
	MASK(0);
	usr1 = usr2 = 0;
}

static void wrong_inside(void)
{
	sigset_t set = t_set(BIT(SIGUSR1));

	sigzero_block();
	raise(SIGUSR1);
	errno = 0;
	EQ(sigprocmask(17, &set, NULL), -1);
	EQ(errno, EINVAL);
	EQ(t_view(), 0);
	sigzero_unblock();
	EQ(usr1, 1);
	usr1 = 0;
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	t_handle(SIGUSR2, handler, 0, 0);
	for (int i = 0; i < 60; i++) {
		block_inside();
		unblock_inside();
		wrong_inside();
	}
	return 0;
}
