// SPDX-License-Identifier: MIT
// Alarms and interval timers that expire while their signal is blocked.
#include "lazy.h"
#include <sys/time.h>

static volatile int runs;
static siginfo_t last;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	last = *info;
	runs++;
}

static void check(int which, int sig)
{
	struct itimerval often = {{0, 2000}, {0, 2000}}, off = {{0, 0}, {0, 0}};
	t_handle_info(sig, handler, 0, 0);
	for (int i = 0; i < 5; i++) {
		runs = 0;
		t_setmask(BIT(sig));
		EQ(setitimer(which, &often, NULL), 0);
		long long end = t_now_ms() + 10;
		while (!(t_kernel_pending() & BIT(sig)) || t_now_ms() < end)
			;
		EQ(setitimer(which, &off, NULL), 0);
		EQ(runs, 0);
		EQ(t_pending(), BIT(sig));
		t_setmask(0);
		EQ(runs, 1);
		EQ(last.si_code, SI_KERNEL);
		EQ(last.si_pid, 0);
	}
}

int main(void)
{
	t_hot();
	check(ITIMER_REAL, SIGALRM);
	check(ITIMER_VIRTUAL, SIGVTALRM);
	check(ITIMER_PROF, SIGPROF);
	t_handle_info(SIGALRM, handler, 0, 0);
	runs = 0;
	t_setmask(BIT(SIGALRM));
	alarm(1);
	while (!(t_kernel_pending() & BIT(SIGALRM)))
		;
	EQ(runs, 0);
	t_setmask(0);
	EQ(runs, 1);
	return 0;
}
