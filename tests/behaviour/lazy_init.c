// SPDX-License-Identifier: MIT
// The first process of a PID namespace is spared the default actions of signals from inside, does
// not even wake up for them, and runs handlers that it installs afterwards.
#include "lazy.h"
#include <sched.h>

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void send_when_it_sleeps(void)
{
	pid_t pid = fork();
	if (pid != 0)
		return;
	t_pause_ms(100);
	kill(1, SIGHUP);
	_exit(0);
}

static void init(void)
{
	struct timespec time = {0, 300000000};
	EQ(getpid(), 1);
	t_warm();
	raise(SIGUSR1);
	kill(1, SIGTERM);
	send_when_it_sleeps();
	EQ(nanosleep(&time, NULL), 0);
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	EQ(runs, 1);
	t_setmask(BIT(SIGUSR1));
	raise(SIGUSR1);
	EQ(runs, 1);
	t_setmask(0);
	EQ(runs, 2);
	signal(SIGUSR1, SIG_DFL);
	raise(SIGUSR1);
}

int main(void)
{
	t_hot();
	if (unshare(CLONE_NEWPID) < 0)
		return T_SKIP;
	EQ(t_child(init), 0);
	return 0;
}
