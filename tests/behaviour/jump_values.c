// SPDX-License-Identifier: MIT
// The value a jump brings: 0 turns into 1, negative and large ones arrive whole.
#include "t.h"
#include <setjmp.h>

extern int bsd_setjmp(jmp_buf) __asm__("setjmp") __attribute__((returns_twice));
extern void underscore_longjmp(jmp_buf, int) __asm__("_longjmp") __attribute__((noreturn));

static jmp_buf env;
static sigjmp_buf sigenv;

static const int values[][2] = {{0, 1},   {1, 1},       {2, 2},
                                {-1, -1}, {1 << 30, 1 << 30}, {-2147483647 - 1, -2147483647 - 1}};

int main(void)
{
	t_start();
	for (volatile unsigned i = 0; i < sizeof values / sizeof *values; i++) {
		int want = values[i][1], got;
		if ((got = setjmp(env)) == 0)
			longjmp(env, values[i][0]);
		EQ(got, want);
		if ((got = _setjmp(env)) == 0)
			underscore_longjmp(env, values[i][0]);
		EQ(got, want);
		if ((got = bsd_setjmp(env)) == 0)
			longjmp(env, values[i][0]);
		EQ(got, want);
		if ((got = sigsetjmp(sigenv, 0)) == 0)
			siglongjmp(sigenv, values[i][0]);
		EQ(got, want);
		if ((got = sigsetjmp(sigenv, 1)) == 0)
			siglongjmp(sigenv, values[i][0]);
		EQ(got, want);
		if ((got = sigsetjmp(sigenv, -5)) == 0)
			siglongjmp(sigenv, values[i][0]);
		EQ(got, want);
	}
	MASK(0);
	return 0;
}
