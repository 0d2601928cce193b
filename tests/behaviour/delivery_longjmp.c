// SPDX-License-Identifier: MIT
// Jumps out of handlers, with the mask and without, from nested ones too.
#include "t.h"
#include <setjmp.h>

static sigjmp_buf env;
static volatile int runs;

static void jump(int sig)
{
	runs++;
	siglongjmp(env, sig);
}

static void nest(int sig)
{
	(void)sig;
	runs++;
	raise(SIGUSR2);
	CHECK(!"reached");
}

static void jump_from(int sig, int savemask, uint64_t start, uint64_t after)
{
	t_setmask(start);
	volatile int turn = 0;
	int value = sigsetjmp(env, savemask);
	if (value == 0) {
		turn++;
		raise(sig);
		CHECK(!"reached");
	}
	EQ(turn, 1);
	MASK(after);
	EQ(t_setmask(0), after);
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, jump, 0, BIT(SIGHUP));
	jump_from(SIGUSR1, 1, 0, 0);
	jump_from(SIGUSR1, 1, BIT(SIGTERM), BIT(SIGTERM));
	jump_from(SIGUSR1, 0, BIT(SIGTERM), BIT(SIGTERM) | BIT(SIGUSR1) | BIT(SIGHUP));
	t_handle(SIGUSR1, nest, 0, BIT(SIGHUP));
	t_handle(SIGUSR2, jump, SA_NODEFER, BIT(SIGINT));
	jump_from(SIGUSR1, 1, BIT(SIGTERM), BIT(SIGTERM));
	jump_from(SIGUSR1, 0, 0, BIT(SIGUSR1) | BIT(SIGHUP) | BIT(SIGINT));
	t_handle(SIGUSR1, jump, SA_NODEFER, 0);
	jump_from(SIGUSR1, 0, BIT(SIGINT), BIT(SIGINT));
	EQ(runs, 8);
	// Thousands of jumps: nothing of a left handler may pile up.
	t_handle(SIGUSR1, jump, 0, 0);
	for (int i = 0; i < 20000; i++)
		if (sigsetjmp(env, 1) == 0)
			raise(SIGUSR1);
	MASK(0);
	EQ(runs, 20008);
	return 0;
}
