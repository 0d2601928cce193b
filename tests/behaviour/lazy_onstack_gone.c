// SPDX-License-Identifier: MIT
// While the signals that run on it are blocked, a program may do with its alternate stack what it
// likes.
#include "lazy.h"

#define SIZE (64 * 1024)
static volatile int runs;
static char *stack;

static void handler(int sig)
{
	char here;
	CHECK(sig == SIGUSR1 && &here >= stack && &here < stack + SIZE);
	runs++;
}

static void use_stack(void)
{
	stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(stack != MAP_FAILED);
	stack_t alternate = {.ss_sp = stack, .ss_size = SIZE};
	EQ(sigaltstack(&alternate, NULL), 0);
}

static void take_it_away(void)
{
	t_setmask(BIT(SIGUSR1));
	EQ(munmap(stack, SIZE), 0);
	raise(SIGUSR1);
	use_stack();
	EQ(runs, 0);
	t_setmask(0);
	EQ(runs, 1);
}

static void write_over_it(void)
{
	t_setmask(BIT(SIGUSR1));
	memset(stack, 0x5a, SIZE);
	raise(SIGUSR1);
	for (int i = 0; i < SIZE; i++)
		EQ(stack[i], 0x5a);
	t_setmask(0);
	EQ(runs, 1);
}

int main(void)
{
	static void (*const what[])(void) = {take_it_away, write_over_it};
	t_hot();
	for (int i = 0; i < 6; i++) {
		// With another signal's warm-up between: guards may stand by then.
		use_stack();
		t_handle(SIGUSR1, handler, i % 3 == 1 ? SA_ONSTACK : SA_ONSTACK | SA_RESTART, 0);
		t_warm();
		runs = 0;
		what[i % 2]();
		if (i % 3 == 2)
			signal(SIGUSR1, SIG_DFL);
		t_warm();
	}
	return 0;
}
