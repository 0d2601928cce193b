// SPDX-License-Identifier: MIT
// pthread_sigmask returns the error number and leaves errno; sigprocmask sets it.
#include "t.h"

int main(void)
{
	t_start();
	sigset_t set = t_set(BIT(SIGUSR1)), old;
	errno = 4321;
	EQ(pthread_sigmask(99, &set, NULL), EINVAL);
	EQ(errno, 4321);
	EQ(pthread_sigmask(SIG_BLOCK, &set, &old), 0);
	EQ(errno, 4321);
	EQ(sigprocmask(SIG_BLOCK, &set, &old), 0);
	EQ(sigprocmask(SIG_UNBLOCK, &set, &old), 0);
	EQ(errno, 4321);
	EQ(sigprocmask(99, &set, NULL), -1);
	EQ(errno, EINVAL);
	MASK(0);
	return 0;
}
