// SPDX-License-Identifier: MIT
// One signal is handled in many ways in turn, with another sa_mask each time: in a section each is
// held back, and delivered once afterwards. In between the program asks for what it installed.
#include <sigzero.h>

#include "t.h"

#define SHAPES 24
#define SECTIONS 200 // enough for any runtime to begin with it

static volatile int runs;
static volatile uint64_t seen;

static void handler(int sig)
{
	(void)sig;
	runs++;
	seen = t_view();
}

static uint64_t mask_of(int shape)
{
	return BIT(SIGRTMIN + shape);
}

static void try(int shape, int flags)
{
	struct sigaction act;
	int before = runs;

	t_handle(SIGUSR1, handler, flags, mask_of(shape));
	sigzero_block();
	sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = shape});
	EQ(runs, before);
	EQ(t_kernel_pending(), BIT(SIGUSR1));
	EQ(sigaction(SIGUSR1, NULL, &act), 0);
	CHECK(act.sa_handler == handler);
	EQ(act.sa_flags & (SA_SIGINFO | SA_RESTART), flags);
	EQ(t_bits(&act.sa_mask), mask_of(shape));
	sigzero_unblock();
	EQ(runs, before + 1);
	EQ(seen, mask_of(shape) | BIT(SIGUSR1));
}

int main(void)
{
	t_start();
	for (int i = 0; i < SECTIONS; i++) {
		sigzero_block();
		sigzero_unblock();
	}
	for (int i = 0; i < SHAPES; i++) {
		try(i, 0);
		try(i, SA_RESTART);
	}
	MASK(0);
	return 0;
}
