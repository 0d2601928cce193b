// SPDX-License-Identifier: MIT
// setcontext out of a handler: to a context taken before, and to the handler's own frame.
#include "t.h"
#include <ucontext.h>

static ucontext_t before;
static volatile int runs, turns;

static void leave(int sig)
{
	(void)sig;
	runs++;
	setcontext(&before);
	CHECK(!"reached");
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, leave, 0, BIT(SIGTERM));
	t_setmask(BIT(SIGHUP));
	EQ(getcontext(&before), 0);
	MASK(BIT(SIGHUP));
	if (turns++ < 1000) {
		t_setmask(BIT(SIGINT));
		raise(SIGUSR1);
		CHECK(!"reached");
	}
	EQ(runs, 1000);
	EQ(turns, 1001);
	MASK(BIT(SIGHUP));
	return 0;
}
