// SPDX-License-Identifier: MIT
// Two signals unblocked at once: the handlers' frames nest, and so do their masks.
#include "t.h"

static volatile int order;
static volatile uint64_t saved[2], seen[2];
static volatile int at[2];

static void record(int i, void *context)
{
	ucontext_t *uc = context;
	saved[i] = t_bits(&uc->uc_sigmask);
	seen[i] = t_view();
	KERNEL_MASK(seen[i]);
	at[i] = ++order;
}

static void first(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	record(0, context);
}

static void second(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	record(1, context);
}

int main(void)
{
	t_start();
	t_handle_info(SIGUSR1, first, 0, BIT(SIGHUP));
	t_handle_info(SIGUSR2, second, 0, BIT(SIGINT));
	t_setmask(BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGTERM));
	raise(SIGUSR1);
	raise(SIGUSR2);
	EQ(order, 0);
	t_setmask(BIT(SIGTERM));
	EQ(order, 2);
	// The lower number is framed first, so the other handler runs on top of it.
	EQ(at[1], 1);
	EQ(at[0], 2);
	EQ(saved[0], BIT(SIGTERM));
	EQ(seen[0], BIT(SIGTERM) | BIT(SIGUSR1) | BIT(SIGHUP));
	EQ(saved[1], BIT(SIGTERM) | BIT(SIGUSR1) | BIT(SIGHUP));
	EQ(seen[1], BIT(SIGTERM) | BIT(SIGUSR1) | BIT(SIGHUP) | BIT(SIGUSR2) | BIT(SIGINT));
	MASK(BIT(SIGTERM));
	return 0;
}
