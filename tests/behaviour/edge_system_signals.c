// SPDX-License-Identifier: MIT
// system() holds SIGCHLD and ignores INT and QUIT meanwhile, and puts all of it back.
#include "t.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

int main(void)
{
	t_start();
	t_handle(SIGINT, handler, SA_RESTART, BIT(SIGHUP));
	t_handle(SIGCHLD, handler, 0, 0);
	t_setmask(BIT(SIGUSR1));
	char line[100];
	snprintf(line, sizeof line, "kill -INT %d; kill -QUIT %d; exit 7", getpid(), getpid());
	EQ(WEXITSTATUS(system(line)), 7);
	// Its own child is reaped before SIGCHLD is let in again.
	EQ(runs, 1);
	MASK(BIT(SIGUSR1));
	struct sigaction act;
	EQ(sigaction(SIGINT, NULL, &act), 0);
	CHECK(act.sa_handler == handler);
	EQ(act.sa_flags & SA_RESTART, SA_RESTART);
	EQ(t_bits(&act.sa_mask), BIT(SIGHUP));
	EQ(sigaction(SIGQUIT, NULL, &act), 0);
	CHECK(act.sa_handler == SIG_DFL);
	runs = 0;
	raise(SIGINT);
	EQ(runs, 1);
	EQ(system(NULL), 1);
	MASK(BIT(SIGUSR1));
	return 0;
}
