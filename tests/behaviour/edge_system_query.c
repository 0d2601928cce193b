// SPDX-License-Identifier: MIT
// A handler looks at SIGINT and SIGQUIT while system() ignores them inside libc. What it
// learns is true then, and forgotten when system() has put them back.
#include "t.h"

static volatile int runs;

static void *disposition(int sig)
{
	struct sigaction act;
	EQ(sigaction(sig, NULL, &act), 0);
	return (void *)act.sa_handler;
}

static void handler(int sig)
{
	if (sig == SIGUSR1) {
		CHECK(disposition(SIGINT) == (void *)SIG_IGN);
		CHECK(disposition(SIGQUIT) == (void *)SIG_IGN);
	}
	runs++;
}

static void ignores(void)
{
	t_handle(SIGINT, SIG_IGN, 0, 0);
	raise(SIGINT);
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, SA_RESTART, 0);
	for (int i = 0; i < 3; i++) {
		runs = 0;
		EQ(system("kill -USR1 $PPID"), 0);
		EQ(runs, 1);
		CHECK(disposition(SIGINT) == (void *)SIG_DFL);
		CHECK(disposition(SIGQUIT) == (void *)SIG_DFL);
		// Setting it to what was seen meanwhile is a change now.
		EQ(t_child(ignores), 0);
		t_handle(SIGINT, handler, 0, 0);
		raise(SIGINT);
		EQ(runs, 2);
		t_handle(SIGINT, SIG_DFL, 0, 0);
	}
	return 0;
}
