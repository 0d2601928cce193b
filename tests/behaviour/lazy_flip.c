// SPDX-License-Identifier: MIT
// A disposition that goes back and forth between the default and a handler, with the signal
// blocked while it changes, as Perl's time-outs do it; a signal in between finds the one in force.
#include "lazy.h"

static volatile int runs, other_runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void other(int sig)
{
	(void)sig;
	other_runs++;
}

static struct sigaction change(void (*to)(int), int flags)
{
	struct sigaction act, old;
	sigset_t set = t_set(BIT(SIGALRM)), before;
	memset(&act, 0, sizeof act);
	act.sa_handler = to;
	act.sa_flags = flags;
	EQ(sigprocmask(SIG_BLOCK, &set, &before), 0);
	EQ(sigaction(SIGALRM, &act, &old), 0);
	EQ(sigprocmask(SIG_SETMASK, &before, NULL), 0);
	return old;
}

static void expect(const struct sigaction *act, void (*want)(int), int flags)
{
	CHECK(act->sa_handler == want);
	if (want != SIG_DFL)
		EQ((unsigned)act->sa_flags & ~0x04000000u, (unsigned)flags);
}

static void flip(int flags)
{
	struct sigaction old = change(handler, flags);
	expect(&old, SIG_DFL, 0);
	raise(SIGALRM);
	old = change(SIG_DFL, 0);
	expect(&old, handler, flags);
}

static void by_signal(void)
{
	CHECK(signal(SIGALRM, other) == SIG_DFL);
	raise(SIGALRM);
	CHECK(signal(SIGALRM, handler) == other);
	raise(SIGALRM);
	CHECK(signal(SIGALRM, SIG_DFL) == handler);
}

// Sent under the handler, delivered under what came after it.
static void pending_across(void)
{
	runs = other_runs = 0;
	t_setmask(BIT(SIGALRM));
	t_handle(SIGALRM, handler, 0, 0);
	raise(SIGALRM);
	signal(SIGALRM, SIG_DFL);
	t_handle(SIGALRM, other, 0, 0);
	t_setmask(0);
	EQ(runs, 0);
	EQ(other_runs, 1);
	t_setmask(BIT(SIGALRM));
	raise(SIGALRM); // would be the end
	t_handle(SIGALRM, handler, 0, 0);
	t_setmask(0);
	EQ(runs, 1);
	signal(SIGALRM, SIG_DFL);
}

static int sent_under;

// After many changes the default is the default, wherever the signal was sent.
static void dies(void)
{
	for (int i = 0; i < 50; i++)
		flip(0);
	if (sent_under == 1) {
		t_setmask(BIT(SIGALRM));
		raise(SIGALRM);
	}
	if (sent_under == 2) {
		t_setmask(BIT(SIGALRM));
		t_handle(SIGALRM, handler, 0, 0);
		raise(SIGALRM);
		signal(SIGALRM, SIG_DFL);
	}
	if (sent_under == 0)
		raise(SIGALRM);
	t_setmask(0);
}

int main(void)
{
	t_hot();
	for (int turn = 0; turn < 300; turn++) {
		runs = other_runs = 0;
		flip(0);
		flip(SA_RESTART);
		EQ(runs, 2);
		by_signal();
		EQ(runs, 3);
		EQ(other_runs, 1);
		if (turn % 10 == 0)
			pending_across();
	}
	for (sent_under = 0; sent_under < 3; sent_under++) {
		int status = t_child(dies);
		EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGALRM);
	}
	return 0;
}
