// SPDX-License-Identifier: MIT
// Several different signals that come while they are blocked: each is delivered, by the
// kernel's order, and a mask that opens some of them lets only those in.
#include "lazy.h"

static int order[16];
static volatile int runs;

static void handler(int sig)
{
	if (runs < 16)
		order[runs] = sig;
	runs++;
}

static const int kinds[] = {SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGVTALRM, SIGIO};
#define KINDS (int)(sizeof kinds / sizeof *kinds)

static uint64_t send_all(void)
{
	uint64_t all = 0;
	for (int i = KINDS - 1; i >= 0; i--) {
		EQ(kill(getpid(), kinds[i]), 0);
		all |= BIT(kinds[i]);
		EQ(t_kernel_pending(), all);
	}
	EQ(t_pending(), all);
	EQ(runs, 0);
	return all;
}

int main(void)
{
	t_hot();
	uint64_t all = 0;
	for (int i = 0; i < KINDS; i++)
		all |= BIT(kinds[i]);
	// Each handler keeps the others out, so that the order is that of delivery.
	for (int i = 0; i < KINDS; i++)
		t_handle(kinds[i], handler, i % 2 ? SA_RESTART : 0, all);
	for (int turn = 0; turn < 20; turn++) {
		runs = 0;
		t_setmask(all);
		EQ(send_all(), all);
		t_setmask(all & ~BIT(SIGALRM));
		EQ(runs, 1);
		EQ(order[0], SIGALRM);
		EQ(t_pending(), all & ~BIT(SIGALRM));
		t_setmask(0);
		EQ(runs, KINDS);
		for (int i = 1, kind = 0; i < KINDS; i++, kind++) {
			if (kinds[kind] == SIGALRM)
				kind++;
			EQ(order[i], kinds[kind]);
		}
		EQ(t_pending(), 0);
		MASK(0);
	}
	return 0;
}
