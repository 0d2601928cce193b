// SPDX-License-Identifier: MIT
// A thread that ends while signals wait behind its mask: one for the process goes to the others,
// one of its own goes with it.
#include "lazy.h"

static volatile int runs, for_process;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void *body(void *arg)
{
	t_settle();
	t_setmask(BIT(SIGUSR1) | BIT(SIGTERM));
	if (for_process)
		kill(getpid(), SIGUSR1);
	else
		raise(SIGUSR1);
	EQ(t_pending(), BIT(SIGUSR1));
	return arg;
}

int main(void)
{
	t_hot();
	t_handle(SIGUSR1, handler, 0, 0);
	for (int i = 0; i < 40; i++) {
		pthread_t thread;
		runs = 0;
		for_process = i % 2;
		t_setmask(BIT(SIGUSR1));
		EQ(pthread_create(&thread, NULL, body, NULL), 0);
		EQ(pthread_join(thread, NULL), 0);
		EQ(runs, 0);
		EQ(t_pending(), for_process ? BIT(SIGUSR1) : 0);
		t_setmask(0);
		EQ(runs, for_process);
	}
	return 0;
}
