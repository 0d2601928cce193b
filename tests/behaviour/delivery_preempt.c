// SPDX-License-Identifier: MIT
// A timer's handler switches between four coroutines by swapcontext, wherever they are: each
// has its own mask again when it goes on, also within a wait with a temporary mask.
#include "t.h"
#include <poll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#define N 4
static ucontext_t context[N];
static char stack[N][64 * 1024] __attribute__((aligned(16)));
static volatile int current, switches;
static long end;

static void tick(int sig)
{
	int me = current;
	(void)sig;
	SAME_MASK();
	current = (me + 1) % N;
	switches++;
	EQ(swapcontext(&context[me], &context[current]), 0);
	SAME_MASK();
}

static void wait_a_moment(int me)
{
	struct timespec moment = {0, 200000};
	sigset_t temporary = t_set(BIT(SIGHUP + me));
	if (me == 2)
		ppoll(NULL, 0, &moment, &temporary);
	if (me == 3)
		pselect(0, NULL, NULL, NULL, &moment, &temporary);
}

static long milliseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void body(int me)
{
	uint64_t mine = BIT(SIGRTMIN + me) | (me % 2 ? BIT(SIGALRM) : BIT(SIGWINCH));
	t_setmask(0);
	while (milliseconds() < end) {
		t_setmask(mine);
		MASK(mine);
		t_setmask(0);
		MASK(0);
		wait_a_moment(me);
	}
	t_setmask(BIT(SIGALRM));
	CHECK(switches > 100);
	_exit(0);
}

int main(void)
{
	struct itimerval often = {{0, 150}, {0, 150}};
	t_start();
	end = milliseconds() + 700;
	// swapcontext takes the new mask before the new stack: a coroutine must not begin with
	// the timer's signal open.
	t_setmask(BIT(SIGALRM));
	for (int i = 1; i < N; i++) {
		EQ(getcontext(&context[i]), 0);
		context[i].uc_stack.ss_sp = stack[i];
		context[i].uc_stack.ss_size = sizeof stack[i];
		makecontext(&context[i], (void (*)(void))body, 1, i);
	}
	t_handle(SIGALRM, tick, SA_RESTART, 0);
	EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
	body(0);
}
