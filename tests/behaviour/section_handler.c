// SPDX-License-Identifier: MIT
// Sections in handlers: entered and left there, a further signal is delivered at the end of the
// section if the handler has it open, and after the handler if not.
#include <sigzero.h>

#include "t.h"

static volatile char order[64];
static volatile int used;

static void note(char c)
{
	order[used++] = c;
	order[used] = 0;
}

static void on_usr2(int sig)
{
	(void)sig;
	note('2');
	sigzero_block();
	sigzero_unblock();
}

static void on_usr1(int sig)
{
	(void)sig;
	EQ(sigzero_blocked(), 0);
	note('(');
	sigzero_block();
	sigzero_block();
	raise(SIGUSR2);
	note('a');
	sigzero_unblock();
	note('b');
	sigzero_unblock();
	note(')');
}

// The compiler may believe that raise runs no code of ours.
static void expect(int from, const char *expected)
{
	char got[sizeof order];

	for (size_t i = 0; i < sizeof order; i++)
		got[i] = order[i];
	if (strcmp(got + from, expected) != 0)
		t_fail(__FILE__, __LINE__, got);
}

static void round_of(uint64_t sa_mask, const char *expected)
{
	t_handle(SIGUSR1, on_usr1, 0, sa_mask);
	used = 0;
	raise(SIGUSR1);
	note('.');
	expect(0, expected);

	used = 0;
	sigzero_block();
	raise(SIGUSR1);
	note('s');
	sigzero_unblock();
	EQ(order[0], 's');
	EQ(order[1], '(');
	note('.');
	expect(1, expected);
	EQ(sigzero_blocked(), 0);
	MASK(0);
}

int main(void)
{
	t_start();
	t_handle(SIGUSR2, on_usr2, 0, 0);
	for (int i = 0; i < 40; i++) {
		round_of(0, "(ab2).");
		round_of(BIT(SIGUSR2), "(ab)2.");
	}
	return 0;
}
