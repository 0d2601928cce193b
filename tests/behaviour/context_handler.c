// SPDX-License-Identifier: MIT
// Contexts made in a signal handler, and a preemptive scheduler that switches in one.
#include "t.h"
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#define N 3
static ucontext_t contexts[N + 1];
static char stacks[N][64 * 1024];
static volatile int current = N, switches, finished;
static volatile uint64_t work[N];

static void worker(int i)
{
	uint64_t mine = BIT(SIGRTMIN + i);
	MASK(mine | BIT(SIGALRM)); // a tick while still on the old stack would save that
	t_setmask(mine);
	for (int round = 0; round < 30; round++) {
		uint64_t state = (uint64_t)(i + 1);
		for (int step = 0; step < 200000; step++)
			state = state * 6364136223846793005u + 1442695040888963407u;
		if (round == 0)
			work[i] = state;
		EQ(state, work[i]);
		MASK(mine);
	}
	sigset_t alarm = t_set(BIT(SIGALRM));
	sigprocmask(SIG_BLOCK, &alarm, NULL);
	finished |= 1 << i;
	current = N; // a tick right after the return must not save main as the worker that ended
}

static int next_context(void)
{
	for (int step = 1; step <= N; step++) {
		int i = (current + step) % (N + 1);
		if (i < N && !(finished & (1 << i)))
			return i;
	}
	return N;
}

static void make(int i)
{
	EQ(getcontext(&contexts[i]), 0);
	contexts[i].uc_stack.ss_sp = stacks[i];
	contexts[i].uc_stack.ss_size = sizeof stacks[i];
	contexts[i].uc_link = &contexts[N];
	contexts[i].uc_sigmask = t_set(BIT(SIGRTMIN + i) | BIT(SIGALRM));
	makecontext(&contexts[i], (void (*)(void))(void *)worker, 1, i);
}

static void preempt(int sig)
{
	static volatile int made;
	(void)sig;
	if (!made) {
		for (int i = 0; i < N; i++)
			make(i);
		made = 1;
	}
	int from = current, to = next_context();
	if (from == to)
		return;
	current = to;
	switches++;
	EQ(swapcontext(&contexts[from], &contexts[to]), 0);
}

int main(void)
{
	t_start();
	t_handle(SIGALRM, preempt, SA_RESTART, 0);
	struct itimerval tick = {{0, 2000}, {0, 2000}}, off = {{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &tick, NULL);
	time_t end = time(NULL) + 20;
	while (finished != (1 << N) - 1 && time(NULL) < end) {
		// A worker that ends comes back here through uc_link.
		sigset_t alarm = t_set(BIT(SIGALRM));
		sigprocmask(SIG_BLOCK, &alarm, NULL);
		current = N;
		sigprocmask(SIG_UNBLOCK, &alarm, NULL);
		for (volatile int i = 0; i < 10000; i++)
			;
	}
	setitimer(ITIMER_REAL, &off, NULL);
	EQ(finished, (1 << N) - 1);
	CHECK(switches >= N);
	return 0;
}
