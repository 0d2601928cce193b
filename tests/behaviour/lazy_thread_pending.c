// SPDX-License-Identifier: MIT
// A signal for the process that every thread blocks is pending for each of them.
#include "lazy.h"

static volatile int ready, stop;

static void *other(void *arg)
{
	t_setmask(BIT(SIGUSR1));
	ready = 1;
	while (!stop)
		;
	return arg;
}

static void handler(int sig)
{
	(void)sig;
	_exit(1);
}

int main(void)
{
	pthread_t thread;
	t_hot();
	t_handle(SIGUSR1, handler, SA_RESTART, 0);
	EQ(pthread_create(&thread, NULL, other, NULL), 0);
	AWAIT(ready);
	t_setmask(BIT(SIGUSR1));
	EQ(kill(getpid(), SIGUSR1), 0);
	// What a thread has just taken and sends again is nowhere for a moment.
	AWAIT(t_pending() == BIT(SIGUSR1));
	EQ(t_view(), BIT(SIGUSR1));
	stop = 1;
	EQ(pthread_join(thread, NULL), 0);
	EQ(t_pending(), BIT(SIGUSR1));
	return 0;
}
