// SPDX-License-Identifier: MIT
// A new thread starts with its creator's mask, and what it does stays its own.
#include "t.h"

static volatile uint64_t seen, kernel;

static void *body(void *arg)
{
	seen = t_view();
	kernel = t_kernel_mask();
	t_setmask(BIT(SIGINT) | BIT(SIGRTMIN));
	MASK(BIT(SIGINT) | BIT(SIGRTMIN));
	return arg;
}

static void check(uint64_t mask)
{
	pthread_t thread;
	seen = kernel = ~UINT64_C(0);
	t_setmask(mask);
	EQ(pthread_create(&thread, NULL, body, NULL), 0);
	MASK(mask);
	EQ(pthread_join(thread, NULL), 0);
	EQ(seen, mask);
	FITS(kernel, mask);
	MASK(mask);
}

static void *middle(void *arg)
{
	check(BIT(SIGTERM));
	check(0);
	return arg;
}

static void handler(int sig)
{
	pthread_t thread;
	EQ(pthread_create(&thread, NULL, body, NULL), 0);
	EQ(pthread_join(thread, NULL), 0);
	EQ(seen, BIT(sig) | BIT(SIGHUP));
	FITS(kernel, seen);
	MASK(BIT(sig) | BIT(SIGHUP));
}

int main(void)
{
	t_start();
	pthread_t thread;
	check(0);
	check(BIT(SIGUSR1));
	check(~(BIT(SIGKILL) | BIT(SIGSTOP) | BIT(32) | BIT(33)));
	check(0);
	EQ(pthread_create(&thread, NULL, middle, NULL), 0);
	EQ(pthread_join(thread, NULL), 0);
	t_handle(SIGUSR2, handler, 0, BIT(SIGHUP));
	t_setmask(0);
	raise(SIGUSR2);
	return 0;
}
