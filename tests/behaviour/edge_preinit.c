// SPDX-License-Identifier: MIT
// A program that changes signals in .preinit_array, before any library's constructor: what it
// set is in force, and neither it nor its children see our variables.
#include "t.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void early(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(SIGUSR2, handler);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = early;

int main(void)
{
	struct sigaction act;
	MASK(BIT(SIGHUP));
	EQ(sigaction(SIGUSR2, NULL, &act), 0);
	CHECK(act.sa_handler == handler);
	EQ(act.sa_flags & SA_RESTART, SA_RESTART);
	for (int i = 1; i <= 3; i++) {
		raise(SIGUSR2);
		EQ(runs, i);
	}
	MASK(BIT(SIGHUP));
	if (getenv("SIGZERO_FOLLOW"))
		return 0;
	CHECK(getenv("LD_PRELOAD") == NULL);
	CHECK(getenv("SIGZERO_MODE") == NULL);
	EQ(system("test -z \"$LD_PRELOAD$SIGZERO_MODE$SIGZERO_QUIET\""), 0);
	return 0;
}
