// SPDX-License-Identifier: MIT
// SA_NODEFER: the signal itself stays open in its handler, unless sa_mask holds it.
#include "t.h"

static volatile int depth, deepest;

static void handler(int sig)
{
	if (++depth > deepest)
		deepest = depth;
	EQ(t_view(), BIT(SIGHUP));
	KERNEL_MASK(BIT(SIGHUP));
	if (depth < 4)
		raise(sig);
	depth--;
}

static void deferred(int sig)
{
	if (++depth > deepest)
		deepest = depth;
	EQ(t_view(), BIT(sig));
	static int again = 3;
	if (again-- > 0)
		raise(sig);
	depth--;
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, SA_NODEFER, BIT(SIGHUP));
	raise(SIGUSR1);
	EQ(deepest, 4);
	EQ(depth, 0);
	MASK(0);
	deepest = 0;
	t_handle(SIGUSR2, deferred, SA_NODEFER, BIT(SIGUSR2));
	raise(SIGUSR2);
	EQ(deepest, 1);
	EQ(depth, 0);
	MASK(0);
	return 0;
}
