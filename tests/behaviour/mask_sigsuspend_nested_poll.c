// SPDX-License-Identifier: MIT
// Two signals end one sigsuspend, and the handler of one of them, whether it runs first or
// last, makes a ppoll with a temporary mask of its own: the other's mask is not touched.
#include "t.h"
#include <poll.h>

#define OUTER BIT(SIGHUP)

static volatile int polls_in, order, first, last;

static void handler(int sig)
{
	// The kernel stacks the lower number first, so that the higher one runs first.
	uint64_t mine = OUTER | BIT(SIGUSR1) | BIT(sig);
	MASK(mine);
	if (sig == polls_in) {
		sigset_t all;
		struct timespec moment = {0, 1000};
		sigfillset(&all);
		EQ(ppoll(NULL, 0, &moment, &all), 0);
		MASK(mine);
	}
	order++;
	if (order == 1)
		first = sig;
	else
		last = sig;
}

int main(void)
{
	uint64_t mask = BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGWINCH);
	sigset_t temporary = t_set(OUTER);
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	t_handle(SIGUSR2, handler, 0, 0);
	for (int i = 0; i < 20; i++) {
		polls_in = i % 2 ? SIGUSR1 : SIGUSR2;
		order = 0;
		t_setmask(mask);
		raise(SIGUSR1);
		raise(SIGUSR2);
		EQ(sigsuspend(&temporary), -1);
		EQ(order, 2);
		EQ(first, SIGUSR2);
		EQ(last, SIGUSR1);
		MASK(mask);
	}
	return 0;
}
