// SPDX-License-Identifier: MIT
// A signal and a cancellation reach a thread in read together: the cancellation unwinds a
// handler that has not begun. The clean-up still sees the mask that the kernel has.
#include "t.h"

static volatile int entered, cleaned;
static int ends[2];

static void handler(int sig)
{
	(void)sig;
}

static void cleanup(void *arg)
{
	(void)arg;
	SAME_MASK();
	t_setmask(BIT(SIGHUP));
	MASK(BIT(SIGHUP));
	// Blocked by the delivery, if it had begun; open now.
	pthread_kill(pthread_self(), SIGUSR1);
	EQ(t_pending(), 0);
	MASK(BIT(SIGHUP));
	cleaned++;
}

static void *body(void *arg)
{
	char c;
	MASK(0);
	pthread_cleanup_push(cleanup, NULL);
	entered = 1;
	EQ(read(ends[0], &c, 1), 1);
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	t_start();
	EQ(pipe(ends), 0);
	t_handle(SIGUSR1, handler, SA_RESTART, 0);
	for (int i = 1; i <= 500; i++) {
		pthread_t thread;
		entered = 0;
		EQ(pthread_create(&thread, NULL, body, NULL), 0);
		while (!entered)
			sched_yield();
		usleep(100);
		pthread_kill(thread, SIGUSR1);
		EQ(pthread_cancel(thread), 0);
		EQ(pthread_join(thread, NULL), 0);
		EQ(cleaned, i);
	}
	return 0;
}
