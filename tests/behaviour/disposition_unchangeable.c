// SPDX-License-Identifier: MIT
// SIGKILL and SIGSTOP cannot be set even to what they are: no change, and yet EINVAL.
#include "t.h"

static void refused(int sig)
{
	struct sigaction act;
	long raw[4];
	EQ(sigaction(sig, NULL, &act), 0);
	CHECK(act.sa_handler == SIG_DFL);
	errno = 0;
	EQ(sigaction(sig, &act, NULL), -1);
	EQ(errno, EINVAL);
	errno = 0;
	CHECK(signal(sig, SIG_DFL) == SIG_ERR);
	EQ(errno, EINVAL);
	EQ(syscall(SYS_rt_sigaction, sig, NULL, raw, 8L), 0);
	EQ(raw[0], (long)SIG_DFL);
	errno = 0;
	EQ(syscall(SYS_rt_sigaction, sig, raw, NULL, 8L), -1);
	EQ(errno, EINVAL);
}

int main(void)
{
	t_start();
	for (int i = 0; i < 2; i++) {
		refused(SIGKILL);
		refused(SIGSTOP);
	}
	return 0;
}
