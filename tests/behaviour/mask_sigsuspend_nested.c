// SPDX-License-Identifier: MIT
// Two signals end one sigsuspend, and the handler on top waits in a sigsuspend of its own:
// the handler below still runs under the outer temporary mask.
#include "t.h"

static volatile int order, below_at, top_at, inner_at;

static void below(int sig, siginfo_t *info, void *context)
{
	(void)info;
	ucontext_t *uc = context;
	MASK(BIT(SIGINT) | BIT(sig));
	EQ(t_bits(&uc->uc_sigmask), BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGHUP));
	below_at = ++order;
}

static void inner(int sig)
{
	MASK(BIT(SIGTERM) | BIT(sig));
	inner_at = ++order;
}

static void top(int sig)
{
	uint64_t mine = BIT(SIGINT) | BIT(SIGUSR1) | BIT(sig);
	MASK(mine);
	sigset_t temporary = t_set(BIT(SIGTERM)), alarm = t_set(BIT(SIGALRM));
	EQ(sigprocmask(SIG_BLOCK, &alarm, NULL), 0);
	raise(SIGALRM);
	EQ(sigsuspend(&temporary), -1);
	MASK(mine | BIT(SIGALRM));
	top_at = ++order;
}

int main(void)
{
	t_start();
	t_handle_info(SIGUSR1, below, 0, 0);
	t_handle(SIGUSR2, top, 0, 0);
	t_handle(SIGALRM, inner, 0, 0);
	t_setmask(BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGHUP));
	raise(SIGUSR1);
	raise(SIGUSR2);
	sigset_t temporary = t_set(BIT(SIGINT));
	EQ(sigsuspend(&temporary), -1);
	EQ(inner_at, 1);
	EQ(top_at, 2);
	EQ(below_at, 3);
	MASK(BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGHUP));
	return 0;
}
