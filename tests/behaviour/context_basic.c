// SPDX-License-Identifier: MIT
// getcontext, setcontext, swapcontext: return values, locals, and where they go on.
#include "t.h"
#include <ucontext.h>

static ucontext_t here, there;
static char stack[64 * 1024];
static volatile int visits;

static void body(void)
{
	visits++;
	EQ(swapcontext(&there, &here), 0);
	visits += 10;
	EQ(setcontext(&here), 0);
}

int main(void)
{
	t_start();
	volatile int turns = 0;
	EQ(getcontext(&here), 0);
	if (++turns < 5) {
		setcontext(&here);
		CHECK(!"reached");
	}
	EQ(turns, 5);

	EQ(getcontext(&there), 0);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof stack;
	there.uc_link = NULL;
	makecontext(&there, body, 0);
	errno = 55;
	EQ(swapcontext(&here, &there), 0);
	EQ(visits, 1);
	EQ(swapcontext(&here, &there), 0);
	EQ(visits, 11);
	EQ(errno, 55);
	MASK(0);
	return 0;
}
