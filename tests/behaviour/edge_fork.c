// SPDX-License-Identifier: MIT
// A forked child has the parent's mask and dispositions, and nothing of what is pending.
#include "t.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void in_child(void)
{
	MASK(BIT(SIGUSR1) | BIT(SIGRTMAX));
	EQ(t_pending(), 0);
	EQ(t_status("SigIgn"), BIT(SIGHUP));
	CAUGHT(BIT(SIGUSR1));
	raise(SIGUSR1);
	EQ(runs, 0);
	EQ(t_setmask(0), BIT(SIGUSR1) | BIT(SIGRTMAX));
	EQ(runs, 1);
	MASK(0);
	signal(SIGUSR1, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	t_setmask(BIT(SIGINT));
	EQ(t_child((void (*)(void))abort), SIGABRT);
	MASK(BIT(SIGINT));
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	signal(SIGHUP, SIG_IGN);
	t_setmask(BIT(SIGUSR1) | BIT(SIGRTMAX));
	raise(SIGUSR1);
	for (int i = 0; i < 3; i++) {
		EQ(t_child(in_child), 0);
		MASK(BIT(SIGUSR1) | BIT(SIGRTMAX));
		EQ(t_pending(), BIT(SIGUSR1));
		EQ(runs, 0);
	}
	t_setmask(0);
	EQ(runs, 1);
	struct sigaction act;
	EQ(sigaction(SIGHUP, NULL, &act), 0);
	CHECK(act.sa_handler == SIG_IGN);
	return 0;
}
