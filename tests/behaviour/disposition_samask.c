// SPDX-License-Identifier: MIT
// sa_mask is added in the handler, and gone when it returns.
#include "t.h"

static volatile int order, first_at, second_at;

static void second(int sig)
{
	(void)sig;
	second_at = ++order;
	EQ(t_view(), BIT(SIGUSR2) | BIT(SIGHUP));
	KERNEL_MASK(BIT(SIGUSR2) | BIT(SIGHUP));
}

static void first(int sig)
{
	(void)sig;
	uint64_t want = BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGRTMIN) | BIT(SIGHUP);
	EQ(t_view(), want);
	KERNEL_MASK(want);
	raise(SIGUSR2);
	EQ(t_pending(), BIT(SIGUSR2));
	EQ(t_kernel_pending(), BIT(SIGUSR2));
	first_at = ++order;
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, first, 0, BIT(SIGUSR2) | BIT(SIGRTMIN) | BIT(SIGKILL) | BIT(SIGSTOP));
	t_handle(SIGUSR2, second, 0, 0);
	t_setmask(BIT(SIGHUP));
	raise(SIGUSR1);
	EQ(first_at, 1);
	EQ(second_at, 2);
	MASK(BIT(SIGHUP));
	return 0;
}
