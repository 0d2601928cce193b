// SPDX-License-Identifier: MIT
// Callee-saved registers come back with their values at the time of the setjmp.
#include "t.h"
#include <setjmp.h>

static sigjmp_buf env;

// Fills every callee-saved register and jumps; the frame pointer stays gcc's.
__attribute__((noinline, noreturn)) static void spoil_and_jump(void)
{
	__asm__ volatile("mov $-1, %%rbx\n\tmov $-2, %%r12\n\tmov $-3, %%r13\n\t"
	                 "mov $-4, %%r14\n\tmov $-5, %%r15" ::
	                         : "rbx", "r12", "r13", "r14", "r15");
	siglongjmp(env, 9);
}

#define TRY(call)                                                                                  \
	do {                                                                                       \
		register uint64_t b __asm__("rbx") = 0x1111111111111111;                           \
		register uint64_t r12 __asm__("r12") = 0x2222222222222222;                         \
		register uint64_t r13 __asm__("r13") = 0x3333333333333333;                         \
		register uint64_t r14 __asm__("r14") = 0x4444444444444444;                         \
		register uint64_t r15 __asm__("r15") = 0x5555555555555555;                         \
		__asm__ volatile("" : "+r"(b), "+r"(r12), "+r"(r13), "+r"(r14), "+r"(r15));        \
		int value = call;                                                                  \
		uint64_t got[5];                                                                   \
		__asm__ volatile("mov %%rbx, 0(%0)\n\tmov %%r12, 8(%0)\n\tmov %%r13, 16(%0)\n\t"   \
		                 "mov %%r14, 24(%0)\n\tmov %%r15, 32(%0)" ::"a"(got)               \
		                 : "memory");                                                      \
		__asm__ volatile("" : "+r"(b), "+r"(r12), "+r"(r13), "+r"(r14), "+r"(r15));        \
		for (int i = 0; i < 5; i++)                                                        \
			EQ(got[i], 0x1111111111111111 * (uint64_t)(i + 1));                        \
		if (value == 0)                                                                    \
			spoil_and_jump();                                                          \
		EQ(value, 9);                                                                      \
	} while (0)

int main(void)
{
	t_start();
	TRY(sigsetjmp(env, 0));
	TRY(sigsetjmp(env, 1));
	TRY(_setjmp(env));
	t_setmask(BIT(SIGHUP));
	TRY(sigsetjmp(env, 1));
	MASK(BIT(SIGHUP));
	return 0;
}
