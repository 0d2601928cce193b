// SPDX-License-Identifier: MIT
// Asks for its mask N times in one function, and blocks, repeats, restores M times in another.
#include <signal.h>
#include <stdlib.h>

__attribute__((noinline)) static void asks(long times)
{
	sigset_t old;

	while (times--)
		sigprocmask(SIG_SETMASK, NULL, &old);
	__asm__ volatile("");
}

__attribute__((noinline)) static void changes(long times)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	while (times--) {
		sigprocmask(SIG_BLOCK, &set, &old);
		sigprocmask(SIG_BLOCK, &set, NULL);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		sigprocmask(SIG_SETMASK, &old, NULL);
		sigprocmask(SIG_BLOCK, &set, NULL);
		sigprocmask(SIG_SETMASK, &old, NULL);
		sigprocmask(12345, &set, NULL);
		signal(SIGUSR2, SIG_IGN);
	}
	__asm__ volatile("");
}

int main(int count, char **words)
{
	asks(count > 1 ? atol(words[1]) : 1000);
	changes(count > 2 ? atol(words[2]) : 0);
	return 7;
}
