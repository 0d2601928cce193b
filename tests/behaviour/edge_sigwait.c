// SPDX-License-Identifier: MIT
// sigwait, sigwaitinfo and sigtimedwait take what is pending, ignored signals included.
#include "t.h"

static void handler(int sig)
{
	(void)sig;
	CHECK(!"the handler ran");
}

static void take(int sig)
{
	sigset_t set = t_set(BIT(sig) | BIT(SIGRTMAX));
	int got = 0;
	siginfo_t info;
	union sigval value = {.sival_int = 99};
	struct timespec soon = {0, 1000000};

	raise(sig);
	EQ(sigwait(&set, &got), 0);
	EQ(got, sig);
	EQ(t_pending(), 0);
	raise(sig);
	EQ(sigwaitinfo(&set, &info), sig);
	// libc shows a thread-directed signal as an ordinary one here.
	EQ(info.si_code, SI_USER);
	EQ(sigqueue(getpid(), sig, value), 0);
	EQ(sigtimedwait(&set, &info, &soon), sig);
	EQ(info.si_code, SI_QUEUE);
	EQ(info.si_value.sival_int, 99);
	errno = 0;
	EQ(sigtimedwait(&set, &info, &soon), -1);
	EQ(errno, EAGAIN);
	MASK(BIT(SIGUSR1) | BIT(SIGCHLD) | BIT(SIGTERM) | BIT(SIGRTMAX));
}

int main(void)
{
	t_start();
	t_setmask(BIT(SIGUSR1) | BIT(SIGCHLD) | BIT(SIGTERM) | BIT(SIGRTMAX));
	t_handle(SIGUSR1, handler, SA_RESTART, 0);
	signal(SIGTERM, SIG_IGN);
	take(SIGUSR1);
	take(SIGCHLD);
	take(SIGTERM);
	take(SIGRTMAX);
	return 0;
}
