// SPDX-License-Identifier: MIT
// Switches contexts through three functions, to be built without frame pointers.
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t here, there;
static char stack[65536];
static long left;

static void other(void)
{
	for (;;)
		swapcontext(&there, &here);
}

__attribute__((noinline)) static int innermost(int value)
{
	volatile char room[200];

	room[value & 127] = 1;
	swapcontext(&here, &there);
	return room[value & 127] + value;
}

__attribute__((noinline)) static int middle(int value)
{
	volatile char room[40];

	room[value & 31] = 2;
	return innermost(value + 1) + room[value & 31];
}

__attribute__((noinline)) static int outermost(int value)
{
	return middle(value + 1) * 3 + 1;
}

int main(int count, char **words)
{
	volatile int sum = 0;

	left = count > 1 ? atol(words[1]) : 1000;
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	makecontext(&there, other, 0);
	while (left--)
		sum += outermost((int)left & 7);
	return 0;
}
