// SPDX-License-Identifier: MIT
// Parent and child of vfork share one count. The parent goes on as it was, in a section or not,
// whatever arrived in either and whatever the child left undone.
#include "word.h"

static volatile int runs, in_child;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static __attribute__((noinline)) void child_body(void)
{
	in_child = runs;
	sigzero_block();
	kill(getpid(), SIGUSR2);
	in_child = runs - in_child;
	sigzero_unblock();
	_exit(in_child);
}

static void from_outside(void)
{
	runs = 0;
	pid_t child = vfork();
	if (child == 0)
		child_body();
	EQ(t_wait(child), 0);
	EQ(runs, 1); // the child's: memory is shared
	EQ(sigzero_blocked(), 0);
	MASK(BIT(SIGHUP));
	sigzero_block();
	raise(SIGUSR1);
	EQ(runs, 1);
	sigzero_unblock();
	EQ(runs, 2);
	MASK(BIT(SIGHUP));
}

static void from_inside(int pending)
{
	runs = 0;
	sigzero_block();
	if (pending)
		raise(SIGUSR1);
	pid_t child = vfork();
	if (child == 0)
		child_body();
	EQ(t_wait(child), 0);
	EQ(runs, 0); // still in the section, and the child never left it
	EQ(sigzero_blocked(), 1);
	if (!pending)
		raise(SIGUSR1);
	EQ(runs, 0);
	sigzero_unblock();
	EQ(runs, 1);
	EQ(sigzero_blocked(), 0);
	MASK(BIT(SIGHUP));
}

static void left_undone(int enters)
{
	runs = 0;
	if (!enters)
		sigzero_block();
	pid_t child = vfork();
	if (child == 0) {
		if (enters)
			sigzero_block();
		else
			sigzero_unblock();
		_exit(0);
	}
	EQ(t_wait(child), 0);
	EQ(sigzero_blocked(), !enters);
	raise(SIGUSR1);
	EQ(runs, enters);
	if (!enters)
		sigzero_unblock();
	EQ(runs, 1);
	MASK(BIT(SIGHUP));
}

// The parent finds its own signal when it wakes, and what the child left in the count.
static void sent_by_the_child(int inside)
{
	runs = 0;
	if (inside)
		sigzero_block();
	pid_t child = vfork();
	if (child == 0) {
		if (inside)
			sigzero_unblock();
		else
			sigzero_block();
		kill(getppid(), SIGUSR1);
		_exit(0);
	}
	EQ(t_wait(child), 0);
	EQ(sigzero_blocked(), inside);
	EQ(runs, !inside);
	if (inside)
		sigzero_unblock();
	EQ(runs, 1);
	EQ(sigzero_pending(), 0);
	MASK(BIT(SIGHUP));
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	t_handle(SIGUSR2, handler, 0, 0);
	t_setmask(BIT(SIGHUP));
	for (int i = 0; i < 25; i++) {
		from_outside();
		from_inside(0);
		from_inside(1);
		if (!t_is_off()) { // then vfork is libc's own
			left_undone(0);
			left_undone(1);
			sent_by_the_child(0);
			sent_by_the_child(1);
		}
	}
	return 0;
}
