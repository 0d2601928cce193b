// SPDX-License-Identifier: MIT
// Threads that end by pthread_exit and by cancellation run their handlers, mask intact.
#include "t.h"
#include <semaphore.h>

static volatile int cleaned;
static sem_t ready;

static void cleanup(void *arg)
{
	// Cancellation comes as signal 32, whose handler this may run in.
	EQ(t_view() & ~BIT(32), BIT(SIGHUP));
	FITS(t_kernel_mask() & ~BIT(32), BIT(SIGHUP));
	cleaned += (int)(intptr_t)arg;
}

static void *exits(void *arg)
{
	pthread_cleanup_push(cleanup, (void *)1);
	t_setmask(BIT(SIGHUP));
	pthread_exit((void *)42);
	pthread_cleanup_pop(0);
	return arg;
}

static void *is_cancelled(void *arg)
{
	pthread_cleanup_push(cleanup, (void *)10);
	t_setmask(BIT(SIGHUP));
	sem_post(&ready);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return arg;
}

static void *is_cancelled_anywhere(void *arg)
{
	pthread_cleanup_push(cleanup, (void *)100);
	t_setmask(BIT(SIGHUP));
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	sem_post(&ready);
	for (;;)
		;
	pthread_cleanup_pop(0);
	return arg;
}

static void *join(void *(*body)(void *), int cancel)
{
	pthread_t thread;
	void *result;
	EQ(pthread_create(&thread, NULL, body, NULL), 0);
	if (cancel) {
		while (sem_wait(&ready))
			EQ(errno, EINTR);
		EQ(pthread_cancel(thread), 0);
	}
	EQ(pthread_join(thread, &result), 0);
	return result;
}

int main(void)
{
	t_start();
	sem_init(&ready, 0, 0);
	for (int i = 1; i <= 10; i++) {
		CHECK(join(exits, 0) == (void *)42);
		CHECK(join(is_cancelled, 1) == PTHREAD_CANCELED);
		CHECK(join(is_cancelled_anywhere, 1) == PTHREAD_CANCELED);
		EQ(cleaned, 111 * i);
		MASK(0);
	}
	return 0;
}
