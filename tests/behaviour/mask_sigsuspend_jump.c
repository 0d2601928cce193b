// SPDX-License-Identifier: MIT
// A jump out of a handler that runs in sigsuspend: the jump decides the mask.
#include "t.h"
#include <setjmp.h>

static sigjmp_buf env;

static void handler(int sig)
{
	siglongjmp(env, sig);
}

static void wait_and_jump(int savemask, uint64_t expected)
{
	t_setmask(BIT(SIGUSR1) | BIT(SIGHUP));
	raise(SIGUSR1);
	if (sigsetjmp(env, savemask) == 0) {
		sigset_t temporary = t_set(BIT(SIGINT));
		sigsuspend(&temporary);
		CHECK(!"sigsuspend returned");
	}
	MASK(expected);
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, BIT(SIGTERM));
	wait_and_jump(1, BIT(SIGUSR1) | BIT(SIGHUP));
	wait_and_jump(0, BIT(SIGINT) | BIT(SIGTERM) | BIT(SIGUSR1));
	// What the jump left in force is also what later calls start from.
	sigset_t set = t_set(BIT(SIGTERM)), old = t_set(0);
	EQ(sigprocmask(SIG_UNBLOCK, &set, &old), 0);
	EQ(t_bits(&old), BIT(SIGINT) | BIT(SIGTERM) | BIT(SIGUSR1));
	MASK(BIT(SIGINT) | BIT(SIGUSR1));
	return 0;
}
