// SPDX-License-Identifier: MIT
// pthread_exit inside a handler ends the thread; the rest of the process goes on.
#include "t.h"

static volatile int cleaned;

static void cleanup(void *arg)
{
	(void)arg;
	cleaned++;
}

static void handler(int sig)
{
	MASK(BIT(sig) | BIT(SIGHUP));
	pthread_exit((void *)5);
}

static void *body(void *arg)
{
	pthread_cleanup_push(cleanup, NULL);
	raise(SIGUSR1);
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, BIT(SIGHUP));
	for (int i = 1; i <= 20; i++) {
		pthread_t thread;
		void *result;
		EQ(pthread_create(&thread, NULL, body, NULL), 0);
		EQ(pthread_join(thread, &result), 0);
		CHECK(result == (void *)5);
		EQ(cleaned, i);
		MASK(0);
	}
	return 0;
}
