// SPDX-License-Identifier: MIT
// A handler that runs in a vfork child, and one that runs in the parent right after it.
#include "t.h"

static volatile int runs;
static volatile pid_t where;

static void handler(int sig)
{
	where = t_syscall(SYS_getpid, 0, 0, 0, 0);
	MASK(BIT(sig) | BIT(SIGHUP) | BIT(SIGINT));
	t_setmask(BIT(SIGRTMIN));
	runs++;
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, BIT(SIGINT));
	t_setmask(BIT(SIGHUP));
	for (int i = 0; i < 10; i++) {
		pid_t pid = vfork();
		CHECK(pid >= 0);
		if (pid == 0) {
			kill(t_syscall(SYS_getpid, 0, 0, 0, 0), SIGUSR1);
			// The parent is held by vfork and takes this when it wakes.
			kill(t_syscall(SYS_getppid, 0, 0, 0, 0), SIGUSR1);
			if (t_view() != BIT(SIGHUP) || !t_fits(t_kernel_mask(), BIT(SIGHUP)))
				_exit(1);
			_exit(0);
		}
		while (runs < 2 * (i + 1))
			;
		EQ(where, getpid());
		MASK(BIT(SIGHUP));
		EQ(t_wait(pid), 0);
	}
	return 0;
}
