// SPDX-License-Identifier: MIT
// The mask is kept by a jump only when the buffer was asked to keep it.
#include "t.h"
#include <setjmp.h>

extern int bsd_setjmp(jmp_buf) __asm__("setjmp") __attribute__((returns_twice));
extern void underscore_longjmp(jmp_buf, int) __asm__("_longjmp") __attribute__((noreturn));

static jmp_buf env;
static sigjmp_buf sigenv;

static void jump(void (*away)(jmp_buf, int), jmp_buf target)
{
	t_setmask(BIT(SIGINT) | BIT(SIGRTMAX));
	away(target, 1);
}

#define KEPT BIT(SIGHUP)
#define CHANGED (BIT(SIGINT) | BIT(SIGRTMAX))

#define TRY(save, away, buffer, want)                                                              \
	do {                                                                                       \
		t_setmask(KEPT);                                                                   \
		if ((save) == 0)                                                                   \
			jump(away, buffer);                                                        \
		MASK(want);                                                                        \
	} while (0)

int main(void)
{
	t_start();
	for (volatile int i = 0; i < 3; i++) {
		TRY(setjmp(env), longjmp, env, CHANGED);
		TRY(_setjmp(env), longjmp, env, CHANGED);
		TRY(_setjmp(env), underscore_longjmp, env, CHANGED);
		TRY(bsd_setjmp(env), longjmp, env, KEPT);
		TRY(bsd_setjmp(env), underscore_longjmp, env, KEPT);
		TRY(sigsetjmp(sigenv, 0), siglongjmp, sigenv, CHANGED);
		TRY(sigsetjmp(sigenv, 1), siglongjmp, sigenv, KEPT);
		TRY(sigsetjmp(sigenv, 7), siglongjmp, sigenv, KEPT);
		// A mask saved but not changed on the way.
		t_setmask(KEPT);
		if (sigsetjmp(sigenv, 1) == 0)
			siglongjmp(sigenv, 1);
		MASK(KEPT);
	}
	return 0;
}
