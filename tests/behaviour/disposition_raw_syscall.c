// SPDX-License-Identifier: MIT
// Dispositions changed by libc's syscall() between calls of sigaction.
#include "t.h"

struct kernel_sigaction {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

int main(void)
{
	t_start();
	struct kernel_sigaction now, ignore = {.handler = (void *)SIG_IGN};
	struct sigaction act;
	t_handle(SIGUSR1, handler, SA_RESTART, BIT(SIGHUP));
	EQ(syscall(SYS_rt_sigaction, SIGUSR1, &ignore, &now, 8L), 0);
	EQ(now.flags & 0xffffffff, SA_RESTART | 0x04000000);
	EQ(now.mask, BIT(SIGHUP));
	CHECK(now.handler == (void *)handler);
	EQ(sigaction(SIGUSR1, NULL, &act), 0);
	CHECK(act.sa_handler == SIG_IGN);
	t_handle(SIGUSR1, handler, SA_RESTART, BIT(SIGHUP));
	raise(SIGUSR1);
	EQ(runs, 1);
	// What the raw call hands out can be handed back raw.
	EQ(syscall(SYS_rt_sigaction, SIGUSR1, NULL, &now, 8L), 0);
	EQ(syscall(SYS_rt_sigaction, SIGUSR1, &now, NULL, 8L), 0);
	raise(SIGUSR1);
	EQ(runs, 2);
	EQ(sigaction(SIGUSR1, NULL, &act), 0);
	CHECK(act.sa_handler == handler);
	errno = 0;
	EQ(syscall(SYS_rt_sigaction, SIGKILL, &ignore, NULL, 8L), -1);
	EQ(errno, EINVAL);
	return 0;
}
