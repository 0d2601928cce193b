// SPDX-License-Identifier: MIT
// Callee-saved registers and the stack survive any number of switches.
#include "t.h"
#include <ucontext.h>

#define N 4
static ucontext_t contexts[N], here;
static char stacks[N][64 * 1024];
static volatile int done;

// Loads the callee-saved registers, switches, and compares.
static void switch_and_compare(ucontext_t *from, ucontext_t *to, uint64_t seed)
{
	register uint64_t b __asm__("rbx") = seed * 3;
	register uint64_t r12 __asm__("r12") = seed * 5;
	register uint64_t r13 __asm__("r13") = seed * 7;
	register uint64_t r14 __asm__("r14") = seed * 11;
	register uint64_t r15 __asm__("r15") = seed * 13;
	uint64_t got[5];
	__asm__ volatile("" : "+r"(b), "+r"(r12), "+r"(r13), "+r"(r14), "+r"(r15));
	int ret = swapcontext(from, to);
	__asm__ volatile("mov %%rbx, 0(%0)\n\tmov %%r12, 8(%0)\n\tmov %%r13, 16(%0)\n\t"
	                 "mov %%r14, 24(%0)\n\tmov %%r15, 32(%0)" ::"a"(got)
	                 : "memory");
	__asm__ volatile("" : "+r"(b), "+r"(r12), "+r"(r13), "+r"(r14), "+r"(r15));
	static const uint64_t factor[] = {3, 5, 7, 11, 13};
	for (int i = 0; i < 5; i++)
		EQ(got[i], seed * factor[i]);
	EQ(ret, 0);
}

static void body(int i)
{
	volatile uint64_t pattern[64];
	for (int j = 0; j < 64; j++)
		pattern[j] = (uint64_t)(i * 1000 + j);
	for (int turn = 0; turn < 50; turn++) {
		ucontext_t *next = i + 1 < N ? &contexts[i + 1] : &here;
		switch_and_compare(&contexts[i], next, 0x123456789abcdefu * (uint64_t)(i + turn + 1));
		for (int j = 0; j < 64; j++)
			EQ(pattern[j], i * 1000 + j);
	}
	done++;
}

int main(void)
{
	t_start();
	for (int i = 0; i < N; i++) {
		EQ(getcontext(&contexts[i]), 0);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = sizeof stacks[i];
		contexts[i].uc_link = i + 1 < N ? &contexts[i + 1] : &here;
		makecontext(&contexts[i], (void (*)(void))(void *)body, 1, i);
	}
	for (int turn = 0; turn < 51; turn++)
		switch_and_compare(&here, &contexts[0], 0xfedcba987654321u * (uint64_t)(turn + 1));
	EQ(done, N);
	return 0;
}
