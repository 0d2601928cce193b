// SPDX-License-Identifier: MIT
// errno is the handler's business: untouched by one that leaves it, changed by one that sets it.
#include "t.h"

static volatile int runs;

static void quiet(int sig)
{
	(void)sig;
	runs++;
}

static void loud(int sig)
{
	(void)sig;
	errno = 4242;
	runs++;
}

static void unblock(int sig)
{
	sigset_t set = t_set(BIT(sig));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, quiet, 0, 0);
	t_handle(SIGUSR2, loud, 0, 0);
	errno = 777;
	raise(SIGUSR1);
	EQ(errno, 777);
	raise(SIGUSR2);
	EQ(errno, 4242);
	t_setmask(BIT(SIGUSR1) | BIT(SIGUSR2));
	errno = 778;
	raise(SIGUSR1);
	unblock(SIGUSR1);
	EQ(errno, 778);
	raise(SIGUSR2);
	EQ(errno, 778);
	unblock(SIGUSR2);
	EQ(errno, 4242);
	errno = 779;
	t_setmask(BIT(SIGHUP));
	t_setmask(0);
	t_handle(SIGHUP, quiet, 0, 0);
	t_handle(SIGHUP, quiet, 0, 0);
	EQ(errno, 779);
	EQ(runs, 4);
	return 0;
}
