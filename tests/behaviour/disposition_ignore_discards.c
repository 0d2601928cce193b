// SPDX-License-Identifier: MIT
// SIG_IGN discards what is pending, also when it was SIG_IGN already; so does SIG_DFL for
// signals whose default is to be ignored.
#include "t.h"

static void handler(int sig)
{
	(void)sig;
}

static void discarded_by(void (*disposition)(int), int sig)
{
	raise(sig);
	EQ(t_pending(), BIT(sig));
	EQ(t_kernel_pending(), BIT(sig));
	signal(sig, disposition);
	EQ(t_pending(), 0);
	EQ(t_kernel_pending(), 0);
}

int main(void)
{
	t_start();
	t_setmask(BIT(SIGUSR1) | BIT(SIGCHLD) | BIT(SIGWINCH) | BIT(SIGRTMIN));
	discarded_by(SIG_IGN, SIGUSR1);
	// A blocked signal is kept although it is ignored; setting SIG_IGN again drops it.
	discarded_by(SIG_IGN, SIGUSR1);
	discarded_by(SIG_IGN, SIGUSR1);
	discarded_by(SIG_IGN, SIGRTMIN);
	discarded_by(SIG_IGN, SIGRTMIN);
	discarded_by(SIG_DFL, SIGCHLD);
	discarded_by(SIG_DFL, SIGCHLD);
	signal(SIGWINCH, handler);
	discarded_by(SIG_DFL, SIGWINCH);
	discarded_by(SIG_DFL, SIGWINCH);
	struct sigaction same;
	raise(SIGUSR1);
	EQ(sigaction(SIGUSR1, NULL, &same), 0);
	EQ(t_pending(), BIT(SIGUSR1));
	EQ(sigaction(SIGUSR1, &same, NULL), 0);
	EQ(t_pending(), 0);
	// A handler keeps it.
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	signal(SIGUSR1, handler);
	EQ(t_pending(), BIT(SIGUSR1));
	return 0;
}
