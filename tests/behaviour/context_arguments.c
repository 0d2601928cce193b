// SPDX-License-Identifier: MIT
// makecontext with 0 to 12 arguments, ints and, as on this ABI they fit, pointers.
#include "t.h"
#include <ucontext.h>
#pragma GCC diagnostic ignored "-Wcast-function-type"

static ucontext_t here, there;
static char stack[64 * 1024];
static volatile int count;
static volatile uintptr_t got[12];

static void none(void)
{
	count = 0;
}

#define A(n) uintptr_t a##n
#define BODY(n, ...)                                                                               \
	static void take##n(__VA_ARGS__)                                                           \
	{                                                                                          \
		count = n;                                                                         \
		STORE##n                                                                           \
	}
#define STORE1 got[0] = a0;
#define STORE2 STORE1 got[1] = a1;
#define STORE3 STORE2 got[2] = a2;
#define STORE4 STORE3 got[3] = a3;
#define STORE5 STORE4 got[4] = a4;
#define STORE6 STORE5 got[5] = a5;
#define STORE7 STORE6 got[6] = a6;
#define STORE8 STORE7 got[7] = a7;
#define STORE9 STORE8 got[8] = a8;
#define STORE10 STORE9 got[9] = a9;
#define STORE11 STORE10 got[10] = a10;
#define STORE12 STORE11 got[11] = a11;
BODY(1, A(0))
BODY(2, A(0), A(1))
BODY(3, A(0), A(1), A(2))
BODY(4, A(0), A(1), A(2), A(3))
BODY(5, A(0), A(1), A(2), A(3), A(4))
BODY(6, A(0), A(1), A(2), A(3), A(4), A(5))
BODY(7, A(0), A(1), A(2), A(3), A(4), A(5), A(6))
BODY(8, A(0), A(1), A(2), A(3), A(4), A(5), A(6), A(7))
BODY(9, A(0), A(1), A(2), A(3), A(4), A(5), A(6), A(7), A(8))
BODY(10, A(0), A(1), A(2), A(3), A(4), A(5), A(6), A(7), A(8), A(9))
BODY(11, A(0), A(1), A(2), A(3), A(4), A(5), A(6), A(7), A(8), A(9), A(10))
BODY(12, A(0), A(1), A(2), A(3), A(4), A(5), A(6), A(7), A(8), A(9), A(10), A(11))

static void (*const bodies[])(void) = {
	none, (void (*)(void))take1, (void (*)(void))take2,  (void (*)(void))take3,
	(void (*)(void))take4, (void (*)(void))take5,  (void (*)(void))take6,
	(void (*)(void))take7, (void (*)(void))take8,  (void (*)(void))take9,
	(void (*)(void))take10, (void (*)(void))take11, (void (*)(void))take12};

static uintptr_t value(int i)
{
	return i & 1 ? (uintptr_t)&got[i] : (uintptr_t)(i * 1000003 + 7);
}

int main(void)
{
	t_start();
	for (int n = 0; n <= 12; n++)
		for (int odd = 0; odd < 4; odd++) {
			memset((void *)got, 0, sizeof got);
			count = -1;
			EQ(getcontext(&there), 0);
			there.uc_stack.ss_sp = stack + odd;
			there.uc_stack.ss_size = sizeof stack - 8 * (size_t)odd;
			there.uc_link = &here;
			makecontext(&there, bodies[n], n, value(0), value(1), value(2), value(3),
			            value(4), value(5), value(6), value(7), value(8), value(9),
			            value(10), value(11));
			EQ(swapcontext(&here, &there), 0);
			EQ(count, n);
			for (int i = 0; i < n; i++)
				EQ(got[i], value(i));
		}
	return 0;
}
