// SPDX-License-Identifier: MIT
// abort always ends the process by SIGABRT: blocked, ignored, caught; a handler may jump out.
#include "t.h"
#include <setjmp.h>
#include <sys/mman.h>

static volatile int *shared;
static sigjmp_buf env;

static void counts(int sig)
{
	(void)sig;
	(*shared)++;
}

static void jumps(int sig)
{
	(void)sig;
	(*shared)++;
	siglongjmp(env, 1);
}

static void plainly(void)
{
	abort();
}

static void blocked(void)
{
	t_setmask(BIT(SIGABRT) | BIT(SIGHUP));
	abort();
}

static void ignored(void)
{
	signal(SIGABRT, SIG_IGN);
	abort();
}

static void blocked_and_ignored(void)
{
	t_setmask(BIT(SIGABRT));
	signal(SIGABRT, SIG_IGN);
	abort();
}

static void caught(void)
{
	t_handle(SIGABRT, counts, 0, 0);
	abort();
}

static void caught_and_blocked(void)
{
	t_handle(SIGABRT, counts, SA_RESTART, 0);
	t_setmask(BIT(SIGABRT));
	abort();
}

static void jumped_out_then_default(void)
{
	t_handle(SIGABRT, jumps, 0, 0);
	if (sigsetjmp(env, 1) == 0)
		abort();
	MASK(0);
	signal(SIGABRT, SIG_DFL);
	abort();
}

static void in_handler(int sig)
{
	(void)sig;
	abort();
}

static void within_a_handler(void)
{
	t_handle(SIGUSR1, in_handler, 0, BIT(SIGABRT));
	raise(SIGUSR1);
}

static void check(void (*body)(void), int handler_runs)
{
	*shared = 0;
	int status = t_child(body);
	CHECK(WIFSIGNALED(status));
	EQ(WTERMSIG(status), SIGABRT);
	EQ(*shared, handler_runs);
}

int main(void)
{
	t_start();
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	check(plainly, 0);
	check(blocked, 0);
	check(ignored, 0);
	check(blocked_and_ignored, 0);
	check(caught, 1);
	check(caught_and_blocked, 1);
	check(jumped_out_then_default, 1);
	check(within_a_handler, 0);
	return 0;
}
