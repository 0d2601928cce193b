// SPDX-License-Identifier: MIT
// Blocked signals stay pending, however they were sent, through any change that keeps them.
#include "t.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void by_kill(void)
{
	kill(getpid(), SIGUSR1);
}

static void by_raise(void)
{
	raise(SIGUSR1);
}

static void by_gsignal(void)
{
	gsignal(SIGUSR1);
}

static void by_pthread_kill(void)
{
	pthread_kill(pthread_self(), SIGUSR1);
}

static void by_tgkill(void)
{
	syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);
}

static void by_killpg(void)
{
	killpg(0, SIGUSR1);
}

static void by_child(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		kill(getppid(), SIGUSR1);
		_exit(0);
	}
	t_wait(pid);
}

int main(void)
{
	void (*ways[])(void) = {by_kill,   by_raise,  by_gsignal, by_pthread_kill,
	                        by_tgkill, by_killpg, by_child};
	t_start();
	EQ(setpgid(0, 0) == 0 || getpgrp() == getpid(), 1);
	t_handle(SIGUSR1, handler, 0, 0);
	for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
		runs = 0;
		t_setmask(BIT(SIGUSR1));
		ways[i]();
		EQ(runs, 0);
		t_setmask(BIT(SIGUSR1) | BIT(SIGHUP));
		t_setmask(BIT(SIGUSR1));
		t_handle(SIGUSR1, handler, SA_RESTART, 0);
		EQ(runs, 0);
		EQ(t_pending(), BIT(SIGUSR1));
		EQ(t_kernel_pending(), BIT(SIGUSR1));
		t_setmask(0);
		EQ(runs, 1);
		EQ(t_pending(), 0);
	}
	return 0;
}
