// SPDX-License-Identifier: MIT
// Dispositions changed inside a handler, its own included.
#include "t.h"

static volatile int first_runs, second_runs;

static void second(int sig)
{
	second_runs++;
	t_handle(sig, SIG_IGN, 0, 0);
}

static void first(int sig)
{
	struct sigaction act;
	first_runs++;
	raise(sig);
	t_handle(sig, second, 0, 0);
	EQ(sigaction(sig, NULL, &act), 0);
	CHECK(act.sa_handler == second);
	// Pending from before the change: the new handler gets it.
	EQ(second_runs, 0);
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, first, 0, 0);
	raise(SIGUSR1);
	EQ(first_runs, 1);
	EQ(second_runs, 1);
	raise(SIGUSR1);
	EQ(second_runs, 1);
	EQ(t_status("SigIgn"), BIT(SIGUSR1));
	EQ(t_status("SigCgt") & BIT(SIGUSR1), 0);
	MASK(0);
	return 0;
}
