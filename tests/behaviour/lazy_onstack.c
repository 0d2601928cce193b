// SPDX-License-Identifier: MIT
// SA_ONSTACK: a signal that comes while it is blocked leaves the alternate stack to those that
// run on it; its handler has it when its time comes.
#include "lazy.h"

static char alternate[64 * 1024] __attribute__((aligned(16)));
static volatile int runs, inner_runs;

static int on_alternate(const void *address)
{
	return (const char *)address >= alternate &&
	       (const char *)address < alternate + sizeof alternate;
}

static void inner(int sig)
{
	char here;
	(void)sig;
	CHECK(on_alternate(&here));
	inner_runs++;
}

// What it has on its stack must survive whatever comes meanwhile.
static void handler(int sig)
{
	volatile char mine[4096];
	stack_t now;
	sigset_t set = t_set(BIT(SIGUSR2)), old;
	(void)sig;
	CHECK(on_alternate((const void *)mine));
	memset((char *)mine, 0x5a, sizeof mine);
	EQ(sigprocmask(SIG_BLOCK, &set, &old), 0);
	raise(SIGUSR2);
	kill(getpid(), SIGUSR2);
	EQ(inner_runs, 0);
	EQ(sigaltstack(NULL, &now), 0);
	EQ(now.ss_flags, SS_ONSTACK);
	for (unsigned i = 0; i < sizeof mine; i++)
		EQ(mine[i], 0x5a);
	EQ(sigprocmask(SIG_SETMASK, &old, NULL), 0);
	CHECK(inner_runs >= 1);
	for (unsigned i = 0; i < sizeof mine; i++)
		EQ(mine[i], 0x5a);
	runs++;
}

static void check(int blocked)
{
	stack_t now;
	runs = inner_runs = 0;
	t_setmask(blocked ? BIT(SIGUSR1) : 0);
	raise(SIGUSR1);
	EQ(runs, !blocked);
	EQ(sigaltstack(NULL, &now), 0);
	EQ(now.ss_flags, 0);
	t_setmask(0);
	EQ(runs, 1);
}

int main(void)
{
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
	t_hot();
	EQ(sigaltstack(&stack, NULL), 0);
	t_handle(SIGUSR1, handler, SA_ONSTACK, 0);
	t_handle(SIGUSR2, inner, SA_ONSTACK, 0);
	for (int i = 0; i < 50; i++) {
		check(0);
		check(1);
	}
	return 0;
}
