// SPDX-License-Identifier: MIT
// A thread that blocks signals is cancelled: its clean-up runs with them blocked.
#include "lazy.h"

static int ends[2];
static volatile int runs, cleaned, ready;
static int where;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void cleanup(void *arg)
{
	(void)arg;
	EQ(t_view() & ~LIBC_OWN, BIT(SIGUSR1) | BIT(SIGTERM));
	pthread_kill(pthread_self(), SIGUSR1);
	EQ(runs, 0);
	EQ(t_pending() & BIT(SIGUSR1), BIT(SIGUSR1));
	sigset_t set = t_set(BIT(SIGUSR1));
	EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
	EQ(runs, 1);
	cleaned++;
}

static void *body(void *arg)
{
	char byte;
	pthread_cleanup_push(cleanup, NULL);
	t_settle();
	t_setmask(BIT(SIGUSR1) | BIT(SIGTERM));
	if (where == 2)
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	ready = 1;
	if (where == 0)
		read(ends[0], &byte, 1);
	for (;;) {
		if (where == 1)
			pthread_testcancel();
		if (where == 2)
			__asm__ volatile("");
		if (where == 3)
			pause();
		if (where == 4) {
			t_setmask(BIT(SIGUSR1) | BIT(SIGTERM));
			usleep(1);
		}
	}
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	t_hot();
	EQ(pipe(ends), 0);
	t_handle(SIGUSR1, handler, 0, 0);
	for (int i = 0; i < 25; i++) {
		pthread_t thread;
		where = i % 5;
		runs = ready = 0;
		EQ(pthread_create(&thread, NULL, body, NULL), 0);
		AWAIT(ready);
		EQ(pthread_cancel(thread), 0);
		EQ(pthread_join(thread, NULL), 0);
		EQ(cleaned, i + 1);
	}
	return 0;
}
