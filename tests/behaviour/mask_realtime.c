// SPDX-License-Identifier: MIT
// Real-time signals: each can be blocked alone, and each instance stays queued.
#include "t.h"

static volatile int seen;

static void count(int sig)
{
	(void)sig;
	seen++;
}

int main(void)
{
	t_start();
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++) {
		t_setmask(BIT(sig));
		MASK(BIT(sig));
		t_handle(sig, count, 0, 0);
		seen = 0;
		for (int i = 0; i < 3; i++)
			raise(sig);
		EQ(seen, 0);
		EQ(t_pending(), BIT(sig));
		t_setmask(0);
		EQ(seen, 3);
	}
	MASK(0);
	return 0;
}
