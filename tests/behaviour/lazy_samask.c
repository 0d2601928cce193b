// SPDX-License-Identifier: MIT
// What sa_mask names is kept out while the handler runs, and comes when it has returned, be it
// blocked outside or not.
#include "lazy.h"

static volatile int runs, hup_runs, hup_inside;

static void hup(int sig)
{
	(void)sig;
	hup_runs++;
}

static void handler(int sig)
{
	(void)sig;
	raise(SIGHUP);
	kill(getpid(), SIGHUP);
	hup_inside = hup_runs;
	runs++;
}

static void check(uint64_t outside, uint64_t sa_mask)
{
	runs = hup_runs = hup_inside = 0;
	t_handle(SIGUSR1, handler, 0, sa_mask);
	t_setmask(outside);
	raise(SIGUSR1);
	EQ(runs, 1);
	int held = ((outside | sa_mask) & BIT(SIGHUP)) != 0;
	EQ(hup_inside, held ? 0 : 2);
	if (!(outside & BIT(SIGHUP)))
		EQ(hup_runs, 2);
	else
		EQ(hup_runs, 0);
	MASK(outside);
	t_setmask(0);
	EQ(hup_runs, 2);
}

int main(void)
{
	t_hot();
	t_handle(SIGHUP, hup, 0, 0);
	for (int i = 0; i < 100; i++) {
		check(0, 0);
		check(0, BIT(SIGHUP));
		check(BIT(SIGHUP), 0);
		check(BIT(SIGHUP) | BIT(SIGTERM), BIT(SIGHUP) | BIT(SIGINT));
		check(BIT(SIGTERM), BIT(SIGINT));
	}
	return 0;
}
