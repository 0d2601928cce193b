// SPDX-License-Identifier: MIT
// SA_RESETHAND: default before the handler's first instruction; the signal is deferred still.
#include "t.h"

static volatile int runs;

static void handler(int sig)
{
	struct sigaction act;
	EQ(sigaction(sig, NULL, &act), 0);
	CHECK(act.sa_handler == SIG_DFL);
	EQ(t_status("SigCgt") & BIT(sig), 0);
	EQ(t_view(), BIT(sig));
	KERNEL_MASK(BIT(sig));
	runs++;
}

static void reinstall(int sig)
{
	runs++;
	t_handle(sig, reinstall, SA_RESETHAND, 0);
}

static void dies_the_second_time(void)
{
	t_handle(SIGUSR1, handler, SA_RESETHAND, 0);
	raise(SIGUSR1);
	raise(SIGUSR1);
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, SA_RESETHAND, 0);
	raise(SIGUSR1);
	EQ(runs, 1);
	MASK(0);
	struct sigaction act;
	EQ(sigaction(SIGUSR1, NULL, &act), 0);
	CHECK(act.sa_handler == SIG_DFL);

	t_handle(SIGUSR1, reinstall, SA_RESETHAND, 0);
	for (int i = 0; i < 4; i++)
		raise(SIGUSR1);
	EQ(runs, 5);

	int status = t_child(dies_the_second_time);
	CHECK(WIFSIGNALED(status));
	EQ(WTERMSIG(status), SIGUSR1);
	return 0;
}
