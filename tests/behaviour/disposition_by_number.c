// SPDX-License-Identifier: MIT
// Dispositions by libc's syscall(): pointers that lead nowhere give EFAULT, and what the kernel does
// before it finds out is done.
#include <sys/mman.h>

#include "t.h"

struct action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static volatile int came;

static void handler(int sig)
{
	came = sig;
}

static long raw(int sig, const void *act, void *old)
{
	errno = 0;
	return syscall(SYS_rt_sigaction, sig, act, old, 8L);
}

int main(void)
{
	t_start();
	void *nothing = (void *)16;
	void *only_read = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static struct action apart, found;
	struct action near;
	struct sigaction installed = {.sa_handler = handler};

	EQ(sigaction(SIGUSR1, &installed, NULL), 0);
	EQ(raw(SIGUSR1, NULL, &near), 0);
	apart = near;
	EQ(near.handler == handler, 1);

	EQ(raw(SIGUSR2, nothing, NULL), -1);
	EQ(errno, EFAULT);
	EQ(raw(SIGUSR2, NULL, nothing), -1);
	EQ(errno, EFAULT);
	EQ(raw(SIGUSR2, nothing, nothing), -1);
	EQ(errno, EFAULT);
	EQ(raw(SIGUSR2, NULL, only_read), -1);
	EQ(errno, EFAULT);
	EQ(raw(SIGUSR2, NULL, &found), 0);
	EQ(found.handler == SIG_DFL, 1);

	// It is installed, and then the old one cannot be told.
	EQ(raw(SIGUSR2, &apart, only_read), -1);
	EQ(errno, EFAULT);
	EQ(raw(SIGUSR2, NULL, &found), 0);
	EQ(found.handler == handler, 1);
	EQ(raise(SIGUSR2), 0);
	EQ(came, SIGUSR2);

	// The signal is looked at between the two.
	EQ(raw(77, nothing, NULL), -1);
	EQ(errno, EFAULT);
	EQ(raw(77, &apart, nothing), -1);
	EQ(errno, EINVAL);
	EQ(raw(SIGKILL, &apart, nothing), -1);
	EQ(errno, EINVAL);
	found.handler = NULL;
	EQ(raw(SIGKILL, &apart, &found), -1);
	EQ(errno, EINVAL);
	EQ(found.handler == NULL, 1);
	EQ(raw(SIGKILL, NULL, &found), 0);

	// One object for both.
	EQ(raw(SIGHUP, &apart, &apart), 0);
	EQ(apart.handler == SIG_DFL, 1);
	EQ(raise(SIGHUP), 0);
	EQ(came, SIGHUP);
	return 0;
}
