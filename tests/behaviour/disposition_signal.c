// SPDX-License-Identifier: MIT
// signal and bsd_signal restart and stay; sysv_signal neither defers nor stays.
#include "t.h"

extern sighandler_t bsd_signal(int, sighandler_t);

static volatile int runs;
static volatile uint64_t seen;

static void handler(int sig)
{
	(void)sig;
	seen = t_view();
	KERNEL_MASK(seen);
	runs++;
}

static int flags(int sig)
{
	struct sigaction act;
	EQ(sigaction(sig, NULL, &act), 0);
	return act.sa_flags & ~0x04000000;
}

static void check_bsd(sighandler_t (*install)(int, sighandler_t))
{
	runs = 0;
	CHECK(install(SIGUSR1, handler) == SIG_DFL);
	EQ(flags(SIGUSR1), SA_RESTART);
	raise(SIGUSR1);
	EQ(seen, BIT(SIGUSR1));
	raise(SIGUSR1);
	EQ(runs, 2);
	CHECK(install(SIGUSR1, SIG_IGN) == handler);
	raise(SIGUSR1);
	EQ(runs, 2);
	CHECK(install(SIGUSR1, SIG_DFL) == SIG_IGN);
}

int main(void)
{
	t_start();
	check_bsd(signal);
	check_bsd(bsd_signal);
	check_bsd(ssignal);

	for (int i = 0; i < 2; i++) {
		runs = 0;
		CHECK(sysv_signal(SIGUSR1, handler) == SIG_DFL);
		EQ((unsigned)flags(SIGUSR1), (unsigned)SA_RESETHAND | SA_NODEFER);
		raise(SIGUSR1);
		EQ(runs, 1);
		EQ(seen, 0);
	}
	CHECK(sysv_signal(SIGUSR1, SIG_IGN) == SIG_DFL);
	CHECK(sysv_signal(SIGUSR1, SIG_DFL) == SIG_IGN);
	CHECK(sysv_signal(SIGUSR1, SIG_ERR) == SIG_ERR);
	MASK(0);
	return 0;
}
