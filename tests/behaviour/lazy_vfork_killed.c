// SPDX-License-Identifier: MIT
// A process that waits in vfork for its child dies of a signal at once, as any other does.
#include "lazy.h"

static volatile pid_t *child;

static void wait_in_vfork(void)
{
	t_setmask(BIT(SIGUSR1));
	if (vfork() == 0) {
		*child = (pid_t)t_syscall(SYS_getpid, 0, 0, 0, 0);
		for (;;)
			t_pause_ms(1000);
	}
	_exit(1);
}

int main(void)
{
	t_hot();
	child = t_share(sizeof *child);
	pid_t pid = fork();
	if (pid == 0)
		wait_in_vfork();
	AWAIT(*child);
	t_pause_ms(10);
	kill(pid, SIGTERM);
	int status;
	AWAIT(waitpid(pid, &status, WNOHANG) == pid);
	EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGTERM);
	kill(*child, SIGKILL);
	return 0;
}
