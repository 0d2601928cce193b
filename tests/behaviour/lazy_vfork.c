// SPDX-License-Identifier: MIT
// A vfork child has the parent's mask, for real when it starts a program; what comes for
// either of them while it is blocked waits, and the parent's mask is what it was.
#include "lazy.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void check(int how)
{
	runs = 0;
	t_setmask(BIT(SIGUSR1) | BIT(SIGTERM));
	pid_t us = t_syscall(SYS_getpid, 0, 0, 0, 0), pid = vfork();
	CHECK(pid >= 0);
	if (pid == 0) {
		if (how & 1)
			t_syscall(SYS_kill, us, SIGUSR1, 0, 0);
		if (how & 2)
			t_syscall(SYS_kill, t_syscall(SYS_getpid, 0, 0, 0, 0), SIGUSR1, 0, 0);
		if (how & 4)
			t_setmask(BIT(SIGUSR1));
		if (how & 8)
			execl("/proc/self/exe", "lazy_vfork", how & 4 ? "one" : "two",
			      (char *)NULL);
		_exit(runs ? 1 : 0);
	}
	MASK(BIT(SIGUSR1) | BIT(SIGTERM));
	EQ(runs, 0);
	EQ(t_pending(), how & 1 ? BIT(SIGUSR1) : 0);
	raise(SIGTERM);
	EQ(t_pending(), BIT(SIGTERM) | (how & 1 ? BIT(SIGUSR1) : 0));
	EQ(t_wait(pid), 0);
	signal(SIGTERM, SIG_IGN);
	t_setmask(0);
	signal(SIGTERM, SIG_DFL);
	EQ(runs, how & 1);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return t_kernel_mask() !=
		       (BIT(SIGUSR1) | (strcmp(argv[1], "two") ? 0 : BIT(SIGTERM)));
	t_hot();
	t_handle(SIGUSR1, handler, 0, 0);
	for (int turn = 0; turn < 3; turn++)
		for (int how = 0; how < 16; how++)
			check(how);
	return 0;
}
