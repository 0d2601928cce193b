// SPDX-License-Identifier: MIT
// One object as both the new action and the old one.
#include "t.h"
#pragma GCC diagnostic ignored "-Wrestrict"

static void first(int sig)
{
	(void)sig;
}

static void second(int sig)
{
	(void)sig;
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, first, SA_RESTART, BIT(SIGHUP));
	struct sigaction act;
	memset(&act, 0, sizeof act);
	act.sa_handler = second;
	act.sa_mask = t_set(BIT(SIGTERM));
	EQ(sigaction(SIGUSR1, &act, &act), 0);
	CHECK(act.sa_handler == first);
	EQ(t_bits(&act.sa_mask), BIT(SIGHUP));
	EQ(sigaction(SIGUSR1, &act, &act), 0);
	CHECK(act.sa_handler == second);
	EQ(t_bits(&act.sa_mask), BIT(SIGTERM));
	EQ(sigaction(SIGUSR1, NULL, &act), 0);
	CHECK(act.sa_handler == first);
	EQ(act.sa_flags & SA_RESTART, SA_RESTART);
	return 0;
}
