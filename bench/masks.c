// SPDX-License-Identifier: MIT
// Blocking signals and restoring the mask, as programs do it around what must not be
// interrupted: some signals, and all of them.
#include "bench.h"

#include <signal.h>
#include <stddef.h>

static void on_signal(int sig)
{
	(void)sig;
}

static void pairs(const sigset_t *set, unsigned long n)
{
	sigset_t old;

	for (unsigned long i = 0; i < n; i++) {
		pthread_sigmask(SIG_BLOCK, set, &old);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
}

// Those that shells and event loops block: two with a handler, two at their default.
static void some_signals(unsigned long n)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGALRM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pairs(&set, n);
}

static void all_signals(unsigned long n)
{
	sigset_t set;

	sigfillset(&set);
	pairs(&set, n);
}

static void block_unblock(unsigned long n)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	for (unsigned long i = 0; i < n; i++) {
		sigprocmask(SIG_BLOCK, &set, NULL);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
}

// Perl's local $SIG{ALRM}.
static void handler_and_back(unsigned long n)
{
	struct sigaction act = {.sa_handler = on_signal}, old;

	for (unsigned long i = 0; i < n; i++) {
		sigaction(SIGUSR1, &act, &old);
		sigaction(SIGUSR1, &old, NULL);
	}
}

int main(void)
{
	static const struct bench_case cases[] = {
		{"block+restore, 4 signals", some_signals, 1},
		{"block+restore, all signals", all_signals, 1},
		{"SIG_BLOCK+SIG_UNBLOCK, 1 signal", block_unblock, 1},
		{"handler+back to default", handler_and_back, 1},
	};
	struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	sigaction(SIGCHLD, &act, NULL);
	sigaction(SIGALRM, &act, NULL);
	bench_run(cases, sizeof cases / sizeof *cases);
	return 0;
}
