// SPDX-License-Identifier: MIT
// The checked longjmp: good jumps go, also off the alternate stack; one into a frame that
// has returned aborts.
#undef _FORTIFY_SOURCE
#define _FORTIFY_SOURCE 2
#include "t.h"
#include <fcntl.h>
#include <setjmp.h>

static sigjmp_buf env;
static char stack[64 * 1024];

static void jump(int sig)
{
	siglongjmp(env, sig);
}

__attribute__((noinline)) static int save(volatile char *buffer)
{
	buffer[0] = 1;
	return sigsetjmp(env, 1);
}

__attribute__((noinline)) static int deep(int level)
{
	volatile char space[512];
	space[0] = (char)level;
	if (level > 0)
		return deep(level - 1) + space[0];
	return save(space);
}

static void into_a_dead_frame(void)
{
	dup2(open("/dev/null", O_WRONLY), 2);
	if (deep(20) > 1000000)
		_exit(5);
	siglongjmp(env, 1);
}

int main(void)
{
	t_start();
	t_setmask(BIT(SIGHUP));
	int value = sigsetjmp(env, 1);
	if (value == 0) {
		t_setmask(0);
		siglongjmp(env, 3);
	}
	EQ(value, 3);
	MASK(BIT(SIGHUP));

	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
	EQ(sigaltstack(&alternate, NULL), 0);
	t_handle(SIGUSR1, jump, SA_ONSTACK, 0);
	for (volatile int i = 0; i < 10; i++) {
		if (sigsetjmp(env, 1) == 0)
			raise(SIGUSR1);
		MASK(BIT(SIGHUP));
	}
	int status = t_child(into_a_dead_frame);
	CHECK(WIFSIGNALED(status));
	EQ(WTERMSIG(status), SIGABRT);
	return 0;
}
