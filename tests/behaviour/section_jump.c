// SPDX-License-Identifier: MIT
// Jumps: out of a handler that ran at the end of a section, within a section, and with a mask that
// was saved inside of one.
#include <sigzero.h>

#include <setjmp.h>
#include <ucontext.h>

#include "t.h"

static sigjmp_buf env;
static volatile int runs;

static void jumps_out(int sig)
{
	(void)sig;
	runs++;
	siglongjmp(env, 1);
}

static void counts(int sig)
{
	(void)sig;
	runs++;
}

static void out_of_the_handler(void)
{
	t_handle(SIGUSR1, jumps_out, 0, 0);
	runs = 0;
	if (sigsetjmp(env, 1) == 0) {
		sigzero_block();
		raise(SIGUSR1);
		EQ(runs, 0);
		sigzero_unblock();
		t_fail(__FILE__, __LINE__, "the handler did not jump");
	}
	EQ(runs, 1);
	EQ(sigzero_blocked(), 0);
	MASK(BIT(SIGHUP));
}

static void within(void)
{
	t_handle(SIGUSR1, counts, 0, 0);
	runs = 0;
	sigzero_block();
	raise(SIGUSR1);
	if (sigsetjmp(env, 1) == 0)
		siglongjmp(env, 1);
	EQ(runs, 0);
	EQ(t_view(), BIT(SIGHUP));
	sigzero_unblock();
	EQ(runs, 1);
	MASK(BIT(SIGHUP));
}

// In mode off libc saves the mask by itself, and in a section that blocks for real it sees that.
static int libc_saves_it(void)
{
	sigzero_block();
	sigsetjmp(env, 1);
	sigzero_unblock();
	return sigzero_slow && t_bits((const sigset_t *)&env->__saved_mask) != BIT(SIGHUP);
}

static void mask_saved_inside(void)
{
	volatile int back = 0;

	t_handle(SIGUSR1, counts, 0, 0);
	runs = 0;
	sigzero_block();
	raise(SIGUSR1);
	sigsetjmp(env, 1);
	if (!back) {
		sigzero_unblock();
		EQ(runs, 1);
		back = 1;
		siglongjmp(env, 1);
	}
	MASK(BIT(SIGHUP));
	raise(SIGUSR1);
	EQ(runs, 2);
}

static void by_context(void)
{
	volatile int back = 0;
	ucontext_t context;

	runs = 0;
	sigzero_block();
	raise(SIGUSR1);
	EQ(getcontext(&context), 0);
	EQ(t_bits(&context.uc_sigmask) & ~LIBC_OWN, BIT(SIGHUP));
	if (!back) {
		back = 1;
		setcontext(&context);
	}
	EQ(runs, 0);
	sigzero_unblock();
	EQ(runs, 1);
	MASK(BIT(SIGHUP));
}

int main(void)
{
	t_start();
	t_setmask(BIT(SIGHUP));
	for (int i = 0; i < 40; i++) {
		out_of_the_handler();
		within();
		if (libc_saves_it())
			continue;
		mask_saved_inside();
		by_context();
	}
	return 0;
}
