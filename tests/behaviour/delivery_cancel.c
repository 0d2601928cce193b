// SPDX-License-Identifier: MIT
// A signal and an asynchronous cancellation reach a busy thread together: wherever in the
// delivery the thread is unwound, the clean-up sees the mask that the kernel has.
#include "t.h"

static volatile int entered, cleaned;

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
	MASK(0);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cleanup_push(cleanup, NULL);
	entered = 1;
	for (;;)
		;
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	for (int i = 1; i <= 100; i++) {
		pthread_t thread;
		entered = 0;
		EQ(pthread_create(&thread, NULL, body, NULL), 0);
		while (!entered)
			sched_yield();
		pthread_kill(thread, SIGUSR1);
		EQ(pthread_cancel(thread), 0);
		EQ(pthread_join(thread, NULL), 0);
		EQ(cleaned, i);
	}
	return 0;
}
