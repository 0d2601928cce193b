// SPDX-License-Identifier: MIT
// SA_NODEFER: the handler can be entered again, but not while the program has it blocked, be it
// outside or in the handler.
#include "lazy.h"

static volatile int runs, depth, deepest, block_inside;

static void handler(int sig)
{
	sigset_t set = t_set(BIT(sig)), old;
	runs++;
	if (++depth > deepest)
		deepest = depth;
	EQ(t_view() & BIT(sig), 0);
	if (runs < 3 && !block_inside)
		raise(sig);
	if (block_inside && runs < 3) {
		int before = runs;
		EQ(sigprocmask(SIG_BLOCK, &set, &old), 0);
		raise(sig);
		EQ(runs, before);
		EQ(t_pending(), BIT(sig));
		EQ(sigprocmask(SIG_SETMASK, &old, NULL), 0);
		EQ(runs, 3);
	}
	depth--;
}

static void check(int blocked, int inside)
{
	runs = deepest = 0;
	block_inside = inside;
	t_setmask(blocked ? BIT(SIGUSR1) : 0);
	raise(SIGUSR1);
	EQ(runs, blocked ? 0 : 3);
	EQ(t_pending(), blocked ? BIT(SIGUSR1) : 0);
	t_setmask(0);
	EQ(runs, 3);
	EQ(deepest, 3);
	MASK(0);
}

int main(void)
{
	t_hot();
	for (int i = 0; i < 40; i++) {
		t_handle(SIGUSR1, handler, SA_NODEFER | (i % 2 ? SA_RESTART : 0), 0);
		check(0, 0);
		check(1, 0);
		check(0, 1);
		check(1, 1);
	}
	return 0;
}
