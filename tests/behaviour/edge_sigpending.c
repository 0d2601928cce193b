// SPDX-License-Identifier: MIT
// sigpending: the thread's and the process's, each until delivered, and only 8 bytes written.
#include "t.h"

static volatile int runs;
static volatile uint64_t in_handler;

static void handler(int sig)
{
	raise(sig);
	raise(SIGRTMIN);
	in_handler = t_pending();
	EQ(in_handler, t_kernel_pending());
	runs++;
	t_handle(sig, SIG_IGN, 0, 0);
}

int main(void)
{
	t_start();
	EQ(t_pending(), 0);
	t_setmask(BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGRTMIN));
	raise(SIGUSR1);
	EQ(t_pending(), BIT(SIGUSR1));
	kill(getpid(), SIGUSR2);
	EQ(t_pending(), BIT(SIGUSR1) | BIT(SIGUSR2));
	raise(SIGRTMIN);
	EQ(t_pending(), BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGRTMIN));
	EQ(t_kernel_pending(), t_pending());
	signal(SIGUSR2, SIG_IGN);
	signal(SIGRTMIN, SIG_IGN);
	EQ(t_pending(), BIT(SIGUSR1));
	t_handle(SIGUSR1, handler, 0, 0);
	t_setmask(BIT(SIGRTMIN));
	EQ(runs, 1);
	EQ(in_handler, BIT(SIGUSR1) | BIT(SIGRTMIN));
	EQ(t_pending(), BIT(SIGRTMIN));
	errno = 0;
	EQ(sigpending((sigset_t *)16), -1);
	EQ(errno, EFAULT);
	return 0;
}
