// SPDX-License-Identifier: MIT
// Control words of x87 and SSE belong to the context: rounding, precision, masks of exceptions.
#include "t.h"
#include <fenv.h>
#include <ucontext.h>

static ucontext_t here, there;
static char stack[64 * 1024];

static uint16_t x87_control(void)
{
	uint16_t word;
	__asm__ volatile("fnstcw %0" : "=m"(word));
	return word;
}

static void set_x87_control(uint16_t word)
{
	__asm__ volatile("fldcw %0" ::"m"(word));
}

static uint32_t sse_control(void)
{
	uint32_t word;
	__asm__ volatile("stmxcsr %0" : "=m"(word));
	return word & ~UINT32_C(0x3f);
}

static void set_sse_control(uint32_t word)
{
	__asm__ volatile("ldmxcsr %0" ::"m"(word));
}

static void body(void)
{
	EQ(x87_control(), 0x37f);
	EQ(sse_control(), 0x1f80);
	set_x87_control(0x27f | FE_UPWARD);
	set_sse_control(0x1f80 | (FE_UPWARD << 3) | 0x8000);
	EQ(swapcontext(&there, &here), 0);
	EQ(x87_control(), 0x27f | FE_UPWARD);
	EQ(sse_control(), 0x1f80 | (FE_UPWARD << 3) | 0x8000);
	volatile double one = 1.0, three = 3.0;
	CHECK(one / three * 3.0 > 1.0 || one / three > 0.33333333333333331);
}

int main(void)
{
	t_start();
	EQ(getcontext(&there), 0);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof stack;
	there.uc_link = &here;
	makecontext(&there, body, 0);
	set_x87_control(0x37f | FE_DOWNWARD);
	set_sse_control(0x1f80 | (FE_DOWNWARD << 3));
	EQ(swapcontext(&here, &there), 0);
	EQ(x87_control(), 0x37f | FE_DOWNWARD);
	EQ(sse_control(), 0x1f80 | (FE_DOWNWARD << 3));
	set_x87_control(0x37f | FE_TOWARDZERO);
	EQ(swapcontext(&here, &there), 0);
	EQ(x87_control(), 0x37f | FE_TOWARDZERO);
	EQ(sse_control(), 0x1f80 | (FE_DOWNWARD << 3));

	volatile int turn = 0;
	EQ(getcontext(&here), 0);
	if (turn++ == 0) {
		set_x87_control(0x37f);
		set_sse_control(0x1f80);
		setcontext(&here);
	}
	EQ(x87_control(), 0x37f | FE_TOWARDZERO);
	EQ(sse_control(), 0x1f80 | (FE_DOWNWARD << 3));
	return 0;
}
