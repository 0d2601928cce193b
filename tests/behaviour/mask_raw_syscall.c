// SPDX-License-Identifier: MIT
// The mask changed by libc's syscall() between calls of the usual functions.
#include "t.h"

static long raw(int how, const uint64_t *set, uint64_t *old)
{
	return syscall(SYS_rt_sigprocmask, how, set, old, 8L);
}

int main(void)
{
	t_start();
	uint64_t mask = BIT(SIGUSR1), old = 1;
	EQ(raw(SIG_BLOCK, &mask, &old), 0);
	EQ(old, 0);
	MASK(BIT(SIGUSR1));
	EQ(t_setmask(BIT(SIGUSR2)), BIT(SIGUSR1));
	MASK(BIT(SIGUSR2));
	EQ(raw(SIG_BLOCK, NULL, &old), 0);
	EQ(old, BIT(SIGUSR2));
	mask = BIT(SIGUSR2) | BIT(SIGHUP);
	EQ(raw(SIG_SETMASK, &mask, NULL), 0);
	sigset_t set = t_set(mask);
	EQ(sigprocmask(SIG_SETMASK, &set, NULL), 0);
	MASK(mask);
	EQ(raw(SIG_UNBLOCK, &mask, &old), 0);
	EQ(old, mask);
	EQ(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	MASK(mask);
	EQ(raw(SIG_UNBLOCK, &mask, NULL), 0);
	EQ(sigprocmask(SIG_UNBLOCK, &set, NULL), 0);
	MASK(0);

	errno = 0;
	EQ(raw(77, &mask, NULL), -1);
	EQ(errno, EINVAL);
	errno = 0;
	EQ(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, NULL, 16L), -1);
	EQ(errno, EINVAL);
	errno = 0;
	EQ(raw(SIG_BLOCK, (uint64_t *)16, NULL), -1);
	EQ(errno, EFAULT);
	MASK(0);
	// Raw calls may block even what libc keeps for itself.
	mask = BIT(33);
	EQ(raw(SIG_BLOCK, &mask, NULL), 0);
	MASK(BIT(33));
	EQ(raw(SIG_UNBLOCK, &mask, NULL), 0);
	MASK(0);
	return 0;
}
