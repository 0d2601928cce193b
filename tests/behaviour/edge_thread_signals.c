// SPDX-License-Identifier: MIT
// Signals to a thread and to the process: each goes where the masks let it.
#include "t.h"
#include <semaphore.h>

static sem_t ready, handled;
static pthread_t worker;
static volatile int stop, runs;
static pthread_t volatile ran_in;

static void handler(int sig)
{
	(void)sig;
	ran_in = pthread_self();
	runs++;
	sem_post(&handled);
}

static void *body(void *arg)
{
	t_setmask(BIT(SIGUSR2));
	sem_post(&ready);
	while (!stop)
		usleep(1000);
	MASK(BIT(SIGUSR2));
	t_setmask(0);
	return arg;
}

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem))
		EQ(errno, EINTR);
}

int main(void)
{
	t_start();
	sem_init(&ready, 0, 0);
	sem_init(&handled, 0, 0);
	t_handle(SIGUSR1, handler, SA_RESTART, 0);
	t_handle(SIGUSR2, handler, SA_RESTART, 0);
	t_setmask(BIT(SIGUSR1) | BIT(SIGUSR2));
	EQ(pthread_create(&worker, NULL, body, NULL), 0);
	wait_for(&ready);
	for (int i = 0; i < 20; i++) {
		kill(getpid(), SIGUSR1);
		wait_for(&handled);
		CHECK(pthread_equal(ran_in, worker));
		EQ(pthread_kill(worker, SIGUSR1), 0);
		wait_for(&handled);
		CHECK(pthread_equal(ran_in, worker));
		union sigval value = {.sival_int = i};
		EQ(pthread_sigqueue(worker, SIGUSR1, value), 0);
		wait_for(&handled);
		CHECK(pthread_equal(ran_in, worker));
	}
	runs = 0;
	EQ(pthread_kill(worker, SIGUSR2), 0);
	EQ(t_pending(), 0);
	EQ(runs, 0);
	stop = 1;
	EQ(pthread_join(worker, NULL), 0);
	EQ(runs, 1);
	CHECK(pthread_equal(ran_in, worker));
	MASK(BIT(SIGUSR1) | BIT(SIGUSR2));
	return 0;
}
