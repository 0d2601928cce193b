// SPDX-License-Identifier: MIT
// An exec that fails leaves mask, dispositions and pending signals as they were.
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
	char *argv[] = {"none", NULL}, *envp[] = {NULL};
	t_handle(SIGUSR1, handler, 0, 0);
	t_setmask(BIT(SIGUSR1));
	raise(SIGUSR1);
	errno = 0;
	EQ(execve("/nonexistent/none", argv, envp), -1);
	EQ(errno, ENOENT);
	EQ(execv("/nonexistent/none", argv), -1);
	EQ(execvp("surely-no-such-program", argv), -1);
	EQ(execl("/", "none", (char *)NULL), -1);
	EQ(errno, EACCES);
	EQ(fexecve(-1, argv, envp), -1);
	MASK(BIT(SIGUSR1));
	EQ(runs, 0);
	EQ(t_pending(), BIT(SIGUSR1));
	t_setmask(0);
	EQ(runs, 1);
	return 0;
}
