// SPDX-License-Identifier: MIT
// Numbers that are no signal, libc's own, and the two that cannot be caught.
#include "t.h"

static void handler(int sig)
{
	(void)sig;
}

static void refused(int sig, int even_query)
{
	struct sigaction act, old;
	memset(&act, 0, sizeof act);
	act.sa_handler = handler;
	errno = 0;
	EQ(sigaction(sig, &act, &old), -1);
	EQ(errno, EINVAL);
	errno = 0;
	EQ(sigaction(sig, &act, NULL), -1);
	EQ(errno, EINVAL);
	errno = 0;
	EQ(sigaction(sig, NULL, &old), even_query ? -1 : 0);
	EQ(errno, even_query ? EINVAL : 0);
	errno = 0;
	CHECK(signal(sig, handler) == SIG_ERR);
	EQ(errno, EINVAL);
	errno = 0;
	CHECK(signal(sig, SIG_IGN) == SIG_ERR);
	EQ(errno, EINVAL);
}

int main(void)
{
	t_start();
	int none[] = {0, -1, 32, 33, 65, 1000, -2147483647};
	for (unsigned i = 0; i < sizeof none / sizeof *none; i++)
		refused(none[i], 1);
	refused(SIGKILL, 0);
	refused(SIGSTOP, 0);
	errno = 0;
	CHECK(signal(SIGUSR1, SIG_ERR) == SIG_ERR);
	EQ(errno, EINVAL);
	CAUGHT(0);
	return 0;
}
