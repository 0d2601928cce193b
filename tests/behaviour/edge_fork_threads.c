// SPDX-License-Identifier: MIT
// fork in a thread while others change their masks: the child starts with the forker's.
#include "t.h"

static volatile int stop;

static void *changes(void *arg)
{
	for (int i = 0; !stop; i++)
		t_setmask(i & 1 ? BIT(SIGTERM) : 0);
	return arg;
}

static void in_child(void)
{
	MASK(BIT(SIGHUP) | BIT(SIGUSR2));
	pthread_t thread;
	EQ(t_setmask(BIT(SIGINT)), BIT(SIGHUP) | BIT(SIGUSR2));
	stop = 1;
	EQ(pthread_create(&thread, NULL, changes, NULL), 0);
	EQ(pthread_join(thread, NULL), 0);
	MASK(BIT(SIGINT));
}

static void *forks(void *arg)
{
	t_setmask(BIT(SIGHUP) | BIT(SIGUSR2));
	for (int i = 0; i < 30; i++) {
		EQ(t_child(in_child), 0);
		MASK(BIT(SIGHUP) | BIT(SIGUSR2));
	}
	return arg;
}

int main(void)
{
	pthread_t thread[3];
	t_start();
	EQ(pthread_create(&thread[0], NULL, changes, NULL), 0);
	EQ(pthread_create(&thread[1], NULL, changes, NULL), 0);
	EQ(pthread_create(&thread[2], NULL, forks, NULL), 0);
	EQ(pthread_join(thread[2], NULL), 0);
	stop = 1;
	EQ(pthread_join(thread[0], NULL), 0);
	EQ(pthread_join(thread[1], NULL), 0);
	MASK(0);
	return 0;
}
