// SPDX-License-Identifier: MIT
// Waiting for a signal while another comes.
#include "lazy_call.h"

static volatile int terms;

static void term(int sig)
{
	(void)sig;
	terms++;
}

static void send_term(void)
{
	kill(getpgrp(), SIGTERM);
}

static void catch_term(void)
{
	terms = 0;
	t_handle(SIGTERM, term, 0, 0);
}

// The end of these is EINTR in any case: by SIGTERM's handler, or by that of the one that comes.
static int ended_by_term(int ret)
{
	if (!call_ends() && ret == -1 && errno == EINTR && terms == 1)
		return 0;
	if (call_ends() && terms)
		return -2;
	return ret;
}

static int by_pause(void)
{
	return ended_by_term(pause());
}

static int by_sigsuspend(void)
{
	sigset_t set = t_set(t_view());
	return ended_by_term(sigsuspend(&set));
}

static sigset_t block_term(void)
{
	sigset_t set = t_set(BIT(SIGTERM));
	sigprocmask(SIG_BLOCK, &set, NULL);
	return set;
}

static int by_sigwaitinfo(void)
{
	sigset_t set = block_term();
	return sigwaitinfo(&set, NULL);
}

static int by_sigtimedwait(void)
{
	sigset_t set = block_term();
	struct timespec limit = {60, 0};
	return sigtimedwait(&set, NULL, &limit);
}

static int by_sigwait(void)
{
	sigset_t set = block_term();
	int sig = 0;
	int err = sigwait(&set, &sig);
	if (!err && sig != SIGTERM)
		return -2;
	errno = err;
	return err ? -1 : 0;
}

int main(void)
{
	static const struct call calls[] = {
		{"pause", ENDS, by_pause, send_term, catch_term, NULL},
		{"sigsuspend", ENDS, by_sigsuspend, send_term, catch_term, NULL},
		{"sigwaitinfo", ENDS, by_sigwaitinfo, send_term, NULL, NULL},
		{"sigtimedwait", ENDS, by_sigtimedwait, send_term, NULL, NULL},
		{"sigwait", GOES_ON, by_sigwait, send_term, NULL, NULL},
	};
	t_hot();
	EQ(setpgid(0, 0) == 0 || getpgrp() == getpid(), 1);
	CALL_ALL(calls);
	return 0;
}
