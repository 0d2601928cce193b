// SPDX-License-Identifier: MIT
// sigaction as a question: nothing changes, and the answer is what was installed.
#include "t.h"

static void handler(int sig)
{
	(void)sig;
}

static void check_default(int sig)
{
	struct sigaction act;
	memset(&act, 0xff, sizeof act);
	EQ(sigaction(sig, NULL, &act), 0);
	CHECK(act.sa_handler == SIG_DFL);
	EQ(t_bits(&act.sa_mask), 0);
}

int main(void)
{
	for (int sig = 1; sig < NSIG; sig++)
		if (sig != 32 && sig != 33)
			check_default(sig);
	EQ(sigaction(SIGUSR1, NULL, NULL), 0);
	for (int i = 0; i < 3; i++) {
		struct sigaction act;
		t_handle(SIGUSR1, handler, SA_RESTART, BIT(SIGHUP));
		EQ(sigaction(SIGUSR1, NULL, &act), 0);
		CHECK(act.sa_handler == handler);
		EQ(t_bits(&act.sa_mask), BIT(SIGHUP));
		EQ(sigaction(SIGUSR1, NULL, NULL), 0);
		EQ(sigaction(SIGKILL, NULL, &act), 0);
		CHECK(act.sa_handler == SIG_DFL);
	}
	CAUGHT(BIT(SIGUSR1));
	EQ(t_status("SigIgn"), 0);
	return 0;
}
