// SPDX-License-Identifier: MIT
// Timers and threads at full speed: a handler never sees a section of its thread half done, and
// nothing sent to a thread in a section is lost.
#include <sigzero.h>

#include <sys/time.h>

#include "t.h"

#define THREADS 3
#define MILLISECONDS 700

static volatile int stop;
static __thread volatile int inside;
static __thread volatile long steps, by_handler, turns;
static long torn;

static void handler(int sig)
{
	(void)sig;
	if (inside)
		__atomic_fetch_add(&torn, 1, __ATOMIC_SEQ_CST);
	sigzero_block(); // outside of it another handler may come between loading and storing
	inside = 1;
	steps++;
	by_handler++;
	inside = 0;
	sigzero_unblock();
}

static void *work(void *unused)
{
	while (!stop) {
		sigzero_block();
		inside = 1;
		steps = steps + 1;
		if (turns % 3 == 0) {
			sigzero_block();
			steps = steps + 1;
			steps = steps - 1;
			sigzero_unblock();
		}
		inside = 0;
		sigzero_unblock();
		turns++;
	}
	EQ(sigzero_blocked(), 0);
	EQ(steps, turns + by_handler);
	return unused;
}

static void *send(void *threads)
{
	for (unsigned i = 0; !stop; i++) {
		pthread_kill(((pthread_t *)threads)[i % THREADS], i % 2 ? SIGUSR1 : SIGUSR2);
		kill(getpid(), SIGTERM);
		usleep(50);
	}
	return NULL;
}

int main(void)
{
	struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	pthread_t threads[THREADS], sender;
	static const int signals[] = {SIGALRM, SIGUSR1, SIGUSR2, SIGTERM};

	t_start();
	for (int i = 0; i < 4; i++)
		t_handle(signals[i], handler, SA_RESTART, 0);
	for (int i = 0; i < THREADS; i++)
		EQ(pthread_create(&threads[i], NULL, work, NULL), 0);
	EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
	EQ(pthread_create(&sender, NULL, send, threads), 0);
	for (int i = 0; i < MILLISECONDS; i++)
		usleep(1000);
	stop = 1;
	EQ(setitimer(ITIMER_REAL, &never, NULL), 0);
	EQ(pthread_join(sender, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		EQ(pthread_join(threads[i], NULL), 0);
	EQ(torn, 0);
	MASK(0);
	return 0;
}
