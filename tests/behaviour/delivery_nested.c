// SPDX-License-Identifier: MIT
// Handlers within handlers: each mask builds on the one below and unwinds to it.
#include "t.h"

static const int signals[] = {SIGUSR1, SIGUSR2, SIGHUP, SIGINT, SIGTERM, SIGALRM};
#define LEVELS (int)(sizeof signals / sizeof *signals)
static volatile int depth, runs;

static void handler(int sig)
{
	uint64_t mask = 0;
	int level = depth++;
	EQ(sig, signals[level]);
	for (int i = 0; i <= level; i++)
		mask |= BIT(signals[i]);
	MASK(mask);
	if (level + 1 < LEVELS)
		raise(signals[level + 1]);
	MASK(mask);
	runs++;
	depth--;
}

int main(void)
{
	t_start();
	for (int i = 0; i < LEVELS; i++)
		t_handle(signals[i], handler, i % 2 ? SA_RESTART : 0, 0);
	for (int i = 0; i < 100; i++) {
		raise(signals[0]);
		MASK(0);
	}
	EQ(runs, 100 * LEVELS);
	return 0;
}
