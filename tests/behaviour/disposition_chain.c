// SPDX-License-Identifier: MIT
// A component with its own rt_sigaction instruction (a crash reporter, a static libc) takes a
// signal over and calls the handler that it found as a function: the call returns to it.
#include "t.h"

struct kernel_sigaction {
	union {
		void (*one)(int);
		void (*three)(int, siginfo_t *, void *);
	} handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

static struct kernel_sigaction found;
static volatile int order, called_at, returned_at;
static siginfo_t *volatile given;

static void raw_sigaction(const struct kernel_sigaction *act, struct kernel_sigaction *old)
{
	EQ(t_syscall(SYS_rt_sigaction, SIGUSR1, (long)act, (long)old, 8), 0);
}

static void handler(int sig)
{
	EQ(sig, SIGUSR1);
	called_at = ++order;
}

static void handler_info(int sig, siginfo_t *info, void *context)
{
	EQ(sig, SIGUSR1);
	CHECK(info == given);
	EQ(info->si_pid, getpid());
	// The component took the signal itself: what it hands on is the kernel's own word.
	FITS(t_bits(&((ucontext_t *)context)->uc_sigmask), BIT(SIGHUP));
	called_at = ++order;
}

static void chain_three(int sig, siginfo_t *info, void *context)
{
	given = info;
	if (found.flags & SA_SIGINFO)
		found.handler.three(sig, info, context);
	else
		found.handler.one(sig);
	returned_at = ++order;
}

static void chain_one(int sig)
{
	found.handler.one(sig);
	returned_at = ++order;
}

static void chained(const struct kernel_sigaction *component)
{
	for (int i = 0; i < 3; i++) {
		order = 0;
		raw_sigaction(component, NULL);
		raise(SIGUSR1);
		EQ(called_at, 1);
		EQ(returned_at, 2);
		MASK(BIT(SIGHUP));
		// It steps aside again.
		raw_sigaction(&found, NULL);
		raise(SIGUSR1);
		EQ(called_at, 3);
		EQ(order, 3);
		MASK(BIT(SIGHUP));
	}
}

int main(void)
{
	struct kernel_sigaction component;
	t_start();
	t_setmask(BIT(SIGHUP));

	t_handle(SIGUSR1, handler, 0, 0);
	raw_sigaction(NULL, &found);
	component = found;
	component.handler.one = chain_one;
	chained(&component);
	component.handler.three = chain_three;
	component.flags |= SA_SIGINFO;
	chained(&component);

	t_handle_info(SIGUSR1, handler_info, 0, 0);
	given = NULL;
	raw_sigaction(NULL, &found);
	component = found;
	component.handler.three = chain_three;
	order = 0;
	raw_sigaction(&component, NULL);
	for (int i = 1; i <= 3; i++) {
		raise(SIGUSR1);
		EQ(called_at, 2 * i - 1);
		EQ(returned_at, 2 * i);
		MASK(BIT(SIGHUP));
	}
	return 0;
}
