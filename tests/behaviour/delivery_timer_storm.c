// SPDX-License-Identifier: MIT
// A real-time POSIX timer and a switching loop of contexts: masks stay each context's own.
#include "t.h"
#include <time.h>
#include <ucontext.h>

static ucontext_t main_context, other_context;
static char stack[64 * 1024];
static volatile int runs, steps;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)context;
	EQ(info->si_code, SI_TIMER);
	uint64_t view = t_view();
	KERNEL_MASK(view);
	EQ(view & BIT(sig), BIT(sig));
	runs++;
}

static void body(void)
{
	for (;;) {
		MASK(BIT(SIGHUP));
		steps++;
		swapcontext(&other_context, &main_context);
	}
}

static timer_t start_timer(long ns)
{
	struct sigevent event;
	timer_t timer;
	struct itimerspec when = {{0, ns}, {0, ns}};
	memset(&event, 0, sizeof event);
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = SIGRTMIN;
	EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	EQ(timer_settime(timer, 0, &when, NULL), 0);
	return timer;
}

int main(void)
{
	t_start();
	t_handle_info(SIGRTMIN, handler, 0, 0);
	EQ(getcontext(&other_context), 0);
	other_context.uc_stack.ss_sp = stack;
	other_context.uc_stack.ss_size = sizeof stack;
	other_context.uc_sigmask = t_set(BIT(SIGHUP));
	makecontext(&other_context, body, 0);
	timer_t timer = start_timer(50000);
	time_t end = time(NULL) + 2;
	while (time(NULL) < end)
		for (int i = 0; i < 100; i++) {
			uint64_t mask = i & 1 ? BIT(SIGUSR1) : BIT(SIGUSR1) | BIT(SIGRTMIN);
			t_setmask(mask);
			swapcontext(&main_context, &other_context);
			MASK(mask);
		}
	EQ(timer_delete(timer), 0);
	CHECK(runs > 10);
	CHECK(steps > 100);
	return 0;
}
