// SPDX-License-Identifier: MIT
// A thread blocks a signal; another one installs a handler that is used once, and to which the
// kernel gives no siginfo. What comes then is kept.
#include "lazy.h"

static volatile int runs, blocked, installed, sent, replaced;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void *blocks(void *arg)
{
	char stale[4096];
	t_setmask(BIT(SIGUSR1));
	t_settle();
	blocked = 1;
	AWAIT(installed);
	memset(stale, 0x5a, sizeof stale); // where the frame will lie
	__asm__ volatile("" : : "r"(stale) : "memory");
	EQ(raise(SIGUSR1), 0);
	EQ(runs, 0);
	CHECK(t_kernel_pending() & BIT(SIGUSR1));
	CHECK(t_pending() & BIT(SIGUSR1));
	sent = 1;
	AWAIT(replaced);
	t_setmask(0);
	EQ(runs, 1);
	return arg;
}

int main(void)
{
	pthread_t thread;
	t_hot();
	t_handle(SIGUSR1, handler, 0, 0);
	EQ(pthread_create(&thread, NULL, blocks, NULL), 0);
	AWAIT(blocked);
	t_handle(SIGUSR1, handler, (int)SA_RESETHAND, 0);
	installed = 1;
	AWAIT(sent);
	t_handle(SIGUSR1, handler, 0, 0);
	replaced = 1;
	EQ(pthread_join(thread, NULL), 0);
	return 0;
}
