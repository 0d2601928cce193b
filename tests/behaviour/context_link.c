// SPDX-License-Identifier: MIT
// uc_link: each context that returns goes on in the next, with the next one's mask.
#include "t.h"
#include <ucontext.h>

#define LENGTH 20
static ucontext_t chain[LENGTH], here;
static char stacks[LENGTH][32 * 1024];
static volatile int order[LENGTH], count;

static uint64_t mask_of(int i)
{
	return BIT(1 + i) & ~(BIT(SIGKILL) | BIT(SIGSTOP));
}

static void body(int i)
{
	MASK(mask_of(i));
	order[count++] = i;
	t_setmask(BIT(SIGRTMAX));
}

int main(void)
{
	t_start();
	for (int i = 0; i < LENGTH; i++) {
		EQ(getcontext(&chain[i]), 0);
		chain[i].uc_stack.ss_sp = stacks[i];
		chain[i].uc_stack.ss_size = sizeof stacks[i];
		chain[i].uc_link = i + 1 < LENGTH ? &chain[i + 1] : &here;
		chain[i].uc_sigmask = t_set(mask_of(i));
		makecontext(&chain[i], (void (*)(void))(void *)body, 1, i);
	}
	t_setmask(BIT(SIGRTMIN));
	EQ(swapcontext(&here, &chain[0]), 0);
	MASK(BIT(SIGRTMIN));
	EQ(count, LENGTH);
	for (int i = 0; i < LENGTH; i++)
		EQ(order[i], i);
	return 0;
}
