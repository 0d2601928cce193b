// SPDX-License-Identifier: MIT
// A pending signal that a call unblocks has run its handler when the call returns.
#include "t.h"
#include <setjmp.h>
#include <ucontext.h>
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void by_unblock(void)
{
	sigset_t set = t_set(BIT(SIGUSR1));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void by_setmask(void)
{
	sigset_t set = t_set(0);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
}

static void by_sigrelse(void)
{
	sigrelse(SIGUSR1);
}

static void by_sigsetmask(void)
{
	sigsetmask(0);
}

static void by_sigset(void)
{
	sigset(SIGUSR1, handler);
}

static void by_jump(void)
{
	static sigjmp_buf env;
	sigset_t set = t_set(BIT(SIGUSR1));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	int before = runs;
	if (sigsetjmp(env, 1) == 0) {
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(SIGUSR1);
		EQ(runs, before);
		siglongjmp(env, 1);
	}
	EQ(runs, before + 1);
	runs--;
}

static void by_context(void)
{
	static ucontext_t context;
	static volatile int turn;
	turn = 0;
	getcontext(&context);
	if (turn++ == 0) {
		memset(&context.uc_sigmask, 0, 8);
		setcontext(&context);
	}
}

static void by_raw_call(void)
{
	uint64_t none = 0;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8L);
}

int main(void)
{
	void (*ways[])(void) = {by_unblock, by_setmask, by_sigrelse, by_sigsetmask,
	                        by_sigset,  by_jump,    by_context,  by_raw_call};
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	for (int round = 0; round < 3; round++)
		for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
			t_setmask(BIT(SIGUSR1));
			runs = 0;
			raise(SIGUSR1);
			raise(SIGUSR1);
			EQ(runs, 0);
			ways[i]();
			EQ(runs, 1);
			EQ(t_pending(), 0);
			MASK(0);
		}
	return 0;
}
