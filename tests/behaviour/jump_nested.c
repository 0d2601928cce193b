// SPDX-License-Identifier: MIT
// Jumps across many frames, to buffers deep and shallow, from deeper functions each time.
#include "t.h"
#include <setjmp.h>

#define DEPTH 40
static sigjmp_buf env[DEPTH];
static volatile int landed[DEPTH];

static uint64_t mask_of(int level)
{
	return level & 1 ? BIT(SIGRTMIN + level % 20) : BIT(SIGHUP);
}

__attribute__((noinline)) static int descend(int level, volatile char *above)
{
	volatile char pad[200];
	pad[0] = above[0];
	if (level == DEPTH)
		siglongjmp(env[DEPTH - 1], DEPTH);
	t_setmask(mask_of(level));
	int value = sigsetjmp(env[level], 1);
	if (value == 0)
		return descend(level + 1, pad) + pad[0];
	MASK(mask_of(level));
	EQ(value, level + 1);
	landed[level]++;
	if (level > 0)
		siglongjmp(env[level - 1], level);
	return pad[0];
}

int main(void)
{
	t_start();
	for (int i = 1; i <= 20; i++) {
		descend(0, (volatile char *)"");
		for (int level = 0; level < DEPTH; level++)
			EQ(landed[level], i);
		MASK(mask_of(0));
	}
	return 0;
}
