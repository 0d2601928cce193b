// SPDX-License-Identifier: MIT
// A handler that writes the mask in its context, while other signals are blocked outside: the
// word it writes is the mask afterwards, and what waits behind what it opens comes.
#include "lazy.h"

static volatile uint64_t write_mask, found;
static volatile int runs, hup_runs;

static void handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uint64_t mask = write_mask;
	(void)sig;
	(void)info;
	found = t_bits(&uc->uc_sigmask);
	memcpy(&uc->uc_sigmask, &mask, sizeof mask);
	runs++;
}

static void hup(int sig)
{
	(void)sig;
	hup_runs++;
}

static void check(uint64_t before, uint64_t after)
{
	runs = hup_runs = 0;
	t_setmask(before);
	write_mask = after;
	raise(SIGUSR1);
	EQ(runs, 1);
	EQ(found, before);
	MASK(after);
	// What the handler blocked is blocked, what it opened is open.
	raise(SIGHUP);
	EQ(hup_runs, !(after & BIT(SIGHUP)));
	t_setmask(0);
	EQ(hup_runs, 1);
	MASK(0);
}

static void opens_what_waits(void)
{
	runs = hup_runs = 0;
	t_setmask(BIT(SIGHUP) | BIT(SIGTERM));
	raise(SIGHUP);
	EQ(hup_runs, 0);
	write_mask = BIT(SIGTERM);
	raise(SIGUSR1);
	EQ(runs, 1);
	EQ(hup_runs, 1);
	MASK(BIT(SIGTERM));
	t_setmask(0);
}

// The signal comes between the handler's change of its own mask and its return.
static void blocks_itself(void)
{
	write_mask = BIT(SIGUSR1);
	t_setmask(BIT(SIGTERM));
	runs = 0;
	raise(SIGUSR1);
	raise(SIGUSR1);
	EQ(runs, 1);
	EQ(t_pending(), BIT(SIGUSR1));
	write_mask = 0;
	t_setmask(0);
	EQ(runs, 2);
}

int main(void)
{
	t_hot();
	t_handle_info(SIGUSR1, handler, 0, 0);
	t_handle(SIGHUP, hup, 0, 0);
	for (int i = 0; i < 100; i++) {
		check(BIT(SIGTERM), BIT(SIGTERM));
		check(BIT(SIGHUP), 0);
		check(0, BIT(SIGHUP));
		check(BIT(SIGHUP) | BIT(SIGINT), BIT(SIGALRM));
		check(BIT(SIGTERM), BIT(SIGHUP) | BIT(SIGTSTP) | BIT(SIGRTMIN));
		opens_what_waits();
		blocks_itself();
	}
	return 0;
}
