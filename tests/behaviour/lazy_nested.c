// SPDX-License-Identifier: MIT
// Handlers within handlers, each blocking and opening for itself: each leaves the mask as it
// found it, and what it kept out comes when it is let in.
#include "lazy.h"

static const int kinds[] = {SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM};
#define KINDS (int)(sizeof kinds / sizeof *kinds)
static volatile int depth, deepest, runs[NSIG];

static int place(int sig)
{
	int i = 0;
	while (kinds[i] != sig)
		i++;
	return i;
}

// Raises the next kind blocked, sees that it waits, and opens.
static void handler(int sig)
{
	uint64_t mine = t_view();
	int i = place(sig);
	runs[sig]++;
	if (++depth > deepest)
		deepest = depth;
	CHECK(mine & BIT(sig));
	if (i + 1 < KINDS) {
		int next = kinds[i + 1], before = runs[next];
		t_setmask(mine | BIT(next));
		raise(next);
		kill(getpid(), sig); // waits until we are done
		EQ(runs[next], before);
		uint64_t both = BIT(next) | BIT(sig);
		EQ(t_pending() & both, both);
		t_setmask(mine);
		EQ(runs[next], before + 1);
		MASK(mine);
		sigset_t set = t_set(BIT(sig));
		struct timespec now = {0, 0};
		EQ(sigtimedwait(&set, NULL, &now), sig);
	}
	depth--;
}

int main(void)
{
	t_hot();
	for (int i = 0; i < KINDS; i++)
		t_handle(kinds[i], handler, i % 2 ? SA_RESTART : 0, i % 3 ? 0 : BIT(SIGINT));
	for (int turn = 1; turn <= 50; turn++) {
		uint64_t outside = turn % 2 ? BIT(SIGINT) : BIT(SIGIO) | BIT(SIGTSTP);
		t_setmask(outside);
		raise(SIGHUP);
		EQ(depth, 0);
		EQ(deepest, KINDS);
		for (int i = 0; i < KINDS; i++)
			EQ(runs[kinds[i]], turn);
		MASK(outside);
	}
	return 0;
}
