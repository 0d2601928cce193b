// SPDX-License-Identifier: MIT
// sigfastblock's word: what arrives while its count is not 0 is held, and PEND says so; UNBLOCK
// delivers it. Sections of sigzero_block and of the word hold each for itself.
#include "word.h"

static volatile int runs, in_handler;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void uses_word(int sig)
{
	(void)sig;
	in_handler++;
	enter(&word);
	raise(SIGUSR1);
	EQ(runs, 0);
	leave(&word);
	EQ(runs, 1);
}

static void held(void)
{
	runs = 0;
	enter(&word);
	EQ(word, SIGFASTBLOCK_INC);
	leave(&word);
	EQ(word, 0);
	enter(&word);
	enter(&word);
	raise(SIGUSR1);
	EQ(runs, 0);
	EQ(word, 2 * SIGFASTBLOCK_INC | SIGFASTBLOCK_PEND);
	CHECK(!left_pending(&word));
	EQ(runs, 0);
	CHECK(left_pending(&word));
	EQ(runs, 0);
	EQ(word, SIGFASTBLOCK_PEND);
	EQ(sigfastblock(SIGFASTBLOCK_UNBLOCK, NULL), 0);
	EQ(runs, 1);
	EQ(word, 0);
	MASK(BIT(SIGHUP));
}

static void in_a_handler(void)
{
	runs = in_handler = 0;
	t_handle(SIGUSR2, uses_word, 0, 0);
	raise(SIGUSR2);
	EQ(in_handler, 1);
	runs = 0;
	enter(&word);
	raise(SIGUSR2);
	EQ(in_handler, 1);
	leave(&word);
	EQ(in_handler, 2);
	EQ(word, 0);
	MASK(BIT(SIGHUP));
}

static void mask_inside(void)
{
	runs = 0;
	enter(&word);
	raise(SIGUSR1);
	EQ(t_setmask(BIT(SIGUSR1)), BIT(SIGHUP));
	EQ(t_view(), BIT(SIGUSR1));
	leave(&word);
	EQ(runs, 0);
	t_setmask(BIT(SIGHUP));
	EQ(runs, 1);
}

static void interleaved(void)
{
	for (int i = 0; i < 4; i++) {
		runs = 0;
		if (i & 1)
			enter(&word);
		sigzero_block();
		if (!(i & 1))
			enter(&word);
		raise(SIGUSR1);
		EQ(runs, 0);
		if (i & 2)
			leave(&word);
		else
			sigzero_unblock();
		EQ(runs, 0);
		if (i & 2)
			sigzero_unblock();
		else
			leave(&word);
		EQ(runs, 1);
		EQ(word, 0);
		EQ(sigzero_blocked(), 0);
		MASK(BIT(SIGHUP));
	}
}

// The signal is held by the one, and the other is entered only then.
static void handed_over(void)
{
	runs = 0;
	sigzero_block();
	raise(SIGUSR1);
	enter(&word);
	sigzero_unblock();
	EQ(runs, 0);
	leave(&word);
	EQ(runs, 1);
	runs = 0;
	enter(&word);
	raise(SIGUSR1);
	sigzero_block();
	leave(&word);
	EQ(runs, 0);
	sigzero_unblock();
	EQ(runs, 1);
	MASK(BIT(SIGHUP));
}

static void after_the_subtraction(void)
{
	runs = 0;
	enter(&word);
	raise(SIGUSR1);
	CHECK(left_pending(&word));
	raise(SIGUSR2); // a kernel delivers at once, without one it waits for UNBLOCK
	EQ(runs, t_by_kernel() ? 2 : 0);
	EQ(sigfastblock(SIGFASTBLOCK_UNBLOCK, NULL), 0);
	EQ(runs, 2);
	MASK(BIT(SIGHUP));
	EQ(word, 0);
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	t_setmask(BIT(SIGHUP));
	t_register(&word);
	for (int i = 0; i < 40; i++) {
		held();
		in_a_handler();
		mask_inside();
		interleaved();
		handed_over();
	}
	t_handle(SIGUSR2, handler, 0, 0);
	after_the_subtraction();
	EQ(sigfastblock(SIGFASTBLOCK_UNSETPTR, NULL), 0);
	enter(&word); // nobody looks at it any more
	runs = 0;
	raise(SIGUSR1);
	EQ(runs, 1);
	EQ(word, SIGFASTBLOCK_INC);
	return 0;
}
