// SPDX-License-Identifier: MIT
// Sections: signals that come while they are blocked, and dispositions that change meanwhile.
#include "fuzz.h"

static int send_by(struct random *random, int sig)
{
	union sigval value = {.sival_int = fz_below(random, 1000)};
	switch (fz_below(random, fz_restricted ? 2 : 4)) {
	case 0:
		return raise(sig);
	case 1:
		return kill(t_syscall(SYS_getpid, 0, 0, 0, 0), sig);
	case 2:
		return sigqueue(getpid(), sig, value);
	default:
		return pthread_sigqueue(pthread_self(), sig, value);
	}
}

static void send_some(struct random *random, uint64_t mask)
{
	for (int i = 0; i < FZ_SIGNALS; i++) {
		int sig = fz_signals[i];
		if (!(mask & BIT(sig)) || fz_below(random, 3) || !fz_may_send(sig))
			continue;
		fz_line("sends %d in the section", sig);
		fz_clear_errno();
		int ret = send_by(random, sig);
		fz_result("sent %d = %d", sig, ret);
	}
}

// Blocked, sent, opened: by the old mask, by what was blocked, or by a jump out of it.
void fz_op_hold(struct random *random)
{
	uint64_t mask = fz_mask(random) & ~(BIT(SIGKILL) | BIT(SIGSTOP));
	uint64_t key = fz_next(random);
	sigset_t set = t_set(mask), old;
	fz_clear_errno();
	sigprocmask(SIG_BLOCK, &set, &old);
	fz_result("section %llx", (unsigned long long)mask);
	send_some(random, mask);
	if (fz_below(random, 2))
		fz_run_list(key, fz_below(random, 4));
	if (fz_below(random, 2))
		send_some(random, mask);
	int ret = fz_below(random, 3) ? sigprocmask(SIG_SETMASK, &old, NULL)
	                              : sigprocmask(SIG_UNBLOCK, &set, NULL);
	fz_result("section ends = %d", ret);
}

static void set_handler(struct random *random, int sig)
{
	struct sigaction act;
	memset(&act, 0, sizeof act);
	act.sa_flags = fz_below(random, 2) ? SA_RESTART : 0;
	act.sa_handler = fz_pick_handler(random, &act.sa_flags);
	act.sa_mask = t_set(fz_mask(random));
	sigaction(sig, &act, NULL);
}

// Through the default and back, blocked all the while: Perl's way. What is sent under the default
// waits for the handler.
static void there_and_back(struct random *random, int sig)
{
	int turns = 1 + fz_below(random, 3);
	for (int i = 0; i < turns; i++) {
		struct sigaction act, old;
		memset(&act, 0, sizeof act);
		memset(&old, 0, sizeof old);
		act.sa_handler = fz_below(random, 6) || !fz_may_ignore(sig) ? SIG_DFL : SIG_IGN;
		sigaction(sig, &act, &old);
		fz_result("%d := %s, was %s", sig, fz_disposition_name((void *)act.sa_handler),
		          fz_disposition_name((void *)old.sa_handler));
		if (fz_below(random, 2))
			send_by(random, sig);
		fz_result("%d sent or not", sig);
		set_handler(random, sig);
		if (fz_below(random, 3) == 0)
			send_by(random, sig);
		fz_result("%d has a handler", sig);
		if (t_kernel_pending() & BIT(sig))
			return;
	}
}

void fz_op_flip(struct random *random)
{
	int sig = fz_signal(random);
	sigset_t set = t_set(BIT(sig)), old;
	if (!fz_may_reset(sig))
		return;
	sigprocmask(SIG_BLOCK, &set, &old);
	there_and_back(random, sig);
	fz_clear_errno();
	int ret = sigprocmask(SIG_SETMASK, &old, NULL);
	fz_result("flip of %d ends = %d", sig, ret);
}
