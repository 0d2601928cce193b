// SPDX-License-Identifier: MIT
// The accrued exception flags, of SSE and of x87, travel with the context too, in a program
// that can look at them: one that uses libm's functions of fenv.h.
#include "t.h"
#include <fenv.h>
#include <ucontext.h>

static ucontext_t here, there;
static char stack[64 * 1024];

static int x87_flags(void)
{
	uint16_t word;
	__asm__ volatile("fnstsw %0" : "=m"(word));
	return word & 0x3f;
}

static int sse_flags(void)
{
	uint32_t word;
	__asm__ volatile("stmxcsr %0" : "=m"(word));
	return word & 0x3f;
}

static void raise_sse(void)
{
	volatile double zero = 0.0, one = 1.0;
	volatile double result = one / zero;
	(void)result;
}

static void raise_x87(void)
{
	volatile long double zero = 0.0L, one = 1.0L;
	volatile long double result = one / zero;
	(void)result;
}

static void body(void)
{
	EQ(sse_flags(), 0);
	EQ(x87_flags(), 0);
	raise_sse();
	EQ(swapcontext(&there, &here), 0);
	EQ(sse_flags(), 4);
	EQ(x87_flags(), 0);
	raise_x87();
	EQ(swapcontext(&there, &here), 0);
	EQ(sse_flags(), 4);
	EQ(x87_flags(), 4);
}

int main(void)
{
	t_start();
	__asm__ volatile("fnclex");
	EQ(sse_flags(), 0);
	EQ(fetestexcept(FE_ALL_EXCEPT), 0);
	EQ(getcontext(&there), 0);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof stack;
	there.uc_link = &here;
	makecontext(&there, body, 0);
	raise_x87();
	EQ(swapcontext(&here, &there), 0);
	EQ(sse_flags(), 0);
	EQ(x87_flags(), 4);
	EQ(swapcontext(&here, &there), 0);
	EQ(sse_flags(), 0);
	EQ(x87_flags(), 4);
	EQ(swapcontext(&here, &there), 0);
	EQ(sse_flags(), 0);
	return 0;
}
