// SPDX-License-Identifier: MIT
// A vfork child changes mask and dispositions in our memory, then ends or execs: nothing of
// it may be left in the parent, neither in its view nor in the kernel.
#include "t.h"

static volatile int runs, child_runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void child_handler(int sig)
{
	(void)sig;
	child_runs++;
}

static void change_everything(void)
{
	EQ(t_view(), BIT(SIGUSR1));
	sigset_t set = t_set(BIT(SIGTERM) | BIT(SIGRTMIN)), old = t_set(0);
	EQ(sigprocmask(SIG_SETMASK, &set, &old), 0);
	EQ(t_bits(&old), BIT(SIGUSR1));
	MASK(BIT(SIGTERM) | BIT(SIGRTMIN));
	struct sigaction act;
	EQ(sigaction(SIGUSR1, NULL, &act), 0);
	CHECK(act.sa_handler == handler);
	t_handle(SIGUSR1, child_handler, 0, BIT(SIGHUP));
	signal(SIGUSR2, SIG_IGN);
	signal(SIGHUP, child_handler);
	EQ(sigaction(SIGUSR1, NULL, &act), 0);
	CHECK(act.sa_handler == child_handler);
	raise(SIGUSR1);
	EQ(child_runs, 1);
	MASK(BIT(SIGTERM) | BIT(SIGRTMIN));
}

static void check_parent(void)
{
	MASK(BIT(SIGUSR1));
	struct sigaction act;
	EQ(sigaction(SIGUSR1, NULL, &act), 0);
	CHECK(act.sa_handler == handler);
	EQ(t_bits(&act.sa_mask), BIT(SIGINT));
	EQ(sigaction(SIGUSR2, NULL, &act), 0);
	CHECK(act.sa_handler == SIG_DFL);
	EQ(sigaction(SIGHUP, NULL, &act), 0);
	CHECK(act.sa_handler == SIG_DFL);
	EQ(t_status("SigIgn"), 0);
	CAUGHT(BIT(SIGUSR1));
	int before = runs;
	raise(SIGUSR1);
	EQ(runs, before);
	EQ(t_setmask(0), BIT(SIGUSR1));
	EQ(runs, before + 1);
	EQ(t_setmask(BIT(SIGUSR1)), 0);
	MASK(BIT(SIGUSR1));
}

static void run(int with_exec)
{
	child_runs = 0;
	pid_t pid = vfork();
	CHECK(pid >= 0);
	if (pid == 0) {
		change_everything();
		if (with_exec)
			execl("/bin/true", "true", (char *)NULL);
		_exit(0);
	}
	EQ(child_runs, 1);
	check_parent();
	EQ(t_wait(pid), 0);
	check_parent();
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, BIT(SIGINT));
	t_setmask(BIT(SIGUSR1));
	for (int i = 0; i < 5; i++) {
		run(0);
		run(1);
	}
	return 0;
}
