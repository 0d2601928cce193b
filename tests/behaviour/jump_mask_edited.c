// SPDX-License-Identifier: MIT
// The mask lies in the buffer's public field: read there, and edited there before the jump.
#include "t.h"
#include <setjmp.h>

static sigjmp_buf env;

int main(void)
{
	t_start();
	t_setmask(BIT(SIGHUP) | BIT(SIGRTMIN));
	if (sigsetjmp(env, 1) == 0) {
		EQ(env[0].__mask_was_saved, 1);
		uint64_t mask;
		memcpy(&mask, &env[0].__saved_mask, 8);
		EQ(mask, BIT(SIGHUP) | BIT(SIGRTMIN));
		mask = BIT(SIGTERM);
		memcpy(&env[0].__saved_mask, &mask, 8);
		siglongjmp(env, 1);
	}
	MASK(BIT(SIGTERM));
	if (sigsetjmp(env, 0) == 0) {
		EQ(env[0].__mask_was_saved, 0);
		t_setmask(0);
		siglongjmp(env, 1);
	}
	MASK(0);
	// A copy of a buffer is as good as the buffer.
	sigjmp_buf copy;
	t_setmask(BIT(SIGUSR1));
	volatile int turn = 0;
	if (sigsetjmp(env, 1) == 0) {
		memcpy(&copy, &env, sizeof env);
		memset(&env, 0, sizeof env);
		t_setmask(0);
		turn++;
		siglongjmp(copy, 1);
	}
	EQ(turn, 1);
	MASK(BIT(SIGUSR1));
	return 0;
}
