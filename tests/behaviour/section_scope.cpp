// SPDX-License-Identifier: MIT
// The scope helpers: a section ends by return, break, goto and exception.
#include <sigzero.h>

#include <stdexcept>

#include "t.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs = runs + 1;
}

static int returns(bool early)
{
	SIGZERO_SECTION;

	raise(SIGUSR1);
	EQ(runs, 0);
	if (early)
		return 1;
	SIGZERO_SECTION;
	EQ(sigzero_blocked(), 1);
	return 2;
}

static void throws()
{
	sigzero::section guard;

	raise(SIGUSR1);
	EQ(runs, 0);
	throw std::runtime_error("out");
}

static void loops()
{
	for (int i = 0; i < 3; i++) {
		SIGZERO_SECTION;

		raise(SIGUSR1);
		if (i == 1)
			continue;
		EQ(sigzero_blocked(), 1);
		if (i == 2)
			break;
	}
}

static void expect(int n)
{
	EQ(runs, n);
	EQ(sigzero_blocked(), 0);
	MASK(0);
	runs = 0;
}

int main()
{
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	for (int i = 0; i < 40; i++) {
		EQ(returns(true), 1);
		expect(1);
		EQ(returns(false), 2);
		expect(1);
		try {
			throws();
		} catch (const std::runtime_error &) {
			expect(1);
		}
		loops();
		expect(3);
	}
	return 0;
}
