// SPDX-License-Identifier: MIT
// A seccomp filter that exec handed on kills who queues a signal by hand. What is blocked is
// kept with its value all the same, what flips is flipped, and what is fatal ends us.
#include "confined.h"

static void blocked(int fd)
{
	for (int i = 0; i < 20; i++) {
		runs = 0;
		t_setmask(BIT(SIGUSR1));
		ask(fd, SIGUSR1);
		AWAIT(t_kernel_pending() & BIT(SIGUSR1));
		EQ(runs, 0);
		t_setmask(0);
		EQ(runs, 1);
		EQ(value, VALUE);
	}
}

static void flipped(void)
{
	for (int i = 0; i < 200; i++) {
		t_handle_info(SIGUSR2, handler, 0, 0);
		signal(SIGUSR2, SIG_DFL);
	}
}

static void fatal(void)
{
	kill(getpid(), SIGUSR2);
}

static int inside(int fd)
{
	t_hot();
	t_handle_info(SIGUSR1, handler, 0, 0);
	blocked(fd);
	flipped();
	int status = t_child(fatal);
	EQ(WIFSIGNALED(status) ? WTERMSIG(status) : -1, SIGUSR2);
	return 0;
}

int main(int argc, char **argv)
{
	return confined(argc, argv, inside);
}
