// SPDX-License-Identifier: MIT
// The stack of a new context is aligned as the ABI asks, whatever was handed over.
#include "t.h"
#include <ucontext.h>

static ucontext_t here, there;
static char stack[64 * 1024];
static volatile int runs;
static volatile double sum;

__attribute__((noinline)) static void body(int n, double *p)
{
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	EQ(frame % 16, 0);
	__attribute__((aligned(16))) volatile float vector[4];
	__asm__ volatile("xorps %%xmm0, %%xmm0\n\tmovaps %%xmm0, (%0)" ::"r"(vector)
	                 : "xmm0", "memory");
	char text[200];
	snprintf(text, sizeof text, "%.3f %.3f %.3Lf %.3f %.3f %.3f %.3f %.3f %.3f", 1.5, 2.5, 3.5L,
	         4.5, 5.5, 6.5, 7.5, 8.5, (double)n + *p);
	EQ(strcmp(text, "1.500 2.500 3.500 4.500 5.500 6.500 7.500 8.500 10.250"), 0);
	sum = vector[0] + vector[3];
	runs++;
}

int main(void)
{
	static double quarter = 1.25;
	t_start();
	for (int start = 0; start < 16; start++)
		for (int end = 0; end < 32; end++) {
			EQ(getcontext(&there), 0);
			there.uc_stack.ss_sp = stack + start;
			there.uc_stack.ss_size = sizeof stack - 64 + (size_t)end - (size_t)start;
			there.uc_link = &here;
			makecontext(&there, (void (*)(void))(void *)body, 2, 9, &quarter);
			EQ(swapcontext(&here, &there), 0);
		}
	EQ(runs, 512);
	return 0;
}
