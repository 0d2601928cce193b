// SPDX-License-Identifier: MIT
// Nothing is lost or doubled: each signal sent to a thread in a section, one at a time, is handled
// exactly once.
#include <sigzero.h>

#include <time.h>

#include "t.h"

#define SIGNALS 3000
#define SECONDS 2 // on a busy machine there will be fewer

static int handled, sent;
static volatile int stop;

static void handler(int sig)
{
	(void)sig;
	__atomic_fetch_add(&handled, 1, __ATOMIC_SEQ_CST);
}

static void *send(void *thread)
{
	time_t end = time(NULL) + SECONDS;

	for (sent = 0; sent < SIGNALS && time(NULL) < end; sent++) {
		if (sent % 2)
			pthread_kill(*(pthread_t *)thread, SIGUSR1);
		else
			kill(getpid(), SIGUSR1);
		while (__atomic_load_n(&handled, __ATOMIC_SEQ_CST) == sent)
			sched_yield();
	}
	stop = 1;
	return NULL;
}

int main(void)
{
	pthread_t self = pthread_self(), sender;

	t_start();
	t_handle(SIGUSR1, handler, SA_RESTART, 0);
	t_setmask(BIT(SIGUSR1));
	EQ(pthread_create(&sender, NULL, send, &self), 0);
	t_setmask(0);
	while (!stop) {
		sigzero_block();
		sigzero_block();
		sigzero_unblock();
		sigzero_unblock();
	}
	EQ(pthread_join(sender, NULL), 0);
	EQ(handled, sent);
	MASK(0);
	return 0;
}
