// SPDX-License-Identifier: MIT
// The new set and the old one may be the same object.
#include "t.h"

int main(void)
{
	t_start();
	t_setmask(BIT(SIGHUP));
	sigset_t set = t_set(BIT(SIGUSR1));
	EQ(sigprocmask(SIG_BLOCK, &set, &set), 0);
	EQ(t_bits(&set), BIT(SIGHUP));
	MASK(BIT(SIGHUP) | BIT(SIGUSR1));

	set = t_set(BIT(SIGUSR2));
	EQ(sigprocmask(SIG_SETMASK, &set, &set), 0);
	EQ(t_bits(&set), BIT(SIGHUP) | BIT(SIGUSR1));
	MASK(BIT(SIGUSR2));

	set = t_set(BIT(SIGUSR2));
	EQ(pthread_sigmask(SIG_UNBLOCK, &set, &set), 0);
	EQ(t_bits(&set), BIT(SIGUSR2));
	MASK(0);
	return 0;
}
