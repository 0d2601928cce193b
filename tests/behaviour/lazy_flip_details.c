// SPDX-License-Identifier: MIT
// Handlers that take turns, each with a mask and flags of its own: each signal finds all of one.
#include "lazy.h"

static volatile int last;
static volatile uint64_t seen;
static volatile int with_info;

static void plain(int sig)
{
	(void)sig;
	last = 1;
	seen = t_view();
}

static void with(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	EQ(info->si_signo, sig);
	EQ(t_bits(&uc->uc_sigmask), BIT(SIGTERM));
	last = 2;
	seen = t_view();
}

static volatile int depth, deepest;

static void again(int sig)
{
	last = 3;
	seen = t_view();
	if (++depth > deepest)
		deepest = depth;
	if (depth < 3)
		raise(sig);
	depth--;
}

static void expect(int which, uint64_t mask)
{
	last = 0;
	raise(SIGUSR1);
	EQ(last, which);
	EQ(seen, mask);
	MASK(BIT(SIGTERM));
}

int main(void)
{
	t_hot();
	t_setmask(BIT(SIGTERM));
	for (int i = 0; i < 300; i++) {
		t_handle(SIGUSR1, plain, 0, BIT(SIGHUP));
		expect(1, BIT(SIGTERM) | BIT(SIGHUP) | BIT(SIGUSR1));
		t_handle_info(SIGUSR1, with, SA_RESTART, BIT(SIGINT));
		expect(2, BIT(SIGTERM) | BIT(SIGINT) | BIT(SIGUSR1));
		deepest = 0;
		t_handle(SIGUSR1, again, SA_NODEFER, 0);
		expect(3, BIT(SIGTERM));
		EQ(deepest, 3);
		if (i % 3 == 0)
			signal(SIGUSR1, SIG_DFL);
		if (i % 7 == 0)
			signal(SIGUSR1, SIG_IGN);
	}
	return 0;
}
