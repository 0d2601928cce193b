// SPDX-License-Identifier: MIT
// A new thread blocks what its creator does, for real: a signal sent to it waits.
#include "lazy.h"
#include <threads.h>

static volatile int runs;
static volatile pid_t tid;
static volatile int go;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void body(void)
{
	MASK(BIT(SIGUSR1) | BIT(SIGTERM));
	raise(SIGUSR1);
	EQ(runs, 0);
	EQ(t_pending(), BIT(SIGUSR1));
	t_setmask(BIT(SIGTERM));
	EQ(runs, 1);
	t_settle();
	t_setmask(BIT(SIGUSR1));
	tid = gettid();
	// The other sends it here while we do nothing at all.
	while (!go)
		;
	EQ(runs, 1);
	EQ(t_pending(), BIT(SIGUSR1));
	t_setmask(0);
	EQ(runs, 2);
}

static void *posix_body(void *arg)
{
	body();
	return arg;
}

static int c11_body(void *arg)
{
	(void)arg;
	body();
	return 0;
}

static void check(int c11)
{
	pthread_t thread;
	thrd_t other;
	runs = tid = go = 0;
	t_setmask(BIT(SIGUSR1) | BIT(SIGTERM));
	if (c11)
		EQ(thrd_create(&other, c11_body, NULL), thrd_success);
	else
		EQ(pthread_create(&thread, NULL, posix_body, NULL), 0);
	MASK(BIT(SIGUSR1) | BIT(SIGTERM));
	AWAIT(tid);
	EQ(syscall(SYS_tgkill, getpid(), tid, SIGUSR1), 0);
	go = 1;
	if (c11)
		EQ(thrd_join(other, NULL), thrd_success);
	else
		EQ(pthread_join(thread, NULL), 0);
	MASK(BIT(SIGUSR1) | BIT(SIGTERM));
	EQ(runs, 2);
	t_setmask(0);
	EQ(runs, 2);
}

int main(void)
{
	t_hot();
	t_handle(SIGUSR1, handler, 0, 0);
	for (int i = 0; i < 20; i++)
		check(i % 2);
	return 0;
}
