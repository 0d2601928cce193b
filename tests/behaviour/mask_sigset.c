// SPDX-License-Identifier: MIT
// sigset: installs, holds, and tells whether the signal was held.
#include "t.h"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static volatile int runs;

static void handler(int sig)
{
	runs++;
	EQ(t_view(), BIT(sig));
}

static void other(int sig)
{
	(void)sig;
	runs += 100;
}

int main(void)
{
	t_start();
	CHECK(sigset(SIGUSR1, handler) == SIG_DFL);
	MASK(0);
	raise(SIGUSR1);
	EQ(runs, 1);
	MASK(0);
	CHECK(sigset(SIGUSR1, SIG_HOLD) == handler);
	MASK(BIT(SIGUSR1));
	CHECK(sigset(SIGUSR1, SIG_HOLD) == SIG_HOLD);
	MASK(BIT(SIGUSR1));
	raise(SIGUSR1);
	EQ(runs, 1);
	// Held and given a handler: the signal is released and runs the new handler.
	CHECK(sigset(SIGUSR1, other) == SIG_HOLD);
	MASK(0);
	EQ(runs, 101);
	CHECK(sigset(SIGUSR1, SIG_IGN) == other);
	CHECK(sigset(SIGUSR1, SIG_HOLD) == SIG_IGN);
	CHECK(sigset(SIGUSR1, SIG_DFL) == SIG_HOLD);
	CHECK(sigset(SIGUSR1, SIG_DFL) == SIG_DFL);
	MASK(0);

	struct sigaction act;
	CHECK(sigset(SIGUSR2, handler) == SIG_DFL);
	EQ(sigaction(SIGUSR2, NULL, &act), 0);
	CHECK(act.sa_handler == handler);
	EQ(t_bits(&act.sa_mask), 0);

	errno = 0;
	CHECK(sigset(0, handler) == SIG_ERR);
	EQ(errno, EINVAL);
	errno = 0;
	CHECK(sigset(SIGKILL, handler) == SIG_ERR);
	EQ(errno, EINVAL);
	errno = 0;
	CHECK(sigset(70, SIG_HOLD) == SIG_ERR);
	EQ(errno, EINVAL);
	MASK(0);
	return 0;
}
