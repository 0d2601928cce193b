// SPDX-License-Identifier: MIT
// sigpause, both forms: BSD's takes a mask, X/Open's takes a signal to unblock.
#include "t.h"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

extern int bsd_sigpause(int) __asm__("sigpause");
extern int xpg_sigpause(int) __asm__("__xpg_sigpause");

static volatile int runs;
static volatile uint64_t seen, kernel;

static void handler(int sig)
{
	(void)sig;
	seen = t_view();
	kernel = t_kernel_mask();
	runs++;
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, BIT(SIGTERM));
	t_setmask(BIT(SIGUSR1) | BIT(SIGHUP));
	raise(SIGUSR1);
	errno = 0;
	EQ(bsd_sigpause((int)BIT(SIGINT)), -1);
	EQ(errno, EINTR);
	EQ(runs, 1);
	EQ(seen, BIT(SIGINT) | BIT(SIGTERM) | BIT(SIGUSR1));
	FITS(kernel, seen);
	MASK(BIT(SIGUSR1) | BIT(SIGHUP));

	raise(SIGUSR1);
	errno = 0;
	EQ(xpg_sigpause(SIGUSR1), -1);
	EQ(errno, EINTR);
	EQ(runs, 2);
	EQ(seen, BIT(SIGHUP) | BIT(SIGTERM) | BIT(SIGUSR1));
	FITS(kernel, seen);
	MASK(BIT(SIGUSR1) | BIT(SIGHUP));

	errno = 0;
	EQ(xpg_sigpause(-1), -1);
	EQ(errno, EINVAL);
	MASK(BIT(SIGUSR1) | BIT(SIGHUP));
	return 0;
}
