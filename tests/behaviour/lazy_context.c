// SPDX-License-Identifier: MIT
// Contexts with masks of their own: a signal that one of them blocks waits until a switch to
// one that has it open.
#include "lazy.h"
#include <ucontext.h>

static ucontext_t outside, inside;
static char stack[256 * 1024];
static volatile int runs;
static volatile uint64_t expected;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void body(void)
{
	for (;;) {
		MASK(expected);
		int before = runs;
		raise(SIGUSR1);
		EQ(runs, before + !(expected & BIT(SIGUSR1)));
		EQ(swapcontext(&inside, &outside), 0);
	}
}

static void visit(uint64_t mask, uint64_t ours)
{
	runs = 0;
	expected = mask;
	memcpy(&inside.uc_sigmask, &mask, sizeof mask);
	t_setmask(ours);
	EQ(swapcontext(&outside, &inside), 0);
	EQ(runs, (mask & ours & BIT(SIGUSR1)) == 0);
	MASK(ours);
	t_setmask(0);
	EQ(runs, 1);
}

static void by_setcontext(void)
{
	ucontext_t here;
	volatile int turn = 0;
	runs = 0;
	t_setmask(BIT(SIGUSR1));
	EQ(getcontext(&here), 0);
	if (turn++ == 0) {
		t_setmask(0);
		setcontext(&here);
	}
	MASK(BIT(SIGUSR1));
	raise(SIGUSR1);
	EQ(runs, 0);
	if (turn == 2) {
		uint64_t none = 0;
		memcpy(&here.uc_sigmask, &none, sizeof none);
		t_setmask(0);
	}
	EQ(runs, 1);
}

int main(void)
{
	t_hot();
	t_handle(SIGUSR1, handler, 0, 0);
	EQ(getcontext(&inside), 0);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof stack;
	makecontext(&inside, body, 0);
	for (int i = 0; i < 100; i++) {
		visit(0, 0);
		visit(BIT(SIGUSR1), 0);
		visit(0, BIT(SIGUSR1));
		visit(BIT(SIGUSR1), BIT(SIGUSR1) | BIT(SIGHUP));
		visit(BIT(SIGTERM) | BIT(SIGRTMIN), BIT(SIGHUP));
		by_setcontext();
	}
	return 0;
}
