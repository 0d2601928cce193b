// SPDX-License-Identifier: MIT
// A fault whose signal is blocked or ignored kills, handler or not.
#include "t.h"

static void handler(int sig)
{
	(void)sig;
	_exit(9);
}

static int *volatile nowhere;

static void fault(void)
{
	*(volatile int *)nowhere = 1;
}

static void blocked(void)
{
	t_handle(SIGSEGV, handler, 0, 0);
	t_setmask(BIT(SIGSEGV));
	fault();
}

static void ignored(void)
{
	signal(SIGSEGV, SIG_IGN);
	fault();
}

static void handler_faults(int sig)
{
	(void)sig;
	fault();
}

static void in_its_handler(void)
{
	t_handle(SIGSEGV, handler_faults, 0, 0);
	fault();
}

static void illegal(void)
{
	t_setmask(BIT(SIGILL));
	t_handle(SIGILL, handler, 0, 0);
	__asm__ volatile("ud2");
}

static void dies_of(void (*body)(void), int sig)
{
	int status = t_child(body);
	CHECK(WIFSIGNALED(status));
	EQ(WTERMSIG(status), sig);
}

int main(void)
{
	t_start();
	dies_of(blocked, SIGSEGV);
	dies_of(ignored, SIGSEGV);
	dies_of(in_its_handler, SIGSEGV);
	dies_of(illegal, SIGILL);
	return 0;
}
