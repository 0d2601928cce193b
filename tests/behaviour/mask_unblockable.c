// SPDX-License-Identifier: MIT
// KILL, STOP and libc's own 32 and 33 are dropped without a word.
#include "t.h"

#define NEVER (BIT(SIGKILL) | BIT(SIGSTOP) | BIT(32) | BIT(33))

int main(void)
{
	t_start();
	sigset_t set = t_set(NEVER), all;
	EQ(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	MASK(0);
	EQ(sigprocmask(SIG_SETMASK, &set, NULL), 0);
	MASK(0);
	EQ(t_bits(&set), NEVER);

	sigfillset(&all);
	EQ(sigprocmask(SIG_SETMASK, &all, NULL), 0);
	MASK(~NEVER);
	set = t_set(~UINT64_C(0));
	EQ(sigprocmask(SIG_SETMASK, &set, NULL), 0);
	MASK(~NEVER);
	EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
	MASK(~NEVER);
	EQ(sigprocmask(SIG_UNBLOCK, &set, NULL), 0);
	MASK(0);
	return 0;
}
