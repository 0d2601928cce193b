// SPDX-License-Identifier: MIT
// Two processes signal each other in turn, each looking at its flag with the signal blocked and
// waiting by sigsuspend, or opening for a moment. A single lost signal would end the game.
#include "lazy.h"

#define ROUNDS 1500
static volatile int came, wrong;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	if (info->si_code == SI_QUEUE && info->si_value.sival_int != came + 1)
		wrong++;
	came++;
}

static void await(int n, int way)
{
	sigset_t none = t_set(0);
	for (;;) {
		t_setmask(BIT(SIGUSR1));
		if (came == n)
			break;
		if (way)
			sigsuspend(&none);
		t_setmask(0);
		t_syscall(SYS_sched_yield, 0, 0, 0, 0);
	}
	EQ(wrong, 0);
	t_setmask(0);
}

static void play(pid_t other, int begins)
{
	for (int i = 1; i <= ROUNDS; i++) {
		if (!begins)
			await(i, i % 2);
		if (i % 3)
			EQ(kill(other, SIGUSR1), 0);
		else
			EQ(sigqueue(other, SIGUSR1, (union sigval){.sival_int = i}), 0);
		if (begins)
			await(i, i % 2);
	}
}

int main(void)
{
	t_hot();
	t_handle_info(SIGUSR1, handler, 0, 0);
	pid_t us = getpid(), pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		play(us, 0);
		_exit(0);
	}
	play(pid, 1);
	EQ(t_wait(pid), 0);
	return 0;
}
