// SPDX-License-Identifier: MIT
// sigblock, sigsetmask and siggetmask: the low half of the mask as an int.
#include "t.h"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

extern int siggetmask(void);

int main(void)
{
	t_start();
	EQ(sigblock(sigmask(SIGUSR1)), 0);
	MASK(BIT(SIGUSR1));
	EQ(sigblock(0), sigmask(SIGUSR1));
	EQ(sigblock(sigmask(SIGHUP)), sigmask(SIGUSR1));
	MASK(BIT(SIGUSR1) | BIT(SIGHUP));
	EQ(siggetmask(), sigmask(SIGUSR1) | sigmask(SIGHUP));
	EQ(sigsetmask(sigmask(SIGTERM)), sigmask(SIGUSR1) | sigmask(SIGHUP));
	MASK(BIT(SIGTERM));

	// A real-time signal is beyond an int: sigblock keeps it, sigsetmask drops it.
	t_setmask(BIT(SIGRTMIN) | BIT(SIGTERM));
	EQ(sigblock(sigmask(SIGHUP)), sigmask(SIGTERM));
	MASK(BIT(SIGRTMIN) | BIT(SIGTERM) | BIT(SIGHUP));
	EQ(sigsetmask(sigmask(SIGINT)), sigmask(SIGTERM) | sigmask(SIGHUP));
	MASK(BIT(SIGINT));
	EQ(sigsetmask(sigmask(SIGKILL) | sigmask(SIGSTOP)), sigmask(SIGINT));
	MASK(0);
	return 0;
}
