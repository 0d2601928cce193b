// SPDX-License-Identifier: MIT
// What a handler writes into uc_sigmask is the mask after it.
#include "t.h"

static volatile uint64_t next, before;
static volatile int runs;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)info;
	ucontext_t *uc = context;
	before = t_bits(&uc->uc_sigmask);
	uint64_t mask = next;
	memcpy(&uc->uc_sigmask, &mask, 8);
	MASK(before | BIT(sig) | BIT(SIGTERM));
	runs++;
}

static void check(uint64_t from, uint64_t to, uint64_t result)
{
	int already = runs;
	t_setmask(from);
	next = to;
	raise(SIGUSR1);
	EQ(runs, already + 1);
	EQ(before, from);
	MASK(result);
	EQ(t_setmask(0), result);
}

// The handler runs inside the call that unblocks: its mask is the last word.
static void check_unblocked(uint64_t to)
{
	int already = runs;
	t_setmask(BIT(SIGUSR1) | BIT(SIGINT));
	next = to;
	raise(SIGUSR1);
	EQ(runs, already);
	EQ(t_setmask(0), BIT(SIGUSR1) | BIT(SIGINT));
	EQ(runs, already + 1);
	EQ(before, 0);
	MASK(to);
	EQ(t_setmask(0), to);
}

int main(void)
{
	t_start();
	t_handle_info(SIGUSR1, handler, 0, BIT(SIGTERM));
	check(0, BIT(SIGHUP), BIT(SIGHUP));
	check(BIT(SIGHUP), 0, 0);
	check(BIT(SIGHUP), BIT(SIGHUP), BIT(SIGHUP));
	check(BIT(SIGHUP), BIT(SIGUSR1) | BIT(SIGINT), BIT(SIGUSR1) | BIT(SIGINT));
	check(0, BIT(SIGKILL) | BIT(SIGSTOP) | BIT(SIGINT), BIT(SIGINT));
	check(BIT(SIGINT), BIT(SIGRTMAX) | BIT(SIGRTMIN), BIT(SIGRTMAX) | BIT(SIGRTMIN));
	check_unblocked(BIT(SIGHUP));
	check_unblocked(BIT(SIGINT) | BIT(SIGRTMIN));
	check_unblocked(0);
	// Without SA_SIGINFO the context is passed just the same.
	t_handle(SIGUSR1, (void (*)(int))(void *)handler, 0, BIT(SIGTERM));
	check(0, BIT(SIGHUP), BIT(SIGHUP));
	return 0;
}
