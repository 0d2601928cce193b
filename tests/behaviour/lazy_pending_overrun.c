// SPDX-License-Identifier: MIT
// A POSIX timer that expires many times while its signal is blocked: one signal, and the count
// of those that it stands for.
#include "lazy.h"

static volatile int runs, overrun;
static siginfo_t last;
static timer_t timer;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	last = *info;
	overrun = timer_getoverrun(timer);
	runs++;
}

static void check(int sig, int notify)
{
	struct itimerspec often = {{0, 1000000}, {0, 1000000}}, off = {{0, 0}, {0, 0}};
	struct sigevent event = {.sigev_notify = notify, .sigev_signo = sig};
	event.sigev_value.sival_int = 42;
	if (notify == SIGEV_THREAD_ID)
		event._sigev_un._tid = gettid();
	t_handle_info(sig, handler, 0, 0);
	t_warm();
	EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	for (int i = 0; i < 3; i++) {
		runs = 0;
		t_setmask(BIT(sig));
		EQ(timer_settime(timer, 0, &often, NULL), 0);
		t_pause_ms(30);
		EQ(runs, 0);
		EQ(t_pending(), BIT(sig));
		t_setmask(0);
		EQ(timer_settime(timer, 0, &off, NULL), 0);
		CHECK(runs >= 1);
		if (runs == 1)
			CHECK(overrun >= 20);
		EQ(last.si_code, SI_TIMER);
		EQ(last.si_value.sival_int, 42);
	}
	EQ(timer_delete(timer), 0);
}

int main(void)
{
	t_hot();
	check(SIGALRM, SIGEV_SIGNAL);
	check(SIGUSR1, SIGEV_SIGNAL);
	check(SIGUSR1, SIGEV_THREAD_ID);
	check(SIGRTMIN + 1, SIGEV_SIGNAL);
	return 0;
}
