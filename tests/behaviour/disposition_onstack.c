// SPDX-License-Identifier: MIT
// SA_ONSTACK: the handler and the handlers nested in it run on the alternate stack.
#include "t.h"

static char stack[256 * 1024];
static volatile int outer_on, inner_on, inner_plain_on, plain_on;
static volatile int runs;

static int on_stack(void)
{
	char here;
	return &here >= stack && &here < stack + sizeof stack;
}

static int kernel_says_on_stack(void)
{
	stack_t now;
	EQ(sigaltstack(NULL, &now), 0);
	return now.ss_flags & SS_ONSTACK;
}

static void outer(int sig)
{
	(void)sig;
	outer_on = on_stack() && kernel_says_on_stack();
	raise(SIGUSR2);
	raise(SIGHUP);
	runs++;
}

static void inner(int sig)
{
	(void)sig;
	inner_on = on_stack() && kernel_says_on_stack();
	runs++;
}

static void inner_plain(int sig)
{
	(void)sig;
	inner_plain_on = on_stack();
	runs++;
}

static void plain(int sig)
{
	(void)sig;
	plain_on = on_stack();
	runs++;
}

int main(void)
{
	t_start();
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
	EQ(sigaltstack(&alternate, NULL), 0);
	t_handle(SIGUSR1, outer, SA_ONSTACK, 0);
	t_handle(SIGUSR2, inner, SA_ONSTACK, 0);
	t_handle(SIGHUP, inner_plain, 0, 0);
	t_handle(SIGTERM, plain, 0, 0);
	raise(SIGUSR1);
	EQ(runs, 3);
	EQ(outer_on, 1);
	EQ(inner_on, 1);
	EQ(inner_plain_on, 1);
	raise(SIGTERM);
	EQ(plain_on, 0);
	EQ(kernel_says_on_stack(), 0);
	MASK(0);
	return 0;
}
